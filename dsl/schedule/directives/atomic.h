#pragma once
// Lets parallel and vectorised iterations of an update touch the same element: each element is
// updated indivisibly. Only for updates whose result does not depend on the order.
//
//   before                          after  hist.update().atomic().parallel(r)
//     for r:                          parallel r:
//       hist(b(r)) += 1                 atomically hist(b(r)) += 1

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct Atomic {
  bool override_associativity_test = false;
};

/// Refused on pure definitions, and on updates that are not f(a) = f(a) op g of one integer or
/// bool: float sums depend on the order and have reduce_across.
std::optional<Diagnostic> check(const Atomic&, const StageRef&, const State&);
void apply(const Atomic&, const StageRef&, State&);

}  // namespace sinter::schedule
