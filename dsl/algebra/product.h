#pragma once
// Products of coordinates: a constant times factors that are neither products nor constants.
// Internal to algebra.

#include "dsl/algebra/linear_form.h"

namespace sinter::algebra {

struct Product {
  std::int64_t coefficient = 1;
  std::vector<Expr> factors;

  /// Factors in their order, the coefficient last.
  Expr to_expr() const;
};

/// Multiplies `product` by e; false when the coefficient leaves int64.
bool factorise(const Expr& e, Product& product);

/// The form with products of sums written out, x*(y + 1) as x*y + x; empty when there is none, or
/// when the result would be long.
std::optional<LinearForm> with_products_expanded(const LinearForm&);

}  // namespace sinter::algebra
