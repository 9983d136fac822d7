#pragma once
// A GPU of this machine, through NVIDIA's driver.

#include <memory>
#include <string>
#include <vector>

#include "backends/gpu_machine.h"
#include "backends/nvptx/cuda_driver.h"

namespace sinter::backends {

/// One for each device, for the life of the process. Throws DeviceError when there is no such
/// device or it cannot run code for `architecture` ("sm_90a").
std::shared_ptr<GpuMachine> cuda_machine(const std::string& architecture, int ordinal = 0);
/// The devices of this machine, in words; makes no context.
std::vector<std::string> cuda_devices(const CudaDriver&);
/// A machine of its own, through a driver that outlives it.
std::shared_ptr<GpuMachine> make_cuda_machine(const CudaDriver&, const std::string& architecture,
                                              int ordinal);

}  // namespace sinter::backends
