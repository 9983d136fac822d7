#pragma once
// Symbolic intervals: the set of integers between two Index expressions, both ends included.
// An undefined end is unbounded.

#include <memory>
#include <unordered_map>

#include "dsl/ir/node.h"

namespace sinter::algebra {

struct Interval {
  Expr min, max;  // Index scalars; undefined = unbounded
  static Interval point(const Expr& e) { return {e, e}; }
  static Interval everything() { return {}; }
  bool bounded() const { return min.defined() && max.defined(); }
  bool is_point() const { return bounded() && ir::equal(min, max); }
};
/// What is known about symbols. A symbol that is absent stands for itself (a point).
using Scope = std::unordered_map<Symbol, Interval>;

/// The smallest interval we find that holds both; ends are simplified.
Interval hull(const Interval&, const Interval&);

/// Bounds of an Index, integer or bool scalar expression when the symbols of `scope` vary over
/// their intervals. Ends are Index expressions over the symbols that are not in `scope`.
/// Value-typed subexpressions count only by what their types and ops say (u8 load: [0, 255]); i32
/// and wider values without a tighter op are unbounded. Linear in the number of distinct nodes.
Interval bounds_of(const Expr&, const Scope& scope);
/// The same of many expressions in one scope: what they share is looked at once.
class BoundsIn {
 public:
  explicit BoundsIn(Scope scope = {});
  ~BoundsIn();
  BoundsIn(const BoundsIn&) = delete;
  BoundsIn& operator=(const BoundsIn&) = delete;
  Interval operator()(const Expr&);

 private:
  struct Contents;
  std::unique_ptr<Contents> contents_;
};

/// Integer ends, where known: bounds_of with everything constant.
struct ConstantInterval {
  bool has_min = false, has_max = false;
  std::int64_t min = 0, max = 0;
};
/// `known`: constant intervals of symbols (loop variables, extents >= 0, ...).
using ConstantScope = std::unordered_map<Symbol, ConstantInterval>;
ConstantInterval constant_bounds(const Expr&, const ConstantScope& known);
/// The values of a loop's variable.
ConstantInterval range_of_loop(const Expr& min, const Expr& extent, const ConstantScope& known);

}  // namespace sinter::algebra
