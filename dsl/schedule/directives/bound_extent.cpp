#include "dsl/schedule/directives/bound_extent.h"

#include "dsl/schedule/directives/bound_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const BoundExtent& bound, const StageRef& ref, const State& state) {
  if (auto problem = check_dimension(state, ref, bound.variable)) return problem;
  return check_size(state, ref, bound.extent, "extent");
}

void apply(const BoundExtent& bound, const StageRef& ref, State& state) {
  dimension_bound(state, ref, bound.variable).extent = bound.extent;
}

}  // namespace sinter::schedule
