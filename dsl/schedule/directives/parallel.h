#pragma once
// Runs the iterations of a loop on several threads, in no particular order. With a factor, each
// task runs that many iterations.
//
//   before                  after  f.parallel(y)        after  f.parallel(y, 4)
//     for y:                  parallel y:                 parallel y:
//       f(y)                    f(y)                        for yi in [0, 4):
//                                                             f(y * 4 + yi)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct Parallel {
  Symbol loop;
  std::optional<IntegerArg> factor;
  Tail tail = Tail::Auto;
};

/// Refused when `loop` is no loop or the implied split is refused. That no two
/// iterations touch the same element is proved at resolve().
std::optional<Diagnostic> check(const Parallel&, const StageRef&, const State&);
void apply(const Parallel&, const StageRef&, State&);

}  // namespace sinter::schedule
