#pragma once
// The GPUs of this process by target: real ones and emulated ones.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sinter/target.h>

#include "backends/host/gpu_device.h"

namespace sinter::backends {

/// Throws DeviceError when there is none for the target.
std::shared_ptr<GpuDevice> gpu_device_for(const Target&);

/// What this machine has for GPUs, for people.
struct GpuFacts {
  std::string cuda_driver;  // "CUDA 12.4", or why there is none
  std::vector<std::string> devices;
  std::string ptxas;  // path and version, or what happens without
  std::string cache_folder;
  std::uint64_t cache_bytes = 0, cache_most_bytes = 0;
};
GpuFacts gpu_facts();

}  // namespace sinter::backends
