#pragma once
// Gives a loop another name; nothing else changes.
//
//   before                  after  f.rename(x, column)
//     for x:                  for column:
//       f(x)                    f(column)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct Rename {
  Symbol old, name;
};

/// Refused when `old` is no loop or the new name is taken.
std::optional<Diagnostic> check(const Rename&, const StageRef&, const State&);
void apply(const Rename&, const StageRef&, State&);

}  // namespace sinter::schedule
