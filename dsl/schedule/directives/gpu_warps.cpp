#include "dsl/schedule/directives/gpu_warps.h"

#include "dsl/schedule/directives/loop_kind.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const GpuWarps& warps, const StageRef& ref, const State& state) {
  if (auto problem = check_is_loop(state, ref, warps.loop)) return problem;
  for (const Loop& loop : definition_schedule(state, ref).loops) {
    if (loop.kind == ir::LoopKind::GpuWarp && !(loop.name == warps.loop)) {
      return refusal("'" + loop.name.name() + "' is the loop over warps already",
                     "fuse the two loops, or use gpu_threads for one of them");
    }
  }
  return std::nullopt;
}

void apply(const GpuWarps& warps, const StageRef& ref, State& state) {
  set_kind(state, ref, warps.loop, ir::LoopKind::GpuWarp);
}

}  // namespace sinter::schedule
