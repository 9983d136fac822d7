#include "dsl/schedule/directives/bound.h"

#include "dsl/schedule/directives/bound_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const Bound& bound, const StageRef& ref, const State& state) {
  if (auto problem = check_dimension(state, ref, bound.variable)) return problem;
  if (auto problem = check_size(state, ref, bound.min, "min")) return problem;
  return check_size(state, ref, bound.extent, "extent");
}

void apply(const Bound& bound, const StageRef& ref, State& state) {
  DimensionBound& entry = dimension_bound(state, ref, bound.variable);
  entry.min = bound.min;
  entry.extent = bound.extent;
}

}  // namespace sinter::schedule
