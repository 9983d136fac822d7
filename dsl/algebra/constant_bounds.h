#pragma once
// Constant intervals of expressions, memoised over the nodes of one scope. Internal to algebra; the
// public entry is constant_bounds().

#include "dsl/algebra/float_bounds.h"
#include "dsl/algebra/interval.h"
#include "dsl/algebra/linear_form.h"

namespace sinter::algebra {

class ConstantBounds {
 public:
  /// `known` must outlive this; when it changes, swap() the memo.
  explicit ConstantBounds(const ConstantScope& known)
      : known_(known), floats_([this](const Expr& e) { return of(e); }) {}
  ConstantBounds(const ConstantBounds&) = delete;
  ConstantBounds& operator=(const ConstantBounds&) = delete;
  /// Of an Index, integer or bool scalar.
  ConstantInterval of(const Expr&);
  /// Of a sum, using what its terms have in common: min(x + 1, n) - min(x, n) lies in [0, 1].
  ConstantInterval of_form(const LinearForm&, int depth = 2);
  /// Of a - b.
  ConstantInterval difference(const Expr& a, const Expr& b);
  /// Of a - b for two atoms of one op (min, max, select, division by one constant).
  ConstantInterval atom_difference(const Expr& a, const Expr& b, int depth);
  struct PairHash {
    std::size_t operator()(const std::pair<ir::Ref, ir::Ref>& p) const {
      return std::hash<ir::Ref>{}(p.first) * 31 + std::hash<ir::Ref>{}(p.second);
    }
  };
  struct Memo {
    std::unordered_map<const ir::Node*, std::pair<ir::Ref, ConstantInterval>> nodes;
    std::unordered_map<std::pair<ir::Ref, ir::Ref>, ConstantInterval, PairHash> differences;
    FloatBounds::Memo floats;
  };
  /// Exchanges the results remembered, for when what is known changes.
  void swap(Memo& other) {
    std::swap(memo_, other);
    floats_.swap(other.floats);
  }

 private:
  ConstantInterval index_node(const Expr&);
  ConstantInterval value_node(const Expr&);
  ConstantInterval expanded(const LinearForm&, int depth);
  ConstantInterval difference_of(const Expr& a, const Expr& b, int depth);
  ConstantInterval paired(const LinearForm&, int depth);
  ConstantInterval with_quotients_removed(const LinearForm&, int depth);

  const ConstantScope& known_;
  Memo memo_;
  FloatBounds floats_;
};

// Interval arithmetic; an end that leaves int64 is unknown.
ConstantInterval constant_point(std::int64_t value);
ConstantInterval constant_range(std::int64_t min, std::int64_t max);
ConstantInterval add(const ConstantInterval&, const ConstantInterval&);
ConstantInterval scale(const ConstantInterval&, std::int64_t factor);
ConstantInterval multiply(const ConstantInterval&, const ConstantInterval&);
ConstantInterval divide(const ConstantInterval&, const ConstantInterval&);
ConstantInterval modulo(const ConstantInterval&, const ConstantInterval&);
ConstantInterval minimum(const ConstantInterval&, const ConstantInterval&);
ConstantInterval maximum(const ConstantInterval&, const ConstantInterval&);
ConstantInterval hull(const ConstantInterval&, const ConstantInterval&);
ConstantInterval intersect(const ConstantInterval&, const ConstantInterval&);
/// Both ends known and within [min, max].
bool within(const ConstantInterval&, std::int64_t min, std::int64_t max);
/// The interval a type's values have in bounds: bool, 8 and 16 bits fully, unsigned from 0 on.
ConstantInterval type_interval(Type);
/// `i` when it fits in the type for certain, so that wrapping cannot have happened; else the
/// type's.
ConstantInterval fit(const ConstantInterval& i, Type);

}  // namespace sinter::algebra
