#include "dsl/schedule/directives/atomic.h"

#include "dsl/schedule/loop_facts.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const Atomic& atomic, const StageRef& ref, const State& state) {
  if (ref.definition == 0) {
    return refusal("a pure definition writes each element once", "drop atomic");
  }
  const auto update = as_self_update(stage_of(state, ref), definition_of(state, ref));
  if (!update) {
    return refusal(
        "the update is not of the form f(a) = f(a) op g, with op one of + * min max & | ^ "
        "and g free of f",
        "drop atomic and keep the reduction serial, or restate the update");
  }
  const StageDefinition& stage = stage_of(state, ref);
  if (stage.types.size() != 1) {
    return refusal("an update of a tuple cannot be one indivisible operation",
                   "drop atomic and keep the reduction serial, or use rfactor");
  }
  if (!update->exact) {
    return refusal("the order of float additions and multiplications decides the rounding",
                   atomic.override_associativity_test
                       ? "use reduce_across or rfactor, which fix the order in the algorithm; the "
                         "override cannot make it deterministic"
                       : "use reduce_across or rfactor, which fix the order in the algorithm");
  }
  if (stage.types[0].is_float()) {
    return refusal("indivisible updates are of integers and bools",
                   "use rfactor, which keeps minima and maxima exact");
  }
  return std::nullopt;
}

void apply(const Atomic&, const StageRef& ref, State& state) {
  definition_schedule(state, ref).atomic = true;
}

}  // namespace sinter::schedule
