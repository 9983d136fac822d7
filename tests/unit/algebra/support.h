#pragma once
// What the algebra tests share: parsing, random coordinate expressions, evaluation at a point.

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "dsl/algebra/simplify.h"
#include "dsl/ir/module.h"
#include "dsl/ir/scalar.h"

namespace sinter::algebra::testing {

inline Expr parsed(const std::string& text) { return ir::parse_expr(text); }
inline std::string simplified(const std::string& text, const ConstantScope& known = {}) {
  return ir::print(simplify(parsed(text), known));
}
inline ConstantInterval from_to(std::int64_t min, std::int64_t max) {
  return {true, true, min, max};
}

using Point = std::map<Symbol, std::int64_t>;
/// The value of a scalar expression at a point; throws InternalError when a coordinate leaves 64
/// bits.
ir::Scalar evaluate(const Expr&, const Point&);
/// One lane of a vector expression.
ir::Scalar evaluate_lane(const Expr&, int lane, const Point&);

/// Draws coordinate expressions over the index symbols a b c d (and bools over them).
class ExpressionSource {
 public:
  explicit ExpressionSource(std::uint64_t seed) : random_(seed) {}
  Expr index(int depth);
  Expr boolean(int depth);
  /// Of an integer type, over casts of a b c d.
  Expr value(Type, int depth);
  /// Of Index(lanes), from ramps and broadcasts.
  Expr vector(int lanes, int depth);
  Point point(const ConstantScope& known);
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

 private:
  std::mt19937_64 random_;
};

/// The seed of the random tests: SINTER_TEST_SEED or drawn anew; printed by the tests when they
/// fail.
std::uint64_t random_seed();

std::int64_t distinct_nodes(const Expr&);

}  // namespace sinter::algebra::testing
