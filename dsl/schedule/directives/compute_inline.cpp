#include "dsl/schedule/directives/compute_inline.h"

#include "dsl/schedule/directives/placement_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const ComputeInline&, const StageRef& ref, const State& state) {
  return check_may_move(state, ref);
}

void apply(const ComputeInline&, const StageRef& ref, State& state) {
  StageSchedule& schedule = state.schedules.at(ref.stage);
  schedule.compute = Placement{};
  schedule.compute.where = state.where;
  schedule.store = schedule.compute;
  state.stored_explicitly.erase(ref.stage);
}

}  // namespace sinter::schedule
