// Coordinates: sums are brought to linear normal form; quotients and remainders by constants are
// split along the multiples of the divisor.

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/linear_collector.h"
#include "dsl/algebra/product.h"
#include "dsl/algebra/simplifier.h"

namespace sinter::algebra {

using ir::Op;

namespace {

bool is_linear_node(const Expr& e) {
  if (!e->type.is_index() || e->type.lanes != 1) return false;
  if (e->op == Op::Add || e->op == Op::Sub) return true;
  return e->op == Op::Mul && (ir::arg(e, 0)->op == Op::Literal || ir::arg(e, 1)->op == Op::Literal);
}

std::optional<LinearForm> combine(const LinearForm& a, std::int64_t ka, const LinearForm& b,
                                  std::int64_t kb) {
  LinearCollector collector;
  if (!collector.add_form(a, ka) || !collector.add_form(b, kb)) return {};
  return collector.finish();
}

bool positive_constant(const Expr& e, std::int64_t* c) { return ir::as_constant(e, c) && *c > 0; }

}  // namespace

/// The region of sums and constant multiples around e, with its atoms simplified. Small regions are
/// walked as trees; past `budget` nodes each distinct one once.
Expr Simplifier::rewrite_region(const Expr& e, int& budget,
                                std::unordered_map<const ir::Node*, Expr>& memo) {
  if (!is_linear_node(e)) return (*this)(e);
  const bool remembers = --budget < 0;
  if (remembers) {
    if (const auto it = memo.find(e.node().get()); it != memo.end()) return it->second;
  }
  std::vector<ir::Ref> args;
  args.reserve(2);
  for (const ir::Ref& a : e->args) args.push_back(rewrite_region(Expr(a), budget, memo).node());
  Expr result(ir::with_args(e.node(), std::move(args)));
  if (remembers) memo.emplace(e.node().get(), result);
  return result;
}

Expr Simplifier::step_linear(const Expr& e) {
  if (e->op == Op::Mul && !is_linear_node(e)) {
    const Expr n = with_simplified_args(e);
    if (!is_linear_node(n)) return n;
    return step_linear(n);
  }
  int budget = 64;
  std::unordered_map<const ir::Node*, Expr> memo;
  const Expr n = rewrite_region(e, budget, memo);
  auto form = linear_form(n);
  if (!form) return n;
  bool is_plain = false;
  const Expr r = from_form(std::move(*form), is_plain);
  const bool keeps = ir::equal(r, n) || size(r) > size(n);
  is_settled_ = is_plain;  // atoms are simplified, and their sum was only put in order
  return keeps ? n : r;
}

/// Products of coordinates none of which is a constant: constant factors move outwards, the others
/// are brought into one order.
Expr Simplifier::step_product(const Expr& e) {
  if (ir::arg(e, 0)->op == Op::Literal || ir::arg(e, 1)->op == Op::Literal) return e;
  Product product;
  if (!factorise(e, product)) return e;
  const Expr r = product.to_expr();
  return ir::equal(r, e) ? e : r;
}

namespace {

/// A form cut along the multiples of `divisor`: multiples * divisor + rest.
struct Cut {
  LinearForm multiples, rest;
};

Cut cut(const LinearForm& form, std::int64_t divisor) {
  Cut r;
  for (const LinearForm::Term& t : form.terms) {
    if (t.coefficient % divisor == 0)
      r.multiples.terms.push_back({t.atom, t.coefficient / divisor});
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
  if (!whole.multiples.terms.empty() ||
      (whole.multiples.constant != 0 && whole.rest.constant == 0)) {
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
  if (form->terms.size() == 1 && form->terms[0].coefficient == 1 &&
      form->terms[0].atom->op == Op::Div) {
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
    const std::int64_t k =
        t.coefficient <= -c || t.coefficient >= c ? floor_mod(t.coefficient, c) : t.coefficient;
    std::int64_t inner = 0;
    const bool transparent = t.atom->op == Op::Mod &&
                             positive_constant(ir::arg(t.atom, 1), &inner) &&
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
