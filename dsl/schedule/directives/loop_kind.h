#pragma once
// What serial, parallel, vectorize and unroll share: they change a loop's kind, and three of them
// may split it first.

#include "dsl/schedule/directives/split.h"

namespace sinter::schedule {

inline void set_kind(State& state, const StageRef& ref, const Symbol& name, ir::LoopKind kind) {
  DefinitionSchedule& schedule = definition_schedule(state, ref);
  Loop& loop = schedule.loops[find_loop(schedule, name)];
  loop.kind = kind;
  loop.where = state.where;
}

/// The split that a factor stands for: the outer loop keeps the name.
inline Split implied_split(const Symbol& loop, const IntegerArg& factor, Tail tail) {
  return {loop, loop, Symbol::fresh(loop.name() + "i"), factor, tail};
}

}  // namespace sinter::schedule
