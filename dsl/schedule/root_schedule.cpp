#include "dsl/schedule/root_schedule.h"

#include <algorithm>

namespace sinter::schedule {

namespace {

template <typename... Kinds>
bool is_one_of(const Directive& directive) {
  return (std::holds_alternative<Kinds>(directive) || ...);
}

bool is_rewrite(const Directive& d) { return is_one_of<Rfactor, ReduceAcross>(d); }
/// What may be written on a definition before its rewrite, and makes the loops that it names.
bool makes_loops(const Directive& d) { return is_one_of<Split, Fuse, Tile, Reorder, Rename>(d); }

}  // namespace

Schedule root_schedule(const Algorithm& algorithm, const Schedule& schedule) {
  Schedule result;
  std::vector<StageRef> rewritten;  // further down
  for (auto entry = schedule.entries.rbegin(); entry != schedule.entries.rend(); ++entry) {
    const bool before =
        std::find(rewritten.begin(), rewritten.end(), entry->stage) != rewritten.end();
    if (is_rewrite(entry->directive)) {
      if (!before) rewritten.push_back(entry->stage);
    } else if (!before || !makes_loops(entry->directive)) {
      continue;
    }
    result.entries.push_back(*entry);
  }
  std::reverse(result.entries.begin(), result.entries.end());
  State state = initial_state(algorithm);
  for (const Entry& entry : result.entries) replay(entry, state);
  for (const StageDefinition& stage : state.algorithm.stages)
    result.entries.push_back({{stage.id, 0}, ComputeRoot{}, stage.definitions[0].where, {}});
  return result;
}

}  // namespace sinter::schedule
