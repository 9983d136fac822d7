#include "dsl/schedule/directives/fuse_stages.h"

#include <algorithm>

namespace sinter::schedule {

std::optional<Diagnostic> check(const FuseStages& fuse, const StageRef&, const State& state) {
  if (fuse.stages.size() < 2) {
    const StageDefinition* one =
        fuse.stages.empty() ? nullptr : state.algorithm.find(fuse.stages.front());
    if (one == nullptr || one->definitions.size() < 2) {
      return refusal("there is nothing to join",
                     "name two stages or more, or one that has updates");
    }
  }
  for (auto s = fuse.stages.begin(); s != fuse.stages.end(); ++s) {
    if (std::find(fuse.stages.begin(), s, *s) == s) continue;
    return refusal("'" + s->name() + "' is named twice", "name each stage once");
  }
  return std::nullopt;
}

void apply(const FuseStages& fuse, const StageRef&, State& state) {
  FusedStages group;
  group.stages = fuse.stages;
  group.where = state.where;
  state.fused.push_back(std::move(group));
}

}  // namespace sinter::schedule
