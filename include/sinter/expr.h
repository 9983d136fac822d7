#pragma once
// The expression algebra: Expr, Var and the operators on them. An Expr is an immutable handle on a
// node of the IR. Integer and bool operators keep their type (literals adapt); f16/bf16 operands
// promote to f32. Whether an expression is a coordinate or data is decided by where it is used.

#include <concepts>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <sinter/symbol.h>
#include <sinter/type.h>

namespace sinter {

namespace ir {
struct Node;
}
class Var;
class RVar;

class Expr {
 public:
  Expr() = default;
  /// Of bool only, or every pointer would be an Expr.
  template <std::same_as<bool> B>
  Expr(B value) : Expr(of_bool(value)) {}
  Expr(std::int8_t);
  Expr(std::int16_t);
  Expr(std::int32_t);
  Expr(std::int64_t);
  Expr(std::uint8_t);
  Expr(std::uint16_t);
  Expr(std::uint32_t);
  Expr(std::uint64_t);
  Expr(float16_t);
  Expr(bfloat16_t);
  Expr(float);
  Expr(double);
  Expr(const Var&);
  explicit Expr(std::shared_ptr<const ir::Node> node) : node_(std::move(node)) {}

  bool defined() const { return node_ != nullptr; }
  explicit operator bool() const = delete;
  Type type() const;
  const ir::Node& operator*() const { return *node_; }
  const ir::Node* operator->() const { return node_.get(); }
  const std::shared_ptr<const ir::Node>& node() const { return node_; }
  bool same_as(const Expr& other) const { return node_ == other.node_; }

 private:
  static Expr of_bool(bool);
  std::shared_ptr<const ir::Node> node_;
};

/// A loop variable of a pure definition. `Var("x")` is the name x everywhere; `Var()` is fresh.
class Var {
 public:
  Var();
  Var(const std::string& name) : symbol_(Symbol::named(name)) {}
  Var(const char* name) : Var(std::string(name)) {}
  explicit Var(Symbol symbol) : symbol_(std::move(symbol)) {}
  const std::string& name() const { return symbol_.name(); }
  const Symbol& symbol() const { return symbol_; }
  static Var outermost();

