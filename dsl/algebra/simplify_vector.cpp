// Ramps and broadcasts: operations that are the same in all lanes become scalar, and sums,
// quotients and choices of ramps become ramps, so that dense accesses show.

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/simplifier.h"

namespace sinter::algebra {

using ir::Op;
using ir::OpClass;

namespace {

/// base + lane * stride; a broadcast has stride 0.
struct Lanes {
  Expr base, stride;
};

std::optional<Lanes> as_lanes(const Expr& e) {
  if (e->op == Op::Ramp) return Lanes{ir::arg(e, 0), ir::arg(e, 1)};
  if (e->op != Op::Broadcast || e->type.is_float()) return {};
  return Lanes{ir::arg(e, 0), ir::literal(e->type.element(), 0)};
}

Expr from_lanes(const Lanes& l, int lanes) {
  return ir::is_constant(l.stride, 0) ? ir::broadcast(l.base, lanes)
                                      : ir::ramp(l.base, l.stride, lanes);
}

bool is_lanewise(const Expr& e) {
  const OpClass c = ir::info(e->op).op_class;
  return c == OpClass::Arithmetic || c == OpClass::Compare || c == OpClass::Logic ||
         c == OpClass::Bits || c == OpClass::Convert || c == OpClass::Math ||
         e->op == Op::PromiseClamped || e->op == Op::Strict;
}

bool all_broadcasts(const Expr& e) {
  return std::all_of(e->args.begin(), e->args.end(),
                     [](const ir::Ref& a) { return a->op == Op::Broadcast; });
}

Expr scalar_twin(const Expr& e) {
  ir::Node n = *e;
  n.type = n.type.element();
  for (ir::Ref& a : n.args) a = a->args[0];
  return Expr(ir::make(std::move(n)));
}

/// Bounds of base + lane * stride over all lanes, from bounds of the base.
ConstantInterval over_lanes(ConstantInterval base, std::int64_t stride, int lanes) {
  const auto reach = checked_mul(stride, lanes - 1);
  if (!reach) return {};
  return add(base, *reach >= 0 ? constant_range(0, *reach) : constant_range(*reach, 0));
}

}  // namespace

Expr Simplifier::step_vector(const Expr& e) {
  const int lanes = e->type.lanes;
  if (e->op == Op::Ramp)
    return ir::is_constant(ir::arg(e, 1), 0) ? ir::broadcast(ir::arg(e, 0), lanes) : e;
  if (e->op == Op::Load && e->args.size() == 2 && ir::is_constant(ir::arg(e, 1), 1)) {
    return ir::load(e->type, e->symbol, ir::arg(e, 0), {}, ir::cache_hint(*e));
  }
  if (e->op == Op::Broadcast || e->args.empty()) return e;
  const bool is_read = (e->op == Op::Load && e->args.size() == 1) || e->op == Op::Access;
  if (lanes > 1 && (is_lanewise(e) || is_read) && all_broadcasts(e))
    return ir::broadcast(scalar_twin(e), lanes);
  const Type element = ir::arg(e, 0)->type.element();
  std::int64_t c = 0;
  if (e->op == Op::Select) {
    const Expr condition = ir::arg(e, 0), a = ir::arg(e, 1), b = ir::arg(e, 2);
    if (ir::as_constant(condition, &c)) return c != 0 ? a : b;
    const auto la = as_lanes(a), lb = as_lanes(b);
    if (condition->op == Op::Broadcast && la && lb && ir::equal(la->stride, lb->stride)) {
      return from_lanes({ir::select(ir::arg(condition, 0), la->base, lb->base), la->stride}, lanes);
    }
    return e;
  }
  if (e->op == Op::Cast && element.is_index() && e->type.is_integer() &&
      ir::arg(e, 0)->op == Op::Ramp && ir::arg(ir::arg(e, 0), 1)->op == Op::Literal) {
    // Reduction modulo 2^n commutes with sums and products.
    const Expr ramp = ir::arg(e, 0);
    const Type t = e->type.element();
    return ir::ramp(ir::cast_to(t, ir::arg(ramp, 0)), ir::cast_to(t, ir::arg(ramp, 1)), lanes);
  }
  if (!element.is_index() && !element.is_integer()) return e;
  if (e->op == Op::Add || e->op == Op::Sub) return step_vector_sum(e);
  if (e->op == Op::Mul) {
    const auto a = as_lanes(ir::arg(e, 0)), b = as_lanes(ir::arg(e, 1));
    if (!a || !b) return e;
    const bool a_uniform = ir::is_constant(a->stride, 0);
    if (!a_uniform && !ir::is_constant(b->stride, 0)) return e;
    const Expr& factor = a_uniform ? a->base : b->base;
    const Lanes& other = a_uniform ? *b : *a;
    const auto times_factor = [&](const Expr& x) {
      return (*this)(ir::binary(Op::Mul, x, factor));
    };
    const Expr r = from_lanes({times_factor(other.base), times_factor(other.stride)}, lanes);
    return size(r) <= size(e) ? r : e;
  }
  const OpClass kind = ir::info(e->op).op_class;
  const bool computes =
      kind == OpClass::Arithmetic || kind == OpClass::Compare;  // a load's predicate is no operand
  if (element.is_index() && e->args.size() == 2 && computes) return step_ramp_operands(e);
  return e;
}

namespace {

bool uniform_constant(const Expr& e, std::int64_t* c) {
  return e->op == Op::Broadcast && ir::as_constant(ir::arg(e, 0), c);
}

/// x and k of x * broadcast(k).
std::pair<Expr, std::int64_t> without_factor(const Expr& e) {
  std::int64_t k = 1;
  if (e->op == Op::Mul && uniform_constant(ir::arg(e, 1), &k)) return {ir::arg(e, 0), k};
  return {e, 1};
}

}  // namespace

Expr Simplifier::step_vector_sum(const Expr& e) {
  struct Term {
    Expr atom;
    bool negative;
  };
  const int lanes = e->type.lanes;
  const Type element = e->type.element();
  std::vector<Term> atoms;
  Lanes total{ir::literal(element, 0), ir::literal(element, 0)};
  int parts = 0, cancelled = 0, visits = 0;
  const std::function<void(const Expr&, bool)> collect = [&](const Expr& n, bool negative) {
    if ((n->op == Op::Add || n->op == Op::Sub) && ++visits < 64) {
      collect(ir::arg(n, 0), negative);
      collect(ir::arg(n, 1), negative != (n->op == Op::Sub));
      return;
    }
    if (const auto part = as_lanes(n)) {
      const Op op = negative ? Op::Sub : Op::Add;
      const auto plus = [&](const Expr& a, const Expr& b) {
        if (ir::is_constant(b, 0)) return a;
        return ir::is_constant(a, 0) && !negative ? b : ir::binary(op, a, b);
      };
      total = {plus(total.base, part->base), plus(total.stride, part->stride)};
      ++parts;
      return;
    }
    const auto opposite = std::find_if(atoms.begin(), atoms.end(), [&](const Term& t) {
      return t.negative != negative && ir::equal(t.atom, n);
    });
    if (opposite == atoms.end()) atoms.push_back({n, negative});
    else atoms.erase(opposite), ++cancelled;
  };
  collect(e, false);
  // k*c*(x / c) + k*(x % c) == k*x: the coordinates of fused dimensions.
  for (std::size_t i = 0; element.is_index() && i < atoms.size(); ++i) {
    const auto [quotient, kc] = without_factor(atoms[i].atom);
    std::int64_t c = 0;
    if (quotient->op != Op::Div || !uniform_constant(ir::arg(quotient, 1), &c) || c <= 0) continue;
    const auto rest = std::find_if(atoms.begin(), atoms.end(), [&](const Term& t) {
      const auto [remainder, k] = without_factor(t.atom);
      return t.negative == atoms[i].negative && remainder->op == Op::Mod && kc % c == 0 &&
             kc / c == k && ir::equal(ir::arg(remainder, 0), ir::arg(quotient, 0)) &&
             ir::equal(ir::arg(remainder, 1), ir::arg(quotient, 1));
    });
    if (rest == atoms.end()) continue;
    const bool negative = rest->negative;
    const Expr factor = ir::broadcast(ir::index_literal(kc / c), lanes);
    const Expr x = (*this)(ir::binary(Op::Mul, ir::arg(quotient, 0), factor));
    const auto second = std::max(i, static_cast<std::size_t>(rest - atoms.begin())),
               first = std::min(i, static_cast<std::size_t>(rest - atoms.begin()));
    atoms.erase(atoms.begin() + static_cast<std::ptrdiff_t>(second));
    atoms.erase(atoms.begin() + static_cast<std::ptrdiff_t>(first));
    collect(x, negative);
    ++cancelled;
    i = static_cast<std::size_t>(-1);  // from the start
  }
  total = {(*this)(total.base), (*this)(total.stride)};
  const bool nothing_added = ir::is_constant(total.base, 0) && ir::is_constant(total.stride, 0);
  const bool improves = parts >= 2 || cancelled > 0 || (parts == 1 && nothing_added);
  if (!improves) return e;
  Expr sum;
  const auto include = [&](const Expr& n, bool negative) {
    if (sum.defined()) sum = ir::binary(negative ? Op::Sub : Op::Add, sum, n);
    else sum = negative ? ir::binary(Op::Sub, ir::literal(e->type, 0), n) : n;
  };
  for (const Term& t : atoms) {
    if (!t.negative) include(t.atom, false);
  }
  const bool must_start = !sum.defined();
  if (!nothing_added || (must_start && atoms.empty())) include(from_lanes(total, lanes), false);
  for (const Term& t : atoms) {
    if (t.negative) include(t.atom, true);
  }
  return size(sum) <= size(e) ? sum : e;
}

/// Division, remainder, minimum, maximum and comparison of coordinates.
Expr Simplifier::step_ramp_operands(const Expr& e) {
  const auto a = as_lanes(ir::arg(e, 0)), b = as_lanes(ir::arg(e, 1));
  if (!a || !b) return e;
  const int lanes = ir::arg(e, 0)->type.lanes;
  std::int64_t stride = 0, c = 0;
  if (e->op == Op::Div || e->op == Op::Mod) {
    if (!ir::as_constant(a->stride, &stride) || !ir::is_constant(b->stride, 0)) return e;
    if (!ir::as_constant(b->base, &c) || c <= 0) return e;
    const Expr quotient = ir::binary(Op::Div, a->base, b->base),
               remainder = ir::binary(Op::Mod, a->base, b->base);
    if (stride % c == 0) {
      if (e->op == Op::Mod) return ir::broadcast(remainder, lanes);
      return from_lanes({quotient, ir::index_literal(stride / c)}, lanes);
    }
    const ConstantInterval remainders = over_lanes(bounds((*this)(remainder)), stride, lanes);
    if (!within(remainders, 0, c - 1)) return e;
    return e->op == Op::Div ? ir::broadcast(quotient, lanes)
                            : from_lanes({remainder, a->stride}, lanes);
  }
  const Expr apart = (*this)(ir::binary(Op::Sub, b->stride, a->stride));
  if (ir::as_constant(apart, &stride)) {
    const ConstantInterval d = over_lanes(difference_bounds(b->base, a->base), stride, lanes);
    const bool below = d.has_min && d.min >= 0, strictly_below = d.has_min && d.min >= 1;
    const bool above = d.has_max && d.max <= 0, strictly_above = d.has_max && d.max <= -1;
    const auto truth = [&](bool v) { return ir::literal(Bool(lanes), v); };
    if (e->op == Op::Min || e->op == Op::Max) {
      if (below) return ir::arg(e, e->op == Op::Min ? 0 : 1);
      if (above) return ir::arg(e, e->op == Op::Min ? 1 : 0);
      if (stride == 0) return from_lanes({ir::binary(e->op, a->base, b->base), a->stride}, lanes);
    }
    if (e->op == Op::Less && (strictly_below || above)) return truth(strictly_below);
    if (e->op == Op::LessEqual && (below || strictly_above)) return truth(below);
    if ((e->op == Op::Equal || e->op == Op::NotEqual) && (strictly_below || strictly_above))
      return truth(e->op == Op::NotEqual);
    if (ir::info(e->op).op_class == OpClass::Compare && stride == 0) {
      return ir::broadcast(ir::binary(e->op, a->base, b->base), lanes);
    }
  }
  return e;
}

}  // namespace sinter::algebra
