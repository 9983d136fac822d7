#include "dsl/base/gpu_limits.h"

#include <algorithm>

namespace sinter {

namespace {

constexpr std::int64_t KiB = 1024;

struct Row {
  int sm;
  GpuLimits limits;
};
// CUDA C++ Programming Guide 12.9, "Technical Specifications per Compute Capability".
constexpr Row Rows[] = {
    {75, {16, 1024, 64 * KiB, 64 * KiB}},  {80, {32, 2048, 164 * KiB, 163 * KiB}},
    {86, {16, 1536, 100 * KiB, 99 * KiB}}, {87, {16, 1536, 164 * KiB, 163 * KiB}},
    {89, {24, 1536, 100 * KiB, 99 * KiB}}, {90, {32, 2048, 228 * KiB, 227 * KiB}},
};

// cuda_occupancy.h of CUDA 12: registers go to warps in units, and to a quarter of a multiprocessor
// each; shared memory goes to blocks in units, with what the system takes of it from sm_80 on (it
// is what `shared` has more than `shared_of_block`).
constexpr std::int64_t RegisterUnit = 256, Quarters = 4, SharedUnit = 128;

std::int64_t rounded(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}
std::int64_t registers_of_warp(int of_thread) {
  return rounded(std::int64_t{of_thread} * GpuLimits::WarpSize, RegisterUnit);
}
std::int64_t warps_of(std::int64_t threads) {
  return rounded(threads, GpuLimits::WarpSize) / GpuLimits::WarpSize;
}

}  // namespace

GpuLimits gpu_limits(const std::string& architecture) {
  const int sm = std::stoi(architecture.substr(architecture.find('_') + 1));
  GpuLimits found = Rows[0].limits;
  for (const Row& row : Rows) {
    if (row.sm <= sm) found = row.limits;
  }
  return found;
}

std::int64_t registers_of_block(std::int64_t threads, int registers_of_thread) {
  return warps_of(threads) * registers_of_warp(registers_of_thread);
}

Occupancy occupancy(const GpuLimits& limits, std::int64_t threads, int registers_of_thread,
                    std::int64_t shared_bytes) {
  const std::int64_t warps = std::max<std::int64_t>(warps_of(threads), 1);
  Occupancy result;
  std::int64_t blocks = limits.blocks;
  result.limited_by = "blocks";
  const auto limit = [&](std::int64_t to, const char* by) {
    if (to >= blocks) return;
    blocks = to;
    result.limited_by = by;
  };
  limit(limits.threads / GpuLimits::WarpSize / warps, "threads");
  if (registers_of_thread > 0) {
    const std::int64_t of_quarter =
        GpuLimits::Registers / Quarters / registers_of_warp(registers_of_thread);
    limit(of_quarter * Quarters / warps, "registers");
  }
  const std::int64_t shared =
      rounded(shared_bytes + limits.shared - limits.shared_of_block, SharedUnit);
  if (shared > 0) limit(limits.shared / shared, "shared memory");
  result.blocks = static_cast<int>(blocks);
  result.percent = static_cast<int>(100 * blocks * warps * GpuLimits::WarpSize / limits.threads);
  return result;
}

}  // namespace sinter
