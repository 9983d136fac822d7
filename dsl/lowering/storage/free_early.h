#pragma once
// Frees heap allocations after their last use instead of at the end of their scope, so that a chain
// of root stages holds a few buffers, not all.

#include "dsl/lowering/passes.h"

namespace sinter::lowering {

ir::Module free_early(ir::Module, const LowerOptions&);

}  // namespace sinter::lowering
