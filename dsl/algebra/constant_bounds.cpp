#include "dsl/algebra/constant_bounds.h"

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/linear_collector.h"
#include "dsl/algebra/product.h"

namespace sinter::algebra {

using ir::Op;

namespace {

bool is_linear(const Expr& e) {
  if (e->op == Op::Add || e->op == Op::Sub) return true;
  std::int64_t c = 0;
  return e->op == Op::Mul &&
         (ir::as_constant(ir::arg(e, 0), &c) || ir::as_constant(ir::arg(e, 1), &c));
}

bool is_choice(const Expr& e) {
  return e->op == Op::Min || e->op == Op::Max || e->op == Op::Select;
}

/// The two values a min, max or select chooses from.
Expr alternative(const Expr& e, int which) {
  return ir::arg(e, static_cast<std::size_t>(e->op == Op::Select ? which + 1 : which));
}

ConstantInterval choose(const Expr& e, const ConstantInterval& a, const ConstantInterval& b,
                        bool negated) {
  if (e->op == Op::Select) return hull(a, b);
  return (e->op == Op::Min) != negated ? minimum(a, b) : maximum(a, b);
}

}  // namespace

ConstantInterval ConstantBounds::of(const Expr& e) {
  if (e->type.lanes != 1 || e->type.is_float() || e->type.is_void() ||
      e->type.kind == TypeKind::Handle)
    return {};
  if (e->op == Op::Literal) {
    return e->type == UInt(64) && e->integer < 0 ? type_interval(e->type)
                                                 : constant_point(e->integer);
  }
  if (e->op == Op::Symbol) {
    const auto it = known_.find(e->symbol);
    return it == known_.end() ? type_interval(e->type)
                              : intersect(it->second, type_interval(e->type));
  }
  if (const auto it = memo_.nodes.find(e.node().get()); it != memo_.nodes.end())
    return it->second.second;
  const ConstantInterval result = e->type.is_index() ? index_node(e) : value_node(e);
  memo_.nodes.emplace(e.node().get(), std::make_pair(e.node(), result));
  return result;
}

ConstantInterval ConstantBounds::index_node(const Expr& e) {
  if (is_linear(e)) {
    LinearCollector collector;
    return collector.add_expr(e, 1) ? of_form(collector.finish_unordered()) : ConstantInterval{};
  }
  const auto operand = [&](std::size_t i) { return of(ir::arg(e, i)); };
  if (is_choice(e)) return choose(e, of(alternative(e, 0)), of(alternative(e, 1)), false);
  if (e->op == Op::Mul) return multiply(operand(0), operand(1));
  if (e->op == Op::Div) return divide(operand(0), operand(1));
  if (e->op == Op::Mod) return modulo(operand(0), operand(1));
  if (e->op == Op::PromiseClamped) {
    const ConstantInterval low = operand(1), high = operand(2);
    return intersect(operand(0), {low.has_min, high.has_max, low.min, high.max});
  }
  if (e->op == Op::Require) return operand(1);
  if (e->op == Op::Cast) {
    if (ir::arg(e, 0)->type.is_float()) return floats_.converted(ir::arg(e, 0), e->type);
    const ConstantInterval value = operand(0);
    return ir::arg(e, 0)->type == UInt(64) && !value.has_max ? ConstantInterval{} : value;
  }
  return {};
}

namespace {

ConstantInterval bit_and_interval(const ConstantInterval& a, const ConstantInterval& b, Type t) {
  // A non-negative operand bounds the result, whatever the other one's sign.
  ConstantInterval r = type_interval(t);
  if (a.has_min && a.min >= 0) r = intersect(r, {true, a.has_max, 0, a.max});
  if (b.has_min && b.min >= 0) r = intersect(r, {true, b.has_max, 0, b.max});
  return r;
}

}  // namespace

ConstantInterval ConstantBounds::value_node(const Expr& e) {
  const Type t = e->type;
  const auto operand = [&](std::size_t i) { return of(ir::arg(e, i)); };
  std::int64_t c = 0;
  if (t.is_bool()) return constant_range(0, 1);
  if (is_choice(e)) {
    const ConstantInterval a = of(alternative(e, 0)), b = of(alternative(e, 1));
    return intersect(choose(e, a, b, false), type_interval(t));
  }
  if (e->op == Op::Add) return fit(add(operand(0), operand(1)), t);
  if (e->op == Op::Sub) return fit(add(operand(0), scale(operand(1), -1)), t);
  if (e->op == Op::Mul) return fit(multiply(operand(0), operand(1)), t);
  if (e->op == Op::Div) return fit(divide(operand(0), operand(1)), t);
  if (e->op == Op::Mod) return intersect(fit(modulo(operand(0), operand(1)), t), type_interval(t));
  if (e->op == Op::BitAnd) return bit_and_interval(operand(0), operand(1), t);
  if (e->op == Op::ShiftRight && ir::as_constant(ir::arg(e, 1), &c) && c >= 0 && c < t.bits &&
      c < 63) {
    return intersect(divide(operand(0), constant_point(std::int64_t{1} << c)), type_interval(t));
  }
  if (e->op == Op::Cast) {
    const Type from = ir::arg(e, 0)->type;
    if (from.is_float()) return floats_.converted(ir::arg(e, 0), t);
    const ConstantInterval value = operand(0);
    // Only an interval known within the type is kept; a 32-bit source fits when widened.
    const bool widens =
        from.is_integer() &&
        (from.is_int() == t.is_int() ? from.bits <= t.bits : t.is_int() && from.bits < t.bits);
    return widens ? value : fit(value, t);
  }
  if (e->op == Op::PromiseClamped) {
    const ConstantInterval low = operand(1), high = operand(2);
    return intersect(operand(0), {low.has_min, high.has_max, low.min, high.max});
  }
  if (e->op == Op::Require) return operand(1);
  if (e->op == Op::CountLeadingZeros || e->op == Op::CountTrailingZeros || e->op == Op::PopCount) {
    return constant_range(0, t.bits);
  }
  return type_interval(t);
}

ConstantInterval ConstantBounds::of_form(const LinearForm& form, int depth) {
  ConstantInterval sum = constant_point(form.constant);
  int choices = 0, compound = 0, products = 0;
  for (const LinearForm::Term& t : form.terms) {
    sum = add(sum, scale(of(t.atom), t.coefficient));
    choices += is_choice(t.atom) ? 1 : 0;
    compound += t.atom->op == Op::Symbol ? 0 : 1;
    products += t.atom->op == Op::Mul ? 1 : 0;
  }
  if (depth <= 0 || form.terms.size() < 2 || form.terms.size() > 12) return sum;
  if (choices > 0 && choices <= 3) sum = intersect(sum, expanded(form, depth));
  if (compound >= 2) sum = intersect(sum, paired(form, depth));
  if (compound >= 1) sum = intersect(sum, with_quotients_removed(form, depth));
  if (products >= 1) {
    if (const auto plain = with_products_expanded(form)) sum = intersect(sum, of_form(*plain, 0));
  }
  return sum;
}

/// k*c*(x / c) == k*x - k*(x % c), and a remainder has bounds whatever x is.
ConstantInterval ConstantBounds::with_quotients_removed(const LinearForm& form, int depth) {
  ConstantInterval result;
  for (const LinearForm::Term& t : form.terms) {
    std::int64_t c = 0;
    if (t.atom->op != Op::Div || !ir::as_constant(ir::arg(t.atom, 1), &c) || c <= 0 ||
        t.coefficient % c != 0)
      continue;
    const std::int64_t k = t.coefficient / c;
    LinearCollector dividend, together;
    if (k == INT64_MIN || !dividend.add_expr(ir::arg(t.atom, 0), k)) continue;
    const LinearForm x = dividend.finish_unordered();
    if (!together.add_form(form, 1) || !together.add_atom(t.atom, -t.coefficient) ||
        !together.add_form(x, 1))
      continue;
    const LinearForm whole = together.finish_unordered();
    if (whole.terms.size() + 1 >= form.terms.size() + x.terms.size()) continue;
    result = intersect(result, add(of_form(whole, depth - 1), scale(constant_range(0, c - 1), -k)));
  }
  return result;
}

ConstantInterval ConstantBounds::expanded(const LinearForm& form, int depth) {
  ConstantInterval result;
  for (const LinearForm::Term& t : form.terms) {
    if (!is_choice(t.atom)) continue;
    // k * min(a, b) + rest == min(k * a + rest, k * b + rest) for k > 0: worth a try where an
    // alternative has an atom in common with the rest.
    ConstantInterval sides[2];
    bool shares = false, possible = true;
    for (int i = 0; i < 2 && possible; ++i) {
      LinearCollector alone, together;
      possible = alone.add_expr(alternative(t.atom, i), t.coefficient) &&
                 together.add_form(form, 1) && together.add_atom(t.atom, -t.coefficient);
      const LinearForm side = alone.finish_unordered();
      possible = possible && together.add_form(side, 1);
      if (!possible) break;
      const LinearForm whole = together.finish_unordered();
      shares = shares || whole.terms.size() + 1 < form.terms.size() + side.terms.size();
      sides[i] = of_form(whole, shares ? depth - 1 : 0);
    }
    if (possible && shares)
      result = intersect(result, choose(t.atom, sides[0], sides[1], t.coefficient < 0));
  }
  return result;
}

ConstantInterval ConstantBounds::paired(const LinearForm& form, int depth) {
  ConstantInterval result;
  for (std::size_t i = 0; i < form.terms.size(); ++i) {
    for (std::size_t j = 0; j < form.terms.size(); ++j) {
      const LinearForm::Term &a = form.terms[i], &b = form.terms[j];
      if (a.coefficient <= 0 || b.coefficient >= 0 || a.atom->op != b.atom->op) continue;
      if (!is_choice(a.atom) && a.atom->op != Op::Div) continue;
      const ConstantInterval apart = atom_difference(a.atom, b.atom, depth - 1);
      if (!apart.has_min && !apart.has_max) continue;
      const std::int64_t shared =
          b.coefficient == INT64_MIN ? a.coefficient : std::min(a.coefficient, -b.coefficient);
      LinearCollector collector;
      if (!collector.add_form(form, 1) || !collector.add_atom(a.atom, -shared) ||
          !collector.add_atom(b.atom, shared))
        continue;
      result = intersect(
          result, add(scale(apart, shared), of_form(collector.finish_unordered(), depth - 1)));
    }
  }
  return result;
}

ConstantInterval ConstantBounds::difference(const Expr& a, const Expr& b) {
  if (a.same_as(b)) return constant_point(0);
  const auto key = std::make_pair(a.node(), b.node());
  if (const auto it = memo_.differences.find(key); it != memo_.differences.end()) return it->second;
  const ConstantInterval result = difference_of(a, b, 2);
  memo_.differences.emplace(key, result);
  return result;
}

ConstantInterval ConstantBounds::difference_of(const Expr& a, const Expr& b, int depth) {
  LinearCollector collector;
  if (!collector.add_expr(a, 1) || !collector.add_expr(b, -1)) return {};
  return of_form(collector.finish_unordered(), depth);
}

ConstantInterval ConstantBounds::atom_difference(const Expr& a, const Expr& b, int depth) {
  if (a->op == Op::Div) {
    // (p / c) - (q / c) lies between floor and ceiling of (p - q) / c.
    std::int64_t c = 0, d = 0;
    if (!ir::as_constant(ir::arg(a, 1), &c) || !ir::as_constant(ir::arg(b, 1), &d) || c != d ||
        c <= 0)
      return {};
    ConstantInterval apart = difference_of(ir::arg(a, 0), ir::arg(b, 0), depth);
    const auto raised = apart.has_max ? checked_add(apart.max, c - 1) : std::nullopt;
    apart.has_max = raised.has_value();
    if (raised) apart.max = floor_div(*raised, c);
    if (apart.has_min) apart.min = floor_div(apart.min, c);
    return apart;
  }
  if (a->op == Op::Select && !ir::equal(ir::arg(a, 0), ir::arg(b, 0))) return {};
  const auto aligned = [&](int first) {
    return hull(difference_of(alternative(a, 0), alternative(b, first), depth),
                difference_of(alternative(a, 1), alternative(b, 1 - first), depth));
  };
  const ConstantInterval straight = aligned(0);
  return a->op == Op::Select ? straight : intersect(straight, aligned(1));
}

ConstantInterval constant_bounds(const Expr& e, const ConstantScope& known) {
  return ConstantBounds(known).of(e);
}

ConstantInterval range_of_loop(const Expr& min, const Expr& extent, const ConstantScope& known) {
  const ConstantInterval from = constant_bounds(min, known), count = constant_bounds(extent, known);
  ConstantInterval range;
  range.has_min = from.has_min;
  range.min = from.min;
  range.has_max = from.has_max && count.has_max;
  range.max = range.has_max ? from.max + count.max - 1 : 0;
  return range;
}

}  // namespace sinter::algebra
