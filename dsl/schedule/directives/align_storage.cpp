#include "dsl/schedule/directives/align_storage.h"

#include <algorithm>

#include "dsl/schedule/directives/bound_checks.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const AlignStorage& align, const StageRef& ref,
                                const State& state) {
  if (auto problem = check_dimension(state, ref, align.variable)) return problem;
  if (auto problem = check_factor(align.alignment)) return problem;
  if (state.algorithm.is_output(ref.stage) && !state.partial) {
    return refusal("an output lives in the buffer of the caller",
                   "give a buffer with such strides, or compute into another stage first: in()");
  }
  if (align.offset.is_constant() && align.offset.constant() >= 0) return std::nullopt;
  return refusal("the offset is not a constant from 0 on", "write a constant offset");
}

void apply(const AlignStorage& align, const StageRef& ref, State& state) {
  const StorageAlignment made{*dimension_of(state, ref, align.variable), align.alignment.constant(),
                              align.offset.constant()};
  std::vector<StorageAlignment>& all = state.schedules.at(ref.stage).storage;
  std::erase_if(all, [&](const auto& known) { return known.dimension == made.dimension; });
  all.push_back(made);
}

}  // namespace sinter::schedule
