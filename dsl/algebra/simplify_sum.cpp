// Sums of coordinates: what their terms have in common beyond equal atoms. Quotients meet their
// remainders, choices their alternatives, products their common factors.

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/linear_collector.h"
#include "dsl/algebra/product.h"
#include "dsl/algebra/simplifier.h"

namespace sinter::algebra {

using ir::Op;

namespace {

bool is_choice(const Expr& e) {
  return e->op == Op::Min || e->op == Op::Max || e->op == Op::Select;
}

std::optional<LinearForm> combine(const LinearForm& a, std::int64_t ka, const LinearForm& b,
                                  std::int64_t kb) {
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

Expr Simplifier::from_form(LinearForm form, bool& is_plain) {
  is_plain = true;
  const auto has_compound = [&] {
    return std::any_of(form.terms.begin(), form.terms.end(),
                       [](const LinearForm::Term& t) { return t.atom->op != Op::Symbol; });
  };
  for (int i = 0; i < 8 && has_compound(); ++i) {
    const bool changed = recombine_division(form) || cancel_pair(form) || push_into_choice(form) ||
                         merge_selects(form) || expand_products(form);
    if (!changed) break;
    is_plain = false;
  }
  return form.to_expr();
}

/// k*c*(x / c) + k*(x % c) == k*x, and k*x - k*c*(x / c) == k*(x % c).
bool Simplifier::recombine_division(LinearForm& form) {
  for (const LinearForm::Term& t : form.terms) {
    std::int64_t c = 0;
    if (t.atom->op != Op::Div || !positive_constant(ir::arg(t.atom, 1), &c) ||
        t.coefficient % c != 0)
      continue;
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
    if (x_form->terms.empty() || rest->terms.size() + x_form->terms.size() + 1 != form.terms.size())
      continue;
    LinearCollector with_remainder;
    if (!with_remainder.add_form(*rest, 1) ||
        !with_remainder.add_form(*linear_form((*this)(remainder)), -k))
      continue;
    form = *with_remainder.finish();
    return true;
  }
  return false;
}

/// min(x + 1, y + 3) - min(x, y + 2) == 1.
bool Simplifier::cancel_pair(LinearForm& form) {
  for (const LinearForm::Term& a : form.terms) {
    for (const LinearForm::Term& b : form.terms) {
      if (a.coefficient <= 0 || b.coefficient >= 0 || a.atom->op != b.atom->op ||
          b.coefficient == INT64_MIN)
        continue;
      if (!is_choice(a.atom) && a.atom->op != Op::Div) continue;
      const ConstantInterval apart = constants_.atom_difference(a.atom, b.atom, 1);
      if (!apart.has_min || !apart.has_max || apart.min != apart.max) continue;
      const std::int64_t shared = std::min(a.coefficient, -b.coefficient);
      LinearCollector collector;
      if (!collector.add_form(form, 1) || !collector.add_atom(a.atom, -shared) ||
          !collector.add_atom(b.atom, shared) || !collector.add_constant(apart.min, shared)) {
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
        return k != 0 && k != INT64_MIN && other.coefficient != INT64_MIN &&
               k * t.coefficient == -other.coefficient;
      };
      (cancels(*a) || cancels(*b) ? moved : rest).terms.push_back(other);
    }
    const bool constant_may_move = form.constant != 0 && form.constant != INT64_MIN;
    const std::int64_t opposite = constant_may_move ? -form.constant * t.coefficient : 0;
    const bool constant_cancels =
        constant_may_move && (a->constant == opposite || b->constant == opposite);
    if (moved.terms.empty() && !constant_cancels) continue;
    if (constant_cancels) std::swap(moved.constant, rest.constant);
    const auto side_a = combine(*a, t.coefficient, moved, 1),
               side_b = combine(*b, t.coefficient, moved, 1);
    if (!side_a || !side_b) continue;
    Op op = t.atom->op;
    if (t.coefficient < 0 && op != Op::Select) op = op == Op::Min ? Op::Max : Op::Min;
    const Expr ea = side_a->to_expr(), eb = side_b->to_expr();
    const Expr choice =
        (*this)(op == Op::Select ? ir::select(ir::arg(t.atom, 0), ea, eb) : ir::binary(op, ea, eb));
    const auto choice_form = linear_form(choice);
    const auto result = choice_form ? combine(rest, 1, *choice_form, 1) : std::nullopt;
    if (!result || size(result->to_expr()) >= size(form.to_expr())) continue;
    form = *result;
    return true;
  }
  return false;
}

/// select(p, a, b) + select(p, c, d) == select(p, a + c, b + d), where that is smaller.
bool Simplifier::merge_selects(LinearForm& form) {
  for (std::size_t i = 0; i < form.terms.size(); ++i) {
    for (std::size_t j = i + 1; j < form.terms.size(); ++j) {
      const LinearForm::Term &a = form.terms[i], &b = form.terms[j];
      if (a.atom->op != Op::Select || b.atom->op != Op::Select) continue;
      if (!ir::equal(ir::arg(a.atom, 0), ir::arg(b.atom, 0))) continue;
      Expr arms[2];
      for (std::size_t k = 0; k < 2; ++k) {
        LinearCollector collector;
        if (!collector.add_expr(ir::arg(a.atom, k + 1), a.coefficient) ||
            !collector.add_expr(ir::arg(b.atom, k + 1), b.coefficient)) {
          break;
        }
        arms[k] = (*this)(collector.finish()->to_expr());
      }
      if (!arms[0].defined() || !arms[1].defined()) continue;
      const Expr merged = (*this)(ir::select(ir::arg(a.atom, 0), arms[0], arms[1]));
      LinearCollector collector;
      if (!collector.add_form(form, 1) || !collector.add_atom(a.atom, -a.coefficient) ||
          !collector.add_atom(b.atom, -b.coefficient) || !collector.add_expr(merged, 1)) {
        continue;
      }
      const auto result = collector.finish();
      if (size(result->to_expr()) >= size(form.to_expr())) continue;
      form = *result;
      return true;
    }
  }
  return false;
}

/// (y + 1)*s - y*s == s: products are written out where that is smaller.
bool Simplifier::expand_products(LinearForm& form) {
  const auto expanded = with_products_expanded(form);
  if (!expanded || size(expanded->to_expr()) >= size(form.to_expr())) return false;
  form = *expanded;
  return true;
}

}  // namespace sinter::algebra
