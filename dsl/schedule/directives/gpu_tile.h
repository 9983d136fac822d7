#pragma once
// Tiles loops, runs the tiles as blocks of a GPU's grid and the elements of a tile as threads.
//
//   before                  after  f.gpu_tile(x, y, xo, yo, xi, yi, 32, 8)
//     for y:                  gpu_block yo:
//       for x:                  gpu_block xo:
//         f(x, y)                 gpu_thread yi in [0, 8):
//                                   gpu_thread xi in [0, 32):
//                                     f(xo * 32 + xi, yo * 8 + yi)

#include "dsl/schedule/directives/tile.h"

namespace sinter::schedule {

struct GpuTile {
  Tile tile;
};

/// Refused when the tile is, or more than three loops are given.
std::optional<Diagnostic> check(const GpuTile&, const StageRef&, const State&);
void apply(const GpuTile&, const StageRef&, State&);

}  // namespace sinter::schedule
