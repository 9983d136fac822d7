#pragma once
// What the stage stores is not used again soon: a GPU's caches let go of it first.
//
//   before                  after  f.stream_stores()
//     store f(x) = ...        store f(x) = ... streaming

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct StreamStores {};

/// Refused on a single definition; at resolve() also when the stage is inline or in no memory that
/// caches stand before.
std::optional<Diagnostic> check(const StreamStores&, const StageRef&, const State&);
void apply(const StreamStores&, const StageRef&, State&);

}  // namespace sinter::schedule
