#pragma once
// What a multiprocessor of an NVIDIA GPU holds, and how many blocks of a kernel fit into it.

#include <cstdint>
#include <string>

namespace sinter {

struct GpuLimits {
  int blocks = 0, threads = 0;       // resident at a time
  std::int64_t shared = 0;           // bytes, of all blocks
  std::int64_t shared_of_block = 0;  // bytes that a block may ask for

  // The same in all of them.
  static constexpr int ThreadsOfBlock = 1024, WarpSize = 32;
  static constexpr int Registers = 65536, RegistersOfThread = 255;
  static constexpr std::int64_t SharedWithoutAsking = 48 * 1024;  // bytes of a block
};
/// "sm_75" to "sm_90a"; of one that it does not know, those of the next older one.
GpuLimits gpu_limits(const std::string& architecture);

/// Registers that a block takes: each warp gets whole units.
std::int64_t registers_of_block(std::int64_t threads, int registers_of_thread);

struct Occupancy {
  int blocks = 0;   // resident at a time on a multiprocessor; 0: a block does not fit
  int percent = 0;  // of the threads that could be
  const char* limited_by = "";
};
Occupancy occupancy(const GpuLimits&, std::int64_t threads, int registers_of_thread,
                    std::int64_t shared_bytes);

}  // namespace sinter
