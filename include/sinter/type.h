#pragma once
// Element types. A Type is a small value: kind, width in bits, vector lanes. `Index` is the type
// of coordinates: an integer of Z that never wraps (dsl/ir/semantics.md). Users never write it.

#include <cstdint>
#include <string>
#include <type_traits>

#include <sinter/float16.h>

namespace sinter {

enum class TypeKind : std::uint8_t { Void, Index, Bool, Int, UInt, Float, BFloat, Handle };

struct Type {
  TypeKind kind = TypeKind::Void;
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;

  constexpr bool operator==(const Type&) const = default;

  constexpr bool is_void() const { return kind == TypeKind::Void; }
  constexpr bool is_index() const { return kind == TypeKind::Index; }
  constexpr bool is_bool() const { return kind == TypeKind::Bool; }
  constexpr bool is_int() const { return kind == TypeKind::Int; }
  constexpr bool is_uint() const { return kind == TypeKind::UInt; }
  /// f16, bf16, f32 or f64.
  constexpr bool is_float() const { return kind == TypeKind::Float || kind == TypeKind::BFloat; }
  /// Wrapping integers; neither bool nor index.
  constexpr bool is_integer() const { return is_int() || is_uint(); }
  constexpr bool is_scalar() const { return lanes == 1; }
  constexpr bool is_vector() const { return lanes > 1; }
  constexpr Type with_lanes(int n) const { return {kind, bits, static_cast<std::uint16_t>(n)}; }
  constexpr Type element() const { return with_lanes(1); }
  /// Size of one element in memory; bool takes one byte, index eight.
  constexpr int bytes() const { return is_bool() ? 1 : (bits + 7) / 8; }
  /// Smallest and largest value of an integer or bool type (u64's largest does not fit: see
  /// max_uint).
  std::int64_t min_int() const;
  std::int64_t max_int() const;
};

constexpr Type Index(int lanes = 1) {
  return {TypeKind::Index, 64, static_cast<std::uint16_t>(lanes)};
}
constexpr Type Bool(int lanes = 1) {
  return {TypeKind::Bool, 1, static_cast<std::uint16_t>(lanes)};
}
constexpr Type Int(int bits, int lanes = 1) {
  return {TypeKind::Int, static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(lanes)};
}
constexpr Type UInt(int bits, int lanes = 1) {
  return {TypeKind::UInt, static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(lanes)};
}
constexpr Type Float(int bits, int lanes = 1) {
  return {TypeKind::Float, static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(lanes)};
}
constexpr Type BFloat(int bits = 16, int lanes = 1) {
  return {TypeKind::BFloat, static_cast<std::uint8_t>(bits), static_cast<std::uint16_t>(lanes)};
}

/// "u8", "f32", "bf16", "bool", "index", "f32x8"; "void".
std::string to_string(Type);
/// Reads what to_string writes; Void when the text names no type.
Type parse_type(const std::string&);

template <typename T>
constexpr Type type_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>) return Bool();
  else if constexpr (std::is_same_v<U, float16_t>) return Float(16);
  else if constexpr (std::is_same_v<U, bfloat16_t>) return BFloat(16);
  else if constexpr (std::is_floating_point_v<U>) return Float(8 * sizeof(U));
  else if constexpr (std::is_integral_v<U> && std::is_signed_v<U>) return Int(8 * sizeof(U));
  else if constexpr (std::is_integral_v<U>) return UInt(8 * sizeof(U));
  else static_assert(!sizeof(U*), "no Sinter element type corresponds to this C++ type");
}

}  // namespace sinter
