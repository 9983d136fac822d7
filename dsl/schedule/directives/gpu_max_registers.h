#pragma once
// Each thread of the kernel that the definition's loops over blocks are gets at most so many
// registers. Fewer let more blocks run at a time; what does not fit goes to memory.
//
//   before                  after  f.gpu_max_registers(64)
//     gpu_block y:            gpu_block y, at most 64 registers:
//       f(x, y)                 f(x, y)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct GpuMaxRegisters {
  IntegerArg registers;
};

/// Refused for numbers that no thread can be held to; at resolve() without loops over blocks, and
/// together with gpu_min_blocks.
std::optional<Diagnostic> check(const GpuMaxRegisters&, const StageRef&, const State&);
void apply(const GpuMaxRegisters&, const StageRef&, State&);

}  // namespace sinter::schedule
