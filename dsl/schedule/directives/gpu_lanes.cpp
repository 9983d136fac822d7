#include "dsl/schedule/directives/gpu_lanes.h"

#include "dsl/schedule/directives/loop_kind.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const GpuLanes& lanes, const StageRef& ref, const State& state) {
  if (auto problem = check_is_loop(state, ref, lanes.loop)) return problem;
  for (const Loop& loop : definition_schedule(state, ref).loops) {
    if (loop.kind == ir::LoopKind::GpuLane && !(loop.name == lanes.loop)) {
      return refusal("'" + loop.name.name() + "' is the loop over lanes already",
                     "fuse the two loops, or use gpu_threads for one of them");
    }
  }
  return std::nullopt;
}

void apply(const GpuLanes& lanes, const StageRef& ref, State& state) {
  set_kind(state, ref, lanes.loop, ir::LoopKind::GpuLane);
}

}  // namespace sinter::schedule
