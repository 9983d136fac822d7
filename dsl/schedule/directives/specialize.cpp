#include "dsl/schedule/directives/specialize.h"

#include "dsl/schedule/directives/bound_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const Specialize& specialize, const StageRef& ref,
                                const State& state) {
  if (!specialize.condition.defined() || !specialize.condition.type().is_bool()) {
    return refusal("the condition is not a bool", "write a comparison of parameters and sizes");
  }
  const DefinitionSchedule& schedule = definition_schedule(state, ref);
  if (schedule.failure && !find_specialization(schedule, specialize.condition)) {
    return refusal("specialize_fail has closed the list of branches", "write it before");
  }
  return check_size(state, ref, specialize.condition, "condition");
}

void apply(const Specialize& specialize, const StageRef& ref, State& state) {
  DefinitionSchedule& schedule = definition_schedule(state, ref);
  if (find_specialization(schedule, specialize.condition)) return;
  DefinitionSchedule copy = schedule;
  copy.specializations.clear();
  schedule.specializations.push_back({specialize.condition, std::move(copy)});
}

std::optional<std::size_t> find_specialization(const DefinitionSchedule& schedule,
                                               const Expr& condition) {
  for (std::size_t i = 0; i < schedule.specializations.size(); ++i) {
    if (ir::equal(schedule.specializations[i].condition, condition)) return i;
  }
  return std::nullopt;
}

}  // namespace sinter::schedule
