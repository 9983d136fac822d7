// min, max and select of coordinates: operands that can never win are dropped, what all operands
// have in common moves out.

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/linear_collector.h"
#include "dsl/algebra/simplifier.h"

namespace sinter::algebra {

using ir::Op;

namespace {

constexpr std::size_t pairwise_limit = 10;  // more operands are only compared for equality

void flatten(const Expr& e, Op op, std::unordered_set<const ir::Node*>& seen, std::vector<Expr>& operands) {
  if (e->op == op) {
    if (!seen.insert(e.node().get()).second) return;  // min and max are idempotent
    flatten(ir::arg(e, 0), op, seen, operands);
    flatten(ir::arg(e, 1), op, seen, operands);
    return;
  }
  const auto same = [&](const Expr& o) { return o->hash == e->hash && ir::equal(o, e); };
  if (std::none_of(operands.begin(), operands.end(), same)) operands.push_back(e);
}

/// The terms that all forms have with the same coefficient, and the constant if all have the same.
LinearForm common_part(const std::vector<LinearForm>& forms) {
  LinearForm common = forms[0];
  for (const LinearForm& f : forms) {
    std::erase_if(common.terms, [&](const LinearForm::Term& t) {
      return std::none_of(f.terms.begin(), f.terms.end(), [&](const LinearForm::Term& u) {
        return t.coefficient == u.coefficient && t.atom->hash == u.atom->hash && ir::equal(t.atom, u.atom);
      });
    });
    if (f.constant != common.constant) common.constant = 0;
  }
  return common;
}

/// Takes the common part out of all `operands`; undefined when there is none.
std::optional<LinearForm> take_common(std::vector<Expr>& operands) {
  std::vector<LinearForm> forms;
  for (const Expr& o : operands) {
    auto form = linear_form(o);
    if (!form) return {};
    forms.push_back(std::move(*form));
  }
  const LinearForm common = common_part(forms);
  if (common.terms.empty() && common.constant == 0) return {};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    LinearCollector collector;
    if (!collector.add_form(forms[i], 1) || !collector.add_form(common, -1)) return {};
    operands[i] = collector.finish()->to_expr();
  }
  return common;
}

Expr with_common(const LinearForm& common, const Expr& choice, const Expr& otherwise) {
  LinearCollector collector;
  return collector.add_form(common, 1) && collector.add_atom(choice, 1) ? collector.finish()->to_expr() : otherwise;
}

}  // namespace

Expr Simplifier::step_extremum(const Expr& e) {
  const Op op = e->op;
  std::vector<Expr> operands;
  std::unordered_set<const ir::Node*> seen;
  flatten(ir::arg(e, 0), op, seen, operands);
  std::size_t split = operands.size();  // operands of one side have been compared with each other
  flatten(ir::arg(e, 1), op, seen, operands);
  if (operands.size() <= pairwise_limit) {
    for (std::size_t i = 0; i < split; ++i) {
      for (std::size_t j = std::max(split, i + 1); j < operands.size();) {
        const ConstantInterval apart = difference_bounds(operands[i], operands[j]);
        const bool first_below = apart.has_max && apart.max <= 0, first_above = apart.has_min && apart.min >= 0;
        const bool drop_second = op == Op::Min ? first_below : first_above;
        const bool drop_first = op == Op::Min ? first_above : first_below;
        if (drop_first && !drop_second) operands[i] = operands[j];
        if (drop_first || drop_second) operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(j));
        else ++j;
        if (drop_first && !drop_second) j = std::max(split, i + 1);
      }
    }
  }
  if (operands.size() == 1) return operands[0];
  std::sort(operands.begin(), operands.end(), [](const Expr& a, const Expr& b) { return compare(a, b) < 0; });
  std::vector<Expr> reduced = operands;
  const auto common = take_common(reduced);
  const auto fold = [&](const std::vector<Expr>& list) {
    Expr r = list[0];
    for (std::size_t i = 1; i < list.size(); ++i) r = ir::binary(op, r, list[i]);
    return r;
  };
  const Expr plain = fold(operands);
  if (common) {
    const Expr r = with_common(*common, fold(reduced), plain);
    if (size(r) <= size(plain)) return r;
  }
  return ir::equal(plain, e) ? e : plain;
}

Expr Simplifier::step_select(const Expr& e) {
  const Expr c = ir::arg(e, 0), a = ir::arg(e, 1), b = ir::arg(e, 2);
  std::int64_t value = 0;
  if (ir::as_constant(c, &value)) return value != 0 ? a : b;
  if (ir::equal(a, b)) return a;
  std::vector<Expr> arms{a, b};
  const auto common = take_common(arms);
  if (!common) return e;
  const Expr r = with_common(*common, ir::select(c, arms[0], arms[1]), e);
  return size(r) <= size(e) ? r : e;
}

}  // namespace sinter::algebra
