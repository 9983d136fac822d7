#pragma once
// Keeps the storage of a stage alive for the whole pipeline, while compute_at says where it is
// computed. Regions already computed are not computed again where that can be avoided.
//
//   before  f.compute_at(g, y)      after  f.store_root().compute_at(g, y)
//     for y:                          allocate f
//       allocate f                    for y:
//       for x: f(x, y)                  for x: f(x, y)
//       for x: g(x, y)                  for x: g(x, y)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct StoreRoot {};

/// Refused at resolve() when the stage is inline, or a parallel or vectorised loop separates
/// storage from computation.
std::optional<Diagnostic> check(const StoreRoot&, const StageRef&, const State&);
void apply(const StoreRoot&, const StageRef&, State&);

}  // namespace sinter::schedule
