// Casts, reinterpretation, memory and text of scalars.

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include <sinter/diagnostic.h>

#include "dsl/ir/scalar_parts.h"

namespace sinter::ir {

namespace {

using Unsigned = std::uint64_t;

bool is_unsigned_64(Type type) { return type.is_uint() && type.bits == 64; }

/// Nearest value of the float type to an integer, in one rounding.
double real_of_integer(Type to, std::int64_t value, bool as_unsigned) {
  if (to.bits == 64) {
    return as_unsigned ? static_cast<double>(static_cast<Unsigned>(value))
                       : static_cast<double>(value);
  }
  const bool negative = !as_unsigned && value < 0;
  Unsigned magnitude =
      negative ? Unsigned{0} - static_cast<Unsigned>(value) : static_cast<Unsigned>(value);
  // Rounded to odd into the 53 bits of a double first: the rounding to the type is then the only
  // one.
  const int excess = 64 - std::countl_zero(magnitude) - 53;
  if (excess > 0) {
    const Unsigned lost = magnitude & ((Unsigned{1} << excess) - 1);
    magnitude = (magnitude >> excess) | (lost != 0 ? 1u : 0u);
    magnitude <<= excess;
  }
  const double real = round_to(to, static_cast<double>(magnitude));
  return negative ? -real : real;
}

/// Truncated, saturated; NaN gives 0.
std::int64_t integer_of_real(Type to, double value) {
  if (std::isnan(value)) return 0;
  if (to.is_uint()) {
    if (value <= 0) return 0;
    const Unsigned largest = to.bits == 64 ? ~Unsigned{0} : (Unsigned{1} << to.bits) - 1;
    if (value >= std::ldexp(1.0, to.bits)) return static_cast<std::int64_t>(largest);
    return static_cast<std::int64_t>(static_cast<Unsigned>(value));
  }
  const int bits = to.is_index() ? 64 : to.bits;
  const double limit = std::ldexp(1.0, bits - 1);
  const std::int64_t largest =
      bits == 64 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (bits - 1)) - 1;
  if (value >= limit) return largest;
  if (value <= -limit) return -largest - 1;
  return static_cast<std::int64_t>(value);
}

Scalar cast(Type to, const Scalar& from) {
  if (to.is_float()) {
    if (from.type.is_float()) return Scalar::of_real(to, from.real);
    return {to, 0, real_of_integer(to, from.integer, is_unsigned_64(from.type))};
  }
  if (to.is_bool()) {
    const bool value = from.type.is_float() ? from.real != 0 : from.integer != 0;
    return {to, value ? 1 : 0, 0};
  }
  if (from.type.is_float()) return {to, integer_of_real(to, from.real), 0};
  if (to.is_index() && is_unsigned_64(from.type) && from.integer < 0) {
    return {to, std::numeric_limits<std::int64_t>::max(), 0};
  }
  return Scalar::of_integer(to, from.integer);
}

template <typename T>
T get(const void* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <typename T>
void put(void* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

bool is_stored(Type type) {
  if (!type.is_scalar()) return false;
  if (type.is_bool() || type.is_index()) return true;
  if (type.is_float() && type.bits == 8) return false;
  if (!type.is_integer() && !type.is_float()) return false;
  return type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64;
}

std::uint64_t encode(const Scalar& scalar) {
  const Type type = scalar.type;
  if (!type.is_float()) return static_cast<Unsigned>(scalar.integer);
  if (type.kind == TypeKind::BFloat) return bfloat_bits_from_double(scalar.real);
  if (type.bits == 16) return half_bits_from_double(scalar.real);
  if (type.bits == 32) {
    const float value = std::isnan(scalar.real) ? std::numeric_limits<float>::quiet_NaN()
                                                : static_cast<float>(scalar.real);
    return std::bit_cast<std::uint32_t>(value);
  }
  return std::bit_cast<Unsigned>(std::isnan(scalar.real) ? std::numeric_limits<double>::quiet_NaN()
                                                         : scalar.real);
}

Scalar decode(Type type, std::uint64_t bits) {
  if (type.is_bool()) return {type, bits != 0 ? 1 : 0, 0};
  if (!type.is_float()) return Scalar::of_integer(type, static_cast<std::int64_t>(bits));
  if (type.kind == TypeKind::BFloat)
    return {type, 0, static_cast<double>(float_from_bfloat_bits(static_cast<std::uint16_t>(bits)))};
  if (type.bits == 16)
    return {type, 0, static_cast<double>(float_from_half_bits(static_cast<std::uint16_t>(bits)))};
  if (type.bits == 32)
    return {type, 0, static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))};
  return {type, 0, std::bit_cast<double>(bits)};
}

template <typename T>
std::string decimal(T value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}

}  // namespace

Scalar convert(Op op, Type result, const Scalar& value) {
  if (op == Op::Cast) return cast(result, value);
  ensure(result.bits == value.type.bits, "reinterpret keeps the number of bits");
  return decode(result, encode(value));
}

Scalar read_scalar(Type type, const void* address) {
  ensure(is_stored(type), "the type has a form in memory");
  const int bytes = type.bytes();
  if (bytes == 1) return decode(type, get<std::uint8_t>(address));
  if (bytes == 2) return decode(type, get<std::uint16_t>(address));
  if (bytes == 4) return decode(type, get<std::uint32_t>(address));
  return decode(type, get<std::uint64_t>(address));
}

void write_scalar(const Scalar& scalar, void* address) {
  ensure(is_stored(scalar.type), "the type has a form in memory");
  const int bytes = scalar.type.bytes();
  const std::uint64_t bits = encode(scalar);
  if (bytes == 1) put(address, static_cast<std::uint8_t>(bits));
  else if (bytes == 2) put(address, static_cast<std::uint16_t>(bits));
  else if (bytes == 4) put(address, static_cast<std::uint32_t>(bits));
  else put(address, bits);
}

std::string to_string(const Scalar& scalar) {
  const Type type = scalar.type;
  if (type.is_bool()) return scalar.integer != 0 ? "true" : "false";
  if (type.is_index()) return decimal(scalar.integer);
  if (is_unsigned_64(type)) return decimal(static_cast<Unsigned>(scalar.integer)) + to_string(type);
  if (!type.is_float()) return decimal(scalar.integer) + to_string(type);
  if (std::isnan(scalar.real)) return "nan_" + to_string(type);
  if (std::isinf(scalar.real)) return (scalar.real < 0 ? "-inf_" : "inf_") + to_string(type);
  if (type.bits == 64) return decimal(scalar.real) + to_string(type);
  return decimal(static_cast<float>(scalar.real)) + to_string(type);
}

}  // namespace sinter::ir
