// Coordinates: sums are brought to linear normal form; quotients and remainders by constants are
// split along the multiples of the divisor.

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/linear_collector.h"
#include "dsl/algebra/simplifier.h"

namespace sinter::algebra {

using ir::Op;

namespace {

bool is_linear_node(const Expr& e) {
  if (!e->type.is_index() || e->type.lanes != 1) return false;
  if (e->op == Op::Add || e->op == Op::Sub) return true;
  return e->op == Op::Mul && (ir::arg(e, 0)->op == Op::Literal || ir::arg(e, 1)->op == Op::Literal);
}

bool is_choice(const Expr& e) { return e->op == Op::Min || e->op == Op::Max || e->op == Op::Select; }

std::optional<LinearForm> combine(const LinearForm& a, std::int64_t ka, const LinearForm& b, std::int64_t kb) {
  LinearCollector collector;
  if (!collector.add_form(a, ka) || !collector.add_form(b, kb)) return {};
  return collector.finish();
}

std::int64_t coefficient_of_atom(const LinearForm& form, const Expr& atom) {
  for (const LinearForm::Term& t : form.terms) {
    if (t.atom->hash == atom->hash && ir::equal(t.atom, atom)) return t.coefficient;
  }
  return 0;
}

bool positive_constant(const Expr& e, std::int64_t* c) { return ir::as_constant(e, c) && *c > 0; }

}  // namespace

Expr Simplifier::rewrite_region(const Expr& e, std::unordered_map<const ir::Node*, Expr>& memo) {
  if (!is_linear_node(e)) return (*this)(e);
  if (const auto it = memo.find(e.node().get()); it != memo.end()) return it->second;
  std::vector<ir::Ref> args;
  for (const ir::Ref& a : e->args) args.push_back(rewrite_region(Expr(a), memo).node());
  Expr result(ir::with_args(e.node(), std::move(args)));
  memo.emplace(e.node().get(), result);
  return result;
}

Expr Simplifier::step_linear(const Expr& e) {
  if (e->op == Op::Mul && !is_linear_node(e)) {
    const Expr n = with_simplified_args(e);
    if (!is_linear_node(n)) return n;
    return step_linear(n);
  }
  std::unordered_map<const ir::Node*, Expr> memo;
  const Expr n = rewrite_region(e, memo);
  auto form = linear_form(n);
  if (!form) return n;
  const Expr r = from_form(std::move(*form));
  if (ir::equal(r, n)) return n;
  return size(r) <= size(n) ? r : n;
}

Expr Simplifier::from_form(LinearForm form) {
  for (int i = 0; i < 8; ++i) {
    const bool has_compound = std::any_of(form.terms.begin(), form.terms.end(),
                                          [](const LinearForm::Term& t) { return t.atom->op != Op::Symbol; });
    if (!has_compound) break;
    if (!recombine_division(form) && !cancel_pair(form) && !push_into_choice(form)) break;
  }
  return form.to_expr();
}

/// k*c*(x / c) + k*(x % c) == k*x, and k*x - k*c*(x / c) == k*(x % c).
bool Simplifier::recombine_division(LinearForm& form) {
  for (const LinearForm::Term& t : form.terms) {
    std::int64_t c = 0;
    if (t.atom->op != Op::Div || !positive_constant(ir::arg(t.atom, 1), &c) || t.coefficient % c != 0) continue;
    const Expr x = ir::arg(t.atom, 0);
    const std::int64_t k = t.coefficient / c;
    const Expr remainder = ir::binary(Op::Mod, x, ir::arg(t.atom, 1));
    const auto x_form = linear_form(x);
    if (!x_form) continue;
    LinearCollector collector;
    if (!collector.add_form(form, 1) || !collector.add_atom(t.atom, -t.coefficient)) continue;
    if (coefficient_of_atom(form, remainder) == k) {
      if (!collector.add_atom(remainder, -k) || !collector.add_form(*x_form, k)) continue;
      form = *collector.finish();
      return true;
    }
    if (k == INT64_MIN || !collector.add_form(*x_form, k)) continue;
    auto rest = collector.finish();
    // All of x's terms must have been there, with factor -k.
    if (x_form->terms.empty() || rest->terms.size() + x_form->terms.size() + 1 != form.terms.size()) continue;
    LinearCollector with_remainder;
    if (!with_remainder.add_form(*rest, 1) || !with_remainder.add_form(*linear_form((*this)(remainder)), -k)) continue;
    form = *with_remainder.finish();
    return true;
  }
  return false;
}

/// min(x + 1, y + 3) - min(x, y + 2) == 1.
bool Simplifier::cancel_pair(LinearForm& form) {
  for (const LinearForm::Term& a : form.terms) {
    for (const LinearForm::Term& b : form.terms) {
      if (a.coefficient <= 0 || b.coefficient >= 0 || a.atom->op != b.atom->op || b.coefficient == INT64_MIN) continue;
      if (!is_choice(a.atom) && a.atom->op != Op::Div) continue;
      const ConstantInterval apart = constants_.atom_difference(a.atom, b.atom, 1);
      if (!apart.has_min || !apart.has_max || apart.min != apart.max) continue;
      const std::int64_t shared = std::min(a.coefficient, -b.coefficient);
      LinearCollector collector;
      if (!collector.add_form(form, 1) || !collector.add_atom(a.atom, -shared) || !collector.add_atom(b.atom, shared) ||
          !collector.add_constant(apart.min, shared)) {
        continue;
      }
      form = *collector.finish();
      return true;
    }
  }
  return false;
}

/// min(a, b) - a == min(0, b - a): what cancels inside a choice moves there.
bool Simplifier::push_into_choice(LinearForm& form) {
  if (form.terms.size() + (form.constant != 0 ? 1 : 0) < 2) return false;
  for (const LinearForm::Term& t : form.terms) {
    if (!is_choice(t.atom) || (t.coefficient != 1 && t.coefficient != -1)) continue;
    const std::size_t first = t.atom->op == Op::Select ? 1 : 0;
    const auto a = linear_form(ir::arg(t.atom, first)), b = linear_form(ir::arg(t.atom, first + 1));
    if (!a || !b) continue;
    LinearForm moved, rest;
    rest.constant = form.constant;
    for (const LinearForm::Term& other : form.terms) {
      if (&other == &t) continue;
      const auto cancels = [&](const LinearForm& side) {
        const std::int64_t k = coefficient_of_atom(side, other.atom);
        return k != 0 && k != INT64_MIN && other.coefficient != INT64_MIN && k * t.coefficient == -other.coefficient;
      };
      (cancels(*a) || cancels(*b) ? moved : rest).terms.push_back(other);
    }
    const bool constant_may_move = form.constant != 0 && form.constant != INT64_MIN;
    const std::int64_t opposite = constant_may_move ? -form.constant * t.coefficient : 0;
    const bool constant_cancels = constant_may_move && (a->constant == opposite || b->constant == opposite);
    if (moved.terms.empty() && !constant_cancels) continue;
    if (constant_cancels) std::swap(moved.constant, rest.constant);
    const auto side_a = combine(*a, t.coefficient, moved, 1), side_b = combine(*b, t.coefficient, moved, 1);
    if (!side_a || !side_b) continue;
    Op op = t.atom->op;
    if (t.coefficient < 0 && op != Op::Select) op = op == Op::Min ? Op::Max : Op::Min;
    const Expr ea = side_a->to_expr(), eb = side_b->to_expr();
    const Expr choice = (*this)(op == Op::Select ? ir::select(ir::arg(t.atom, 0), ea, eb) : ir::binary(op, ea, eb));
    const auto choice_form = linear_form(choice);
    const auto result = choice_form ? combine(rest, 1, *choice_form, 1) : std::nullopt;
    if (!result || size(result->to_expr()) >= size(form.to_expr())) continue;
    form = *result;
    return true;
  }
  return false;
}

/// Products of two coordinates neither of which is a constant: constant factors move outwards.
Expr Simplifier::step_product(const Expr& e) {
  Expr a = ir::arg(e, 0), b = ir::arg(e, 1);
  if (a->op == Op::Literal || b->op == Op::Literal) return e;
  std::int64_t factor = 1, c = 0;
  for (Expr* side : {&a, &b}) {
    if ((*side)->op != Op::Mul || !ir::as_constant(ir::arg(*side, 1), &c)) continue;
    const auto product = checked_mul(factor, c);
    if (!product) return e;
    factor = *product;
    *side = ir::arg(*side, 0);
  }
  if (compare(b, a) < 0) std::swap(a, b);
  if (factor == 1) return a.same_as(ir::arg(e, 0)) && b.same_as(ir::arg(e, 1)) ? e : ir::binary(Op::Mul, a, b);
  return ir::binary(Op::Mul, ir::binary(Op::Mul, a, b), ir::index_literal(factor));
}

namespace {

/// A form cut along the multiples of `divisor`: multiples * divisor + rest.
struct Cut {
  LinearForm multiples, rest;
};

Cut cut(const LinearForm& form, std::int64_t divisor) {
  Cut r;
  for (const LinearForm::Term& t : form.terms) {
    if (t.coefficient % divisor == 0) r.multiples.terms.push_back({t.atom, t.coefficient / divisor});
    else r.rest.terms.push_back(t);
  }
  r.multiples.constant = floor_div(form.constant, divisor);
  r.rest.constant = floor_mod(form.constant, divisor);
  return r;
}

/// Divisors of c (largest first) shared with some coefficient: where a cut may succeed.
std::vector<std::int64_t> cut_points(const LinearForm& form, std::int64_t c) {
  std::vector<std::int64_t> points;
  for (const LinearForm::Term& t : form.terms) {
    if (t.coefficient == INT64_MIN) continue;
    const std::int64_t g = std::gcd(t.coefficient, c);
    if (g > 1 && g < c) points.push_back(g);
  }
  std::sort(points.rbegin(), points.rend());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

}  // namespace

Expr Simplifier::step_divide(const Expr& e) {
  const Expr x = ir::arg(e, 0), d = ir::arg(e, 1);
  std::int64_t c = 0;
  if (ir::is_constant(x, 0) || ir::is_constant(d, 0)) return ir::index_literal(0);
  if (!ir::as_constant(d, &c)) return e;
  if (c == 1) return x;
  const auto form = linear_form(x);
  if (!form || c == INT64_MIN) return e;
  if (c < 0) {
    const Cut exact = cut(*form, -c);
    if (!exact.rest.is_constant() || exact.rest.constant != 0) return e;
    const auto negated = combine(exact.multiples, -1, {}, 1);
    return negated ? negated->to_expr() : e;
  }
  // (k*c*y + rest) / c == k*y + rest / c, and rest / c may be one number.
  const Cut whole = cut(*form, c);
  const ConstantInterval rest = constants_.of_form(whole.rest);
  if (rest.has_min && rest.has_max && floor_div(rest.min, c) == floor_div(rest.max, c)) {
    LinearForm quotient = whole.multiples;
    const auto sum = checked_add(quotient.constant, floor_div(rest.min, c));
    if (!sum) return e;
    quotient.constant = *sum;
    return quotient.to_expr();
  }
  if (!whole.multiples.terms.empty() || (whole.multiples.constant != 0 && whole.rest.constant == 0)) {
    const Expr remaining = ir::binary(Op::Div, whole.rest.to_expr(), d);
    LinearCollector collector;
    if (collector.add_form(whole.multiples, 1) && collector.add_atom(remaining, 1)) {
      const Expr r = collector.finish()->to_expr();
      if (size(r) <= size(e)) return r;
    }
  }
  // (g*y + rest) / (g*f) == y / f for a rest in [0, g).
  for (const std::int64_t g : cut_points(*form, c)) {
    const Cut part = cut(*form, g);
    if (!within(constants_.of_form(part.rest), 0, g - 1)) continue;
    return ir::binary(Op::Div, part.multiples.to_expr(), ir::index_literal(c / g));
  }
  // (y / a + k) / c == (y + k*a) / (a*c)
  if (form->terms.size() == 1 && form->terms[0].coefficient == 1 && form->terms[0].atom->op == Op::Div) {
    const Expr inner = form->terms[0].atom;
    std::int64_t a = 0;
    if (!positive_constant(ir::arg(inner, 1), &a)) return e;
    const auto product = checked_mul(a, c), shift = checked_mul(form->constant, a);
    if (!product || !shift) return e;
    Expr dividend = ir::arg(inner, 0);
    if (*shift != 0) dividend = ir::binary(Op::Add, dividend, ir::index_literal(*shift));
    return ir::binary(Op::Div, dividend, ir::index_literal(*product));
  }
  return e;
}

Expr Simplifier::step_modulo(const Expr& e) {
  const Expr x = ir::arg(e, 0), d = ir::arg(e, 1);
  std::int64_t c = 0;
  if (ir::is_constant(x, 0) || ir::is_constant(d, 0)) return ir::index_literal(0);
  if (!ir::as_constant(d, &c) || c == INT64_MIN) return e;
  if (c < 0) return ir::binary(Op::Mod, x, ir::index_literal(-c));
  if (c == 1) return ir::index_literal(0);
  const auto form = linear_form(x);
  if (!form) return e;
  // Only coefficients modulo c matter; an inner remainder by a multiple of c is transparent.
  LinearCollector reduced;
  for (const LinearForm::Term& t : form->terms) {
    const std::int64_t k = t.coefficient <= -c || t.coefficient >= c ? floor_mod(t.coefficient, c) : t.coefficient;
    std::int64_t inner = 0;
    const bool transparent = t.atom->op == Op::Mod && positive_constant(ir::arg(t.atom, 1), &inner) &&
                             checked_mul(inner, k).value_or(1) % c == 0;
    const auto dividend = transparent ? linear_form(ir::arg(t.atom, 0)) : std::nullopt;
    if (!(dividend ? reduced.add_form(*dividend, k) : reduced.add_atom(t.atom, k))) return e;
  }
  if (!reduced.add_constant(floor_mod(form->constant, c), 1)) return e;
  LinearForm rest = *reduced.finish();
  rest.constant = floor_mod(rest.constant, c);
  const ConstantInterval range = constants_.of_form(rest);
  if (range.has_min && range.has_max && floor_div(range.min, c) == floor_div(range.max, c)) {
    LinearForm exact = rest;
    exact.constant -= floor_div(range.min, c) * c;
    return exact.to_expr();
  }
  // (g*y + s) % (g*f) == (y % f)*g + s for an s in [0, g).
  for (const std::int64_t g : cut_points(rest, c)) {
    const Cut part = cut(rest, g);
    if (!within(constants_.of_form(part.rest), 0, g - 1)) continue;
    LinearCollector collector;
    const Expr inner = ir::binary(Op::Mod, part.multiples.to_expr(), ir::index_literal(c / g));
    if (!collector.add_atom(inner, g) || !collector.add_form(part.rest, 1)) continue;
    const Expr r = collector.finish()->to_expr();
    if (size(r) <= size(e)) return r;
  }
  const Expr r = ir::binary(Op::Mod, rest.to_expr(), d);
  return size(r) <= size(e) ? r : e;
}

}  // namespace sinter::algebra
