#pragma once
// Replicates the body of a loop of constant extent. With a factor, the loop is split and its inner
// part unrolled.
//
//   before                  after  f.unroll(x, 2)
//     for x:                  for x:
//       f(x)                    f(x * 2)
//                               f(x * 2 + 1)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct Unroll {
  Symbol loop;
  std::optional<IntegerArg> factor;
  Tail tail = Tail::Auto;
};

/// Refused when `loop` is no loop or the implied split is refused. That the
/// extent is constant is proved at resolve().
std::optional<Diagnostic> check(const Unroll&, const StageRef&, const State&);
void apply(const Unroll&, const StageRef&, State&);

}  // namespace sinter::schedule
