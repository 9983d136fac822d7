#pragma once
// Allocates a stage inside one loop, further out than where it is computed.
//
//   before  f.compute_at(g, x)      after  f.store_at(g, y).compute_at(g, x)
//     for y:                          for y:
//       for x:                          allocate f
//         allocate f                    for x:
//         f(x, y)                         f(x, y)
//         g(x, y)                         g(x, y)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct StoreAt {
  Symbol consumer;
  Symbol loop;
  int definition = -1;  // >= 0: only inside that definition of the consumer
};

/// Refused on outputs and at its own loops. At resolve(): when the level does not enclose the level
/// of computation, or a parallel or vectorised loop lies between.
std::optional<Diagnostic> check(const StoreAt&, const StageRef&, const State&);
void apply(const StoreAt&, const StageRef&, State&);

}  // namespace sinter::schedule
