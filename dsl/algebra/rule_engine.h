#pragma once
// Applies the textual rules of rules.cpp: parsed once, indexed by root op. Internal to algebra.

#include "dsl/algebra/simplify.h"

namespace sinter::algebra {

/// What the names in a rule's text stand for: x y z w and c0..c3 written as Index (whatever the
/// type matched), p q r as bool.
std::unordered_map<std::string, Expr> rule_names();
/// The first rule that applies at the root of `e`, applied; undefined when none does.
Expr apply_rules(const Expr& e);

}  // namespace sinter::algebra
