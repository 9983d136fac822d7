#include "dsl/algebra/interval.h"

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/linear_collector.h"
#include "dsl/algebra/simplifier.h"

namespace sinter::algebra {

using ir::Op;

namespace {

class Bounds {
 public:
  Bounds(const Scope& scope, Simplifier& simplify) : scope_(scope), simplify_(simplify) {}
  Interval of(const Expr&);
  Interval hull(const Interval&, const Interval&);

 private:
  bool varies(const ir::Ref&);
  Interval node(const Expr&);
  Interval sum(const Expr&);
  Interval product(const Interval&, const Interval&);
  Interval quotient(const Interval&, const Interval&);
  Interval remainder(const Interval&, const Interval&);
  Interval value_node(const Expr&);
  Interval cast(const Expr&);
  Interval intersect(const Interval&, const Interval&);
  Interval constants_of(const Expr&);

  /// op(a, b), simplified; undefined when one is.
  Expr both(Op op, const Expr& a, const Expr& b) {
    return a.defined() && b.defined() ? simplify_(ir::binary(op, a, b)) : Expr();
  }
  /// op(a, b), or the one that is defined.
  Expr either(Op op, const Expr& a, const Expr& b) {
    if (!a.defined()) return b;
    return b.defined() ? simplify_(ir::binary(op, a, b)) : a;
  }
  bool at_least(const Expr& e, std::int64_t value) {
    if (!e.defined()) return false;
    const ConstantInterval range = simplify_.bounds(e);
    return range.has_min && range.min >= value;
  }
  bool at_most(const Expr& e, std::int64_t value) {
    if (!e.defined()) return false;
    const ConstantInterval range = simplify_.bounds(e);
    return range.has_max && range.max <= value;
  }
  Expr plus(const Expr& e, std::int64_t value) {
    return both(Op::Add, e, ir::index_literal(value));
  }
  Expr negated(const Expr& e) {
    return e.defined() ? simplify_(ir::binary(Op::Mul, e, ir::index_literal(-1))) : Expr();
  }

