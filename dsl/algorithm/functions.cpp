// Functions of expressions: mathematics, markers and the integer idioms of fixed-point code.

#include <cmath>
#include <limits>

#include <sinter/expr.h>

#include "dsl/algorithm/typing.h"
#include "dsl/ir/scalar.h"

namespace sinter {

using ir::Op;
using typing::constant;
using typing::Halves;

namespace {

Expr float_function(Op op, const LocatedExpr& operand, const char* what) {
  return typing::located(operand,
                         [&](const Expr& e) { return ir::unary(op, typing::as_float(e, what)); });
}

Expr bit_count(Op op, const LocatedExpr& operand, const char* what) {
  return typing::located(operand, [&](const Expr& e) {
    typing::require_integer(e, what);
    return ir::unary(op, e);
  });
}

Type with_bits(Type type, int bits) {
  type.bits = static_cast<std::uint8_t>(bits);
  return type;
}

Type signed_twin(Type type) { return Int(type.bits, type.lanes); }

/// The type of twice the width; `is_signed` decides its sign.
Type wider(Type type, bool is_signed, const char* what) {
  if (type.bits == 64) {
    typing::refuse(what, "there is no integer type wider than " + to_string(type),
                   "use operands of at most 32 bits");
  }
  return is_signed ? Int(2 * type.bits, type.lanes) : UInt(2 * type.bits, type.lanes);
}

void match_integers(Expr& a, Expr& b, const char* what) {
  typing::match(a, b, what, Halves::Keep);
  typing::require_integer(a, what);
}

/// Both operands in the type of twice the width.
Expr widened(Op op, const LocatedExpr& left, Expr b, bool always_signed, const char* what) {
  return typing::located(left, [&](Expr a) {
    if (typing::is_adaptable(a) != typing::is_adaptable(b)) typing::match(a, b, what, Halves::Keep);
    typing::match_bits(a, b, what);
    const Type type =
        wider(a.type(), always_signed || a.type().is_int() || b.type().is_int(), what);
    return ir::binary(op, cast(type, a), cast(type, b));
  });
}

/// A shift amount in the signed twin of `type`, so that it can be moved by one without wrapping.
Expr signed_amount(Type type, Expr amount, const char* what) {
  typing::require_integer(amount, what);
  if (typing::is_adaptable(amount)) return typing::adapt(signed_twin(type), amount, what);
  // Beyond the width all amounts are alike, and those up to it fit the narrowest type.
  const Type from = amount.type();
  amount = min(amount, constant(from, type.bits + 1));
  if (from.is_int()) amount = max(amount, constant(from, -type.bits - 1));
  return cast(signed_twin(type), amount);
}

Expr largest(Type type) {
  return ir::broadcast(
      ir::literal(type.element(), type.is_uint() && type.bits == 64 ? -1 : type.max_int()),
      type.lanes);
}
Expr smallest(Type type) {
  return ir::broadcast(ir::literal(type.element(), type.min_int()), type.lanes);
}

double largest_finite(Type type) {
  if (type.kind == TypeKind::BFloat) return std::ldexp(255.0, 120);
  if (type.bits == 16) return 65504;
  if (type.bits == 32) return static_cast<double>(std::numeric_limits<float>::max());
  return std::numeric_limits<double>::max();
}

}  // namespace

Expr abs(LocatedExpr first) {
  return typing::located(first, [&](const Expr& e) {
    typing::require_defined(e, "abs");
    const Type type = e.type();
    if (type.is_uint() || type.is_bool()) return e;
    if (type.is_int()) return ir::expr(Op::Abs, UInt(type.bits, type.lanes), {e});
    if (type.is_index()) return max(e, -e);
    return float_function(Op::Abs, e, "abs");
  });
}

Expr absd(LocatedExpr first, Expr b) {
  return typing::located(first, [&](Expr a) {
    typing::match(a, b, "absd", Halves::Promote);
    if (a.type().is_float()) return abs(a - b);
    typing::require_integer(a, "absd");
    // The difference wraps to the right unsigned value.
    return cast(UInt(a.type().bits), max(a, b) - min(a, b));
  });
}

Expr saturating_cast(Type type, LocatedExpr first) {
  return typing::located(first, [&](Expr e) {
    typing::require_defined(e, "saturating_cast");
    const Type from = e.type();
    type = type.with_lanes(from.lanes);
    if (type.is_float() && from.is_float() && largest_finite(type) < largest_finite(from)) {
      const Expr limit =
          ir::broadcast(ir::real_literal(from.element(), largest_finite(type)), from.lanes);
      e = clamp(e, -limit, limit);
    } else if (type.is_integer() && from.is_integer()) {
      if (type.min_int() > from.min_int()) e = max(e, constant(from, type.min_int()));
      const bool type_is_u64 = type.is_uint() && type.bits == 64;
      const bool from_is_u64 = from.is_uint() && from.bits == 64;
      if (!type_is_u64 && (from_is_u64 || type.max_int() < from.max_int()))
        e = min(e, constant(from, type.max_int()));
    }
    return cast(type, e);  // float to integer saturates by itself
  });
}

Expr strict(LocatedExpr first) {
  return typing::located(first, [&](const Expr& e) {
    typing::require_defined(e, "strict");
    return ir::expr(Op::Strict, e.type(), {e});
  });
}

Expr fma(LocatedExpr first, Expr b, Expr c) {
  return typing::located(first, [&](Expr a) {
    typing::match(a, b, "fma", Halves::Promote);
    typing::match(b, c, "fma", Halves::Promote);
    typing::match(a, b, "fma", Halves::Promote);
    if (!a.type().is_float()) return a * b + c;
    return ir::expr(Op::Fma, a.type(), {a, b, c});
  });
}

Expr floor(LocatedExpr e) { return float_function(Op::Floor, e, "floor"); }
Expr ceil(LocatedExpr e) { return float_function(Op::Ceil, e, "ceil"); }
Expr round(LocatedExpr e) { return float_function(Op::Round, e, "round"); }
Expr trunc(LocatedExpr e) { return float_function(Op::Trunc, e, "trunc"); }
Expr fract(LocatedExpr first) {
  return typing::located(first, [&](Expr e) {
    e = typing::as_float(e, "fract");
    return e - trunc(e);
  });
}
Expr is_nan(LocatedExpr first) {
  return typing::located(first, [&](Expr e) {
    e = typing::as_float(e, "is_nan");
    return e != e;
  });
}
Expr is_inf(LocatedExpr first) {
  return typing::located(first, [&](Expr e) {
    e = typing::as_float(e, "is_inf");
    return abs(e) == ir::broadcast(ir::real_literal(e.type().element(),
                                                    std::numeric_limits<double>::infinity()),
                                   e.type().lanes);
  });
}
Expr is_finite(LocatedExpr first) {
  return typing::located(first, [&](Expr e) {
    e = typing::as_float(e, "is_finite");
    return abs(e) < ir::broadcast(ir::real_literal(e.type().element(),
                                                   std::numeric_limits<double>::infinity()),
                                  e.type().lanes);
  });
}

Expr sqrt(LocatedExpr e) { return float_function(Op::Sqrt, e, "sqrt"); }
Expr rsqrt(LocatedExpr e) { return float_function(Op::Rsqrt, e, "rsqrt"); }
Expr exp(LocatedExpr e) { return float_function(Op::Exp, e, "exp"); }
Expr exp2(LocatedExpr e) { return float_function(Op::Exp2, e, "exp2"); }
Expr log(LocatedExpr e) { return float_function(Op::Log, e, "log"); }
Expr log2(LocatedExpr e) { return float_function(Op::Log2, e, "log2"); }
Expr sin(LocatedExpr e) { return float_function(Op::Sin, e, "sin"); }
Expr cos(LocatedExpr e) { return float_function(Op::Cos, e, "cos"); }
Expr tan(LocatedExpr e) { return float_function(Op::Tan, e, "tan"); }
Expr tanh(LocatedExpr e) { return float_function(Op::Tanh, e, "tanh"); }
Expr erf(LocatedExpr e) { return float_function(Op::Erf, e, "erf"); }
Expr fast_exp2(LocatedExpr e) { return float_function(Op::FastExp2, e, "fast_exp2"); }
Expr fast_log2(LocatedExpr e) { return float_function(Op::FastLog2, e, "fast_log2"); }
Expr fast_tanh(LocatedExpr e) { return float_function(Op::FastTanh, e, "fast_tanh"); }
Expr fast_sin(LocatedExpr e) { return float_function(Op::FastSin, e, "fast_sin"); }
Expr fast_cos(LocatedExpr e) { return float_function(Op::FastCos, e, "fast_cos"); }
Expr fast_inverse(LocatedExpr e) { return float_function(Op::FastReciprocal, e, "fast_inverse"); }
Expr fast_inverse_sqrt(LocatedExpr e) {
  return float_function(Op::FastRsqrt, e, "fast_inverse_sqrt");
}
Expr fast_exp(LocatedExpr first) {
  return typing::located(first, [&](Expr e) {
    e = typing::as_float(e, "fast_exp");
    return fast_exp2(e * ir::real_literal(e.type(), 1.44269504088896340736));
  });
}
Expr fast_log(LocatedExpr first) {
  return typing::located(first, [&](Expr e) {
    e = typing::as_float(e, "fast_log");
    return fast_log2(e) * ir::real_literal(e.type(), 0.69314718055994530942);
  });
}
Expr pow(LocatedExpr first, Expr exponent) {
  return typing::located(first, [&](Expr base) {
    base = typing::as_float(base, "pow");
    exponent = typing::as_float(exponent, "pow");
    typing::match(base, exponent, "pow", Halves::Promote);
    return ir::binary(Op::Pow, base, exponent);
  });
}
Expr hypot(LocatedExpr first, Expr b) {
  return typing::located(first, [&](Expr a) {
    a = typing::as_float(a, "hypot");
    b = typing::as_float(b, "hypot");
    return sqrt(a * a + b * b);
  });
}

namespace {
/// Integers: rounded to nearest, weight in [0, largest of its type]; exact at both ends.
Expr integer_lerp(const Expr& zero, const Expr& one, Expr weight) {
  const Type type = zero.type();
  const int bits = type.bits;
  const Type wide = UInt(2 * bits, type.lanes);
  const Type narrow = UInt(bits, type.lanes);
  if (weight.type().is_float()) {
    weight = cast(narrow, weight * cast(weight.type(), largest(narrow)) +
                              constant(weight.type(), 1) / constant(weight.type(), 2));
  } else if (weight.type().bits < bits) {
    // Repeat the bits: the largest weight stays the largest.
    Expr scaled = cast(narrow, weight);
    for (int have = weight.type().bits; have < bits; have *= 2) scaled = scaled | (scaled << have);
    weight = scaled;
  } else {
    weight =
        cast(narrow, weight >> constant(signed_twin(weight.type()), weight.type().bits - bits));
  }
  // Signed values are moved to unsigned ones, order kept, and back.
  const Expr bias = cast(narrow, smallest(type));
  const auto to_unsigned = [&](const Expr& e) { return cast(wide, cast(narrow, e) ^ bias); };
  const Expr inverse = ~weight;
  const Expr half = constant(wide, std::int64_t{1} << (bits - 1));
  const Expr sum =
      to_unsigned(zero) * cast(wide, inverse) + to_unsigned(one) * cast(wide, weight) + half;
  const Expr divided = ((sum >> bits) + sum) >> bits;  // sum / (2^bits - 1), rounded
  return cast(type, cast(narrow, divided) ^ bias);
}
}  // namespace

Expr lerp(LocatedExpr first, Expr one, Expr weight) {
  return typing::located(first, [&](Expr zero) {
    typing::match(zero, one, "lerp", Halves::Promote);
    typing::require_defined(weight, "lerp");
    const Type type = zero.type();
    if (!weight.type().is_float() && !weight.type().is_uint()) {
      typing::refuse("lerp", "the weight is " + to_string(weight.type()),
                     "use a float or an unsigned weight");
    }
    if (type.is_integer()) {
      if (type.bits == 64)
        typing::refuse("lerp", "it does not work on 64-bit integers", "use at most 32 bits");
      return integer_lerp(zero, one, typing::promoted(weight));
    }
    if (weight.type().is_uint()) weight = cast(type, weight) / cast(type, largest(weight.type()));
    weight = typing::promoted(weight);
    return zero * (constant(weight.type(), 1) - weight) + one * weight;
  });
}

Expr count_leading_zeros(LocatedExpr e) {
  return bit_count(Op::CountLeadingZeros, e, "count_leading_zeros");
}
Expr count_trailing_zeros(LocatedExpr e) {
  return bit_count(Op::CountTrailingZeros, e, "count_trailing_zeros");
}
Expr popcount(LocatedExpr e) { return bit_count(Op::PopCount, e, "popcount"); }

Expr promise_clamped(LocatedExpr first, Expr low, Expr high) {
  return typing::located(first, [&](const Expr& value) {
    typing::require_defined(value, "promise_clamped");
    const auto bound = [&](Expr e) {
      typing::require_defined(e, "promise_clamped");
      if (typing::is_adaptable(e) && value.type() != e.type())
        return typing::adapt(value.type(), e, "promise_clamped");
      return cast(value.type(), e);
    };
    return ir::expr(Op::PromiseClamped, value.type(), {value, bound(low), bound(high)});
  });
}
Expr unsafe_promise_clamped(LocatedExpr first, Expr low, Expr high) {
  return promise_clamped(std::move(first), std::move(low), std::move(high));
}

Expr require(LocatedExpr first, Expr value, const std::string& message) {
  return typing::located(first, [&](const Expr& condition) {
    typing::require_bool(condition, "require");
    typing::require_defined(value, "require");
    return ir::expr(Op::Require, value.type(), {condition, value}, Symbol::named(message));
  });
}

Expr undef(Type type) { return ir::expr(Op::Undef, type, {}); }

Expr widening_add(LocatedExpr a, Expr b) { return widened(Op::Add, a, b, false, "widening_add"); }
Expr widening_sub(LocatedExpr a, Expr b) { return widened(Op::Sub, a, b, true, "widening_sub"); }
Expr widening_mul(LocatedExpr a, Expr b) { return widened(Op::Mul, a, b, false, "widening_mul"); }
Expr widening_shift_left(LocatedExpr first, Expr b) {
  return typing::located(first, [&](const Expr& a) {
    typing::require_integer(a, "widening_shift_left");
    return cast(wider(a.type(), a.type().is_int(), "widening_shift_left"), a) << b;
  });
}

Expr saturating_add(LocatedExpr first, Expr b) {
  return typing::located(first, [&](Expr a) {
    typing::match(a, b, "saturating_add", Halves::Promote);
    if (a.type().is_float()) return a + b;
    typing::require_integer(a, "saturating_add");
    const Type type = a.type();
    const Expr sum = a + b;
    if (type.is_uint()) return select(sum < a, largest(type), sum);
    const Expr zero = constant(type, 0);
    const Expr overflows =
        ((a ^ sum) & (b ^ sum)) < zero;  // both operands' sign differs from the sum's
    return select(overflows, select(a < zero, smallest(type), largest(type)), sum);
  });
}
Expr saturating_sub(LocatedExpr first, Expr b) {
  return typing::located(first, [&](Expr a) {
    typing::match(a, b, "saturating_sub", Halves::Promote);
    if (a.type().is_float()) return a - b;
    typing::require_integer(a, "saturating_sub");
    const Type type = a.type();
    const Expr zero = constant(type, 0);
    const Expr difference = a - b;
    if (type.is_uint()) return select(a < b, zero, difference);
    const Expr overflows = ((a ^ b) & (a ^ difference)) < zero;
    return select(overflows, select(a < zero, smallest(type), largest(type)), difference);
  });
}

// The halves are taken before adding, so no wider type is needed.
Expr halving_add(LocatedExpr first, Expr b) {
  return typing::located(first, [&](Expr a) {
    match_integers(a, b, "halving_add");
    return (a & b) + ((a ^ b) >> 1);
  });
}
Expr rounding_halving_add(LocatedExpr first, Expr b) {
  return typing::located(first, [&](Expr a) {
    match_integers(a, b, "rounding_halving_add");
    return (a | b) - ((a ^ b) >> 1);
  });
}
Expr halving_sub(LocatedExpr first, Expr b) {
  return typing::located(first, [&](Expr a) {
    match_integers(a, b, "halving_sub");
    return (a >> 1) - (b >> 1) - (~a & b & constant(a.type(), 1));
  });
}

// A shift by a negative amount goes the other way, which makes the bit added zero just when it must
// be.
Expr rounding_shift_right(LocatedExpr first, Expr b) {
  return typing::located(first, [&](const Expr& a) {
    typing::require_integer(a, "rounding_shift_right");
    const Expr amount = signed_amount(a.type(), b, "rounding_shift_right");
    const Expr one = constant(a.type(), 1);
    return (a >> amount) + ((a >> (amount - constant(amount.type(), 1))) & one);
  });
}
Expr rounding_shift_left(LocatedExpr first, Expr b) {
  return typing::located(first, [&](const Expr& a) {
    typing::require_integer(a, "rounding_shift_left");
    const Expr amount = signed_amount(a.type(), b, "rounding_shift_left");
    const Expr one = constant(a.type(), 1);
    return (a << amount) + ((a << (amount + constant(amount.type(), 1))) & one);
  });
}

Expr mul_shift_right(LocatedExpr first, Expr b, Expr shift) {
  return typing::located(first, [&](const Expr& a) {
    const Expr product = widened(Op::Mul, a, b, false, "mul_shift_right");
    const int bits = product.type().bits / 2;
    return saturating_cast(with_bits(product.type(), bits),
                           product >> signed_amount(product.type(), shift, "mul_shift_right"));
  });
}
Expr rounding_mul_shift_right(LocatedExpr first, Expr b, Expr shift) {
  return typing::located(first, [&](const Expr& a) {
    const Expr product = widened(Op::Mul, a, b, false, "rounding_mul_shift_right");
    const int bits = product.type().bits / 2;
    return saturating_cast(with_bits(product.type(), bits), rounding_shift_right(product, shift));
  });
}

}  // namespace sinter
