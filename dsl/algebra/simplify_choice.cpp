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

void flatten(const Expr& e, Op op, std::unordered_set<const ir::Node*>& seen,
             std::vector<Expr>& operands) {
  if (e->op == op) {
    if (!seen.insert(e.node().get()).second) return;  // min and max are idempotent
    flatten(ir::arg(e, 0), op, seen, operands);
    flatten(ir::arg(e, 1), op, seen, operands);
    return;
  }
  const auto same = [&](const Expr& o) { return o->hash == e->hash && ir::equal(o, e); };
  if (std::none_of(operands.begin(), operands.end(), same)) operands.push_back(e);
}

/// Operands of op(op(op(a, b), c), d); 0 when it is nested in another way.
std::size_t chain_length(const Expr& e) {
  const Op op = e->op;
  std::size_t length = 1;
  for (Expr n = e; n->op == op; n = ir::arg(n, 0), ++length) {
    if (ir::arg(n, 1)->op == op) return 0;
  }
  return length;
}

/// Keeps of `common` what `form` has with the same coefficient; the constant if it is the same.
void keep_common(LinearForm& common, const LinearForm& form) {
  std::erase_if(common.terms, [&](const LinearForm::Term& t) {
    return std::none_of(form.terms.begin(), form.terms.end(), [&](const LinearForm::Term& u) {
      return t.coefficient == u.coefficient && t.atom->hash == u.atom->hash &&
             ir::equal(t.atom, u.atom);
    });
  });
  if (form.constant != common.constant) common.constant = 0;
}

/// Takes the common part out of all `operands`; undefined, with the operands as they were, when
/// there is none.
std::optional<LinearForm> take_common(std::vector<Expr>& operands) {
  std::optional<LinearForm> common;
  for (const Expr& o : operands) {
    const auto form = linear_form(o);
    if (!form) return {};
    if (common) keep_common(*common, *form);
    else common = form;
    if (common->terms.empty() && common->constant == 0) return {};
  }
  std::vector<Expr> rest;
  for (const Expr& o : operands) {
    LinearCollector collector;
    if (!collector.add_expr(o, 1) || !collector.add_form(*common, -1)) return {};
    rest.push_back(collector.finish()->to_expr());
  }
  operands = std::move(rest);
  return common;
}

Expr with_common(const LinearForm& common, const Expr& choice, const Expr& otherwise) {
  LinearCollector collector;
  return collector.add_form(common, 1) && collector.add_atom(choice, 1)
             ? collector.finish()->to_expr()
             : otherwise;
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
        const bool first_below = apart.has_max && apart.max <= 0,
                   first_above = apart.has_min && apart.min >= 0;
        const bool drop_second = op == Op::Min ? first_below : first_above;
        const bool drop_first = op == Op::Min ? first_above : first_below;
        if (drop_first && !drop_second) operands[i] = operands[j];
        if (drop_first || drop_second)
          operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(j));
        else ++j;
        if (drop_first && !drop_second) j = std::max(split, i + 1);
      }
    }
  }
  if (operands.size() == 1) return operands[0];
  const auto precedes = [](const Expr& a, const Expr& b) { return compare(a, b) < 0; };
  const bool in_order = chain_length(e) == operands.size() &&
                        std::is_sorted(operands.begin(), operands.end(), precedes);
  if (!in_order) std::sort(operands.begin(), operands.end(), precedes);
  std::vector<Expr> reduced = operands;
  const auto common = take_common(reduced);
  const auto fold = [&](const std::vector<Expr>& list) {
    Expr r = list[0];
    for (std::size_t i = 1; i < list.size(); ++i) r = ir::binary(op, r, list[i]);
    return r;
  };
  const Expr plain = in_order ? e : fold(operands);
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
