#pragma once
// Expressions as a person would write them. Not a format: dsl/ir has the one that is parsed.

#include <string>
#include <unordered_map>

#include "dsl/ir/node.h"

namespace sinter {

/// Text names of symbols; others print their own name.
using ExprNames = std::unordered_map<Symbol, std::string>;

/// At most about `budget` nodes are written, the rest as "...".
std::string print_expr(const Expr&, const ExprNames& names = {}, int budget = 4000);

}  // namespace sinter
