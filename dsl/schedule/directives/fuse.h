#pragma once
// Joins two loops of one definition into one, which takes the place of the inner one. (To join
// stages into one kernel see Pipeline::fuse.) The two need not be neighbours.
//
//   before                  after  f.fuse(x, y, xy)
//     for y:                  for xy in [0, extent(y) * extent(x)):
//       for x:                  f(xy mod extent(x), xy / extent(x))
//         f(x, y)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct Fuse {
  Symbol inner, outer, fused;
};

/// Refused when one of the two is no loop or not serial, or the new name is taken. That steps of a
/// reduction keep their order is proved at resolve().
std::optional<Diagnostic> check(const Fuse&, const StageRef&, const State&);
void apply(const Fuse&, const StageRef&, State&);

}  // namespace sinter::schedule
