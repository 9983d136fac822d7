#include "dsl/schedule/directives/rename.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const Rename& rename, const StageRef& ref, const State& state) {
  if (auto problem = check_is_loop(state, ref, rename.old)) return problem;
  const DefinitionSchedule& schedule = definition_schedule(state, ref);
  if (has_loop(schedule, rename.name)) {
    return refusal("the new name '" + rename.name.name() + "' is already a loop of this definition",
                   "choose a name other than " + loops_text(schedule));
  }
  return std::nullopt;
}

void apply(const Rename& rename, const StageRef& ref, State& state) {
  DefinitionSchedule& schedule = definition_schedule(state, ref);
  Loop& loop = schedule.loops[find_loop(schedule, rename.old)];
  loop.name = rename.name;
  loop.where = state.where;
}

}  // namespace sinter::schedule
