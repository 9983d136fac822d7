// The scalar meaning of every operator, as tables.

#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <sinter/diagnostic.h>

#include "dsl/ir/scalar.h"

namespace sinter::ir {
namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();
const double NaN = std::numeric_limits<double>::quiet_NaN();

Scalar integer(Type type, std::int64_t value) { return Scalar::of_integer(type, value); }
Scalar real(Type type, double value) { return Scalar::of_real(type, value); }
Scalar run(Op op, Type result, std::initializer_list<Scalar> args) {
  return apply(op, result, args.begin(), static_cast<int>(args.size()));
}
std::int64_t binary_integer(Op op, Type type, std::int64_t a, std::int64_t b) {
  return run(op, type, {integer(type, a), integer(type, b)}).integer;
}
std::int64_t cast_integer(Type to, const Scalar& from) { return run(Op::Cast, to, {from}).integer; }
double cast_real(Type to, const Scalar& from) { return run(Op::Cast, to, {from}).real; }
bool compare(Op op, const Scalar& a, const Scalar& b) { return run(op, Bool(), {a, b}).as_bool(); }

TEST(Scalar, DivisionIsEuclidean) {
  struct Row {
    std::int64_t a, b, quotient, remainder;
  };
  for (const Row& row : {Row{7, 3, 2, 1}, Row{7, -3, -2, 1}, Row{-7, 3, -3, 2}, Row{-7, -3, 3, 2},
                         Row{6, -3, -2, 0}, Row{-6, 3, -2, 0}, Row{0, -5, 0, 0}, Row{5, 0, 0, 0},
                         Row{-5, 0, 0, 0}, Row{-1, 8, -1, 7}}) {
    for (const Type type : {Index(), Int(8), Int(16), Int(32), Int(64)}) {
      EXPECT_EQ(binary_integer(Op::Div, type, row.a, row.b), row.quotient)
          << row.a << "/" << row.b << to_string(type);
      EXPECT_EQ(binary_integer(Op::Mod, type, row.a, row.b), row.remainder)
          << row.a << "%" << row.b << to_string(type);
    }
  }
}

TEST(Scalar, SmallestDividedByMinusOneWraps) {
  for (const Type type : {Int(8), Int(16), Int(32), Int(64)}) {
    EXPECT_EQ(binary_integer(Op::Div, type, type.min_int(), -1), type.min_int());
    EXPECT_EQ(binary_integer(Op::Mod, type, type.min_int(), -1), 0);
  }
  EXPECT_EQ(binary_integer(Op::Div, Int(64), -7, std::numeric_limits<std::int64_t>::min()), 1);
  EXPECT_EQ(binary_integer(Op::Mod, Int(64), -7, std::numeric_limits<std::int64_t>::min()),
            std::numeric_limits<std::int64_t>::max() - 6);
}

TEST(Scalar, EightBitDivisionSatisfiesItsDefinition) {
  for (int a = -128; a < 128; a++) {
    for (int b = -128; b < 128; b++) {
      const std::int64_t q = binary_integer(Op::Div, Int(8), a, b),
                         r = binary_integer(Op::Mod, Int(8), a, b);
      if (b == 0) {
        EXPECT_EQ(q, 0);
        EXPECT_EQ(r, 0);
        continue;
      }
      EXPECT_GE(r, 0);
      EXPECT_LT(r, std::abs(b));
      EXPECT_EQ(integer(Int(8), q * b + r).integer, a);
    }
  }
}

TEST(Scalar, SixtyFourBitUnsignedIsUnsigned) {
  const std::int64_t all = -1;  // 2^64 - 1
  EXPECT_EQ(binary_integer(Op::Div, UInt(64), all, 2), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(binary_integer(Op::Mod, UInt(64), all, 10), 5);
  EXPECT_EQ(binary_integer(Op::Max, UInt(64), all, 1), all);
  EXPECT_EQ(binary_integer(Op::Min, UInt(64), all, 1), 1);
  EXPECT_TRUE(compare(Op::Less, integer(UInt(64), 1), integer(UInt(64), all)));
  EXPECT_FALSE(compare(Op::LessEqual, integer(UInt(64), all), integer(UInt(64), 1)));
  EXPECT_EQ(cast_real(Float(64), integer(UInt(64), all)), std::ldexp(1.0, 64));
}

TEST(Scalar, IntegersWrapAndIndexDoesNot) {
  EXPECT_EQ(binary_integer(Op::Add, UInt(8), 250, 10), 4);
  EXPECT_EQ(binary_integer(Op::Sub, UInt(8), 3, 5), 254);
  EXPECT_EQ(binary_integer(Op::Mul, Int(8), 100, 2), -56);
  EXPECT_EQ(binary_integer(Op::Add, Int(64), std::numeric_limits<std::int64_t>::max(), 1),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(binary_integer(Op::Mul, Int(32), 65536, 65536), 0);
  EXPECT_THROW(binary_integer(Op::Add, Index(), std::numeric_limits<std::int64_t>::max(), 1),
               InternalError);
}

TEST(Scalar, AbsOfAnIntIsUnsigned) {
  EXPECT_EQ(run(Op::Abs, UInt(8), {integer(Int(8), -128)}).integer, 128);
  EXPECT_EQ(run(Op::Abs, UInt(32), {integer(Int(32), -5)}).integer, 5);
  EXPECT_EQ(run(Op::Abs, Index(), {integer(Index(), -5)}).integer, 5);
  EXPECT_TRUE(run(Op::Abs, Float(32), {real(Float(32), -0.0)}).same(real(Float(32), 0.0)));
}

TEST(Scalar, ShiftsGoBothWays) {
  const auto left = [](Type t, std::int64_t a, Type amount, std::int64_t b) {
    return run(Op::ShiftLeft, t, {integer(t, a), integer(amount, b)}).integer;
  };
  const auto right = [](Type t, std::int64_t a, Type amount, std::int64_t b) {
    return run(Op::ShiftRight, t, {integer(t, a), integer(amount, b)}).integer;
  };
  EXPECT_EQ(left(UInt(8), 0x81, UInt(8), 1), 2);
  EXPECT_EQ(left(UInt(8), 0x81, Int(8), -1), 0x40);
  EXPECT_EQ(left(UInt(8), 1, UInt(8), 8), 0);
  EXPECT_EQ(left(UInt(8), 1, UInt(8), 255), 0);
  EXPECT_EQ(left(Int(32), -1, Int(32), -40), -1);
  EXPECT_EQ(right(Int(32), -8, Int(32), 1), -4);
  EXPECT_EQ(right(Int(32), -8, Int(32), 100), -1);
  EXPECT_EQ(right(UInt(32), 0x80000000, UInt(32), 31), 1);
  EXPECT_EQ(right(UInt(32), 0x80000000, UInt(32), 32), 0);
  EXPECT_EQ(right(Int(32), 1, Int(32), std::numeric_limits<std::int32_t>::min()), 0);
  EXPECT_EQ(right(UInt(64), -1, UInt(64), -1), 0);
  EXPECT_EQ(right(Int(64), -1, Int(64), 63), -1);
  EXPECT_EQ(left(Int(64), 1, Int(64), 63), std::numeric_limits<std::int64_t>::min());
}

TEST(Scalar, BitsAreCounted) {
  EXPECT_EQ(run(Op::CountLeadingZeros, UInt(16), {integer(UInt(16), 1)}).integer, 15);
  EXPECT_EQ(run(Op::CountLeadingZeros, UInt(16), {integer(UInt(16), 0)}).integer, 16);
  EXPECT_EQ(run(Op::CountTrailingZeros, UInt(16), {integer(UInt(16), 0)}).integer, 16);
  EXPECT_EQ(run(Op::CountTrailingZeros, Int(32), {integer(Int(32), -8)}).integer, 3);
  EXPECT_EQ(run(Op::CountLeadingZeros, Int(8), {integer(Int(8), -1)}).integer, 0);
  EXPECT_EQ(run(Op::PopCount, Int(8), {integer(Int(8), -1)}).integer, 8);
  EXPECT_EQ(run(Op::BitNot, UInt(8), {integer(UInt(8), 1)}).integer, 254);
  EXPECT_EQ(binary_integer(Op::BitXor, Int(8), -1, 1), -2);
}

TEST(Scalar, MinAndMaxPreferNumbersAndOrderZeros) {
  for (const Type type : {Float(16), BFloat(16), Float(32), Float(64)}) {
    const auto both = [&](Op op, double a, double b) {
      return run(op, type, {real(type, a), real(type, b)});
    };
    EXPECT_EQ(both(Op::Min, NaN, 1).real, 1);
    EXPECT_EQ(both(Op::Max, 1, NaN).real, 1);
    EXPECT_TRUE(std::isnan(both(Op::Max, NaN, NaN).real));
    EXPECT_TRUE(both(Op::Min, 0.0, -0.0).same(real(type, -0.0)));
    EXPECT_TRUE(both(Op::Min, -0.0, 0.0).same(real(type, -0.0)));
    EXPECT_TRUE(both(Op::Max, -0.0, 0.0).same(real(type, 0.0)));
    EXPECT_TRUE(both(Op::Max, 0.0, -0.0).same(real(type, 0.0)));
    EXPECT_EQ(both(Op::Min, -Infinity, 3).real, -Infinity);
  }
}

TEST(Scalar, ComparisonsWithNaNAreFalseExceptNotEqual) {
  const Scalar nan = real(Float(32), NaN), one = real(Float(32), 1);
  for (const Op op : {Op::Equal, Op::Less, Op::LessEqual}) {
    EXPECT_FALSE(compare(op, nan, one));
    EXPECT_FALSE(compare(op, one, nan));
    EXPECT_FALSE(compare(op, nan, nan));
  }
  EXPECT_TRUE(compare(Op::NotEqual, nan, nan));
  EXPECT_TRUE(compare(Op::Equal, real(Float(32), 0.0), real(Float(32), -0.0)));
}

TEST(Scalar, FloatToIntegerTruncatesAndSaturates) {
  EXPECT_EQ(cast_integer(Int(32), real(Float(32), -2.9)), -2);
  EXPECT_EQ(cast_integer(UInt(8), real(Float(32), 255.9)), 255);
  EXPECT_EQ(cast_integer(UInt(8), real(Float(32), 256.0)), 255);
  EXPECT_EQ(cast_integer(UInt(8), real(Float(32), -1.0)), 0);
  EXPECT_EQ(cast_integer(Int(8), real(Float(32), -1e10)), -128);
  EXPECT_EQ(cast_integer(Int(32), real(Float(64), 2147483647.5)), 2147483647);
  EXPECT_EQ(cast_integer(Int(32), real(Float(64), -2147483648.9)),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(cast_integer(Int(64), real(Float(64), 1e30)), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(cast_integer(Int(64), real(Float(64), -Infinity)),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(cast_integer(UInt(64), real(Float(64), Infinity)), -1);
  EXPECT_EQ(cast_integer(UInt(64), real(Float(64), 0x1p63)),
            std::numeric_limits<std::int64_t>::min());
  for (const Type type : {Int(8), UInt(16), Int(32), UInt(64)})
    EXPECT_EQ(cast_integer(type, real(Float(32), NaN)), 0);
}

TEST(Scalar, IntegerToFloatRoundsOnce) {
  // Just above a tie of f32: rounding to double first would make it the tie.
  const std::int64_t above_tie = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
  EXPECT_EQ(cast_real(Float(32), integer(Int(64), above_tie)),
            std::ldexp(1.0, 60) + std::ldexp(1.0, 37));
  EXPECT_EQ(cast_real(Float(32), integer(Int(64), -above_tie)),
            -std::ldexp(1.0, 60) - std::ldexp(1.0, 37));
  EXPECT_EQ(cast_real(Float(32), integer(UInt(64), above_tie)),
            std::ldexp(1.0, 60) + std::ldexp(1.0, 37));
  EXPECT_EQ(cast_real(BFloat(16),
                      integer(Int(64), (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1)),
            std::ldexp(1.0, 60) + std::ldexp(1.0, 53));
  EXPECT_EQ(cast_real(Float(16), integer(Int(64), 65519)), 65504);
  EXPECT_EQ(cast_real(Float(16), integer(Int(64), 65520)), Infinity);
  EXPECT_EQ(cast_real(Float(16), integer(UInt(64), -1)), Infinity);
  EXPECT_EQ(cast_real(Float(32), integer(UInt(64), -1)), std::ldexp(1.0, 64));
  const std::uint64_t seed = 20;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 100000; i++) {
    const auto value = static_cast<std::int64_t>(random() >> (random() % 64));
    EXPECT_EQ(cast_real(Float(32), integer(Int(64), value)),
              static_cast<double>(static_cast<float>(value)))
        << value;
    EXPECT_EQ(cast_real(Float(32), integer(UInt(64), value)),
              static_cast<double>(static_cast<float>(static_cast<std::uint64_t>(value))))
        << value << " seed " << seed;
  }
}

TEST(Scalar, IntegerCastsWrapAndBoolsAreNotZero) {
  EXPECT_EQ(cast_integer(UInt(8), integer(Int(32), -1)), 255);
  EXPECT_EQ(cast_integer(Int(8), integer(Index(), 384)), -128);
  EXPECT_EQ(cast_integer(Index(), integer(UInt(32), -1)), 4294967295);
  EXPECT_EQ(cast_integer(Index(), integer(UInt(64), -1)), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(cast_integer(Bool(), integer(Int(32), 256)), 1);
  EXPECT_EQ(cast_integer(Bool(), real(Float(32), 0.5)), 1);
  EXPECT_EQ(cast_integer(Bool(), real(Float(32), -0.0)), 0);
  EXPECT_EQ(cast_integer(Int(8), integer(Bool(), 1)), 1);
  EXPECT_EQ(cast_real(Float(32), integer(Bool(), 1)), 1);
}

TEST(Scalar, ReinterpretKeepsBits) {
  EXPECT_EQ(run(Op::Reinterpret, UInt(32), {real(Float(32), 1)}).integer, 0x3f800000);
  EXPECT_EQ(run(Op::Reinterpret, Float(32), {integer(Int(32), -0x80000000LL)})
                .same(real(Float(32), -0.0)),
            true);
  EXPECT_EQ(run(Op::Reinterpret, UInt(16), {real(BFloat(16), 1)}).integer, 0x3f80);
  EXPECT_EQ(run(Op::Reinterpret, Int(8), {integer(UInt(8), 200)}).integer, -56);
  EXPECT_EQ(run(Op::Reinterpret, UInt(32), {real(Float(32), NaN)}).integer, 0x7fc00000);
}

TEST(Scalar, EachFloatOperatorRoundsOnce) {
  const std::uint64_t seed = 7;
  std::mt19937 random(seed);
  const auto draw = [&] {
    const double mantissa = std::uniform_real_distribution<double>(-2, 2)(random);
    return real(Float(32), std::ldexp(mantissa, static_cast<int>(random() % 300) - 150));
  };
  for (int i = 0; i < 100000; i++) {
    const Scalar a = draw(), b = draw(), c = draw();
    const float x = static_cast<float>(a.real), y = static_cast<float>(b.real),
                z = static_cast<float>(c.real);
    const auto same = [&](Op op, float expected) {
      return run(op, Float(32), {a, b}).same(real(Float(32), static_cast<double>(expected)));
    };
    EXPECT_TRUE(same(Op::Add, x + y)) << seed;
    EXPECT_TRUE(same(Op::Sub, x - y)) << seed;
    EXPECT_TRUE(same(Op::Mul, x * y)) << seed;
    EXPECT_TRUE(same(Op::Div, x / y)) << seed;
    const auto exactly = [](float value) {
      return Scalar{Float(32), 0, static_cast<double>(value)};
    };
    EXPECT_TRUE(run(Op::Fma, Float(32), {a, b, c}).same(exactly(std::fma(x, y, z)))) << seed;
    EXPECT_TRUE(
        run(Op::Sqrt, Float(32), {exactly(std::fabs(x))}).same(exactly(std::sqrt(std::fabs(x)))))
        << seed;
  }
}

TEST(Scalar, FmaOfSixteenBitsRoundsOnce) {
  // 1 + 2^-11 is a tie of f16; 2^-24 more decides it.
  const Scalar a = real(Float(16), 1), b = real(Float(16), 1 + 0x1p-10);
  const Scalar half = real(Float(16), 0.5);
  EXPECT_EQ(run(Op::Fma, Float(16), {half, real(Float(16), 0x1p-10), a}).real, 1.0);
  EXPECT_EQ(run(Op::Fma, Float(16), {half, real(Float(16), 0x1p-10), b}).real, 1 + 0x1p-9);
  // 2^15 + 2^4 is a tie; the product 2^-48 is far below the last place of a double's sum.
  const Scalar tiny = real(Float(16), 0x1p-24);
  EXPECT_EQ(run(Op::Fma, BFloat(16),
                {real(BFloat(16), 0x1p-60), real(BFloat(16), 0x1p-60), real(BFloat(16), 1)})
                .real,
            1);
  EXPECT_EQ(run(Op::Fma, Float(16), {tiny, tiny, real(Float(16), 32768)}).real, 32768);
  // 257 = 2^8 + 1 needs nine bits: a tie of bf16 that a tiny product decides.
  const Scalar product_part = real(BFloat(16), 257.0);
  EXPECT_EQ(product_part.real, 256);
}

TEST(Scalar, RoundingFunctionsKeepTheType) {
  const auto at = [](Op op, double value) {
    return run(op, Float(32), {real(Float(32), value)}).real;
  };
  EXPECT_EQ(at(Op::Round, 2.5), 2);
  EXPECT_EQ(at(Op::Round, 3.5), 4);
  EXPECT_EQ(at(Op::Round, -2.5), -2);
  EXPECT_EQ(at(Op::Floor, -0.5), -1);
  EXPECT_EQ(at(Op::Ceil, 0.5), 1);
  EXPECT_EQ(at(Op::Trunc, -1.5), -1);
  EXPECT_TRUE(std::signbit(at(Op::Ceil, -0.5)));
}

TEST(Scalar, PortableFunctionsRun) {
  EXPECT_EQ(run(Op::Exp, Float(32), {real(Float(32), 0)}).real, 1);
  EXPECT_NEAR(run(Op::Sin, Float(32), {real(Float(32), 1)}).real, std::sin(1.0), 1e-7);
  EXPECT_NEAR(run(Op::Pow, Float(32), {real(Float(32), 2), real(Float(32), 0.5)}).real,
              std::sqrt(2.0), 3e-7);
  EXPECT_EQ(run(Op::Rsqrt, Float(32), {real(Float(32), 4)}).real, 0.5);
}

TEST(Scalar, SelectAndLogic) {
  const Scalar yes = integer(Bool(), 1), no = integer(Bool(), 0);
  EXPECT_EQ(run(Op::Select, Int(32), {yes, integer(Int(32), 1), integer(Int(32), 2)}).integer, 1);
  EXPECT_EQ(run(Op::Select, Int(32), {no, integer(Int(32), 1), integer(Int(32), 2)}).integer, 2);
  EXPECT_TRUE(compare(Op::Or, yes, no));
  EXPECT_FALSE(compare(Op::And, yes, no));
  EXPECT_TRUE(run(Op::Not, Bool(), {no}).as_bool());
}

TEST(Scalar, MemoryRoundTrip) {
  const std::uint64_t seed = 3;
  std::mt19937_64 random(seed);
  for (const Type type : {Bool(), Int(8), Int(16), Int(32), Int(64), UInt(8), UInt(16), UInt(32),
                          UInt(64), Index()}) {
    for (int i = 0; i < 100; i++) {
      const Scalar scalar = integer(type, static_cast<std::int64_t>(random()));
      std::uint64_t memory = ~std::uint64_t{0};
      write_scalar(scalar, &memory);
      EXPECT_TRUE(read_scalar(type, &memory).same(scalar)) << to_string(scalar) << " seed " << seed;
    }
  }
  for (const Type type : {Float(16), BFloat(16), Float(32), Float(64)}) {
    for (const double value : {0.0, -0.0, 1.5, -3e-8, 1e30, Infinity, -Infinity, NaN}) {
      const Scalar scalar = real(type, value);
      std::uint64_t memory = 0;
      write_scalar(scalar, &memory);
      EXPECT_TRUE(read_scalar(type, &memory).same(scalar)) << to_string(scalar);
    }
  }
}

TEST(Scalar, TextIsATypedLiteral) {
  EXPECT_EQ(to_string(integer(UInt(8), 3)), "3u8");
  EXPECT_EQ(to_string(integer(Int(32), -1)), "-1i32");
  EXPECT_EQ(to_string(integer(Index(), 7)), "7");
  EXPECT_EQ(to_string(integer(UInt(64), -1)), "18446744073709551615u64");
  EXPECT_EQ(to_string(integer(Bool(), 1)), "true");
  EXPECT_EQ(to_string(real(Float(32), 1.5)), "1.5f32");
  EXPECT_EQ(to_string(real(Float(32), 0.1)), "0.1f32");
  EXPECT_EQ(to_string(real(Float(64), -0.0)), "-0f64");
  EXPECT_EQ(to_string(real(BFloat(16), NaN)), "nan_bf16");
  EXPECT_EQ(to_string(real(Float(16), -Infinity)), "-inf_f16");
}

}  // namespace
}  // namespace sinter::ir
