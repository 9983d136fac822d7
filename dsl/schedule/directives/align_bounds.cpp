#include "dsl/schedule/directives/align_bounds.h"

#include "dsl/schedule/directives/bound_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const AlignBounds& align, const StageRef& ref, const State& state) {
  if (auto problem = check_dimension(state, ref, align.variable)) return problem;
  if (auto problem = check_factor(align.modulus)) return problem;
  if (!align.remainder.is_constant()) {
    return refusal("the remainder is not a constant", "write a constant remainder");
  }
  const std::int64_t remainder = align.remainder.constant();
  if (remainder >= 0 && remainder < align.modulus.constant()) return std::nullopt;
  return refusal("the remainder " + std::to_string(remainder) + " is not in [0, " +
                     std::to_string(align.modulus.constant()) + ")",
                 "reduce it modulo the modulus");
}

void apply(const AlignBounds& align, const StageRef& ref, State& state) {
  DimensionBound& entry = dimension_bound(state, ref, align.variable);
  entry.modulus = align.modulus.constant();
  entry.remainder = align.remainder.constant();
}

}  // namespace sinter::schedule