 private:
  Symbol symbol_;
};

/// A coordinate, and where it was written.
struct Coordinate {
  template <typename T>
    requires(std::is_convertible_v<T, Expr> && !std::is_same_v<std::remove_cvref_t<T>, Coordinate>)
  Coordinate(T&& e, std::source_location location = std::source_location::current())
      : expr(std::forward<T>(e)), where(location) {}
  Expr expr;
  std::source_location where;
};

Expr operator+(Expr, Expr);
Expr operator-(Expr, Expr);
Expr operator*(Expr, Expr);
/// Integers: Euclidean, x / 0 == 0. Floats: correctly rounded.
Expr operator/(Expr, Expr);
/// Euclidean remainder, never negative; x % 0 == 0.
Expr operator%(Expr, Expr);
Expr operator-(Expr);
Expr operator&(Expr, Expr);
Expr operator|(Expr, Expr);
Expr operator^(Expr, Expr);
Expr operator~(Expr);
/// Shifts by a negative amount shift the other way; by the width or more give 0 (or the sign).
Expr operator<<(Expr, Expr);
Expr operator>>(Expr, Expr);
Expr operator==(Expr, Expr);
Expr operator!=(Expr, Expr);
Expr operator<(Expr, Expr);
Expr operator<=(Expr, Expr);
Expr operator>(Expr, Expr);
Expr operator>=(Expr, Expr);
Expr operator&&(Expr, Expr);
Expr operator||(Expr, Expr);
Expr operator!(Expr);
Expr& operator+=(Expr&, Expr);
Expr& operator-=(Expr&, Expr);
Expr& operator*=(Expr&, Expr);
Expr& operator/=(Expr&, Expr);

/// IEEE minimumNumber / maximumNumber for floats: a NaN operand loses, -0 < +0.
Expr min(Expr, Expr);
Expr max(Expr, Expr);
template <typename... Rest>
Expr min(Expr a, Expr b, Expr c, Rest... rest) { return min(min(a, b), c, rest...); }
template <typename... Rest>
Expr max(Expr a, Expr b, Expr c, Rest... rest) { return max(max(a, b), c, rest...); }
Expr clamp(Expr value, Expr low, Expr high);
Expr abs(Expr);
Expr absd(Expr, Expr);
/// Both arms are evaluated; both must be in bounds.
Expr select(Expr condition, Expr if_true, Expr if_false);
template <typename... Rest>
Expr select(Expr c0, Expr v0, Expr c1, Expr v1, Rest... rest) {
  return select(c0, v0, select(c1, v1, rest...));
}
Expr mux(Expr index, const std::vector<Expr>& values);

/// Integers wrap; float to integer truncates and saturates, NaN gives 0; to float rounds to even.
Expr cast(Type, Expr);
template <typename T>
Expr cast(Expr e) { return cast(type_of<T>(), std::move(e)); }
Expr reinterpret(Type, Expr);
Expr saturating_cast(Type, Expr);
template <typename T>
Expr saturating_cast(Expr e) { return saturating_cast(type_of<T>(), std::move(e)); }
Expr u8(Expr); Expr u16(Expr); Expr u32(Expr); Expr u64(Expr);
Expr i8(Expr); Expr i16(Expr); Expr i32(Expr); Expr i64(Expr);
Expr f16(Expr); Expr bf16(Expr); Expr f32(Expr); Expr f64(Expr);
Expr u8_sat(Expr); Expr u16_sat(Expr); Expr u32_sat(Expr);
Expr i8_sat(Expr); Expr i16_sat(Expr); Expr i32_sat(Expr);

/// Keeps the rounding of a product: `strict(a * b) + c` is never contracted to an fma.
Expr strict(Expr);
Expr fma(Expr a, Expr b, Expr c);
Expr floor(Expr);
Expr ceil(Expr);
Expr round(Expr);  ///< to nearest, ties to even
Expr trunc(Expr);
Expr fract(Expr);
Expr is_nan(Expr);
Expr is_inf(Expr);
Expr is_finite(Expr);
/// Portable: identical bits on every target; <= 1 ulp for f32 (pow 2). f64 is host-only.
Expr sqrt(Expr);
Expr rsqrt(Expr);
Expr exp(Expr);
Expr exp2(Expr);
Expr log(Expr);
Expr log2(Expr);
Expr pow(Expr, Expr);
Expr sin(Expr);
Expr cos(Expr);
Expr tan(Expr);
Expr tanh(Expr);
Expr erf(Expr);
Expr hypot(Expr, Expr);
Expr lerp(Expr zero, Expr one, Expr weight);

Expr count_leading_zeros(Expr);
Expr count_trailing_zeros(Expr);
Expr popcount(Expr);

/// Asserts that value lies in [low, high]; used as a bound, checked in debug builds.
Expr promise_clamped(Expr value, Expr low, Expr high);
Expr unsafe_promise_clamped(Expr value, Expr low, Expr high);
/// value, provided condition holds when the pipeline runs; else the call fails with `message`.
Expr require(Expr condition, Expr value, const std::string& message);
/// As a definition's whole value: leaves the stage's elements unset before its updates.
Expr undef(Type);
template <typename T>
Expr undef() { return undef(type_of<T>()); }

Expr widening_add(Expr, Expr);
Expr widening_sub(Expr, Expr);
Expr widening_mul(Expr, Expr);
Expr widening_shift_left(Expr, Expr);
Expr saturating_add(Expr, Expr);
Expr saturating_sub(Expr, Expr);
Expr halving_add(Expr, Expr);
Expr halving_sub(Expr, Expr);
Expr rounding_halving_add(Expr, Expr);
Expr rounding_shift_right(Expr, Expr);
Expr rounding_shift_left(Expr, Expr);
Expr mul_shift_right(Expr, Expr, Expr shift);
Expr rounding_mul_shift_right(Expr, Expr, Expr shift);

/// One line of text, for people.
std::string to_string(const Expr&);

}  // namespace sinter
