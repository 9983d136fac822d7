#pragma once
// Computes a whole stage before any of its consumers.
//
//   before                  after  f.compute_root()
//     for x:                  for x:
//       g(x, with f in place)   f(x)
//                             for x:
//                               g(x)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct ComputeRoot {};

/// Refused on a single definition of a stage: placement is of the whole stage.
std::optional<Diagnostic> check(const ComputeRoot&, const StageRef&, const State&);
void apply(const ComputeRoot&, const StageRef&, State&);

}  // namespace sinter::schedule
