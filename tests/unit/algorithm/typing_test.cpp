// The types of operators: what each pair of operands gives, and what is refused.

#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <cmath>
#include <functional>
#include <limits>

#include "dsl/ir/interpret.h"
#include "dsl/ir/node.h"
#include "dsl/ir/scalar.h"

namespace sinter {
namespace {

const std::vector<Type>& all_types() {
  static const std::vector<Type> types = {Bool(),     UInt(8),   UInt(16), UInt(32), UInt(64),
                                          Int(8),     Int(16),   Int(32),  Int(64),  Float(16),
                                          BFloat(16), Float(32), Float(64)};
  return types;
}

/// Something of a type that is not a literal.
Expr some(Type type) { return ir::symbol(type, Symbol::named("some_" + to_string(type))); }

std::string reason_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const AlgorithmError& e) {
    return e.diagnostic().reason;
  }
  return "";
}

Type value(Expr e) { return e.type(); }

/// The rules again, in words of their own.
Type sum_type(Type a, Type b) {
  const auto promote = [](Type t) { return t.is_float() && t.bits == 16 ? Float(32) : t; };
  a = promote(a);
  b = promote(b);
  if (a.is_float() || b.is_float()) {
    if (a == Float(64) || b == Float(64)) return Float(64);
    return Float(32);
  }
  if (a.is_bool()) return b;
  if (b.is_bool()) return a;
  const int bits = std::max<int>(a.bits, b.bits);
  return a.is_int() || b.is_int() ? Int(bits) : UInt(bits);
}

TEST(Typing, ArithmeticOfAnyTwoTypesFollowsTheTable) {
  for (const Type a : all_types()) {
    for (const Type b : all_types()) {
      if (a.is_bool() && b.is_bool()) continue;
      const Expr x = some(a), y = some(b);
      for (const Expr& e : {x + y, x - y, x * y, x / y, min(x, y), max(x, y)}) {
        EXPECT_EQ(to_string(e.type()), to_string(sum_type(a, b)))
            << to_string(a) << " " << to_string(b);
        for (const ir::Ref& arg : e->args) EXPECT_EQ(arg->type, e.type());
      }
      EXPECT_EQ((x < y).type(), Bool());
      EXPECT_EQ((x == y)->args[0]->type, sum_type(a, b));
    }
  }
}

TEST(Typing, SmallIntegersKeepTheirType) {
  const Expr byte = some(UInt(8));
  EXPECT_EQ(value(byte + byte), UInt(8));
  EXPECT_EQ(value(byte + 1), UInt(8));
  EXPECT_EQ(value(200 - byte), UInt(8));
  EXPECT_EQ(value(byte << 2), UInt(8));
  EXPECT_EQ(value(byte * 0.5f), Float(32));
  EXPECT_EQ(value(byte * 0.5), Float(64));
  EXPECT_EQ(value(some(Int(16)) / 3), Int(16));
}

TEST(Typing, LiteralsTakeTheOtherTypeExactly) {
  EXPECT_EQ(value(some(Float(32)) * 3), Float(32));
  EXPECT_EQ(value(some(BFloat(16)) * 3), Float(32));
  EXPECT_EQ(value(some(Bool()) == 1), Bool());
  const Expr e = some(UInt(64)) + 7;
  EXPECT_EQ(ir::arg(e, 1)->op, ir::Op::Literal);
  EXPECT_EQ(ir::arg(e, 1).type(), UInt(64));
}

TEST(Typing, LiteralsThatDoNotFitAreRefused) {
  EXPECT_EQ(reason_of([] { some(UInt(8)) + 300; }),
            "the literal 300 is not representable in the other operand's type, u8");
  EXPECT_EQ(reason_of([] { some(UInt(32)) * -1; }),
            "the literal -1 is not representable in the other operand's type, u32");
  EXPECT_EQ(reason_of([] { some(Float(32)) + 16777217; }),
            "the literal 16777217 is not representable in the other operand's type, f32");
  EXPECT_EQ(reason_of([] { (void)(some(Int(8)) == 128); }),
            "the literal 128 is not representable in the other operand's type, i8");
}

TEST(Typing, HalvesAreComputedInSingleButChosenAsTheyAre) {
  const Expr half = some(Float(16)), brain = some(BFloat(16)), condition = some(Bool());
  EXPECT_EQ(value(half + half), Float(32));
  EXPECT_EQ(value(-brain), Float(32));
  EXPECT_EQ(value(exp(half)), Float(32));
  EXPECT_EQ(value(select(condition, brain, brain)), BFloat(16));
  EXPECT_EQ(value(select(condition, brain, 0)), BFloat(16));
  EXPECT_EQ(value(select(condition, brain, half)), Float(32));
  EXPECT_EQ(value(strict(half)), Float(16));
}

