#include "dsl/algebra/linear_form.h"

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/linear_collector.h"

namespace sinter::algebra {

using ir::Op;

bool LinearCollector::add_constant(std::int64_t value, std::int64_t coefficient) {
  const auto scaled = checked_mul(value, coefficient);
  const auto sum = scaled ? checked_add(form_.constant, *scaled) : std::nullopt;
  if (!sum) return false;
  form_.constant = *sum;
  return true;
}

bool LinearCollector::add_atom(const Expr& atom, std::int64_t coefficient) {
  for (LinearForm::Term& t : form_.terms) {
    if (t.atom->hash != atom->hash || !ir::equal(t.atom, atom)) continue;
    const auto sum = checked_add(t.coefficient, coefficient);
    if (!sum) return false;
    t.coefficient = *sum;
    return true;
  }
  form_.terms.push_back({atom, coefficient});
  return true;
}

bool LinearCollector::add_form(const LinearForm& form, std::int64_t coefficient) {
  if (!add_constant(form.constant, coefficient)) return false;
  for (const LinearForm::Term& t : form.terms) {
    const auto scaled = checked_mul(t.coefficient, coefficient);
    if (!scaled || !add_atom(t.atom, *scaled)) return false;
  }
  return true;
}

LinearForm LinearCollector::finish_unordered() {
  std::erase_if(form_.terms, [](const LinearForm::Term& t) { return t.coefficient == 0; });
  return std::move(form_);
}

std::optional<LinearForm> LinearCollector::finish() {
  LinearForm form = finish_unordered();
  std::sort(form.terms.begin(), form.terms.end(),
            [](const LinearForm::Term& a, const LinearForm::Term& b) {
              return compare(a.atom, b.atom) < 0;
            });
  return form;
}

namespace {

/// The operands of a linear node with their factors; 0 when `n` is an atom or a literal.
int linear_operands(const ir::Node& n, Expr operands[2], std::int64_t factors[2]) {
  if (!n.type.is_index() || n.type.lanes != 1) return 0;
  if (n.op == Op::Add || n.op == Op::Sub) {
    operands[0] = Expr(n.args[0]);
    operands[1] = Expr(n.args[1]);
    factors[0] = 1;
    factors[1] = n.op == Op::Add ? 1 : -1;
    return 2;
  }
  if (n.op != Op::Mul) return 0;
  const Expr a(n.args[0]), b(n.args[1]);
  if (ir::as_constant(b, &factors[0])) operands[0] = a;
  else if (ir::as_constant(a, &factors[0])) operands[0] = b;
  else return 0;
  return 1;
}

/// Walks the linear region as a tree; gives up (false, `budget` < 0) when it is large.
bool collect_tree(const Expr& e, std::int64_t coefficient, int& budget,
                  LinearCollector& collector) {
  if (--budget < 0) return false;
  std::int64_t value = 0;
  if (e->op == Op::Literal && ir::as_constant(e, &value))
    return collector.add_constant(value, coefficient);
  Expr operands[2];
  std::int64_t factors[2] = {};
  const int count = linear_operands(*e, operands, factors);
  if (count == 0) return collector.add_atom(e, coefficient);
  for (int i = 0; i < count; ++i) {
    const auto scaled = checked_mul(coefficient, factors[i]);
    if (!scaled || !collect_tree(operands[i], *scaled, budget, collector)) return false;
  }
  return true;
}

void order_region(const ir::Ref& n, std::unordered_set<const ir::Node*>& seen,
                  std::vector<ir::Ref>& postorder) {
  if (!seen.insert(n.get()).second) return;
  Expr operands[2];
  std::int64_t factors[2] = {};
  const int count = linear_operands(*n, operands, factors);
  for (int i = 0; i < count; ++i) order_region(operands[i].node(), seen, postorder);
  postorder.push_back(n);
}

/// Each distinct node of the region once: coefficients flow from the root to the atoms.
bool collect_graph(const Expr& e, std::int64_t factor, LinearCollector& collector) {
  std::unordered_set<const ir::Node*> seen;
  std::vector<ir::Ref> postorder;
  order_region(e.node(), seen, postorder);
  std::unordered_map<const ir::Node*, std::int64_t> coefficient{{e.node().get(), factor}};
  for (auto it = postorder.rbegin(); it != postorder.rend(); ++it) {
    const Expr n(*it);
    const std::int64_t k = coefficient[it->get()];
    std::int64_t value = 0;
    Expr operands[2];
    std::int64_t factors[2] = {};
    if (n->op == Op::Literal && ir::as_constant(n, &value)) {
      if (!collector.add_constant(value, k)) return false;
      continue;
    }
    const int count = linear_operands(*n, operands, factors);
    if (count == 0 && !collector.add_atom(n, k)) return false;
    for (int i = 0; i < count; ++i) {
      const auto scaled = checked_mul(k, factors[i]);
      std::int64_t& target = coefficient[operands[i].node().get()];
      const auto sum = scaled ? checked_add(target, *scaled) : std::nullopt;
      if (!sum) return false;
      target = *sum;
    }
  }
  return true;
}

/// v * k, without a factor of one.
Expr scaled_atom(const Expr& atom, std::int64_t k) {
  return k == 1 ? atom : ir::binary(Op::Mul, atom, ir::index_literal(k));
}

}  // namespace

std::int64_t LinearForm::coefficient_of(const Symbol& s) const {
  for (const Term& t : terms) {
    if (t.atom->op == Op::Symbol && t.atom->symbol == s) return t.coefficient;
  }
  return 0;
}

namespace {

/// Terms of one absolute coefficient: (a - b) * coefficient.
struct Group {
  Expr sum;
  std::int64_t coefficient = 1;
};

bool same_magnitude(std::int64_t a, std::int64_t b) {
  return a == b || (a != INT64_MIN && -a == b);
}

/// `ordered` begins with the group's first term; the group takes all terms of its magnitude.
Group take_group(std::vector<const LinearForm::Term*>& ordered) {
  const std::int64_t k = ordered[0]->coefficient;
  Group group{ordered[0]->atom, k};
  ordered.erase(ordered.begin());
  if (k == 1 || k == -1) return group;
  std::erase_if(ordered, [&](const LinearForm::Term* t) {
    if (!same_magnitude(t->coefficient, k)) return false;
    group.sum = ir::binary(t->coefficient == k ? Op::Add : Op::Sub, group.sum, t->atom);
    return true;
  });
  return group;
}

}  // namespace

Expr LinearForm::to_expr() const {
  if (terms.empty()) return ir::index_literal(constant);
  // Positive terms first and larger coefficients before smaller, so that x*8 + xi reads as written.
  std::vector<const Term*> ordered;
  for (const Term& t : terms) ordered.push_back(&t);
  const auto magnitude = [](const Term& t) {
    return t.coefficient > 0 ? t.coefficient : -(t.coefficient + 1);
  };
  std::sort(ordered.begin(), ordered.end(), [&](const Term* a, const Term* b) {
    if ((a->coefficient > 0) != (b->coefficient > 0)) return a->coefficient > 0;
    if (magnitude(*a) != magnitude(*b)) return magnitude(*a) > magnitude(*b);
    return a < b;  // in the order of terms
  });
  Expr sum;
  std::int64_t rest = constant;
  if (ordered[0]->coefficient < 0 && rest != 0) {
    sum = ir::index_literal(rest);
    rest = 0;
  }
  while (!ordered.empty()) {
    const Group group = take_group(ordered);
    const std::int64_t k = group.coefficient;
    const bool subtract = k < 0 && sum.defined() && k != INT64_MIN;
    const Expr product = scaled_atom(group.sum, subtract ? -k : k);
    sum = sum.defined() ? ir::binary(subtract ? Op::Sub : Op::Add, sum, product) : product;
  }
  if (rest > 0 || rest == INT64_MIN) return ir::binary(Op::Add, sum, ir::index_literal(rest));
  return rest == 0 ? sum : ir::binary(Op::Sub, sum, ir::index_literal(-rest));
}

bool LinearCollector::add_expr(const Expr& e, std::int64_t coefficient) {
  int budget = 128;
  const LinearForm before = form_;
  if (collect_tree(e, coefficient, budget, *this)) return true;
  if (budget >= 0) return false;
  form_ = before;
  return collect_graph(e, coefficient, *this);
}

std::optional<LinearForm> linear_form(const Expr& e) {
  LinearCollector collector;
  if (!collector.add_expr(e, 1)) return {};
  return collector.finish();
}

std::optional<LinearForm> difference(const Expr& a, const Expr& b) {
  if (a.same_as(b)) return LinearForm{};
  LinearCollector collector;
  if (!collector.add_expr(a, 1) || !collector.add_expr(b, -1)) return {};
  return collector.finish();
}

std::optional<LinearIn> linear_in(const Expr& e, const Symbol& v) {
  auto form = linear_form(e);
  if (!form) return {};
  const std::int64_t coefficient = form->coefficient_of(v);
  std::erase_if(form->terms, [&](const LinearForm::Term& t) {
    return t.atom->op == Op::Symbol && t.atom->symbol == v;
  });
  for (const LinearForm::Term& t : form->terms) {
    if (t.atom->op != Op::Symbol && ir::uses_symbol(t.atom.node(), v)) return {};
  }
  return LinearIn{coefficient, form->to_expr()};
}

namespace {

using Congruences = std::unordered_map<const ir::Node*, Congruence>;

Congruence normalised(std::int64_t modulus, std::int64_t remainder) {
  if (modulus < 0) modulus = modulus == INT64_MIN ? 1 : -modulus;
  return {modulus, modulus == 0 ? remainder : floor_mod(remainder, modulus)};
}

Congruence congruence_sum(const Congruence& a, const Congruence& b, std::int64_t sign) {
  const auto scaled = checked_mul(b.remainder, sign);
  const auto sum = scaled ? checked_add(a.remainder, *scaled) : std::nullopt;
  if (!sum) return {};
  return normalised(std::gcd(a.modulus, b.modulus), *sum);
}

Congruence congruence_product(const Congruence& a, const Congruence& b) {
  const auto mm = checked_mul(a.modulus, b.modulus), mr = checked_mul(a.modulus, b.remainder);
  const auto rm = checked_mul(a.remainder, b.modulus), rr = checked_mul(a.remainder, b.remainder);
  if (!mm || !mr || !rm || !rr || *mm == INT64_MIN || *mr == INT64_MIN || *rm == INT64_MIN)
    return {};
  return normalised(std::gcd(std::gcd(*mm, *mr), *rm), *rr);
}

Congruence congruence_join(const Congruence& a, const Congruence& b) {
  const auto apart = checked_sub(a.remainder, b.remainder);
  if (!apart || *apart == INT64_MIN) return {};
  return normalised(std::gcd(std::gcd(a.modulus, b.modulus), *apart), a.remainder);
}

Congruence congruence(const ir::Ref& n, Congruences& memo);

Congruence congruence_node(const ir::Node& n, Congruences& memo) {
  const auto of = [&](std::size_t i) { return congruence(n.args[i], memo); };
  if (n.op == Op::Literal) return {0, n.integer};
  if (n.op == Op::Add) return congruence_sum(of(0), of(1), 1);
  if (n.op == Op::Sub) return congruence_sum(of(0), of(1), -1);
  if (n.op == Op::Mul) return congruence_product(of(0), of(1));
  if (n.op == Op::Min || n.op == Op::Max) return congruence_join(of(0), of(1));
  if (n.op == Op::Select) return congruence_join(of(1), of(2));
  if (n.op == Op::PromiseClamped) return of(0);
  if (n.op == Op::Require) return of(1);
  std::int64_t c = 0;
  if ((n.op == Op::Mod || n.op == Op::Div) && ir::as_constant(Expr(n.args[1]), &c) && c > 0) {
    const Congruence a = of(0);
    if (n.op == Op::Mod)
      return a.modulus == 0 ? Congruence{0, floor_mod(a.remainder, c)}
                            : normalised(std::gcd(a.modulus, c), a.remainder);
    if (a.modulus % c == 0) return normalised(a.modulus / c, floor_div(a.remainder, c));
  }
  return {};
}

Congruence congruence(const ir::Ref& n, Congruences& memo) {
  if (!n->type.is_index() || n->type.lanes != 1) return {};
  if (const auto it = memo.find(n.get()); it != memo.end()) return it->second;
  const Congruence result = congruence_node(*n, memo);
  memo.emplace(n.get(), result);
  return result;
}

}  // namespace

Congruence congruence_of(const Expr& e) {
  Congruences memo;
  return congruence(e.node(), memo);
}

}  // namespace sinter::algebra
