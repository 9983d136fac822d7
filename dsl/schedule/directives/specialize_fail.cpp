#include "dsl/schedule/directives/specialize_fail.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const SpecializeFail&, const StageRef& ref, const State& state) {
  const DefinitionSchedule& schedule = definition_schedule(state, ref);
  if (schedule.specializations.empty()) {
    return refusal("the definition has no branch: every call would fail",
                   "call specialize with a condition first, or state it in the algorithm with "
                   "require()");
  }
  if (schedule.failure) {
    return refusal("the definition has a specialize_fail already", "drop one of them");
  }
  return std::nullopt;
}

void apply(const SpecializeFail& fail, const StageRef& ref, State& state) {
  definition_schedule(state, ref).failure = {fail.message, state.where};
}

}  // namespace sinter::schedule
