#pragma once
// Splits several loops at once and puts all inner loops inside all outer ones.
//
//   before                  after  f.tile(x, y, xo, yo, xi, yi, 64, 8)
//     for y:                  for yo:
//       for x:                  for xo:
//         f(x, y)                 for yi in [0, 8):
//                                   for xi in [0, 64):
//                                     f(xo * 64 + xi, yo * 8 + yi)

#include "dsl/schedule/directives/reorder.h"
#include "dsl/schedule/directives/split.h"

namespace sinter::schedule {

/// All lists have one entry for each tiled loop, innermost first.
struct Tile {
  std::vector<Symbol> old, outer, inner;
  std::vector<IntegerArg> factors;
  Tail tail = Tail::Auto;
};

/// Refused when one of its splits or the reorder is, or the lists differ in length.
std::optional<Diagnostic> check(const Tile&, const StageRef&, const State&);
void apply(const Tile&, const StageRef&, State&);

}  // namespace sinter::schedule
