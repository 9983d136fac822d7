// Half and bfloat16 conversions against the definition: the nearest of all values of the format.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <sinter/float16.h>

namespace sinter {
namespace {

struct Format {
  const char* name;
  float (*widen)(std::uint16_t);
  std::uint16_t (*narrow)(double);
  std::uint16_t (*narrow_float)(float);
  std::uint16_t infinity, nan;
};
const Format formats[] = {
    {"f16", float_from_half_bits, half_bits_from_double, half_bits_from_float, 0x7c00, 0x7e00},
    {"bf16", float_from_bfloat_bits, bfloat_bits_from_double, bfloat_bits_from_float, 0x7f80,
     0x7fc0}};

/// Nearest by search in the ordered table of all finite magnitudes; the even one of a tie.
class Nearest {
 public:
  explicit Nearest(const Format& format) : format_(format) {
    for (std::uint16_t bits = 0; bits < format.infinity; bits++)
      table_.push_back(static_cast<double>(format.widen(bits)));
    // Overflow behaves as if the next value of the format existed.
    table_.push_back(2 * table_.back() - table_[table_.size() - 2]);
  }
  std::uint16_t operator()(double value) const {
    const double magnitude = std::fabs(value);
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (magnitude >= table_.back()) return static_cast<std::uint16_t>(sign | format_.infinity);
    const auto above = std::upper_bound(table_.begin(), table_.end(), magnitude);
    const auto high = static_cast<std::uint16_t>(above - table_.begin());
    const auto low = static_cast<std::uint16_t>(high - 1);
    // The neighbours have few digits, so these long double differences order as the exact ones.
    const long double to_high =
        static_cast<long double>(table_[high]) - static_cast<long double>(magnitude);
    const long double to_low =
        static_cast<long double>(magnitude) - static_cast<long double>(table_[low]);
    const bool takes_low = to_low < to_high || (to_low == to_high && low % 2 == 0);
    return static_cast<std::uint16_t>(sign | (takes_low ? low : high));
  }

 private:
  const Format& format_;
  std::vector<double> table_;
};

TEST(Float16, EveryPatternSurvivesARoundTrip) {
  for (const Format& format : formats) {
    for (unsigned i = 0; i < 65536; i++) {
      const auto bits = static_cast<std::uint16_t>(i);
      const float wide = format.widen(bits);
      const bool is_nan = (bits & 0x7fff) > format.infinity;
      ASSERT_EQ(std::isnan(wide), is_nan) << format.name << " " << i;
      const std::uint16_t expected = is_nan ? format.nan : bits;
      ASSERT_EQ(format.narrow_float(wide), expected) << format.name << " " << i;
      ASSERT_EQ(format.narrow(static_cast<double>(wide)), expected) << format.name << " " << i;
    }
  }
}

TEST(Float16, KnownPatterns) {
  EXPECT_EQ(float_from_half_bits(0x3c00), 1.0f);
  EXPECT_EQ(float_from_half_bits(0x0001), 0x1p-24f);
  EXPECT_EQ(float_from_half_bits(0x7bff), 65504.0f);
  EXPECT_EQ(float_from_half_bits(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(float_from_bfloat_bits(0x3f80), 1.0f);
  EXPECT_EQ(float_from_bfloat_bits(0x0001), 0x1p-133f);
}

TEST(Float16, TiesAndNeighboursOfTiesRoundToNearestEven) {
  for (const Format& format : formats) {
    const Nearest nearest(format);
    for (std::uint16_t bits = 0; bits < format.infinity; bits++) {
      const double low = static_cast<double>(format.widen(bits));
      const double high =
          bits + 1 < format.infinity
              ? static_cast<double>(format.widen(static_cast<std::uint16_t>(bits + 1)))
              : 2 * low - static_cast<double>(format.widen(static_cast<std::uint16_t>(bits - 1)));
      const double tie = (low + high) / 2;
      for (const double value : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, 1e300)}) {
        ASSERT_EQ(format.narrow(value), nearest(value)) << format.name << " " << value;
        ASSERT_EQ(format.narrow(-value), nearest(-value)) << format.name << " " << -value;
      }
    }
  }
}

TEST(Float16, RandomDoublesRoundToNearestEven) {
  const std::uint64_t seed = 11;
  std::mt19937_64 random(seed);
  for (const Format& format : formats) {
    const Nearest nearest(format);
    for (int i = 0; i < 200000; i++) {
      const double mantissa = std::uniform_real_distribution<double>(-2, 2)(random);
      const int span = format.infinity == 0x7c00 ? 45 : 280;
      const double value = std::ldexp(
          mantissa, static_cast<int>(random() % static_cast<unsigned>(span)) - span * 5 / 8);
      ASSERT_EQ(format.narrow(value), nearest(value))
          << format.name << " " << value << " seed " << seed;
    }
    for (int i = 0; i < 100000; i++) {
      const double value = std::bit_cast<double>(random());
      if (std::isnan(value)) continue;
      ASSERT_EQ(format.narrow(value), nearest(value))
          << format.name << " " << value << " seed " << seed;
    }
  }
}

TEST(Float16, ADoubleIsRoundedOnce) {
  // Just above the tie between 1 and 1 + 2^-10; as a float it is the tie itself.
  EXPECT_EQ(half_bits_from_double(1 + 0x1p-11 + 0x1p-40), 0x3c01);
  EXPECT_EQ(half_bits_from_float(static_cast<float>(1 + 0x1p-11 + 0x1p-40)), 0x3c00);
  EXPECT_EQ(bfloat_bits_from_double(1 + 0x1p-8 + 0x1p-40), 0x3f81);
}

}  // namespace
}  // namespace sinter
