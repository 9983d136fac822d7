// Intervals of floats hold every value the interpreter's arithmetic gives.

#include "dsl/algebra/float_bounds.h"

#include <cmath>

#include "dsl/algebra/constant_bounds.h"
#include "support.h"

namespace sinter::algebra::testing {
namespace {

using ir::Op;

const Symbol data = Symbol::named("data");

Expr real(Type t, double value) { return ir::real_literal(t, ir::Scalar::of_real(t, value).real); }
Expr clamped(const Expr& e, double low, double high) {
  return ir::binary(Op::Max, ir::binary(Op::Min, e, real(e->type, high)), real(e->type, low));
}
Expr in_unit(Type t) { return clamped(ir::symbol(t, data), 0, 1); }

TEST(FloatBounds, AClampExcludesNaN) {
  FloatBounds bounds;
  const FloatInterval i = bounds.of(in_unit(Float(32)));
  EXPECT_EQ(i.min, 0);
  EXPECT_EQ(i.max, 1);
  EXPECT_FALSE(i.may_be_nan);
  EXPECT_TRUE(bounds.of(ir::symbol(Float(32), data)).may_be_nan);
  const Expr either = ir::binary(Op::Min, ir::symbol(Float(32), data),
                                 ir::symbol(Float(32), Symbol::named("other")));
  EXPECT_TRUE(bounds.of(either).may_be_nan);
}

// 1 / (1 + e^-x) of an x that is at least 0: a GPU divides by what is known to be in [1, 2].
TEST(FloatBounds, OneSideKnownIsEnoughForASigmoid) {
  const Type t = Float(32);
  FloatBounds bounds;
  const Expr x = ir::binary(Op::Max, ir::symbol(t, data), real(t, 0));
  const Expr power = ir::unary(Op::Exp, ir::binary(Op::Mul, x, real(t, -1)));
  const FloatInterval i = bounds.of(ir::binary(Op::Add, power, real(t, 1)));
  EXPECT_EQ(i.min, 1);
  EXPECT_NEAR(i.max, 2, 1e-5);
  EXPECT_FALSE(i.may_be_nan);
  // A promise is about numbers.
  const Expr promise =
      ir::expr(Op::PromiseClamped, t, {ir::symbol(t, data), real(t, 2), real(t, 3)});
  EXPECT_EQ(bounds.of(promise).min, 2);
  EXPECT_EQ(bounds.of(promise).max, 3);
  EXPECT_TRUE(bounds.of(promise).may_be_nan);
}

TEST(FloatBounds, ConversionsInRangeOnlyTruncate) {
  FloatBounds bounds;
  const auto times = [](double factor) {
    return ir::binary(Op::Mul, in_unit(Float(32)), real(Float(32), factor));
  };
  EXPECT_TRUE(bounds.only_truncates(times(255), UInt(8)));
  EXPECT_TRUE(bounds.only_truncates(times(255.5), UInt(8)));
  EXPECT_FALSE(bounds.only_truncates(times(256), UInt(8)));
  EXPECT_FALSE(bounds.only_truncates(times(-1), UInt(8)));
  EXPECT_TRUE(bounds.only_truncates(times(-128), Int(8)));
  EXPECT_TRUE(bounds.only_truncates(times(2147483520.0), Int(32)));
  EXPECT_FALSE(bounds.only_truncates(times(2147483648.0), Int(32)));
  EXPECT_FALSE(bounds.only_truncates(ir::symbol(Float(32), data), Int(32)));
  // 0 / 0 and the infinities lie behind these.
  EXPECT_FALSE(
      bounds.only_truncates(ir::binary(Op::Div, in_unit(Float(32)), in_unit(Float(32))), Int(32)));
  EXPECT_FALSE(bounds.only_truncates(
      ir::binary(Op::Max, ir::symbol(Float(32), data), real(Float(32), 0)), Int(32)));
}

TEST(FloatBounds, ConvertedFloatsBoundCoordinates) {
  const Expr level =
      ir::cast_to(Int(32), ir::binary(Op::Mul, in_unit(Float(32)), real(Float(32), 10)));
  EXPECT_EQ(ir::print(simplify(ir::binary(
                Op::Max, ir::binary(Op::Min, ir::cast_to(Index(), level), ir::index_literal(10)),
                ir::index_literal(0)))),
            ir::print(ir::cast_to(Index(), level)));
  const Interval i = bounds_of(ir::cast_to(Index(), level), {});
  ASSERT_TRUE(i.bounded());
  // Half of it is known: NaN gives 0, infinity saturates.
  const Expr positive =
      ir::cast_to(Int(32), ir::binary(Op::Max, ir::symbol(Float(32), data), real(Float(32), 3)));
  const ConstantInterval half = constant_bounds(positive, {});
  EXPECT_TRUE(half.has_min && half.min == 3 && !half.has_max);
  const Expr negative = ir::cast_to(UInt(8), ir::unary(Op::Floor, ir::symbol(Float(32), data)));
  EXPECT_TRUE(within(constant_bounds(negative, {}), 0, 255));
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  double number() {
    constexpr double some[] = {0, -0.0, 1, -1, 0.5, 3, 255, -128, 1e-30, 1e30, 65504, 2147483648.0};
    return some[below(12)];
  }
  Expr expression(Type t, int depth) {
    if (depth == 0)
      return below(3) == 0
                 ? real(t, number())
                 : clamped(ir::symbol(t, data), std::fmin(number(), 0), std::fmax(number(), 0));
    const auto operand = [&] { return expression(t, depth - 1); };
    constexpr Op binary[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min, Op::Max};
    constexpr Op unary[] = {Op::Floor, Op::Ceil, Op::Round, Op::Trunc, Op::Abs, Op::Sqrt};
    const int kind = below(12);
    if (kind < 6) return ir::binary(binary[kind], operand(), operand());
    if (kind < 8) return ir::unary(unary[below(6)], operand());
    if (kind == 8) return ir::expr(Op::Fma, t, {operand(), operand(), operand()});
    if (kind == 9) return ir::symbol(t, data);
    if (kind == 10)
      return ir::cast_to(t, ir::cast_to(below(2) == 0 ? Int(16) : UInt(8), operand()));
    constexpr Op functions[] = {Op::Exp, Op::Exp2, Op::Tanh, Op::Erf};
    if (t.bits >= 32 && below(2) == 0) return ir::unary(functions[below(4)], operand());
    return ir::select(ir::binary(Op::Less, operand(), operand()), operand(), operand());
  }

 private:
  std::mt19937_64 random_;
};

ir::Scalar value_at(const Expr& e, double at) {
  if (e->op == Op::Literal) return {e->type, e->integer, e->real};
  if (e->op == Op::Symbol) return ir::Scalar::of_real(e->type, at);
  std::vector<ir::Scalar> args;
  for (const ir::Ref& a : e->args) args.push_back(value_at(Expr(a), at));
  return ir::apply(e->op, e->type, args.data(), static_cast<int>(args.size()));
}

TEST(FloatBounds, HoldTheInterpretersValues) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE("SINTER_TEST_SEED=" + std::to_string(seed));
  Random random(seed);
  const double points[] = {0,    -0.0, 0.3,   1,        -1,        7.75,        1e9,
                           -1e9, 1e38, 1e-40, HUGE_VAL, -HUGE_VAL, std::nan("")};
  int known = 0;
  for (int round = 0; round < 3000; ++round) {
    constexpr Type types[] = {Float(32), Float(64), Float(16), BFloat(16)};
    constexpr Type integers[] = {Int(8), UInt(8), Int(32), UInt(32), Int(64), UInt(64)};
    const Expr e = random.expression(types[random.below(4)], random.below(4));
    const Type to = integers[random.below(6)];
    const ConstantScope nothing;
    ConstantBounds constants(nothing);
    FloatBounds bounds([&](const Expr& x) { return constants.of(x); });
    const FloatInterval i = bounds.of(e);
    const ConstantInterval c = bounds.converted(e, to);
    known += i.may_be_nan ? 0 : 1;
    for (const double point : points) {
      const ir::Scalar value = value_at(e, point);
      if (std::isnan(value.real)) {
        EXPECT_TRUE(i.may_be_nan) << ir::print(e) << " at " << point;
      } else {
        EXPECT_TRUE(i.min <= value.real && value.real <= i.max)
            << ir::print(e) << " at " << point << " is " << value.real << " outside [" << i.min
            << ", " << i.max << "]";
      }
      const ir::Scalar whole = ir::apply(Op::Cast, to, &value, 1);
      if (to == UInt(64) && whole.integer < 0) {
        EXPECT_FALSE(c.has_max) << ir::print(e) << " at " << point;
      } else {
        EXPECT_TRUE(!c.has_min || c.min <= whole.integer)
            << ir::print(e) << " at " << point << " to " << to_string(to);
        EXPECT_TRUE(!c.has_max || whole.integer <= c.max)
            << ir::print(e) << " at " << point << " to " << to_string(to);
      }
      if (bounds.only_truncates(e, to)) {
        EXPECT_EQ(static_cast<double>(whole.integer), std::trunc(value.real))
            << ir::print(e) << " at " << point;
      }
    }
  }
  EXPECT_GT(known, 300);
}

}  // namespace
}  // namespace sinter::algebra::testing
