#include "dsl/schedule/directives/vectorize.h"

#include "dsl/schedule/directives/loop_kind.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const Vectorize& vectorize, const StageRef& ref,
                                const State& state) {
  if (!vectorize.factor) return check_is_loop(state, ref, vectorize.loop);
  return check(implied_split(vectorize.loop, *vectorize.factor, vectorize.tail), ref, state);
}

void apply(const Vectorize& vectorize, const StageRef& ref, State& state) {
  Symbol loop = vectorize.loop;
  if (vectorize.factor) {
    const Split split = implied_split(vectorize.loop, *vectorize.factor, vectorize.tail);
    apply(split, ref, state);
    loop = split.inner;
  }
  set_kind(state, ref, loop, ir::LoopKind::Vectorized);
}

}  // namespace sinter::schedule
