#include "dsl/schedule/directives/stream_loads.h"

#include "dsl/schedule/directives/placement_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const StreamLoads&, const StageRef& ref, const State&) {
  return check_whole_stage(ref);
}

void apply(const StreamLoads& stream, const StageRef& ref, State& state) {
  ir::StreamedAccesses& streamed = state.schedules.at(ref.stage).streamed;
  if (stream.producer) streamed.producers.push_back(*stream.producer);
  else streamed.all_loads = true;
}

}  // namespace sinter::schedule
