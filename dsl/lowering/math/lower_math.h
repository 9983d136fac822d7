#pragma once
// exp, sin, ... become their portable polynomials (dsl/ir/portable_math.h).

#include "dsl/lowering/passes.h"

namespace sinter::lowering {

ir::Module lower_math(ir::Module, const LowerOptions&);

/// promise_clamped(v, low, high) becomes v; with LowerOptions::debug it is checked first.
ir::Module lower_markers(ir::Module, const LowerOptions&);

}  // namespace sinter::lowering
