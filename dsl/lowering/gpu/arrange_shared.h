#pragma once
// Shared memory is laid out so that the lanes of a warp meet in no bank. Each access is evaluated
// for the threads of a few warps under a few layouts; the simplest of the cheapest is taken.
//
//   before   tile(t%8*8 + t/8*64)      written by rows, 16 bytes a thread
//            tile(t/8 + t%8*512 + 64)  read by columns: 8 lanes in one bank
//   after    the runs of 16 bytes of a row change places, each eight rows in another way

#include "dsl/lowering/passes.h"

namespace sinter::lowering {

ir::Module arrange_shared(ir::Module, const LowerOptions&);
/// Refuses kernels that need more shared memory than a block may have.
ir::Module check_shared(ir::Module, const LowerOptions&);

}  // namespace sinter::lowering
