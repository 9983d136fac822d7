#pragma once
// Widens the computed region of a dimension so that its min is `remainder` modulo `modulus` and its
// extent a multiple of `modulus`.
//
//   before                  after  f.align_bounds(x, 8)
//     for x in [3, 21):       for x in [0, 24):
//       f(x)                    f(x)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct AlignBounds {
  Symbol variable;
  IntegerArg modulus;
  IntegerArg remainder = 0;
};

/// Refused when `variable` is no pure variable of the stage, or the numbers are not
/// 0 <= remainder < modulus.
std::optional<Diagnostic> check(const AlignBounds&, const StageRef&, const State&);
void apply(const AlignBounds&, const StageRef&, State&);

}  // namespace sinter::schedule
