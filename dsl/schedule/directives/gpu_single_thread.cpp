#include "dsl/schedule/directives/gpu_single_thread.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const GpuSingleThread&, const StageRef& ref, const State& state) {
  for (const Loop& loop : definition_schedule(state, ref).loops) {
    if (loop.kind >= ir::LoopKind::GpuBlock) {
      return refusal("'" + loop.name.name() + "' is a loop over blocks or threads already",
                     "drop gpu_single_thread(), or that directive");
    }
  }
  return std::nullopt;
}

void apply(const GpuSingleThread&, const StageRef& ref, State& state) {
  // Loops of one iteration that no variable of the definition derives from.
  for (const auto& [name, kind] :
       {std::pair{"thread", ir::LoopKind::GpuThread}, {"block", ir::LoopKind::GpuBlock}}) {
    Loop loop;
    loop.variable = loop.name = unused_variable(state, ref, Symbol::named(name));
    loop.kind = kind;
    loop.where = state.where;
    definition_schedule(state, ref).loops.push_back(loop);
  }
}

}  // namespace sinter::schedule
