#pragma once
// Puts the named loops into the given order, innermost first. They take the places that they had
// among all loops; loops that are not named stay where they are.
//
//   before                  after  f.reorder(y, x)
//     for y:                  for x:
//       for x:                  for y:
//         f(x, y)                 f(x, y)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct Reorder {
  std::vector<Symbol> loops;  // innermost first
};

/// Refused when a name is no loop or given twice. That steps of a reduction keep their order is
/// proved at resolve(), for the order reached in the end.
std::optional<Diagnostic> check(const Reorder&, const StageRef&, const State&);
void apply(const Reorder&, const StageRef&, State&);

}  // namespace sinter::schedule
