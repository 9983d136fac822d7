#pragma once
// Runs all iterations of a loop of constant extent at once, one in each lane of a vector. With a
// factor, the loop is split and its inner part vectorised.
//
//   before                  after  f.vectorize(x, 8)
//     for x:                  for x:
//       f(x)                    vectorized xi in [0, 8):
//                                 f(x * 8 + xi)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct Vectorize {
  Symbol loop;
  std::optional<IntegerArg> factor;
  Tail tail = Tail::Auto;
};

/// Refused when `loop` is no loop or the implied split is refused. That the
/// extent is constant and no two lanes touch the same element is proved at resolve().
std::optional<Diagnostic> check(const Vectorize&, const StageRef&, const State&);
void apply(const Vectorize&, const StageRef&, State&);

}  // namespace sinter::schedule
