#pragma once
// Vectorised loops become vector statements: the loop variable is a ramp, what depends on it is
// wide, conditions that depend on it are predicates. A loop that cannot be widened (its body holds
// a loop whose bounds depend on the lane, ...) runs lane by lane instead: slower, never different.
//
//   before   for x in [b, 8) vectorized { store f(x) = in(x) + y }
//   after    store f(ramp(b, 1, 8)) = in(ramp(b, 1, 8)) + broadcast(y, 8)

#include "dsl/lowering/passes.h"

namespace sinter::lowering {

ir::Module vectorize_loops(ir::Module, const LowerOptions&);

/// Unrolled loops become blocks. Their extents are constants (checked when the schedule is
/// resolved).
ir::Module unroll_loops(ir::Module, const LowerOptions&);

}  // namespace sinter::lowering
