// Comparisons of coordinates are decided by the bounds of the difference, or brought to the form
// negative terms < positive terms with a common divisor removed; conjunctions and disjunctions drop
// what other operands imply.

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/linear_collector.h"
#include "dsl/algebra/simplifier.h"

namespace sinter::algebra {

using ir::Op;

namespace {

std::int64_t content(const LinearForm& form) {
  std::int64_t g = 0;
  for (const LinearForm::Term& t : form.terms) {
    if (t.coefficient == INT64_MIN) return 1;
    g = std::gcd(g, t.coefficient);
  }
  return g;
}

/// Terms of one sign, with the sign made positive.
LinearForm half(const LinearForm& form, bool positive) {
  LinearForm r;
  for (const LinearForm::Term& t : form.terms) {
    if ((t.coefficient > 0) == positive)
      r.terms.push_back({t.atom, positive ? t.coefficient : -t.coefficient});
  }
  return r;
}

/// `form` >= 1, as a strict or weak inequality with constants on the side where they read best.
Expr print_positive(const LinearForm& form) {
  LinearForm left = half(form, false), right = half(form, true);
  const std::int64_t k = form.constant;
  if (k == 1 && !right.is_constant())
    return ir::binary(Op::LessEqual, left.to_expr(), right.to_expr());
  if (left.is_constant()) {
    left.constant = -k;
  } else if (right.is_constant() || k >= 0) {
    right.constant = k;
  } else {
    left.constant = -k;
  }
  return ir::binary(Op::Less, left.to_expr(), right.to_expr());
}

/// The form that is >= 1 exactly when the comparison holds.
std::optional<LinearForm> positive_form(const Expr& e) {
  if ((e->op != Op::Less && e->op != Op::LessEqual) || e->args[0]->type != Index()) return {};
  auto form = difference(ir::arg(e, 1), ir::arg(e, 0));
  if (!form) return {};
  const auto shifted = checked_add(form->constant, e->op == Op::LessEqual ? 1 : 0);
  if (!shifted || *shifted == INT64_MIN) return {};
  form->constant = *shifted;
  for (const LinearForm::Term& t : form->terms) {
    if (t.coefficient == INT64_MIN) return {};
  }
  return form;
}

/// Divides by what all coefficients share: g*s + k >= 1 exactly when s + (floor((k-1)/g) + 1) >= 1.
void divide_content(LinearForm& form) {
  const std::int64_t g = content(form);
  if (g <= 1) return;
  for (LinearForm::Term& t : form.terms) t.coefficient /= g;
  form.constant = floor_div(form.constant - 1, g) + 1;
}

/// The form with the atom of term `t` replaced.
std::optional<LinearForm> with_atom(const LinearForm& form, const LinearForm::Term& t,
                                    const Expr& replacement) {
  LinearCollector collector;
  if (!collector.add_form(form, 1) || !collector.add_atom(t.atom, -t.coefficient) ||
      !collector.add_expr(replacement, t.coefficient)) {
    return {};
  }
  return collector.finish();
}

}  // namespace

/// max(a, b) < c holds when a < c and b < c: where one of them is decided, the other remains.
bool Simplifier::drop_decided_alternative(LinearForm& form) {
  for (const LinearForm::Term& t : form.terms) {
    if (t.atom->op != Op::Min && t.atom->op != Op::Max) continue;
    const bool needs_both = (t.atom->op == Op::Min) == (t.coefficient > 0);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto side = with_atom(form, t, ir::arg(t.atom, i)),
                 other = with_atom(form, t, ir::arg(t.atom, 1 - i));
      if (!side || !other) continue;
      const ConstantInterval range = constants_.of_form(*side);
      const bool always = range.has_min && range.min >= 1, never = range.has_max && range.max < 1;
      if (needs_both ? !always : !never) continue;
      form = *other;
      return true;
    }
  }
  return false;
}

Expr Simplifier::step_compare(const Expr& e) {
  const Expr a = ir::arg(e, 0), b = ir::arg(e, 1);
  if (e->op == Op::Less || e->op == Op::LessEqual) {
    auto form = positive_form(e);
    if (!form) return e;
    const ConstantInterval range = constants_.of_form(*form);
    if (range.has_min && range.min >= 1) return ir::true_value();
    if (range.has_max && range.max < 1) return ir::false_value();
    for (int i = 0; i < 8 && drop_decided_alternative(*form); ++i) {
      if (form->is_constant()) return ir::literal(Bool(), form->constant >= 1);
      for (const LinearForm::Term& t : form->terms) {
        if (t.coefficient == INT64_MIN) return e;
      }
      if (form->constant == INT64_MIN) return e;
    }
    divide_content(*form);
    const Expr r = print_positive(*form);
    return size(r) <= size(e) && !ir::equal(r, e) ? r : e;
  }
  auto form = difference(a, b);
  if (!form || form->constant == INT64_MIN || content(*form) == 0) {
    return form && form->is_constant()
               ? ir::literal(Bool(), (form->constant == 0) == (e->op == Op::Equal))
               : e;
  }
  const bool when_apart = e->op == Op::NotEqual;
  const ConstantInterval range = constants_.of_form(*form);
  if ((range.has_min && range.min > 0) || (range.has_max && range.max < 0))
    return ir::literal(Bool(), when_apart);
  const std::int64_t g = content(*form);
  if (form->constant % g != 0) return ir::literal(Bool(), when_apart);
  const Congruence residue = congruence_of(form->to_expr());
  if (residue.modulus > 1 && residue.remainder != 0) return ir::literal(Bool(), when_apart);
  for (LinearForm::Term& t : form->terms) t.coefficient /= g;
  form->constant /= g;
  // Positive terms on the left; a negative form is negated, so that both signs give one result.
  if (half(*form, true).is_constant()) {
    for (LinearForm::Term& t : form->terms) t.coefficient = -t.coefficient;
    form->constant = -form->constant;
  }
  LinearForm left = half(*form, true), right = half(*form, false);
  if (right.is_constant() || form->constant < 0) right.constant = -form->constant;
  else left.constant = form->constant;
  if (!left.is_constant() && !right.is_constant() && left.constant == 0 && right.constant == 0 &&
      compare(right.to_expr(), left.to_expr()) < 0) {
    std::swap(left, right);
  }
  const Expr r = ir::binary(e->op, left.to_expr(), right.to_expr());
  return size(r) <= size(e) && !ir::equal(r, e) ? r : e;
}

