#include "dsl/schedule/directives/store_at.h"

#include "dsl/schedule/directives/placement_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const StoreAt& at, const StageRef& ref, const State& state) {
  return check_level(state, ref, at.consumer);
}

void apply(const StoreAt& at, const StageRef& ref, State& state) {
  state.schedules.at(ref.stage).store = level(at.consumer, at.loop, at.definition, state.where);
  state.stored_explicitly.insert(ref.stage);
}

}  // namespace sinter::schedule
