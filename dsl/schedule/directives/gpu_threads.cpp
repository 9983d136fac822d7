#include "dsl/schedule/directives/gpu_threads.h"

#include "dsl/schedule/directives/loop_kind.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const GpuThreads& threads, const StageRef& ref,
                                const State& state) {
  return check_gpu_loops(state, ref, threads.loops);
}

void apply(const GpuThreads& threads, const StageRef& ref, State& state) {
  for (const Symbol& loop : threads.loops) set_kind(state, ref, loop, ir::LoopKind::GpuThread);
}

}  // namespace sinter::schedule
