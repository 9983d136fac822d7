#pragma once
// Promises that at most `extent` elements of a dimension are needed, starting anywhere.
//
//   before                  after  f.bound_extent(c, 3)
//     for c in needed:        for c in [needed min, needed min + 3):
//       f(x, c)                 f(x, c)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct BoundExtent {
  Symbol variable;
  Expr extent;  // Index
};

/// Refused when `variable` is no pure variable of the stage, or the extent is not made of sizes.
std::optional<Diagnostic> check(const BoundExtent&, const StageRef&, const State&);
void apply(const BoundExtent&, const StageRef&, State&);

}  // namespace sinter::schedule
