#include "dsl/schedule/directives/set_estimate.h"

#include "dsl/schedule/directives/bound_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const SetEstimate& estimate, const StageRef& ref,
                                const State& state) {
  if (auto problem = check_dimension(state, ref, estimate.variable)) return problem;
  if (estimate.extent >= 0) return std::nullopt;
  return refusal("the estimated extent is negative", "write an extent of at least 0");
}

void apply(const SetEstimate& estimate, const StageRef& ref, State& state) {
  const std::size_t dimension = *dimension_of(state, ref, estimate.variable);
  std::erase_if(state.estimates, [&](const Estimate& e) {
    return e.symbol == ref.stage && e.dimension == dimension;
  });
  state.estimates.push_back({ref.stage, dimension, estimate.min, estimate.extent});
}

}  // namespace sinter::schedule
