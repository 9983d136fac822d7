#pragma once
// The simplifier. Coordinates (Index) are brought to linear normal form, then both theories have
// rules, one a line (rules.cpp), each proved by Z3 in its own theory in tests/unit/algebra.
// Idempotent; never makes an expression larger; linear in distinct nodes for a fixed rule set.

#include "dsl/algebra/interval.h"
#include "dsl/ir/module.h"

namespace sinter::algebra {

/// Equal to `e` for all values of symbols within `known`.
Expr simplify(const Expr& e, const ConstantScope& known = {});
/// Simplifies every expression of a statement, learning the ranges of loop variables with constant
/// bounds; drops empty and flattens trivial statements (If true, loops of extent 1 and 0, Lets of
/// constants, symbols and unused values).
ir::Stmt simplify(const ir::Stmt& s, const ConstantScope& known = {});

/// True only when `condition` (bool) holds for all values within `known`.
bool prove(const Expr& condition, const ConstantScope& known = {});

/// One rewrite rule in the IR's text form. `x y z w` match anything and `c0 c1 c2 c3` literals of
/// one type; `p q r` match bools.
struct Rule {
  /// Coordinate: proved over Int; Value: over bit vectors of 8, 16, 32 bits, signed and unsigned;
  /// Any: both.
  enum class Theory { Coordinate, Value, Any } theory;
  const char* before;
  const char* after;
  const char* when = nullptr;  // a bool over the literals; true when absent
};
const std::vector<Rule>& rules();

}  // namespace sinter::algebra