TEST(Typing, BitOperatorsTakeTheLeftSign) {
  EXPECT_EQ(value(some(UInt(8)) & 0x0f), UInt(8));
  EXPECT_EQ(value(some(Int(16)) | some(UInt(8))), Int(16));
  EXPECT_EQ(value(some(UInt(8)) ^ some(Int(8))), UInt(8));
  EXPECT_EQ(value(some(Bool()) & some(Bool())), Bool());
  EXPECT_EQ(value(~some(UInt(16))), UInt(16));
  EXPECT_EQ(reason_of([] { some(Float(32)) & 1; }), "it works on integers, and an operand is f32");
}

TEST(Typing, AShiftAmountHasTheWidthOfItsValue) {
  for (const Expr& e : {some(UInt(8)) << some(Int(8)), some(UInt(8)) << 3,
                        some(Int(32)) >> some(UInt(8)), some(UInt(16)) >> some(UInt(16))}) {
    const Type value_type = e->args[0]->type;
    const Type amount = e->args[1]->type;
    EXPECT_EQ(value_type, e.type());
    EXPECT_EQ(amount.bits, value_type.bits);
    EXPECT_TRUE(amount == value_type || amount.is_int());
  }
}

TEST(Typing, LogicNeedsBools) {
  EXPECT_EQ(reason_of([] { some(Int(32)) && some(Bool()); }), "it needs a bool, and is given i32");
  EXPECT_EQ(reason_of([] { select(some(UInt(8)), 1, 2); }), "it needs a bool, and is given u8");
  EXPECT_EQ(reason_of([] { some(Bool()) + some(Bool()); }), "it does not work on bool operands");
  EXPECT_EQ(reason_of([] { Expr() + 1; }), "an operand is an undefined Expr");
}

TEST(Typing, FunctionsOfFloatsTakeIntegersAsSingle) {
  EXPECT_EQ(value(sqrt(some(Int(32)))), Float(32));
  EXPECT_EQ(value(sin(some(Float(64)))), Float(64));
  EXPECT_EQ(value(pow(some(Float(32)), 2)), Float(32));
  EXPECT_EQ(value(floor(some(UInt(8)))), Float(32));
  EXPECT_EQ(value(abs(some(Int(16)))), UInt(16));
  EXPECT_EQ(value(absd(some(Int(8)), some(Int(8)))), UInt(8));
}

TEST(Typing, CastsOfLiteralsAreLiterals) {
  const Expr e = cast<std::uint8_t>(300);
  EXPECT_EQ(e->op, ir::Op::Literal);
  EXPECT_EQ(e->integer, 44);
  EXPECT_EQ(bf16(1.00390625f)->real, 1.0);
  EXPECT_EQ(i32(-2.7f)->integer, -2);
  EXPECT_EQ((Expr(3) + Expr(4))->op, ir::Op::Add);  // nothing else is folded
}

TEST(Typing, CoordinatesMeetLiteralsOnly) {
  const Expr x = ir::index_symbol(Symbol::named("x"));
  EXPECT_EQ(value(x + 1), Index());
  EXPECT_EQ(value(2 * x - x / 3 % 4), Index());
  EXPECT_EQ(value(x < 5), Bool());
  EXPECT_EQ(value(select(x < 5, x, 0)), Index());
  EXPECT_THROW(x + some(Int(32)), InternalError);
  EXPECT_THROW(x + 1.0f, InternalError);
}

// --- values of the integer idioms, against plain arithmetic in a wide type

ir::Scalar evaluate_closed(const Expr& e) {
  std::vector<ir::Scalar> args;
  for (const ir::Ref& a : e->args) args.push_back(evaluate_closed(Expr(a)));
  if (e->op == ir::Op::Literal) {
    return e.type().is_float() ? ir::Scalar::of_real(e.type(), e->real)
                               : ir::Scalar::of_integer(e.type(), e->integer);
  }
  return ir::apply(e->op, e.type(), args.data(), static_cast<int>(args.size()));
}
std::int64_t integer(const Expr& e) { return evaluate_closed(e).integer; }
Expr literal(Type t, std::int64_t v) {
  return ir::literal(t, ir::Scalar::of_integer(t, v).integer);
}

std::int64_t shift(std::int64_t v, std::int64_t right) {
  return right >= 0 ? v >> std::min<std::int64_t>(right, 40)
                    : v << std::min<std::int64_t>(-right, 40);
}

