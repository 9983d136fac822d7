#pragma once
// Value: an expression under construction with operators, for the polynomials of portable_math.
// Unlike the operators of <sinter/expr.h> these contract and promote nothing: one operator, one
// node.

#include <cstdint>
#include <limits>
#include <span>

#include "dsl/ir/node.h"

namespace sinter::ir::math {

struct Value {
  Expr e;
  Value(Expr expression) : e(std::move(expression)) {}
  Type type() const { return e->type; }
};

/// A literal of the type (and lanes) of `like`.
inline Value constant(const Value& like, double v) { return real_literal(like.type(), v); }
inline Value integer(const Value& like, std::int64_t v) { return literal(like.type(), v); }
inline Value number(const Value& like, double v) {
  return like.type().is_float() ? constant(like, v) : integer(like, static_cast<std::int64_t>(v));
}

inline Value operator+(const Value& a, const Value& b) { return binary(Op::Add, a.e, b.e); }
inline Value operator-(const Value& a, const Value& b) { return binary(Op::Sub, a.e, b.e); }
inline Value operator*(const Value& a, const Value& b) { return binary(Op::Mul, a.e, b.e); }
inline Value operator/(const Value& a, const Value& b) { return binary(Op::Div, a.e, b.e); }
inline Value operator+(const Value& a, double b) { return a + number(a, b); }
inline Value operator-(const Value& a, double b) { return a - number(a, b); }
inline Value operator*(const Value& a, double b) { return a * number(a, b); }
inline Value operator-(double a, const Value& b) { return number(b, a) - b; }
inline Value operator/(double a, const Value& b) { return number(b, a) / b; }
inline Value operator<(const Value& a, const Value& b) { return binary(Op::Less, a.e, b.e); }
inline Value operator<(const Value& a, double b) { return a < number(a, b); }
inline Value operator<(double a, const Value& b) { return number(b, a) < b; }
inline Value operator==(const Value& a, const Value& b) { return binary(Op::Equal, a.e, b.e); }
inline Value operator==(const Value& a, double b) { return a == number(a, b); }
inline Value operator!=(const Value& a, const Value& b) { return binary(Op::NotEqual, a.e, b.e); }
inline Value operator&&(const Value& a, const Value& b) { return binary(Op::And, a.e, b.e); }
inline Value operator||(const Value& a, const Value& b) { return binary(Op::Or, a.e, b.e); }
inline Value operator!(const Value& a) { return unary(Op::Not, a.e); }
inline Value operator&(const Value& a, const Value& b) { return binary(Op::BitAnd, a.e, b.e); }
inline Value operator|(const Value& a, const Value& b) { return binary(Op::BitOr, a.e, b.e); }
inline Value operator^(const Value& a, const Value& b) { return binary(Op::BitXor, a.e, b.e); }
inline Value operator&(const Value& a, std::int64_t b) { return a & integer(a, b); }
inline Value operator|(const Value& a, std::int64_t b) { return a | integer(a, b); }
inline Value operator<<(const Value& a, int b) {
  return binary(Op::ShiftLeft, a.e, integer(a, b).e);
}
inline Value operator>>(const Value& a, int b) {
  return binary(Op::ShiftRight, a.e, integer(a, b).e);
}
inline Value operator<<(const Value& a, const Value& b) { return binary(Op::ShiftLeft, a.e, b.e); }
inline Value operator>>(const Value& a, const Value& b) { return binary(Op::ShiftRight, a.e, b.e); }

inline Value fma(const Value& a, const Value& b, const Value& c) {
  return expr(Op::Fma, a.type(), {a.e, b.e, c.e});
}
inline Value fma(const Value& a, double b, const Value& c) { return fma(a, constant(a, b), c); }
inline Value fma(const Value& a, double b, double c) {
  return fma(a, constant(a, b), constant(a, c));
}
inline Value fma(const Value& a, const Value& b, double c) { return fma(a, b, constant(a, c)); }
inline Value sqrt(const Value& a) { return unary(Op::Sqrt, a.e); }
inline Value floor(const Value& a) { return unary(Op::Floor, a.e); }
inline Value round(const Value& a) { return unary(Op::Round, a.e); }
inline Value select(const Value& c, const Value& t, const Value& f) {
  return ir::select(c.e, t.e, f.e);
}
inline Value select(const Value& c, const Value& t, double f) { return select(c, t, number(t, f)); }
inline Value select(const Value& c, double t, const Value& f) { return select(c, number(f, t), f); }
/// Exact; -0 for +0.
inline Value negate(const Value& a) { return a * -1.0; }

inline Value cast(Type element, const Value& a) {
  return cast_to(element.with_lanes(a.type().lanes), a.e);
}
inline Value reinterpret(Type element, const Value& a) {
  return expr(Op::Reinterpret, element.with_lanes(a.type().lanes), {a.e});
}
/// The bits of a float as an unsigned integer, and back.
inline Value bits_of(const Value& a) { return reinterpret(UInt(a.type().bits), a); }
inline Value float_of(const Value& a) { return reinterpret(Float(a.type().bits), a); }
inline std::int64_t sign_mask(const Value& a) { return std::int64_t{1} << (a.type().bits - 1); }
inline Value magnitude(const Value& a) {
  return float_of(bits_of(a) & (a.type().bits == 32 ? 0x7fffffff : 0x7fffffffffffffff));
}
/// `a`, which is not negative, with the sign of `from`.
inline Value with_sign_of(const Value& a, const Value& from) {
  return float_of(bits_of(a) | (bits_of(from) & sign_mask(from)));
}
inline Value is_nan(const Value& a) { return a != a; }

/// sum c[i] * x^i by Horner's rule.
inline Value polynomial(const Value& x, std::span<const double> c) {
  Value v = constant(x, c.back());
  for (std::size_t i = c.size() - 1; i-- > 0;) v = fma(v, x, c[i]);
  return v;
}

/// An unevaluated sum: high is the rounded value, low what is missing.
struct Pair {
  Value high, low;
};
/// a + b exactly, provided |a| >= |b| or a == 0.
inline Pair fast_two_sum(const Value& a, const Value& b) {
  const Value s = a + b;
  return {s, b - (s - a)};
}
/// a + b exactly.
inline Pair two_sum(const Value& a, const Value& b) {
  const Value s = a + b;
  const Value t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
/// a * b exactly, barring underflow.
inline Pair two_product(const Value& a, const Value& b) {
  const Value p = a * b;
  return {p, fma(a, b, negate(p))};
}

/// x rounded to an integer, as a float and as the integer's bits in an unsigned type; |x| < 2^21
/// (f32) or 2^50 (f64). Anything for a NaN or larger values. Cheaper than Round and Cast.
struct Rounded {
  Value real, bits;
  Value sum;  // a float whose low bits are the integer's
};
inline Rounded round_to_integer(const Value& x, double factor = 1) {
  const double magic = x.type().bits == 32 ? 0x1.8p23 : 0x1.8p52;
  const Value sum = factor == 1 ? x + magic : fma(x, factor, magic);
  return {sum - magic, bits_of(sum) - bits_of(constant(x, magic)), sum};
}

// --- what the functions of both widths share

inline constexpr double Infinity = std::numeric_limits<double>::infinity();
inline constexpr double NotANumber = std::numeric_limits<double>::quiet_NaN();

/// x kept at or below `high`, or within [low, high]; a NaN stays. GPUs have one instruction for
/// each bound.
inline Value at_most(const Value& x, double high) { return select(high < x, high, x); }
inline Value limit(const Value& x, double low, double high) {
  const Value below = at_most(x, high);
  return select(below < low, low, below);
}
/// 1 / x of an x known to be in [low, high], or NaN: GPUs need no subroutine for it.
inline Value inverse_within(const Value& x, double low, double high) {
  const Value known =
      expr(Op::PromiseClamped, x.type(), {x.e, constant(x, low).e, constant(x, high).e});
  return 1 / known;
}
/// `value`, but NaN where x is infinite or NaN.
inline Value finite_only(const Value& x, const Value& value) {
  return select(magnitude(x) < Infinity, value, NotANumber);
}
/// `value` where x is finite and positive, else what a logarithm says.
inline Value logarithm_specials(const Value& x, const Value& value) {
  const Value zero_or_value = select(x == 0, -Infinity, value);
  const Value positive = select(x < Infinity, zero_or_value, x);  // infinity and NaN
  return select(x < 0, NotANumber, positive);
}
/// x^y from |x|^y, right where |x| is finite and positive and the exponents 0 * inf do not meet.
inline Value pow_specials(const Value& x, const Value& y, const Value& power) {
  const Value is_one = (y == 0) || (x == 1) || (x == -1 && magnitude(y) == Infinity);
  const Value is_whole = floor(y) == y;
  const Value half = y * 0.5;
  const Value is_odd = is_whole && floor(half) != half;
  const Value sign = select(is_odd, bits_of(x) & sign_mask(x), 0);
  const Value value = float_of(bits_of(power) | sign);
  const Value undefined = (x < 0) && (-Infinity < x) && !is_whole;
  return select(is_one, constant(x, 1), select(undefined, NotANumber, value));
}

Value expand_f32(Op, const Value& x, const Value* y);
Value expand_f64(Op, const Value& x, const Value* y);

}  // namespace sinter::ir::math
