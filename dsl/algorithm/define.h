#pragma once
// Making definitions: what happens at f(x, y) = e.

#include <memory>
#include <source_location>
#include <vector>

#include "dsl/algorithm/func_contents.h"

namespace sinter {

/// Adds the pure definition, or an update when there is one already. Returns its index.
/// Throws AlgorithmError with stage, line, reason and remedy; then nothing has changed.
int define(const std::shared_ptr<FuncContents>&, std::vector<Expr> arguments,
           std::vector<Expr> values, std::source_location where);
/// If undefined: defines every component as `initial`, with the argument's Vars, fresh ones
/// elsewhere.
void define_initial(const std::shared_ptr<FuncContents>&, const std::vector<Expr>& arguments,
                    const std::vector<Type>& types, int initial, std::source_location where);
/// A call as an expression.
Expr call(const std::shared_ptr<FuncContents>&, const std::vector<Expr>& arguments,
          std::size_t component, std::source_location where);

/// `_` in the arguments replaced by as many of _0, _1, ... as needed to make `rank` arguments.
std::vector<Expr> without_placeholder(const std::vector<Expr>& arguments, std::size_t rank);
bool has_placeholder(const std::vector<Expr>& arguments);

}  // namespace sinter
