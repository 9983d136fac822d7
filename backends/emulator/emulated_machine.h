#pragma once
// An emulated GPU behind the runtime's interface: what it runs is checked, and every fault is an
// error.

#include <cstdint>
#include <memory>
#include <string>

#include "backends/gpu_machine.h"

namespace sinter::emulator {

/// A machine that runs PTX. `seed` decides the order in which warps run.
std::shared_ptr<backends::GpuMachine> emulated_ptx_machine(const std::string& architecture,
                                                           std::uint64_t seed);

}  // namespace sinter::emulator
