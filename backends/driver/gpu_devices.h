#pragma once
// The GPUs of this process by target: real ones and emulated ones.

#include <memory>

#include <sinter/target.h>

#include "backends/host/gpu_device.h"

namespace sinter::backends {

/// Throws DeviceError when there is none for the target.
std::shared_ptr<GpuDevice> gpu_device_for(const Target&);

}  // namespace sinter::backends
