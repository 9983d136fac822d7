#pragma once
// Each iteration of the loops is a thread of a GPU's block. A block is one line of threads: a
// stage's thread loops are numbered along it, the innermost fastest; threads beyond their product
// do nothing.
//
//   before                  after  f.gpu_blocks(y).gpu_threads(x)
//     for y:                  gpu_block y:
//       for x:                  gpu_thread x:
//         f(x, y)                 f(x, y)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct GpuThreads {
  std::vector<Symbol> loops;
};

/// Refused when one is no loop, or more than three are given. That threads are independent and
/// stand in blocks is proved at resolve().
std::optional<Diagnostic> check(const GpuThreads&, const StageRef&, const State&);
void apply(const GpuThreads&, const StageRef&, State&);

}  // namespace sinter::schedule
