// The portable functions against the C library on samples of all bit patterns; tests/ulp does it on
// every f32. And that the two evaluators of their expansions agree.

#include "dsl/ir/portable_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "dsl/ir/batch.h"
#include "dsl/ir/postorder.h"
#include "dsl/ir/scalar.h"

namespace sinter::ir {
namespace {

constexpr std::uint64_t Seed = 20;
constexpr Op Functions[] = {Op::Exp, Op::Exp2, Op::Log,  Op::Log2, Op::Pow,  Op::Sin,
                            Op::Cos, Op::Tan,  Op::Tanh, Op::Erf,  Op::Rsqrt};

template <typename Wide>
Wide reference(Op op, Wide x, Wide y) {
  if (op == Op::Exp) return std::exp(x);
  if (op == Op::Exp2) return std::exp2(x);
  if (op == Op::Log) return std::log(x);
  if (op == Op::Log2) return std::log2(x);
  if (op == Op::Pow) return std::pow(x, y);
  if (op == Op::Sin) return std::sin(x);
  if (op == Op::Cos) return std::cos(x);
  if (op == Op::Tan) return std::tan(x);
  if (op == Op::Tanh) return std::tanh(x);
  if (op == Op::Erf) return std::erf(x);
  return Wide{1} / std::sqrt(x);
}

/// Random bit patterns, arguments of usual size, and the special values, all pairs of them for pow.
template <typename F>
void make_arguments(std::size_t n, std::vector<F>& x, std::vector<F>& y) {
  using Limits = std::numeric_limits<F>;
  using Bits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;
  std::vector<F> special{0,
                         Limits::denorm_min(),
                         Limits::min(),
                         F(0.5),
                         std::nextafter(F(1), F(0)),
                         1,
                         std::nextafter(F(1), F(2)),
                         F(1.5),
                         2,
                         3,
                         4,
                         F(16777215),
                         F(9007199254740991.0),
                         F(1e20),
                         Limits::max(),
                         Limits::infinity(),
                         Limits::quiet_NaN()};
  for (std::size_t i = 0, count = special.size(); i < count; ++i) special.push_back(-special[i]);
  for (F a : special)
    for (F b : special) {
      x.push_back(a);
      y.push_back(b);
    }
  std::mt19937_64 random(Seed);
  std::uniform_real_distribution<double> usual(-20, 20);
  for (std::size_t i = 0; i < n; ++i) {
    x.push_back(i % 2 == 0 ? std::bit_cast<F>(static_cast<Bits>(random()))
                           : static_cast<F>(usual(random)));
    y.push_back(i % 8 == 0 ? std::bit_cast<F>(static_cast<Bits>(random()))
                           : static_cast<F>(usual(random)));
  }
}

Expr expansion(Op op, Type type, const Symbol& x, const Symbol& y) {
  std::vector<Expr> operands{symbol(type, x)};
  if (op == Op::Pow) operands.push_back(symbol(type, y));
  return expand_math(op, operands);
}

template <typename F>
std::vector<F> evaluate_all(Op op, const std::vector<F>& x, const std::vector<F>& y) {
  const Symbol sx = Symbol::fresh("x"), sy = Symbol::fresh("y");
  Batch batch(expansion(op, type_of<F>(), sx, sy), {sx, sy});
  std::vector<F> result(x.size());
  for (std::size_t i = 0; i < x.size(); i += Batch::Block) {
    const void* inputs[] = {&x[i], &y[i]};
    batch.run(inputs, &result[i], std::min(Batch::Block, x.size() - i));
  }
  return result;
}

/// Distance in units of the last place of the exact value; 0 for equal specials, infinite for
/// different ones.
template <typename F, typename Wide>
double ulps(F value, Wide exact) {
  const F rounded = static_cast<F>(exact);
  if (std::isnan(rounded)) return std::isnan(value) ? 0 : HUGE_VAL;
  if (value == rounded && std::signbit(value) == std::signbit(rounded) &&
      (std::isinf(rounded) || exact == 0))
    return 0;
  if (std::isnan(value) || std::isinf(exact) || exact == 0 ||
      std::signbit(value) != std::signbit(rounded))
    return HUGE_VAL;
  int exponent = 0;
  (void)std::frexp(exact, &exponent);
  exponent = std::max(exponent, std::numeric_limits<F>::min_exponent);
  // The value that an infinity stands for.
  const Wide v = std::isinf(value)
                     ? std::copysign(std::ldexp(Wide{1}, std::numeric_limits<F>::max_exponent),
                                     static_cast<Wide>(value))
                     : static_cast<Wide>(value);
  return static_cast<double>(
      std::ldexp(std::fabs(v - exact), std::numeric_limits<F>::digits - exponent));
}

template <typename F, typename Wide>
void check_bound(Op op, std::size_t samples, double bound) {
  std::vector<F> x, y;
  make_arguments(samples, x, y);
  const std::vector<F> values = evaluate_all(op, x, y);
  int failures = 0;
  for (std::size_t i = 0; i < x.size() && failures < 5; ++i) {
    const Wide exact = reference<Wide>(op, static_cast<Wide>(x[i]), static_cast<Wide>(y[i]));
    const double error = ulps(values[i], exact);
    if (error <= bound) continue;
    ++failures;
    ADD_FAILURE() << info(op).name << "(" << std::hexfloat << x[i] << ", " << y[i]
                  << ") = " << values[i] << ", exactly " << exact << "; " << std::defaultfloat
                  << error << " ulp; seed " << Seed;
  }
}

class PortableMath : public testing::TestWithParam<Op> {};

TEST_P(PortableMath, F32IsWithinItsBound) {
  const bool is_two = GetParam() == Op::Pow || GetParam() == Op::Tanh;
  check_bound<float, double>(GetParam(), 400000, is_two ? 2 : 1);
}

TEST_P(PortableMath, F64IsWithinTwoUlp) { check_bound<double, long double>(GetParam(), 100000, 2); }

TEST_P(PortableMath, TheScalarMeaningIsThatOfTheExpansion) {
  const auto check = [&]<typename F>(F) {
    std::vector<F> x, y;
    make_arguments(2000, x, y);
    const std::vector<F> values = evaluate_all(GetParam(), x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Type type = type_of<F>();
      const Scalar operands[] = {Scalar::of_real(type, static_cast<double>(x[i])),
                                 Scalar::of_real(type, static_cast<double>(y[i]))};
      const Scalar scalar = apply(GetParam(), type, operands, GetParam() == Op::Pow ? 2 : 1);
      ASSERT_TRUE(scalar.same(Scalar::of_real(type, static_cast<double>(values[i]))))
          << std::hexfloat << x[i] << ", " << y[i] << ": " << scalar.real << " and " << values[i];
    }
  };
  check(float{});
  check(double{});
}

TEST_P(PortableMath, IsMadeOfCorrectlyRoundedOperatorsOnAnyLanes) {
  const std::set<Op> allowed{
      Op::Literal,   Op::Symbol,     Op::Add,       Op::Sub,           Op::Mul,         Op::Div,
      Op::Fma,       Op::Equal,      Op::NotEqual,  Op::Less,          Op::LessEqual,   Op::And,
      Op::Or,        Op::Not,        Op::BitAnd,    Op::BitOr,         Op::BitXor,      Op::BitNot,
      Op::ShiftLeft, Op::ShiftRight, Op::Select,    Op::Cast,          Op::Reinterpret, Op::Floor,
      Op::Round,     Op::Sqrt,       Op::Broadcast, Op::PromiseClamped};
  for (const int bits : {32, 64}) {
    for (const int lanes : {1, 8}) {
      const Type type = Float(bits, lanes);
      const Expr e = expansion(GetParam(), type, Symbol::named("x"), Symbol::named("y"));
      EXPECT_EQ(e->type, type);
      for (const Ref& n : postorder({e.node()})) {
        EXPECT_TRUE(allowed.contains(n->op)) << info(n->op).name;
        EXPECT_TRUE(n->type.lanes == lanes || n->op == Op::Literal) << info(n->op).name;
      }
    }
  }
}

double of_double(Op op, double x) {
  const Scalar argument = Scalar::of_real(Float(64), x);
  return apply(op, Float(64), &argument, 1).real;
}

/// The f64 closest to a multiple of pi/2: 61 bits of it cancel.
TEST(PortableMathExamples, TheHardestArgumentOfCosIsReducedExactly) {
  const double x = 0x1.6ac5b262ca1ffp+849;
  EXPECT_LE(ulps(of_double(Op::Cos, x), std::cos(static_cast<long double>(x))), 1);
  EXPECT_NEAR(of_double(Op::Cos, x), -4.6871659242546277e-19, 1e-33);
  EXPECT_EQ(of_double(Op::Sin, x), 1.0);
}

TEST(PortableMathExamples, PowFollowsTheCStandardAtItsSpecialValues) {
  const auto power = [](double x, double y) {
    const Scalar operands[] = {Scalar::of_real(Float(32), x), Scalar::of_real(Float(32), y)};
    return apply(Op::Pow, Float(32), operands, 2).real;
  };
  EXPECT_EQ(power(NAN, 0), 1);
  EXPECT_EQ(power(1, NAN), 1);
  EXPECT_EQ(power(-1, -INFINITY), 1);
  EXPECT_EQ(power(-2, 3), -8);
  EXPECT_TRUE(std::isnan(power(-2, 0.5)));
  EXPECT_EQ(power(-0.0, -3), -INFINITY);
  EXPECT_TRUE(std::signbit(power(-INFINITY, -5)));
}

/// What code generation for a GPU relies on: from any start within 1 ulp one step of Newton's gives
/// the nearest f32, but for a mantissa of ones, where only the nearest does.
TEST(PortableMathExamples, AStepOfNewtonRoundsAnInverse) {
  int starts = 0, wrong = 0;
  for (std::uint32_t bits = 0x3f800000; bits < 0x40000000; ++bits) {
    const float d = std::bit_cast<float>(bits), nearest = 1 / d;
    for (const float start :
         {std::nextafter(nearest, 0.0F), nearest, std::nextafter(nearest, 2.0F)}) {
      if (std::fabs(start - 1 / static_cast<double>(d)) > 0x1p-24) continue;
      ++starts;
      const float refined = std::fma(start, std::fma(-d, start, 1.0F), start);
      if (refined == nearest) continue;
      ++wrong;
      EXPECT_EQ(bits, 0x3fffffffU);
      EXPECT_NE(start, nearest);
    }
  }
  EXPECT_EQ(starts, 1 << 24);  // two neighbours of each
  EXPECT_EQ(wrong, 1);
}

INSTANTIATE_TEST_SUITE_P(All, PortableMath, testing::ValuesIn(Functions),
                         [](const auto& i) { return std::string(ir::info(i.param).name); });

}  // namespace
}  // namespace sinter::ir
