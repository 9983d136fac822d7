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

/// An Expr, and where it was written: what a refusal of an operator or a call names.
struct LocatedExpr {
  template <typename T>
    requires(std::is_convertible_v<T, Expr> && !std::is_same_v<std::remove_cvref_t<T>, LocatedExpr>)
  LocatedExpr(T&& e, std::source_location location = std::source_location::current())
      : expr(std::forward<T>(e)), where(location) {}
  Expr expr;
  std::source_location where;
};

Expr operator+(LocatedExpr, LocatedExpr);
Expr operator-(LocatedExpr, LocatedExpr);
Expr operator*(LocatedExpr, LocatedExpr);
/// Integers: Euclidean, x / 0 == 0. Floats: correctly rounded.
Expr operator/(LocatedExpr, LocatedExpr);
/// Euclidean remainder, never negative; x % 0 == 0.
Expr operator%(LocatedExpr, LocatedExpr);
Expr operator-(LocatedExpr);
Expr operator&(LocatedExpr, LocatedExpr);
Expr operator|(LocatedExpr, LocatedExpr);
Expr operator^(LocatedExpr, LocatedExpr);
Expr operator~(LocatedExpr);
/// Shifts by a negative amount shift the other way; by the width or more give 0 (or the sign).
Expr operator<<(LocatedExpr, LocatedExpr);
Expr operator>>(LocatedExpr, LocatedExpr);
Expr operator==(LocatedExpr, LocatedExpr);
Expr operator!=(LocatedExpr, LocatedExpr);
Expr operator<(LocatedExpr, LocatedExpr);
Expr operator<=(LocatedExpr, LocatedExpr);
Expr operator>(LocatedExpr, LocatedExpr);
Expr operator>=(LocatedExpr, LocatedExpr);
Expr operator&&(LocatedExpr, LocatedExpr);
Expr operator||(LocatedExpr, LocatedExpr);
Expr operator!(LocatedExpr);
Expr& operator+=(Expr&, LocatedExpr);
Expr& operator-=(Expr&, LocatedExpr);
Expr& operator*=(Expr&, LocatedExpr);
Expr& operator/=(Expr&, LocatedExpr);

/// IEEE minimumNumber / maximumNumber for floats: a NaN operand loses, -0 < +0.
Expr min(LocatedExpr, Expr);
Expr max(LocatedExpr, Expr);
template <typename... Rest>
Expr min(LocatedExpr a, Expr b, Expr c, Rest... rest) {
  return min(LocatedExpr(min(a, b), a.where), c, rest...);
}
template <typename... Rest>
Expr max(LocatedExpr a, Expr b, Expr c, Rest... rest) {
  return max(LocatedExpr(max(a, b), a.where), c, rest...);
}
Expr clamp(LocatedExpr value, Expr low, Expr high);
Expr abs(LocatedExpr);
Expr absd(LocatedExpr, Expr);
/// Both arms are evaluated; both must be in bounds.
Expr select(LocatedExpr condition, Expr if_true, Expr if_false);
template <typename... Rest>
Expr select(LocatedExpr c0, Expr v0, Expr c1, Expr v1, Rest... rest) {
  return select(c0, v0, select(LocatedExpr(c1, c0.where), v1, rest...));
}
Expr mux(LocatedExpr index, const std::vector<Expr>& values);

/// Integers wrap; float to integer truncates and saturates, NaN gives 0; to float rounds to even.
Expr cast(Type, LocatedExpr);
template <typename T>
Expr cast(LocatedExpr e) {
  return cast(type_of<T>(), std::move(e));
}
Expr reinterpret(Type, LocatedExpr);
Expr saturating_cast(Type, LocatedExpr);
template <typename T>
Expr saturating_cast(LocatedExpr e) {
  return saturating_cast(type_of<T>(), std::move(e));
}
Expr u8(LocatedExpr);
Expr u16(LocatedExpr);
Expr u32(LocatedExpr);
Expr u64(LocatedExpr);
Expr i8(LocatedExpr);
Expr i16(LocatedExpr);
Expr i32(LocatedExpr);
Expr i64(LocatedExpr);
Expr f16(LocatedExpr);
Expr bf16(LocatedExpr);
Expr f32(LocatedExpr);
Expr f64(LocatedExpr);
Expr u8_sat(LocatedExpr);
Expr u16_sat(LocatedExpr);
Expr u32_sat(LocatedExpr);
Expr i8_sat(LocatedExpr);
Expr i16_sat(LocatedExpr);
Expr i32_sat(LocatedExpr);

