#pragma once
// Each iteration of the loop is a lane of a warp: neighbours along it are neighbours in the
// machine.
//
//   before                  after  f.gpu_blocks(y).gpu_lanes(x)     x has a constant extent, 32 at
//   most
//     for y:                  gpu_block y:
//       for x:                  gpu_lane x:
//         f(x, y)                 f(x, y)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct GpuLanes {
  Symbol loop;
};

/// Refused when it is no loop, or another loop of the definition is over lanes already. Extents are
/// checked at resolve().
std::optional<Diagnostic> check(const GpuLanes&, const StageRef&, const State&);
void apply(const GpuLanes&, const StageRef&, State&);

}  // namespace sinter::schedule
