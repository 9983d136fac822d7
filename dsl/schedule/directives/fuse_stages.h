#pragma once
// Pipeline::fuse: several root stages share one grid, or one parallel loop on the host; no block
// ever waits for another. Loops over blocks that are called alike are one grid: block b runs tile b
// of each stage in the order of the list, and the loops inside that are called alike too are joined
// where the stages do not read each other, so that stages computed at one of them serve all.
// Otherwise the grids stand one behind the other.
//
//   before                    after  pipeline.fuse({f, g})      (the grids differ)
//     gpu_block bf:             gpu_block b:
//       for y: f                  if b < blocks of f:
//     gpu_block bg:                 for y: f
//       for y: g                  else:
//                                   for y: g
//
//   before                    after  pipeline.fuse({f, g})      (the same grid, g reads no f)
//     gpu_block b:              gpu_block b:
//       for y: f                  for y:
//     gpu_block b:                  f
//       for y: g                    g

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct FuseStages {
  std::vector<Symbol> stages;
};

/// Refused when there are less than two definitions to join, or a stage is named twice. At
/// resolve(): for stages that are not computed at root, have branches of specialize, or stand in
/// another fuse; when a stage reads a later one, or another stage has to be computed between them;
/// when stages of different grids depend on each other; and when a tile that another stage uses is
/// no box of its stage, as with a grid over the inner loop of a split. At lowering: when a tile
/// reads what another tile of the grid writes.
std::optional<Diagnostic> check(const FuseStages&, const StageRef&, const State&);
void apply(const FuseStages&, const StageRef&, State&);

}  // namespace sinter::schedule
