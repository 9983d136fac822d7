#pragma once
// A GPU of this machine, through NVIDIA's driver.

#include <memory>
#include <string>

#include "backends/gpu_machine.h"

namespace sinter::backends {

/// Throws DeviceError when there is no such device or it cannot run code for `architecture` ("sm_90a").
std::shared_ptr<GpuMachine> cuda_machine(const std::string& architecture, int ordinal = 0);

}  // namespace sinter::backends
