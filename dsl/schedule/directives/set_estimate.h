#pragma once
// Tells tools (the tuner, reports) what extent to expect; nothing that runs depends on it.
//
//   before                  after  f.set_estimate(x, 0, 1920)
//     for x:                  for x:            // about 1920 iterations
//       f(x)                    f(x)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct SetEstimate {
  Symbol variable;
  std::int64_t min = 0, extent = 0;
};

/// Refused when `variable` is no pure variable of the stage or the extent is negative.
std::optional<Diagnostic> check(const SetEstimate&, const StageRef&, const State&);
void apply(const SetEstimate&, const StageRef&, State&);

}  // namespace sinter::schedule
