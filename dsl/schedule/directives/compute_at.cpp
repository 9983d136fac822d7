#include "dsl/schedule/directives/compute_at.h"

#include "dsl/schedule/directives/placement_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const ComputeAt& at, const StageRef& ref, const State& state) {
  return check_level(state, ref, at.consumer);
}

void apply(const ComputeAt& at, const StageRef& ref, State& state) {
  StageSchedule& schedule = state.schedules.at(ref.stage);
  schedule.compute = level(at.consumer, at.loop, at.definition, state.where);
  if (!state.stored_explicitly.contains(ref.stage)) schedule.store = schedule.compute;
}

}  // namespace sinter::schedule
