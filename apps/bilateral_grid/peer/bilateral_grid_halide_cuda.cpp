// The bilateral grid in Halide for a CUDA device, compiled while we build.

#include "apps/bilateral_grid/peer/bilateral_grid_algorithm.h"
#include "apps/peer/halide_ahead.h"

namespace {

using namespace Halide;

/// How the grid is made: by a kernel of its own with one cell a thread, or by the blocks that blur
/// it along the brightness, in their shared memory.
enum class Grid { Alone, WithBlur };

Pipeline scheduled(const ImageParam& input, Grid grid, int across, int down, int rows) {
  peer::BilateralGrid g(input);
  Var x = g.x, y = g.y, z = g.z, c = g.c, xo("xo"), yo("yo"), xi("xi"), yi("yi"), zo("zo"),
      zi("zi"), row("row");
  for (Func stage : {g.grid, g.blur_z, g.blur_x, g.blur_y}) stage.bound(c, 0, 2);
  g.blur_z.compute_root().reorder(c, z, x, y).gpu_tile(x, y, xo, yo, xi, yi, across, down);
  g.blur_z.unroll(c);
  if (grid == Grid::Alone) {
    g.grid.compute_root()
        .reorder(c, z, x, y)
        .gpu_tile(x, y, xo, yo, xi, yi, across, down)
        .unroll(c);
    g.grid.update()
        .reorder(c, g.r.x, g.r.y, x, y)
        .gpu_tile(x, y, xo, yo, xi, yi, across, down)
        .unroll(c);
  } else {
    g.grid.compute_at(g.blur_z, xo).reorder(c, z, x, y).gpu_threads(x, y).unroll(c);
    g.grid.update().reorder(c, g.r.x, g.r.y, x, y).gpu_threads(x, y).unroll(c);
  }
  for (Func stage : {g.blur_x, g.blur_y}) {
    stage.compute_root()
        .reorder(c, x, y, z)
        .gpu_tile(x, y, z, xo, yo, zo, xi, yi, zi, across, down, 1)
        .unroll(c);
  }
  if (rows > 1) g.out.split(y, y, row, rows).reorder(row, x, y).unroll(row);
  g.out.gpu_tile(x, y, xo, yo, xi, yi, 32, 8);
  return g.out;
}

}  // namespace

int main(int, char** arguments) {
  const ImageParam input(Float(32), 2, "input");
  std::vector<Pipeline> candidates;
  for (const Grid grid : {Grid::Alone, Grid::WithBlur}) {
    for (const auto& [across, down] : {std::pair(8, 8), std::pair(16, 4), std::pair(16, 8)}) {
      for (const int rows : {1, 2}) {
        candidates.push_back(scheduled(input, grid, across, down, rows));
      }
    }
  }
  peer::compile_ahead(arguments[1], {.element = "float"}, input, candidates);
}
