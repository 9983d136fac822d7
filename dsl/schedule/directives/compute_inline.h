#pragma once
// Computes a stage inside the expressions of its consumers, stored nowhere: the default.
//
//   before  f.compute_root()        after  f.compute_inline()
//     for x:                          for x:
//       f(x)                            g(x, with the value of f computed in place)
//     for x:
//       g(x)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct ComputeInline {};

/// Refused on outputs, and at resolve() when loops of the inlined stage were scheduled.
std::optional<Diagnostic> check(const ComputeInline&, const StageRef&, const State&);
void apply(const ComputeInline&, const StageRef&, State&);

}  // namespace sinter::schedule
