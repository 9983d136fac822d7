#include "dsl/schedule/directives/store_in.h"

#include "dsl/schedule/directives/placement_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const StoreIn&, const StageRef& ref, const State& state) {
  if (auto problem = check_whole_stage(ref)) return problem;
  if (!state.algorithm.is_output(ref.stage)) return std::nullopt;
  return refusal("an output lives in the buffer of the caller",
                 "drop store_in, or compute into another stage first: in()");
}

void apply(const StoreIn& store_in, const StageRef& ref, State& state) {
  state.schedules.at(ref.stage).memory = store_in.memory;
}

}  // namespace sinter::schedule
