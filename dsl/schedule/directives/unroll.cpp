#include "dsl/schedule/directives/unroll.h"

#include "dsl/schedule/directives/loop_kind.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const Unroll& unroll, const StageRef& ref, const State& state) {
  if (!unroll.factor) return check_is_loop(state, ref, unroll.loop);
  return check(implied_split(unroll.loop, *unroll.factor, unroll.tail), ref, state);
}

void apply(const Unroll& unroll, const StageRef& ref, State& state) {
  Symbol loop = unroll.loop;
  if (unroll.factor) {
    const Split split = implied_split(unroll.loop, *unroll.factor, unroll.tail);
    apply(split, ref, state);
    loop = split.inner;
  }
  set_kind(state, ref, loop, ir::LoopKind::Unrolled);
}

}  // namespace sinter::schedule
