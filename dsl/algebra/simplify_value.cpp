// Data: only identities that hold exactly in wrapping integers or IEEE floats; and constant
// folding, which is the interpreter's arithmetic for all types.

#include <algorithm>
#include <cmath>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/simplifier.h"
#include "dsl/ir/scalar.h"

namespace sinter::algebra {

using ir::Op;
using ir::OpClass;

namespace {

bool is_foldable(const Expr& e) {
  const OpClass c = ir::info(e->op).op_class;
  const bool has_meaning = c == OpClass::Arithmetic || c == OpClass::Compare ||
                           c == OpClass::Logic || c == OpClass::Bits || c == OpClass::Convert ||
                           c == OpClass::Math;
  if (!has_meaning || !e->type.is_scalar() || e->args.empty()) return false;
  if (c == OpClass::Math && e->type.bits < 32) return false;
  return std::all_of(e->args.begin(), e->args.end(),
                     [](const ir::Ref& a) { return a->op == Op::Literal; });
}

bool is_commutative(Op op) {
  return op == Op::Add || op == Op::Mul || op == Op::Min || op == Op::Max || op == Op::Equal ||
         op == Op::NotEqual || op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor;
}

bool is_literal(const Expr& e) {
  return e->op == Op::Literal || (e->op == Op::Broadcast && e->args[0]->op == Op::Literal);
}

bool is_real_literal(const Expr& e, double value) {
  const Expr scalar = e->op == Op::Broadcast ? ir::arg(e, 0) : e;
  return scalar->op == Op::Literal && scalar->type.is_float() && scalar->real == value;
}

/// Every value of `from` is a value of `to`.
bool holds_all(Type to, Type from) {
  if (from.is_bool()) return !to.is_bool() || to == from;
  if (to.is_index()) return from.is_integer() && from != UInt(64);
  if (from.is_integer() && to.is_integer()) {
    return from.is_int() == to.is_int() ? from.bits <= to.bits : to.is_int() && from.bits < to.bits;
  }
  if (from.is_integer() && to.is_float()) {
    const int digits = to.bits == 64                 ? 53
                       : to.bits == 32               ? 24
                       : to.kind == TypeKind::BFloat ? 8
                                                     : 11;
    return (from.is_int() ? from.bits - 1 : from.bits) <= digits;
  }
  if (from.is_float() && to.is_float())
    return from.kind == to.kind ? from.bits <= to.bits : to.bits >= 32 && from.bits == 16;
  return false;
}

bool wraps(Type t) { return t.is_integer() || t.is_index(); }

}  // namespace

Expr Simplifier::fold_constants(const Expr& e) {
  if (!is_foldable(e)) return {};
  std::vector<ir::Scalar> args;
  for (const ir::Ref& a : e->args) args.push_back({a->type, a->integer, a->real});
  if (args[0].type.is_index()) {
    // Coordinates that leave 64 bits stay as they are.
    if (e->op == Op::Add && !checked_add(args[0].integer, args[1].integer)) return {};
    if (e->op == Op::Sub && !checked_sub(args[0].integer, args[1].integer)) return {};
    if (e->op == Op::Mul && !checked_mul(args[0].integer, args[1].integer)) return {};
    if ((e->op == Op::Div || e->op == Op::Mod || e->op == Op::Abs) && args[0].integer == INT64_MIN)
      return {};
  }
  const ir::Scalar result = ir::apply(e->op, e->type, args.data(), static_cast<int>(args.size()));
  if (!e->type.is_float()) return ir::literal(e->type, result.integer);
  return std::isnan(result.real) ? Expr() : ir::real_literal(e->type, result.real);
}

Expr Simplifier::step_value(const Expr& e) {
  if (e->args.size() != 2) return e;
  const Expr a = ir::arg(e, 0), b = ir::arg(e, 1);
  const Type t = a->type;
  if (is_commutative(e->op) && is_literal(a) && !is_literal(b)) return ir::binary(e->op, b, a);
  if (t.is_float()) {
    // The only float identities without an exception for zeros, infinities and NaN.
    return (e->op == Op::Mul || e->op == Op::Div) && is_real_literal(b, 1) ? a : e;
  }
  if (!t.is_integer() || !t.is_scalar() || t == UInt(64)) return e;
  const ConstantInterval ra = bounds(a), rb = bounds(b);
  const bool below = ra.has_max && rb.has_min && ra.max <= rb.min;
  const bool strictly_below = ra.has_max && rb.has_min && ra.max < rb.min;
  const bool above = ra.has_min && rb.has_max && ra.min >= rb.max;
  const bool strictly_above = ra.has_min && rb.has_max && ra.min > rb.max;
  if (e->op == Op::Min && (below || above)) return below ? a : b;
  if (e->op == Op::Max && (below || above)) return below ? b : a;
  if (e->op == Op::Less && (strictly_below || above)) return ir::literal(Bool(), strictly_below);
  if (e->op == Op::LessEqual && (below || strictly_above)) return ir::literal(Bool(), below);
  if ((e->op == Op::Equal || e->op == Op::NotEqual) && (strictly_below || strictly_above)) {
    return ir::literal(Bool(), e->op == Op::NotEqual);
  }
  std::int64_t c = 0;
  const bool by_constant =
      (e->op == Op::Div || e->op == Op::Mod) && ir::as_constant(b, &c) && c > 0;
  if (by_constant && within(ra, 0, c - 1)) return e->op == Op::Mod ? a : ir::literal(t, 0);
  return e;
}

Expr Simplifier::step_cast(const Expr& e) {
  const Expr a = ir::arg(e, 0);
  const Type to = e->type.element(), from = a->type.element();
  if (to == from) return a;
  if (a->op != Op::Cast) return e;
  const Expr inner = ir::arg(a, 0);
  const Type origin = inner->type.element();
  const auto direct = [&] { return ir::cast_to(e->type, inner); };
  if (origin.is_bool() && !to.is_bool() && !from.is_float()) return direct();
  // Through a type that holds every value, or modulo a larger power of two.
  // (Floats saturate where integers wrap.)
  const bool saturates =
      from.is_float() && to.is_integer() && wraps(origin) && !holds_all(to, origin);
  if (holds_all(from, origin) && !from.is_bool() && !saturates) return direct();
  if (wraps(origin) && from.is_integer() && to.is_integer() && to.bits <= from.bits)
    return direct();
  // A coordinate known to fit was not changed by the narrower type.
  if (origin.is_index() && inner->type.is_scalar() && from.is_integer() && from != UInt(64) &&
      within(bounds(inner), from.min_int(), from.max_int())) {
    return direct();
  }
  return e;
}

}  // namespace sinter::algebra
