#pragma once
// The values that PTX instructions compute with, and conversions of the small float formats.

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "sinter/float16.h"

namespace sinter::emulator::ptx {

struct __attribute__((may_alias)) Half {
  std::uint16_t bits;
};
struct __attribute__((may_alias)) Bfloat {
  std::uint16_t bits;
};
template <class T>
struct __attribute__((may_alias)) Packed {
  T low, high;
};

inline double to_double(Half h) { return float_from_half_bits(h.bits); }
inline double to_double(Bfloat b) { return std::bit_cast<float>(std::uint32_t{b.bits} << 16); }
inline double to_double(float f) { return f; }
inline double to_double(double d) { return d; }
template <class T>
T from_double(double d);
template <>
inline Half from_double<Half>(double d) {
  return {half_bits_from_double(d)};
}
template <>
inline Bfloat from_double<Bfloat>(double d) {
  return {bfloat_bits_from_double(d)};
}
template <>
inline float from_double<float>(double d) {
  return static_cast<float>(d);
}
template <>
inline double from_double<double>(double d) {
  return d;
}

template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;

/// `sum`, the nearest double to some value, moved so that rounding it again to a narrower format
/// rounds that value once: to odd when `rest`, what the value has beyond `sum`, is not zero.
inline double round_to_odd(double sum, double rest) {
  if (rest == 0 || !std::isfinite(sum) || !std::isfinite(rest)) return sum;
  std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  if (bits & 1) return sum;
  const bool away = (rest > 0) == (sum > 0);
  if (sum == 0) return rest;
  bits = away ? bits + 1 : bits - 1;
  return std::bit_cast<double>(bits);
}
/// a + b for a second rounding.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return round_to_odd(sum, (a - (sum - part)) + (b - part));
}

/// `value` in format T under one of the rounding modes of <cfenv>.
template <class T>
T narrow(double value, int mode) {
  const T nearest = from_double<T>(value);
  if (mode == FE_TONEAREST || value != value) return nearest;
  const double back = to_double(nearest);
  const bool too_high = back > value, too_low = back < value;
  const bool lower = too_high && (mode == FE_DOWNWARD || (mode == FE_TOWARDZERO && value > 0));
  const bool higher = too_low && (mode == FE_UPWARD || (mode == FE_TOWARDZERO && value < 0));
  if (!lower && !higher) return nearest;
  // The neighbour in that direction: the formats' bits count up away from zero.
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  Bits bits;
  std::memcpy(&bits, &nearest, sizeof bits);
  const Bits sign = static_cast<Bits>(Bits{1} << (sizeof(T) * 8 - 1));
  if ((bits & ~sign) == 0) {  // past zero
    bits = static_cast<Bits>(lower ? sign | 1 : 1);
  } else {
    const bool away = ((bits & sign) != 0) == lower;
    bits = static_cast<Bits>(away ? bits + 1 : bits - 1);
  }
  T result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

}  // namespace sinter::emulator::ptx
