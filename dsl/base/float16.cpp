// Conversions between double and the two 16-bit formats, each with a single rounding.

#include <sinter/float16.h>

#include <bit>
#include <cmath>
#include <limits>

namespace sinter {

namespace {

struct Format {
  int mantissa_bits;
  int min_exponent;        // of the smallest normal number
  std::uint16_t infinity;  // its bits; the canonical NaN sets the top mantissa bit as well
};
constexpr Format Half{10, -14, 0x7c00};
constexpr Format Bfloat{7, -126, 0x7f80};

std::uint16_t narrow(double value, const Format& format) {
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(format.infinity | (1u << (format.mantissa_bits - 1)));
  }
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | format.infinity);
  int exponent = std::ilogb(magnitude);
  if (exponent < format.min_exponent) exponent = format.min_exponent;
  // In units of the last place the magnitude is scaled exactly; rint then rounds ties to even.
  const double units = std::rint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  // The hidden bit of a normal number, and a carry out of the mantissa, step the exponent field.
  const long encoded = (static_cast<long>(exponent - format.min_exponent) << format.mantissa_bits) +
                       static_cast<long>(units);
  if (encoded >= format.infinity) return static_cast<std::uint16_t>(sign | format.infinity);
  return static_cast<std::uint16_t>(sign | static_cast<unsigned>(encoded));
}

}  // namespace

float float_from_half_bits(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  float magnitude = 0;
  if (exponent == 31) {
    if (mantissa != 0) return std::numeric_limits<float>::quiet_NaN();
    magnitude = std::numeric_limits<float>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint16_t half_bits_from_float(float value) { return narrow(static_cast<double>(value), Half); }
std::uint16_t half_bits_from_double(double value) { return narrow(value, Half); }

float float_from_bfloat_bits(std::uint16_t bits) {
  if ((bits & 0x7fff) > 0x7f80) return std::numeric_limits<float>::quiet_NaN();
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t bfloat_bits_from_float(float value) {
  return narrow(static_cast<double>(value), Bfloat);
}
std::uint16_t bfloat_bits_from_double(double value) { return narrow(value, Bfloat); }

}  // namespace sinter
