#pragma once
// ScheduledPipeline -> nested loop IR: places every stage at its loop, bounds its loops by what its
// consumers read, and puts storage around. The region each stage must produce is computed bottom-up
// with the nest itself (bounds/regions.h), so the work is linear in the number of root stages.
//
//   before   blur_x.compute_at(blur_y, y)      after   let blur_x.min.0 = ...
//                                                      for y { realize blur_x { produce blur_x
//                                                      {...}
//                                                              for x { provide blur_y[x, y] = ... }
//                                                              } }

#include "dsl/ir/module.h"
#include "dsl/lowering/bounds/regions.h"
#include "dsl/schedule/stage_schedule.h"

namespace sinter::lowering {

ir::Module build_loop_nest(const schedule::ScheduledPipeline&);

/// What a call reads of an input, as expressions over scalars and the outputs' mins and extents
/// (the DimensionSymbols of `module.arguments`).
struct InputRegion {
  Symbol input;
  Box box;
};
struct InputRegions {
  ir::Module module;
  std::vector<InputRegion> regions;
};
InputRegions required_inputs(const schedule::ScheduledPipeline&);

}  // namespace sinter::lowering
