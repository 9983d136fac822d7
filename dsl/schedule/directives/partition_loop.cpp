#include "dsl/schedule/directives/partition_loop.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const PartitionLoop& partition, const StageRef& ref,
                                const State& state) {
  return check_is_loop(state, ref, partition.loop);
}

void apply(const PartitionLoop& partition, const StageRef& ref, State& state) {
  DefinitionSchedule& schedule = definition_schedule(state, ref);
  schedule.loops[find_loop(schedule, partition.loop)].partition = partition.policy;
}

}  // namespace sinter::schedule
