#include "dsl/schedule/directives/gpu_tile.h"

#include "dsl/schedule/directives/loop_kind.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const GpuTile& gpu, const StageRef& ref, const State& state) {
  if (auto problem = check(gpu.tile, ref, state)) return problem;
  if (gpu.tile.old.size() <= 3) return std::nullopt;
  return refusal("a grid has three dimensions at most", "tile three loops, or fuse some first");
}

void apply(const GpuTile& gpu, const StageRef& ref, State& state) {
  apply(gpu.tile, ref, state);
  for (const Symbol& loop : gpu.tile.outer) set_kind(state, ref, loop, ir::LoopKind::GpuBlock);
  for (const Symbol& loop : gpu.tile.inner) set_kind(state, ref, loop, ir::LoopKind::GpuThread);
}

}  // namespace sinter::schedule
