#include "dsl/schedule/directives/parallel.h"

#include "dsl/schedule/directives/loop_kind.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const Parallel& parallel, const StageRef& ref, const State& state) {
  if (!parallel.factor) return check_is_loop(state, ref, parallel.loop);
  return check(implied_split(parallel.loop, *parallel.factor, parallel.tail), ref, state);
}

void apply(const Parallel& parallel, const StageRef& ref, State& state) {
  Symbol loop = parallel.loop;
  if (parallel.factor) {
    const Split split = implied_split(parallel.loop, *parallel.factor, parallel.tail);
    apply(split, ref, state);
    loop = split.outer;
  }
  set_kind(state, ref, loop, ir::LoopKind::Parallel);
}

}  // namespace sinter::schedule
