#pragma once
// Loops over blocks and threads become kernels.
//
//   for b in [0, n) gpu_block {            kernel k [n, 1, 1, 64] {
//     allocate s: f32 [64] in shared {       let b = block_index
//       for t in [0, 64) gpu_thread {        allocate s: f32 [64] in shared {
//         store s(t) = ...           ->        store s(thread_index) = ...
//       }                                      barrier
//       for t in [0, 32) gpu_thread {          if thread_index < 32 {
//         ... s(63 - t) ...                      ... s(63 - thread_index) ...
//       }                                      }
//
// A block is one line of threads; each nest of thread loops is numbered along it, lanes fastest,
// then warps, then the other thread loops, inner ones first. The block is as large as its largest
// nest, in whole warps. What stands in no thread loop runs on thread 0. A barrier stands where a
// nest may touch what another thread touched since the last one, and one of the two writes.

#include "dsl/lowering/passes.h"

namespace sinter::lowering {

/// Throws CompileError for what no kernel can do (assertions, memory without a constant size) and
/// for more threads or shared memory than the target has.
ir::Module map_to_grid(ir::Module, const LowerOptions&);

}  // namespace sinter::lowering
