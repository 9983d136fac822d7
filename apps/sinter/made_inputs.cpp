#include "apps/sinter/made_inputs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <sinter/diagnostic.h>
#include <sinter/float16.h>

namespace sinter::command {

namespace {

/// Calls `visit` with a value of the buffer's C++ type.
template <typename Visit>
void with_element_type(Type type, Visit&& visit) {
  const auto integer = [&](auto as_signed, auto as_unsigned) {
    if (type.is_int()) visit(as_signed);
    else visit(as_unsigned);
  };
  if (type.is_bool()) visit(bool{});
  else if (type == Float(16)) visit(float16_t{});
  else if (type == BFloat(16)) visit(bfloat16_t{});
  else if (type == Float(32)) visit(float{});
  else if (type == Float(64)) visit(double{});
  else if (type.bits == 8) integer(std::int8_t{}, std::uint8_t{});
  else if (type.bits == 16) integer(std::int16_t{}, std::uint16_t{});
  else if (type.bits == 32) integer(std::int32_t{}, std::uint32_t{});
  else if (type.bits == 64) integer(std::int64_t{}, std::uint64_t{});
  else ensure(false, "an element type that buffers cannot have");
}

template <typename T>
double number(T value) {
  if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>)
    return double(float(value));
  else return double(value);
}

}  // namespace

std::uint64_t mix(std::uint64_t v) {
  v += 0x9e3779b97f4a7c15u;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}

void fill(const Buffer<>& buffer, int field, std::int64_t largest) {
  with_element_type(buffer.type(), [&](auto zero) {
    using T = decltype(zero);
    T* data = static_cast<T*>(buffer.raw_data());
    const std::uint64_t count = buffer.number_of_elements();
    const std::uint64_t start = std::uint64_t(field) << 40;
    if constexpr (std::is_same_v<T, bool>) {
      for (std::uint64_t i = 0; i < count; ++i) data[i] = (mix(start + i) & 1) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      const std::uint64_t reach = std::uint64_t(std::numeric_limits<T>::max());
      const std::uint64_t modulus = std::min(reach, std::uint64_t(largest)) + 1;
      for (std::uint64_t i = 0; i < count; ++i) data[i] = T(mix(start + i) % modulus);
    } else {
      for (std::uint64_t i = 0; i < count; ++i)
        data[i] = T(float(mix(start + i) >> 40) / 16777216.0f);
    }
  });
}

double element(const Buffer<>& buffer, std::uint64_t index) {
  double value = 0;
  with_element_type(buffer.type(), [&](auto zero) {
    value = number(static_cast<const decltype(zero)*>(buffer.raw_data())[index]);
  });
  return value;
}

namespace {

/// How many numbers of a float type lie from one to the other.
template <typename T>
std::uint64_t steps_between(T a, T b) {
  // Bits in the order of the numbers: those of negative ones count downwards.
  const auto place = [](T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    const std::uint64_t sign = std::uint64_t{1} << (8 * sizeof value - 1);
    return (bits & sign) != 0 ? sign - (bits - sign) : sign + bits;
  };
  const std::uint64_t x = place(a), y = place(b);
  return x > y ? x - y : y - x;
}

}  // namespace

Difference difference(const Buffer<>& a, const Buffer<>& b, int tolerance) {
  ensure(a.type() == b.type() && a.number_of_elements() == b.number_of_elements(),
         "only buffers of one shape and type are compared");
  Difference result;
  with_element_type(a.type(), [&](auto zero) {
    using T = decltype(zero);
    const T* left = static_cast<const T*>(a.raw_data());
    const T* right = static_cast<const T*>(b.raw_data());
    for (std::uint64_t i = 0; i < a.number_of_elements(); ++i) {
      const auto bits = [](const T* element) {
        return reinterpret_cast<const std::byte*>(element);
      };
      if (std::memcmp(bits(left + i), bits(right + i), sizeof(T)) == 0) continue;
      const double x = number(left[i]), y = number(right[i]);
      if (std::isnan(x) && std::isnan(y)) continue;
      const double distance = std::abs(x - y);
      // Without a tolerance bits are compared: 0 is not -0.
      if (tolerance > 0 && a.type().is_float() &&
          steps_between(left[i], right[i]) <= std::uint64_t(tolerance))
        ++result.tolerated;
      else if (result.elements++ == 0) result.first = i;
      result.largest =
          std::max(result.largest,
                   std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance);
    }
  });
  return result;
}

}  // namespace sinter::command
