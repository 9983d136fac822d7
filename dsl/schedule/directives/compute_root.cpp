#include "dsl/schedule/directives/compute_root.h"

#include "dsl/schedule/directives/placement_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const ComputeRoot&, const StageRef& ref, const State&) {
  return check_whole_stage(ref);
}

void apply(const ComputeRoot&, const StageRef& ref, State& state) {
  StageSchedule& schedule = state.schedules.at(ref.stage);
  schedule.compute = Placement{};
  schedule.compute.kind = Placement::Kind::Root;
  schedule.compute.where = state.where;
  if (!state.stored_explicitly.contains(ref.stage)) schedule.store = schedule.compute;
}

}  // namespace sinter::schedule
