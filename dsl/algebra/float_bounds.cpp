// Every op here is monotone in each operand, and so is rounding: the extremes lie at the ends,
// where the interpreter's own arithmetic computes them.

#include "dsl/algebra/float_bounds.h"

#include <algorithm>
#include <cmath>

#include "dsl/ir/scalar.h"

namespace sinter::algebra {

using ir::Op;

namespace {

bool has_zero(const FloatInterval& i) { return i.min <= 0 && i.max >= 0; }
bool has_infinity(const FloatInterval& i) { return std::isinf(i.min) || std::isinf(i.max); }

FloatInterval mapped(const Expr& e, const FloatInterval& i) {
  const Type from = ir::arg(e, 0)->type.element();
  const auto end = [&](double value) {
    const ir::Scalar s{from, 0, value};
    return ir::apply(e->op, e->type.element(), &s, 1).real;
  };
  return {end(i.min), end(i.max), i.may_be_nan};
}

/// The first power of two beyond the type's values.
double limit(Type t) {
  const int bits = t.is_index() ? 64 : t.bits;
  return std::ldexp(1.0, t.is_uint() ? bits : bits - 1);
}

}  // namespace

FloatInterval FloatBounds::of(const Expr& e) {
  if (const auto it = memo_.find(e.node().get()); it != memo_.end()) return it->second.second;
  const FloatInterval result = node(e);
  memo_.emplace(e.node().get(), std::make_pair(e.node(), result));
  return result;
}

FloatInterval FloatBounds::node(const Expr& e) {
  const Op op = e->op;
  if (op == Op::Literal)
    return std::isnan(e->real) ? FloatInterval{} : FloatInterval{e->real, e->real, false};
  if (op == Op::Broadcast || op == Op::Strict) return of(ir::arg(e, 0));
  if (op == Op::PromiseClamped) return promised(e);
  if (op == Op::Min || op == Op::Max || op == Op::Select) return choice(e);
  if (op == Op::Cast) return cast(e);
  if (op == Op::Floor || op == Op::Ceil || op == Op::Round || op == Op::Trunc)
    return mapped(e, of(ir::arg(e, 0)));
  if (op == Op::Sqrt) {
    const FloatInterval i = of(ir::arg(e, 0));
    return i.min >= 0 ? mapped(e, i) : FloatInterval{};
  }
  if (op == Op::Exp || op == Op::Exp2) return exponential(e);
  if (op == Op::Tanh || op == Op::Erf) return {-1, 1, of(ir::arg(e, 0)).may_be_nan};
  if (op == Op::Abs) {
    const FloatInterval i = of(ir::arg(e, 0));
    return {std::max({i.min, -i.max, 0.0}), std::max(-i.min, i.max), i.may_be_nan};
  }
  if (op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div || op == Op::Fma)
    return arithmetic(e);
  return {};
}

// The expansion is monotone but for its error, and overflows with its type.
FloatInterval FloatBounds::exponential(const Expr& e) {
  const FloatInterval i = of(ir::arg(e, 0));
  const auto end = [&](double x, double factor) {
    const double exact = e->op == Op::Exp ? std::exp(x) : std::exp2(x);
    return ir::Scalar::of_real(e->type.element(), exact * factor).real;
  };
  const double low = end(i.min, 1 - 0x1p-20);
  return {low < 0x1p-100 ? 0 : low, std::max(end(i.max, 1 + 0x1p-20), 0x1p-100), i.may_be_nan};
}

// The operand that is not NaN wins a min or max.
FloatInterval FloatBounds::choice(const Expr& e) {
  const bool is_select = e->op == Op::Select;
  const FloatInterval a = of(ir::arg(e, is_select ? 1 : 0)), b = of(ir::arg(e, is_select ? 2 : 1));
  FloatInterval r{std::min(a.min, b.min), std::max(a.max, b.max), a.may_be_nan && b.may_be_nan};
  if (is_select) {
    r.may_be_nan = a.may_be_nan || b.may_be_nan;
  } else if (e->op == Op::Min) {
    if (!a.may_be_nan) r.max = std::min(r.max, a.max);
    if (!b.may_be_nan) r.max = std::min(r.max, b.max);
  } else {
    if (!a.may_be_nan) r.min = std::max(r.min, a.min);
    if (!b.may_be_nan) r.min = std::max(r.min, b.min);
  }
  return r;
}

// The promise is about numbers: a NaN stays possible.
FloatInterval FloatBounds::promised(const Expr& e) {
  const FloatInterval i = of(ir::arg(e, 0));
  return {std::max(i.min, of(ir::arg(e, 1)).min), std::min(i.max, of(ir::arg(e, 2)).max),
          i.may_be_nan};
}

// NaN comes from a NaN, or where 0 meets an infinity, or infinities meet: at a corner.
FloatInterval FloatBounds::arithmetic(const Expr& e) {
  const Type t = e->type.element();
  FloatInterval operand[3];
  const std::size_t count = e->args.size();
  FloatInterval r{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                  false};
  for (std::size_t i = 0; i < count; ++i) {
    operand[i] = of(ir::arg(e, i));
    r.may_be_nan = r.may_be_nan || operand[i].may_be_nan;
  }
  if (e->op == Op::Div && has_zero(operand[1])) return {};
  const bool multiplies = e->op == Op::Mul || e->op == Op::Fma;
  if (multiplies && ((has_zero(operand[0]) && has_infinity(operand[1])) ||
                     (has_zero(operand[1]) && has_infinity(operand[0]))))
    return {};
  for (unsigned corner = 0; corner < (1U << count); ++corner) {
    ir::Scalar at[3];
    for (std::size_t i = 0; i < count; ++i)
      at[i] = {t, 0, (corner >> i) % 2 == 0 ? operand[i].min : operand[i].max};
    const double value = ir::apply(e->op, t, at, static_cast<int>(count)).real;
    if (std::isnan(value)) return {};
    r.min = std::min(r.min, value);
    r.max = std::max(r.max, value);
  }
  return r;
}

FloatInterval FloatBounds::cast(const Expr& e) {
  const Expr value = ir::arg(e, 0);
  const Type from = value->type.element(), to = e->type.element();
  if (from.is_float()) return mapped(e, of(value));
  if (from.is_bool()) return {0, 1, false};
  const ConstantInterval known =
      of_integer_ && value->type.is_scalar() ? of_integer_(value) : ConstantInterval{};
  const auto rounded = [&](std::int64_t end) {
    const ir::Scalar s{from, end, 0};
    return ir::apply(Op::Cast, to, &s, 1).real;
  };
  const auto of_type = [&](double end) { return ir::Scalar::of_real(to, end).real; };
  return {known.has_min ? rounded(known.min) : of_type(from.is_uint() ? 0 : -limit(from)),
          known.has_max ? rounded(known.max) : of_type(limit(from)), false};
}

ConstantInterval FloatBounds::converted(const Expr& e, Type to) {
  const FloatInterval i = of(e);
  const Type t = to.element();
  const double low = t.is_uint() ? 0 : -limit(t);
  const bool is_wide = limit(t) > limit(Int(64));  // u64: ends may be beyond int64
  const double most = std::min(limit(t), limit(Int(64)));
  const auto end = [&](double value) -> std::int64_t {
    if (value >= most) return t.is_index() || t.bits == 64 ? INT64_MAX : t.max_int();
    return static_cast<std::int64_t>(std::max(value, low));
  };
  ConstantInterval r{true, !(is_wide && i.max >= most), end(i.min), end(i.max)};
  if (i.may_be_nan) {
    r.min = std::min<std::int64_t>(r.min, 0);
    r.max = std::max<std::int64_t>(r.max, 0);
  }
  // What the type says is no news.
  if (i.min <= low && !t.is_uint() && t.bits >= 32) r.has_min = false;
  if (i.max >= limit(t) && t.bits >= 32) r.has_max = false;
  return r;
}

bool FloatBounds::only_truncates(const Expr& e, Type to) {
  const FloatInterval i = of(e);
  // Towards zero: what lies less than one below the smallest value becomes that.
  return !i.may_be_nan && i.min >= (to.is_uint() ? 0 : -limit(to)) && i.max < limit(to);
}

}  // namespace sinter::algebra
