#pragma once
// Puts a copy of a stage between it and its consumers: a stage of its own, to be placed and stored
// as one likes. Calls in the named consumers (all of them when none is named) go to the copy.
//
//   before                  after  f.in(g).compute_at(g, y)
//     for y:                  for y:
//       for x:                  for x: f.in(g)(x, y) = f(x, y)
//         g(x, y) = f(x, y)     for x: g(x, y) = f.in(g)(x, y)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct In {
  std::vector<Symbol> consumers;  // empty: all
  Symbol wrapper;                 // id of the new stage
};

/// Refused on updates, and when a named consumer does not exist or does not call the stage (any
/// more).
std::optional<Diagnostic> check(const In&, const StageRef&, const State&);
void apply(const In&, const StageRef&, State&);
/// A new id for the wrapper of a stage.
Symbol wrapper_symbol(const std::string& stage, const std::vector<Symbol>& consumers);
/// "f.in(g)", "f.in()", "f.in({g, h})".
std::string in_name(const In&, const StageRef&, const Algorithm&);

}  // namespace sinter::schedule
