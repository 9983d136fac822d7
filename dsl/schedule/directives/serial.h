#pragma once
// Runs a loop one iteration after the other: what every loop does unless told otherwise.
//
//   before                  after  f.serial(x)
//     parallel x:             for x:
//       f(x)                    f(x)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct Serial {
  Symbol loop;
};

/// Refused when `loop` is no loop of the definition.
std::optional<Diagnostic> check(const Serial&, const StageRef&, const State&);
void apply(const Serial&, const StageRef&, State&);

}  // namespace sinter::schedule
