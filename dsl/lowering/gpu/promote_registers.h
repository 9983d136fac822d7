#pragma once
// A stage of a block that is stored in MemoryType::Register belongs to the threads that compute it:
// each keeps its own elements, and reads those of other lanes of its warp through shuffles.
//
//   allocate p: f32 [64] in register {        allocate p: f32 [1] in stack {
//     store p(thread_index) = ...        ->     store p(0) = ...
//     ... load p(thread_index % 32 + 1)         ... shuffle(load p(0), thread_index % 32 + 1)
//
// The sum (or minimum, ...) of all lanes in the order of reduce_across becomes a butterfly: log2 of
// the lanes' number exchanges, after which every lane holds the same bits.

#include "dsl/lowering/passes.h"

namespace sinter::lowering {

/// Throws CompileError for an access that is neither of the thread's own element nor of another
/// lane's.
ir::Module promote_registers(ir::Module, const LowerOptions&);

}  // namespace sinter::lowering
