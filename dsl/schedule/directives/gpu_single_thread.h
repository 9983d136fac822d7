#pragma once
// Runs a definition on one thread of one block: for small stages between larger ones on a GPU.
//
//   before                  after  f.gpu_single_thread()
//     for x:                  gpu_block block in [0, 1):
//       f(x)                    gpu_thread thread in [0, 1):
//                                 for x:
//                                   f(x)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct GpuSingleThread {};

/// Refused when a loop of the definition is over blocks or threads already.
std::optional<Diagnostic> check(const GpuSingleThread&, const StageRef&, const State&);
void apply(const GpuSingleThread&, const StageRef&, State&);

}  // namespace sinter::schedule
