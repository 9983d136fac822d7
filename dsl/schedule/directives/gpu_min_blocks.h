#pragma once
// At least so many blocks of the definition's kernel run on a multiprocessor at a time, as far as
// registers decide it: a thread gets no more of them than that leaves.
//
//   before                  after  f.gpu_min_blocks(4)
//     gpu_block y:            gpu_block y, at least 4 at a time:
//       f(x, y)                 f(x, y)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct GpuMinBlocks {
  IntegerArg blocks;
};

/// Refused for more blocks than a multiprocessor runs; at resolve() without loops over blocks, and
/// together with gpu_max_registers; when it is compiled, for more threads than it runs.
std::optional<Diagnostic> check(const GpuMinBlocks&, const StageRef&, const State&);
void apply(const GpuMinBlocks&, const StageRef&, State&);

}  // namespace sinter::schedule
