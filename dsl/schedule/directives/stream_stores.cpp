#include "dsl/schedule/directives/stream_stores.h"

#include "dsl/schedule/directives/placement_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const StreamStores&, const StageRef& ref, const State&) {
  return check_whole_stage(ref);
}

void apply(const StreamStores&, const StageRef& ref, State& state) {
  state.schedules.at(ref.stage).streamed.stores = true;
}

}  // namespace sinter::schedule