template <typename T>
void check_idioms() {
  const Type t = type_of<T>();
  const std::int64_t low = t.min_int(), high = t.max_int();
  for (std::int64_t i = low; i <= high; i += 5) {
    for (std::int64_t j = low; j <= high; j += 3) {
      const Expr a = literal(t, i), b = literal(t, j);
      const auto saturated = [&](std::int64_t v) { return std::min(std::max(v, low), high); };
      ASSERT_EQ(integer(saturating_add(a, b)), saturated(i + j)) << i << " " << j;
      ASSERT_EQ(integer(saturating_sub(a, b)), saturated(i - j)) << i << " " << j;
      ASSERT_EQ(integer(halving_add(a, b)), (i + j) >> 1) << i << " " << j;
      ASSERT_EQ(integer(rounding_halving_add(a, b)), (i + j + 1) >> 1) << i << " " << j;
      ASSERT_EQ(integer(halving_sub(a, b)), ir::Scalar::of_integer(t, (i - j) >> 1).integer)
          << i << " " << j;
      ASSERT_EQ(integer(widening_add(a, b)), i + j);
      ASSERT_EQ(integer(widening_sub(a, b)), i - j);
      ASSERT_EQ(integer(widening_mul(a, b)), i * j);
      ASSERT_EQ(integer(absd(a, b)), std::abs(i - j));
      ASSERT_EQ(integer(mul_shift_right(a, b, 4)), saturated((i * j) >> 4));
      ASSERT_EQ(integer(rounding_mul_shift_right(a, b, 7)), saturated((i * j + 64) >> 7))
          << i << " " << j;
    }
    for (int s = -9; s <= 9; ++s) {
      const Expr a = literal(t, i);
      const std::int64_t right = s > 0 ? shift(i + (std::int64_t{1} << (s - 1)), s) : shift(i, s);
      const std::int64_t left = s < 0 ? shift(i + (std::int64_t{1} << (-s - 1)), -s) : shift(i, -s);
      const auto wrapped = [&](std::int64_t v) { return ir::Scalar::of_integer(t, v).integer; };
      ASSERT_EQ(integer(rounding_shift_right(a, s)), wrapped(right)) << i << " by " << s;
      ASSERT_EQ(integer(rounding_shift_left(a, s)), wrapped(left)) << i << " by " << s;
      ASSERT_EQ(integer(rounding_shift_right(a, literal(Int(32), s) + literal(Int(32), 0))),
                wrapped(right));
    }
  }
}

TEST(Idioms, OfSignedBytesEqualWideArithmetic) { check_idioms<std::int8_t>(); }
TEST(Idioms, OfUnsignedBytesEqualWideArithmetic) { check_idioms<std::uint8_t>(); }

TEST(Idioms, AByteShiftedByALargeUnsignedAmountIsZero) {
  EXPECT_EQ(integer(rounding_shift_right(literal(UInt(8), 77), literal(UInt(8), 200))), 0);
  EXPECT_EQ(integer(literal(Int(8), -1) >> literal(UInt(8), 200)), -1);
  EXPECT_EQ(integer(literal(Int(8), 1) << literal(UInt(8), 200)), 0);
}

TEST(Idioms, SaturatingCastKeepsTheNearestValue) {
  EXPECT_EQ(integer(u8_sat(literal(Int(32), -5) + 0)), 0);
  EXPECT_EQ(integer(u8_sat(literal(Int(32), 500) + 0)), 255);
  EXPECT_EQ(integer(i8_sat(literal(UInt(64), -1) + 0)), 127);
  EXPECT_EQ(integer(saturating_cast<std::uint64_t>(literal(Int(64), -1) + 0)), 0);
  EXPECT_EQ(integer(saturating_cast<std::int64_t>(literal(UInt(64), -1) + 0)),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integer(u8_sat(Expr(1e9f) + 0)), 255);
  EXPECT_EQ(evaluate_closed(saturating_cast<float16_t>(Expr(1e9f) + 0)).real, 65504);
}

TEST(Idioms, LerpOfBytesRoundsToNearest) {
  for (int zero = 0; zero < 256; zero += 15) {
    for (int one = 0; one < 256; one += 17) {
      for (int w = 0; w < 256; w += 3) {
        const double exact = (zero * (255.0 - w) + one * w) / 255.0;
        const Expr e = lerp(literal(UInt(8), zero), literal(UInt(8), one), literal(UInt(8), w));
        ASSERT_EQ(e.type(), UInt(8));
        ASSERT_EQ(integer(e), std::lround(exact)) << zero << " " << one << " " << w;
        const Expr s =
            lerp(literal(Int(8), zero - 128), literal(Int(8), one - 128), literal(UInt(8), w));
        ASSERT_EQ(integer(s), std::lround(exact) - 128);
      }
    }
  }
  EXPECT_EQ(evaluate_closed(lerp(Expr(2.0f) + 0, Expr(4.0f), Expr(0.25f))).real, 2.5);
}

TEST(Print, ExpressionsReadAsTheyAreWritten) {
  const Var x("x"), y("y");
  EXPECT_EQ(to_string(x + y * 2 - (x - y)), "x + y*2 - (x - y)");
  EXPECT_EQ(to_string((x + y) / 3 % 4), "(x + y)/3 % 4");
  EXPECT_EQ(to_string(select(x < y && !(x == 3), f32(x), 1.5f)),
            "select(x < y && !(x == 3), f32(x), 1.5f)");
  EXPECT_EQ(to_string(u8(x) & 3), "u8(x) & u8(3)");
  EXPECT_EQ(to_string(Expr()), "(undefined)");
}

}  // namespace
}  // namespace sinter
