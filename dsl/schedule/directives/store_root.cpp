#include "dsl/schedule/directives/store_root.h"

#include "dsl/schedule/directives/placement_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const StoreRoot&, const StageRef& ref, const State&) {
  return check_whole_stage(ref);
}

void apply(const StoreRoot&, const StageRef& ref, State& state) {
  StageSchedule& schedule = state.schedules.at(ref.stage);
  schedule.store = Placement{};
  schedule.store.kind = Placement::Kind::Root;
  schedule.store.where = state.where;
  state.stored_explicitly.insert(ref.stage);
}

}  // namespace sinter::schedule
