#include "dsl/algebra/product.h"

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/linear_collector.h"

namespace sinter::algebra {

using ir::Op;

Expr Product::to_expr() const {
  if (factors.empty()) return ir::index_literal(coefficient);
  std::vector<Expr> ordered = factors;
  std::sort(ordered.begin(), ordered.end(),
            [](const Expr& a, const Expr& b) { return compare(a, b) < 0; });
  Expr r = ordered[0];
  for (std::size_t i = 1; i < ordered.size(); ++i) r = ir::binary(Op::Mul, r, ordered[i]);
  return coefficient == 1 ? r : ir::binary(Op::Mul, r, ir::index_literal(coefficient));
}

bool factorise(const Expr& e, Product& product) {
  std::int64_t c = 0;
  if (e->op == Op::Literal && ir::as_constant(e, &c)) {
    const auto scaled = checked_mul(product.coefficient, c);
    if (!scaled) return false;
    product.coefficient = *scaled;
    return true;
  }
  if (e->op == Op::Mul && product.factors.size() < 16)
    return factorise(ir::arg(e, 0), product) && factorise(ir::arg(e, 1), product);
  product.factors.push_back(e);
  return true;
}

namespace {

constexpr std::size_t longest_expansion = 24;

bool is_product(const Expr& e) {
  return e->op == Op::Mul && ir::arg(e, 0)->op != Op::Literal && ir::arg(e, 1)->op != Op::Literal;
}

bool has_sum(const Expr& product) {
  if (product->op == Op::Mul) return has_sum(ir::arg(product, 0)) || has_sum(ir::arg(product, 1));
  return product->op == Op::Add || product->op == Op::Sub;
}

/// The sum that a product of sums is, term by term.
bool expand(const Expr& product_of_sums, std::int64_t coefficient, LinearCollector& collector,
            std::size_t& length) {
  Product product;
  if (!factorise(product_of_sums, product)) return false;
  std::vector<Product> sum{{product.coefficient, {}}};
  for (const Expr& factor : product.factors) {
    const auto form = linear_form(factor);
    if (!form) return false;
    std::vector<Product> longer;
    for (const Product& p : sum) {
      for (const LinearForm::Term& t : form->terms) {
        Product q = p;
        const auto scaled = checked_mul(q.coefficient, t.coefficient);
        if (!scaled) return false;
        q.coefficient = *scaled;
        if (!factorise(t.atom, q)) return false;
        longer.push_back(std::move(q));
      }
      if (form->constant == 0) continue;
      const auto scaled = checked_mul(p.coefficient, form->constant);
      if (!scaled) return false;
      longer.push_back({*scaled, p.factors});
    }
    sum = std::move(longer);
    if (length + sum.size() > longest_expansion) return false;
  }
  length += sum.size();
  for (const Product& p : sum) {
    const auto scaled = checked_mul(p.coefficient, coefficient);
    if (!scaled || !collector.add_expr(Product{1, p.factors}.to_expr(), *scaled)) return false;
  }
  return true;
}

}  // namespace

std::optional<LinearForm> with_products_expanded(const LinearForm& form) {
  const bool any = std::any_of(form.terms.begin(), form.terms.end(), [](const LinearForm::Term& t) {
    return is_product(t.atom) && has_sum(t.atom);
  });
  if (!any) return {};
  std::size_t length = 0;
  LinearCollector collector;
  if (form.terms.size() < 2 || !collector.add_constant(form.constant, 1)) return {};
  for (const LinearForm::Term& t : form.terms) {
    const bool added = is_product(t.atom) ? expand(t.atom, t.coefficient, collector, length)
                                          : collector.add_atom(t.atom, t.coefficient);
    if (!added) return {};
  }
  return collector.finish();
}

}  // namespace sinter::algebra
