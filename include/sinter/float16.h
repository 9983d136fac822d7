#pragma once
// Storage types for IEEE half precision and bfloat16. Conversions round to nearest even, keep
// denormals, and turn every NaN into the one canonical quiet NaN. No arithmetic: convert to float.

#include <cstdint>

namespace sinter {

/// f32 bits of an IEEE half, exact.
float float_from_half_bits(std::uint16_t bits);
/// Nearest half, ties to even; overflow gives infinity.
std::uint16_t half_bits_from_float(float value);
/// Nearest half of a double in one rounding.
std::uint16_t half_bits_from_double(double value);
float float_from_bfloat_bits(std::uint16_t bits);
std::uint16_t bfloat_bits_from_float(float value);
std::uint16_t bfloat_bits_from_double(double value);

struct float16_t {
  std::uint16_t bits = 0;
  float16_t() = default;
  explicit float16_t(float value) : bits(half_bits_from_float(value)) {}
  explicit operator float() const { return float_from_half_bits(bits); }
  bool operator==(const float16_t& other) const { return float(*this) == float(other); }
};

struct bfloat16_t {
  std::uint16_t bits = 0;
  bfloat16_t() = default;
  explicit bfloat16_t(float value) : bits(bfloat_bits_from_float(value)) {}
  explicit operator float() const { return float_from_bfloat_bits(bits); }
  bool operator==(const bfloat16_t& other) const { return float(*this) == float(other); }
};

}  // namespace sinter
