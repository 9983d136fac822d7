#pragma once
// What the stage loads is not used again soon: a GPU's caches let go of it first. Of one producer,
// or of everything that the stage reads from memory.
//
//   before                  after  f.stream_loads(g)
//     f(x) = load g(x)        f(x) = load streaming g(x)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct StreamLoads {
  std::optional<Symbol> producer;  // stage or image
};

/// Refused on a single definition; at resolve() also when the stage is inline, when it does not
/// load the producer, or when the producer is in no memory that caches stand before.
std::optional<Diagnostic> check(const StreamLoads&, const StageRef&, const State&);
void apply(const StreamLoads&, const StageRef&, State&);

}  // namespace sinter::schedule
