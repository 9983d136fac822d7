#pragma once
// Makes a call fail with a message when no condition of the branches holds: the schedule outside of
// them is never run, and no code is made for it.
//
//   before                  after  f.specialize_fail("width must be at least 8")
//     if (width >= 8):        if (width >= 8):
//       ...                     ...
//     else:                   else: the call fails
//       for x: f(x)

#include <string>

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct SpecializeFail {
  std::string message;
};

/// Refused when there is no branch yet, and a second time. The call is checked before it computes.
std::optional<Diagnostic> check(const SpecializeFail&, const StageRef&, const State&);
void apply(const SpecializeFail&, const StageRef&, State&);

}  // namespace sinter::schedule
