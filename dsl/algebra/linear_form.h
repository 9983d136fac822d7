#pragma once
// Linear forms over Index atoms: constant + sum of coefficient * atom, atoms being symbols or
// non-linear subexpressions (div, mod, min, max, select, casts). The normal form of coordinates.

#include <optional>
#include <vector>

#include "dsl/ir/node.h"

namespace sinter::algebra {

struct LinearForm {
  struct Term {
    Expr atom;
    std::int64_t coefficient;
  };
  std::vector<Term> terms;  // distinct atoms, coefficients != 0, in a deterministic order
  std::int64_t constant = 0;

  bool is_constant() const { return terms.empty(); }
  std::int64_t coefficient_of(const Symbol&) const;  // 0 when absent
  Expr to_expr() const;                              // positive terms first
};
/// Empty when a coefficient would overflow int64 (then the expression stays as it is).
std::optional<LinearForm> linear_form(const Expr& index_expr);
std::optional<LinearForm> difference(const Expr& a, const Expr& b);

/// `e` as coefficient * v + rest with rest free of v; empty when v occurs otherwise.
struct LinearIn {
  std::int64_t coefficient;
  Expr rest;
};
std::optional<LinearIn> linear_in(const Expr& e, const Symbol& v);

/// e == modulus * q + remainder for some integer q; modulus 0: e is the constant `remainder`.
struct Congruence {
  std::int64_t modulus = 1, remainder = 0;
};
Congruence congruence_of(const Expr&);

}  // namespace sinter::algebra
