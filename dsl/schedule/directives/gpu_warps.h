#pragma once
// Each iteration of the loop is a warp of the block. What lies inside runs on the warp's lanes by
// gpu_lanes, or on one of them.
//
//   before                  after  f.gpu_blocks(z).gpu_warps(y).gpu_lanes(x)
//     for z:                  gpu_block z:
//       for y:                  gpu_warp y:
//         for x:                  gpu_lane x:
//           f(x, y, z)              f(x, y, z)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct GpuWarps {
  Symbol loop;
};

/// Refused when it is no loop, or another loop of the definition is over warps already.
std::optional<Diagnostic> check(const GpuWarps&, const StageRef&, const State&);
void apply(const GpuWarps&, const StageRef&, State&);

}  // namespace sinter::schedule
