#include "dsl/schedule/directives/gpu_min_blocks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const GpuMinBlocks& limit, const StageRef&, const State&) {
  if (auto problem = check_factor(limit.blocks)) return problem;
  constexpr std::int64_t Most = 32;
  if (limit.blocks.constant() <= Most) return std::nullopt;
  return refusal("a multiprocessor runs at most " + std::to_string(Most) + " blocks at a time",
                 "write a smaller number");
}

void apply(const GpuMinBlocks& limit, const StageRef& ref, State& state) {
  definition_schedule(state, ref).limits.min_blocks = limit.blocks.constant();
}

}  // namespace sinter::schedule
