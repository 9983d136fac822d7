#pragma once
// Applies the textual rules of rules.cpp: parsed once, indexed by root op. Internal to algebra.

#include "dsl/algebra/simplify.h"

namespace sinter::algebra {

/// The first rule that applies at the root of `e`, applied; undefined when none does.
Expr apply_rules(const Expr& e);

}  // namespace sinter::algebra
