#pragma once
// Computes a stage inside one loop of a consumer: the region that one iteration needs, each time.
// With a definition of the consumer, only inside that one.
//
//   before  f.compute_root()        after  f.compute_at(g, y)
//     for y, x: f(x, y)               for y:
//     for y, x: g(x, y)                 for x: f(x, y)
//                                       for x: g(x, y)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct ComputeAt {
  Symbol consumer;
  Symbol loop;
  int definition = -1;  // >= 0: only inside that definition of the consumer
};

/// Refused on outputs and at its own loops. At resolve(): when the consumer or its loop does not
/// exist, or a use of the stage lies outside that loop.
std::optional<Diagnostic> check(const ComputeAt&, const StageRef&, const State&);
void apply(const ComputeAt&, const StageRef&, State&);

}  // namespace sinter::schedule
