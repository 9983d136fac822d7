#include "dsl/schedule/directives/reorder.h"

#include <algorithm>

namespace sinter::schedule {

std::optional<Diagnostic> check(const Reorder& reorder, const StageRef& ref, const State& state) {
  for (std::size_t i = 0; i < reorder.loops.size(); ++i) {
    if (auto problem = check_is_loop(state, ref, reorder.loops[i])) return problem;
    for (std::size_t j = 0; j < i; ++j) {
      if (reorder.loops[i] == reorder.loops[j]) {
        return refusal("the loop '" + reorder.loops[i].name() + "' is named twice",
                       "name each loop once, innermost first");
      }
    }
  }
  return std::nullopt;
}

void apply(const Reorder& reorder, const StageRef& ref, State& state) {
  DefinitionSchedule& schedule = definition_schedule(state, ref);
  std::vector<std::size_t> places;
  std::vector<Loop> loops;
  for (const Symbol& name : reorder.loops) {
    places.push_back(find_loop(schedule, name));
    loops.push_back(schedule.loops[places.back()]);
  }
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < places.size(); ++i) schedule.loops[places[i]] = loops[i];
}

}  // namespace sinter::schedule