/// Keeps the rounding of a product: `strict(a * b) + c` is never contracted to an fma.
Expr strict(LocatedExpr);
Expr fma(LocatedExpr a, Expr b, Expr c);
Expr floor(LocatedExpr);
Expr ceil(LocatedExpr);
Expr round(LocatedExpr);  ///< to nearest, ties to even
Expr trunc(LocatedExpr);
Expr fract(LocatedExpr);
Expr is_nan(LocatedExpr);
Expr is_inf(LocatedExpr);
Expr is_finite(LocatedExpr);
/// Portable: identical bits on every target; <= 1 ulp for f32 (pow and tanh 2). f64 is host-only.
Expr sqrt(LocatedExpr);
Expr rsqrt(LocatedExpr);
// The target's approximations: on a GPU its own instructions, with the error that the target
// states; on the host the portable functions. Equal for all schedules on one target, not across
// targets.
Expr fast_exp2(LocatedExpr);
Expr fast_log2(LocatedExpr);
Expr fast_exp(LocatedExpr);  // fast_exp2(x * log2(e))
Expr fast_log(LocatedExpr);  // fast_log2(x) * ln(2)
Expr fast_tanh(LocatedExpr);
Expr fast_sin(LocatedExpr);
Expr fast_cos(LocatedExpr);
Expr fast_inverse(LocatedExpr);       // 1 / x
Expr fast_inverse_sqrt(LocatedExpr);  // 1 / sqrt(x)
Expr exp(LocatedExpr);
Expr exp2(LocatedExpr);
Expr log(LocatedExpr);
Expr log2(LocatedExpr);
Expr pow(LocatedExpr, Expr);
Expr sin(LocatedExpr);
Expr cos(LocatedExpr);
Expr tan(LocatedExpr);
Expr tanh(LocatedExpr);
Expr erf(LocatedExpr);
Expr hypot(LocatedExpr, Expr);
Expr lerp(LocatedExpr zero, Expr one, Expr weight);

Expr count_leading_zeros(LocatedExpr);
Expr count_trailing_zeros(LocatedExpr);
Expr popcount(LocatedExpr);

/// Asserts that value lies in [low, high]; used as a bound, checked in debug builds.
Expr promise_clamped(LocatedExpr value, Expr low, Expr high);
Expr unsafe_promise_clamped(LocatedExpr value, Expr low, Expr high);
/// value, provided condition holds when the pipeline runs; else the call fails with `message`.
Expr require(LocatedExpr condition, Expr value, const std::string& message);
/// As a definition's whole value: leaves the stage's elements unset before its updates.
Expr undef(Type);
template <typename T>
Expr undef() {
  return undef(type_of<T>());
}

Expr widening_add(LocatedExpr, Expr);
Expr widening_sub(LocatedExpr, Expr);
Expr widening_mul(LocatedExpr, Expr);
Expr widening_shift_left(LocatedExpr, Expr);
Expr saturating_add(LocatedExpr, Expr);
Expr saturating_sub(LocatedExpr, Expr);
Expr halving_add(LocatedExpr, Expr);
Expr halving_sub(LocatedExpr, Expr);
Expr rounding_halving_add(LocatedExpr, Expr);
Expr rounding_shift_right(LocatedExpr, Expr);
Expr rounding_shift_left(LocatedExpr, Expr);
Expr mul_shift_right(LocatedExpr, Expr, Expr shift);
Expr rounding_mul_shift_right(LocatedExpr, Expr, Expr shift);

/// One line of text, for people.
std::string to_string(const Expr&);

}  // namespace sinter