  const Scope& scope_;
  Simplifier& simplify_;
  // The nodes are kept, so that no other one takes the address of one.
  std::unordered_map<const ir::Node*, std::pair<ir::Ref, Interval>> memo_;
  std::unordered_map<const ir::Node*, bool> varies_;  // they are below those of memo_
};

bool is_number(Type t) { return t.is_index() || t.is_integer() || t.is_bool(); }

Interval from_constants(const ConstantInterval& c) {
  Interval r;
  if (c.has_min) r.min = ir::index_literal(c.min);
  if (c.has_max) r.max = ir::index_literal(c.max);
  return r;
}

bool is_linear(const Expr& e) {
  if (e->op == Op::Add || e->op == Op::Sub) return true;
  std::int64_t c = 0;
  return e->op == Op::Mul &&
         (ir::as_constant(ir::arg(e, 0), &c) || ir::as_constant(ir::arg(e, 1), &c));
}

bool Bounds::varies(const ir::Ref& n) {
  if (n->op == Op::Symbol) return scope_.contains(n->symbol);
  if (n->op == Op::Access || n->op == Op::Load || n->op == Op::Undef) return true;
  if (n->args.empty()) return false;
  if (const auto it = varies_.find(n.get()); it != varies_.end()) return it->second;
  const bool result =
      std::any_of(n->args.begin(), n->args.end(), [&](const ir::Ref& a) { return varies(a); });
  varies_.emplace(n.get(), result);
  return result;
}

Interval Bounds::of(const Expr& e) {
  if (!is_number(e->type) || e->type.lanes != 1) return {};
  if (e->op == Op::Symbol) {
    if (const auto it = scope_.find(e->symbol); it != scope_.end()) return it->second;
  }
  if (const auto it = memo_.find(e.node().get()); it != memo_.end()) return it->second.second;
  Interval result;
  if (varies(e.node())) result = e->type.is_index() ? node(e) : value_node(e);
  else result = Interval::point(simplify_(ir::cast_to(Index(), e)));
  memo_.emplace(e.node().get(), std::make_pair(e.node(), result));
  return result;
}

Interval Bounds::sum(const Expr& e) {
  const auto form = linear_form(e);
  if (!form) return {};
  LinearCollector low, high;
  bool has_low = low.add_constant(form->constant, 1),
       has_high = high.add_constant(form->constant, 1);
  const auto include = [](LinearCollector& collector, const Expr& end, std::int64_t k) {
    if (!end.defined()) return false;
    const auto end_form = linear_form(end);
    return end_form && collector.add_form(*end_form, k);
  };
  for (const LinearForm::Term& t : form->terms) {
    const Interval i = of(t.atom);
    const bool up = t.coefficient > 0;
    has_low = has_low && include(low, up ? i.min : i.max, t.coefficient);
    has_high = has_high && include(high, up ? i.max : i.min, t.coefficient);
  }
  Interval r;
  if (has_low) r.min = simplify_(low.finish()->to_expr());
  if (has_high) r.max = simplify_(high.finish()->to_expr());
  return r;
}

Interval Bounds::node(const Expr& e) {
  if (is_linear(e)) return sum(e);
  const auto operand = [&](std::size_t i) { return of(ir::arg(e, i)); };
  if (e->op == Op::Mul) return product(operand(0), operand(1));
  if (e->op == Op::Div) return quotient(operand(0), operand(1));
  if (e->op == Op::Mod) return remainder(operand(0), operand(1));
  if (e->op == Op::Min || e->op == Op::Max) {
    const Interval a = operand(0), b = operand(1);
    if (e->op == Op::Min) return {both(Op::Min, a.min, b.min), either(Op::Min, a.max, b.max)};
    return {either(Op::Max, a.min, b.min), both(Op::Max, a.max, b.max)};
  }
  if (e->op == Op::Select) return hull(operand(1), operand(2));
  if (e->op == Op::PromiseClamped) return intersect(operand(0), {operand(1).min, operand(2).max});
  if (e->op == Op::Require) return operand(1);
  if (e->op == Op::Cast) return cast(e);
  if (e->op == Op::Abs) {
    const Interval a = operand(0);
    if (at_least(a.min, 0)) return a;
    return {ir::index_literal(0), both(Op::Max, a.max, negated(a.min))};
  }
  return {};
}

Interval Bounds::cast(const Expr& e) {
  const Expr value = ir::arg(e, 0);
  const Interval i = of(value);
  // A 64-bit unsigned value without an upper bound may exceed the coordinates' own 64 bits.
  return value->type == UInt(64) && !i.max.defined() ? Interval{} : i;
}

Interval Bounds::constants_of(const Expr& e) {
  return from_constants(simplify_.bounds(simplify_(e)));
}

Interval Bounds::value_node(const Expr& e) {
  // Where nothing can wrap, an op on data is the op on integers.
  const Type t = e->type;
  const Interval plain = constants_of(e);
  const auto operand = [&](std::size_t i) { return of(ir::arg(e, i)); };
  std::int64_t c = 0;
  Interval r;
  if (e->op == Op::Min || e->op == Op::Max) {
    const Interval a = operand(0), b = operand(1);
    if (e->op == Op::Min) r = {both(Op::Min, a.min, b.min), either(Op::Min, a.max, b.max)};
    else r = {either(Op::Max, a.min, b.min), both(Op::Max, a.max, b.max)};
  } else if (e->op == Op::Select) {
    r = hull(operand(1), operand(2));
  } else if ((e->op == Op::Div || e->op == Op::Mod) && ir::as_constant(ir::arg(e, 1), &c) &&
             c > 0) {
    const Interval divisor = Interval::point(ir::index_literal(c));
    r = e->op == Op::Div ? quotient(operand(0), divisor) : remainder(operand(0), divisor);
  } else if (e->op == Op::Cast && is_number(ir::arg(e, 0)->type)) {
    const Type from = ir::arg(e, 0)->type;
    const bool widens =
        from.is_integer() && t.is_integer() &&
        (from.is_int() == t.is_int() ? from.bits <= t.bits : t.is_int() && from.bits < t.bits);
    if (widens) r = operand(0);
    else if (const Interval i = operand(0);
             at_least(i.min, t.is_uint() ? 0 : t.min_int()) && at_most(i.max, t.max_int()))
      r = i;
  } else if (e->op == Op::PromiseClamped) {
    r = intersect(operand(0), {operand(1).min, operand(2).max});
  } else if (e->op == Op::Require) {
    r = operand(1);
  } else if (e->op == Op::Add || e->op == Op::Sub || e->op == Op::Mul) {
    const Interval a = operand(0), b = operand(1);
    if (e->op == Op::Add) r = {both(Op::Add, a.min, b.min), both(Op::Add, a.max, b.max)};
    else if (e->op == Op::Sub) r = {both(Op::Sub, a.min, b.max), both(Op::Sub, a.max, b.min)};
    else r = product(a, b);
    if (!at_least(r.min, t.is_uint() ? 0 : t.min_int()) || !at_most(r.max, t.max_int())) r = {};
  }
  return {either(Op::Max, r.min, plain.min), either(Op::Min, r.max, plain.max)};
}

Interval Bounds::product(const Interval& a, const Interval& b) {
  if (a.is_point() && b.is_point()) return Interval::point(both(Op::Mul, a.min, b.min));
  if (at_least(a.min, 0) && at_least(b.min, 0))
    return {both(Op::Mul, a.min, b.min), both(Op::Mul, a.max, b.max)};
  if (b.is_point() && at_least(b.min, 0))
    return {both(Op::Mul, a.min, b.min), both(Op::Mul, a.max, b.min)};
  if (a.is_point() && at_least(a.min, 0)) return product(b, a);
  if (!a.bounded() || !b.bounded()) return {};
  if (a.is_point() || b.is_point()) {
    const Interval &point = a.is_point() ? a : b, &other = a.is_point() ? b : a;
    const Interval first = Interval::point(both(Op::Mul, point.min, other.min));
    return hull(first, Interval::point(both(Op::Mul, point.min, other.max)));
  }
  const auto corner = [&](const Expr& x, const Expr& y) {
    return Interval::point(both(Op::Mul, x, y));
  };
  return hull(hull(corner(a.min, b.min), corner(a.min, b.max)),
              hull(corner(a.max, b.min), corner(a.max, b.max)));
}

Interval Bounds::quotient(const Interval& a, const Interval& b) {
  if (b.is_point() && at_least(b.min, 1))
    return {both(Op::Div, a.min, b.min), both(Op::Div, a.max, b.min)};
  if (b.is_point() && at_most(b.min, -1))
    return {both(Op::Div, a.max, b.min), both(Op::Div, a.min, b.min)};
  if (b.bounded() && at_least(b.min, 1)) {
    // Towards minus infinity: the extreme quotients lie at the corners.
    const auto corner = [&](const Expr& x, const Expr& y) { return both(Op::Div, x, y); };
    Interval r;
    if (a.min.defined()) r.min = both(Op::Min, corner(a.min, b.min), corner(a.min, b.max));
    if (a.max.defined()) r.max = both(Op::Max, corner(a.max, b.min), corner(a.max, b.max));
    return r;
  }
  if (!a.bounded()) return {};
  // No quotient is further from zero than its dividend.
  if (at_least(b.min, 0)) {
    const Expr zero = ir::index_literal(0);
    return {both(Op::Min, a.min, zero), both(Op::Max, a.max, zero)};
  }
  const Expr reach = simplify_(
      ir::binary(Op::Max, ir::binary(Op::Max, a.max, negated(a.min)), ir::index_literal(0)));
  return {negated(reach), reach};
}

Interval Bounds::remainder(const Interval& a, const Interval& b) {
  const Expr zero = ir::index_literal(0);
  std::int64_t c = 0;
  if (a.bounded() && b.is_point() && ir::as_constant(b.min, &c) && c != 0) {
    // Within one period?
    const Expr first = both(Op::Div, a.min, b.min), last = both(Op::Div, a.max, b.min);
    const ConstantInterval periods = simplify_.difference_bounds(last, first);
    if (periods.has_min && periods.has_max && periods.min == 0 && periods.max == 0) {
      return {both(Op::Mod, a.min, b.min), both(Op::Mod, a.max, b.min)};
    }
  }
  Interval r{zero, {}};
  if (at_least(b.min, 1)) r.max = plus(b.max, -1);
  else if (b.bounded()) r.max = both(Op::Max, plus(both(Op::Max, b.max, negated(b.min)), -1), zero);
  if (at_least(a.min, 0)) r.max = either(Op::Min, r.max, a.max);
  return r;
}

Interval Bounds::intersect(const Interval& a, const Interval& b) {
  return {either(Op::Max, a.min, b.min), either(Op::Min, a.max, b.max)};
}

Interval Bounds::hull(const Interval& a, const Interval& b) {
  return {both(Op::Min, a.min, b.min), both(Op::Max, a.max, b.max)};
}

}  // namespace

Interval hull(const Interval& a, const Interval& b) {
  Simplifier simplify;
  const Scope nothing;
  return Bounds(nothing, simplify).hull(a, b);
}

Interval bounds_of(const Expr& e, const Scope& scope) {
  Simplifier simplify;
  return Bounds(scope, simplify).of(e);
}

struct BoundsIn::Contents {
  explicit Contents(Scope s) : scope(std::move(s)) {}
  Scope scope;
  Simplifier simplify;
  Bounds bounds{scope, simplify};
};

BoundsIn::BoundsIn(Scope scope) : contents_(std::make_unique<Contents>(std::move(scope))) {}
BoundsIn::~BoundsIn() = default;
Interval BoundsIn::operator()(const Expr& e) { return contents_->bounds.of(e); }

}  // namespace sinter::algebra
