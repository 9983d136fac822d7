#pragma once
// Splits loops where guards and clamps are known to hold, so that the long middle part runs
// without.
//
//   before   for x in [0, n) { store f(x) = in(min(max(x - 1, 0), n - 1)) }
//   after    for x in [0, 1) { ...as before... }
//            for x in [1, n - 1) { store f(x) = in(x - 1) }
//            for x in [n, 0) { ...as before... }

#include "dsl/lowering/passes.h"

namespace sinter::lowering {

ir::Module partition_loops(ir::Module, const LowerOptions&);

}  // namespace sinter::lowering
