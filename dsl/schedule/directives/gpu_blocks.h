#pragma once
// Each iteration of the loops is a block of a GPU's grid. The innermost of a stage's block loops is
// the grid's first dimension.
//
//   before                  after  f.gpu_blocks(y)
//     for y:                  gpu_block y:
//       for x:                  for x:
//         f(x, y)                 f(x, y)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct GpuBlocks {
  std::vector<Symbol> loops;
};

/// Refused when one is no loop, or more than three are given. That blocks are independent, and
/// stand outside all threads, is proved at resolve().
std::optional<Diagnostic> check(const GpuBlocks&, const StageRef&, const State&);
void apply(const GpuBlocks&, const StageRef&, State&);

}  // namespace sinter::schedule
