#pragma once
// Portable mathematics: exp, log, sin, ... as expressions of the IR made only of integer and
// correctly rounded float operators (+ - * / fma sqrt floor round, casts, bits, select), so every
// backend gives the same bits. f32: <= 1 ulp (pow: 2). f64: <= 2 ulp.

#include "dsl/ir/node.h"

namespace sinter::ir {

/// The polynomial for `op` (Exp ... Rsqrt) on operands of f32 or f64, any number of lanes.
Expr expand_math(Op op, const std::vector<Expr>& operands);

}  // namespace sinter::ir
