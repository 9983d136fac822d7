#include "dsl/schedule/directives/gpu_blocks.h"

#include "dsl/schedule/directives/loop_kind.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const GpuBlocks& blocks, const StageRef& ref, const State& state) {
  return check_gpu_loops(state, ref, blocks.loops);
}

void apply(const GpuBlocks& blocks, const StageRef& ref, State& state) {
  for (const Symbol& loop : blocks.loops) set_kind(state, ref, loop, ir::LoopKind::GpuBlock);
}

}  // namespace sinter::schedule
