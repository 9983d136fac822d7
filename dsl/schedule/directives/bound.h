#pragma once
// Promises that exactly [min, min + extent) of a dimension is needed; the call fails if more is.
// Makes extents constant, so that the loop can be unrolled or vectorised.
//
//   before                  after  f.bound(c, 0, 3)
//     for c in f.min..:       for c in [0, 3):
//       f(x, c)                 f(x, c)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct Bound {
  Symbol variable;
  Expr min, extent;  // Index
};

/// Refused when `variable` is no pure variable of the stage, or a bound is not made of sizes.
std::optional<Diagnostic> check(const Bound&, const StageRef&, const State&);
void apply(const Bound&, const StageRef&, State&);

}  // namespace sinter::schedule
