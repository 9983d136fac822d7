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

/// Loops of gpu_blocks or gpu_threads: each is a loop, named once.
inline std::optional<Diagnostic> check_gpu_loops(const State& state, const StageRef& ref,
                                                 const std::vector<Symbol>& loops) {
  if (loops.empty() || loops.size() > 3) {
    return refusal("one to three loops can be given", "fuse some of them first");
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (auto problem = check_is_loop(state, ref, loops[i])) return problem;
    for (std::size_t j = 0; j < i; ++j) {
      if (loops[i] == loops[j])
        return refusal("the loop '" + loops[i].name() + "' is named twice", "name each loop once");
    }
  }
  return std::nullopt;
}

/// The split that a factor stands for: the outer loop keeps the name.
inline Split implied_split(const Symbol& loop, const IntegerArg& factor, Tail tail) {
  return {loop, loop, Symbol::fresh(loop.name() + "i"), factor, tail};
}

}  // namespace sinter::schedule