namespace {

void flatten(const Expr& e, Op op, std::unordered_set<const ir::Node*>& seen,
             std::vector<Expr>& operands) {
  if (e->op == op) {
    if (!seen.insert(e.node().get()).second) return;
    flatten(ir::arg(e, 0), op, seen, operands);
    flatten(ir::arg(e, 1), op, seen, operands);
    return;
  }
  const auto same = [&](const Expr& o) { return o->hash == e->hash && ir::equal(o, e); };
  if (std::none_of(operands.begin(), operands.end(), same)) operands.push_back(e);
}

bool same_terms(const LinearForm& a, const LinearForm& b, std::int64_t sign) {
  if (a.terms.size() != b.terms.size()) return false;
  for (std::size_t i = 0; i < a.terms.size(); ++i) {
    if (a.terms[i].coefficient != sign * b.terms[i].coefficient ||
        !ir::equal(a.terms[i].atom, b.terms[i].atom))
      return false;
  }
  return true;
}

/// How two operands of a conjunction relate.
enum class Relation { None, FirstImpliesSecond, SecondImpliesFirst, Exclusive };

Relation relate(const Expr& a, const Expr& b) {
  // One is the other's negation.
  const auto negates = [](const Expr& p, const Expr& q) {
    return p->op == Op::Not && ir::equal(ir::arg(p, 0), q);
  };
  if (negates(a, b) || negates(b, a)) return Relation::Exclusive;
  const auto fa = positive_form(a), fb = positive_form(b);
  if (!fa || !fb) return Relation::None;
  if (same_terms(*fa, *fb, 1)) {
    return fa->constant <= fb->constant ? Relation::FirstImpliesSecond
                                        : Relation::SecondImpliesFirst;
  }
  if (!same_terms(*fa, *fb, -1)) return Relation::None;
  // s + k >= 1 and -s + l >= 1: s lies in [1 - k, l - 1].
  const auto sum = checked_add(fa->constant, fb->constant);
  if (sum && *sum < 2) return Relation::Exclusive;
  return Relation::None;
}

/// Whether one of the two holds always: s >= 1 - k or s <= l - 1.
bool exhaustive(const Expr& a, const Expr& b) {
  const auto negates = [](const Expr& p, const Expr& q) {
    return p->op == Op::Not && ir::equal(ir::arg(p, 0), q);
  };
  if (negates(a, b) || negates(b, a)) return true;
  const auto fa = positive_form(a), fb = positive_form(b);
  if (!fa || !fb || !same_terms(*fa, *fb, -1)) return false;
  const auto sum = checked_add(fa->constant, fb->constant);
  return sum && *sum >= 1;
}

}  // namespace

Expr Simplifier::step_logic(const Expr& e) {
  std::int64_t value = 0;
  if (e->op == Op::Not) {
    const Expr a = ir::arg(e, 0);
    if (a->op == Op::Not) return ir::arg(a, 0);
    if (ir::info(a->op).op_class != ir::OpClass::Compare) return e;
    const Expr x = ir::arg(a, 0), y = ir::arg(a, 1);
    if (a->op == Op::Equal) return ir::binary(Op::NotEqual, x, y);
    if (a->op == Op::NotEqual) return ir::binary(Op::Equal, x, y);
    if (x->type.is_float()) return e;  // NaN: not (a < b) is not b <= a
    return ir::binary(a->op == Op::Less ? Op::LessEqual : Op::Less, y, x);
  }
  const bool conjunction = e->op == Op::And;
  std::vector<Expr> operands;
  std::unordered_set<const ir::Node*> seen;
  flatten(e, e->op, seen, operands);
  bool decided = false;
  std::erase_if(operands, [&](const Expr& o) {
    if (!ir::as_constant(o, &value)) return false;
    decided = decided || (value != 0) != conjunction;
    return true;
  });
  if (decided) return ir::literal(e->type, conjunction ? 0 : 1);
  if (operands.size() <= 16) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      for (std::size_t j = i + 1; j < operands.size();) {
        const Relation relation = relate(operands[i], operands[j]);
        if (conjunction && relation == Relation::Exclusive) return ir::literal(e->type, 0);
        if (!conjunction && exhaustive(operands[i], operands[j])) return ir::literal(e->type, 1);
        const bool first_implies = relation == Relation::FirstImpliesSecond;
        if (!first_implies && relation != Relation::SecondImpliesFirst) {
          ++j;
          continue;
        }
        // A conjunction keeps the stronger, a disjunction the weaker.
        if (first_implies != conjunction) operands[i] = operands[j];
        operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
  }
  if (operands.empty()) return ir::literal(e->type, conjunction ? 1 : 0);
  Expr r = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) r = ir::binary(e->op, r, operands[i]);
  return ir::equal(r, e) ? e : r;
}

}  // namespace sinter::algebra
