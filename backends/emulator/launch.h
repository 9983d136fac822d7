#pragma once
// Runs a kernel of a PTX module on emulated memory. No GPU, no CUDA, no LLVM.

#include <cstring>
#include <string>
#include <vector>

#include "backends/emulator/memory.h"
#include "backends/emulator/ptx_module.h"
#include "backends/emulator/report.h"
#include "dsl/base/gpu_limits.h"

namespace sinter::emulator {

/// A part of a launch's dynamic shared memory, named in reports.
struct SharedPart {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;
};

struct Launch {
  std::string kernel;
  Dim3 grid, block;
  std::uint64_t dynamic_shared = 0;
  std::uint64_t most_shared =  ///< bytes that the machine gives a block
      static_cast<std::uint64_t>(gpu_limits("sm_90").shared_of_block);
  std::vector<SharedPart> shared_parts;
  std::vector<std::byte>
      parameters;                ///< laid out as the kernel's .param space; see append_parameter
  std::uint64_t seed = 0;        ///< of the order in which warps run
  bool checks = true;            ///< races and undefined bits; bounds are checked always
  bool cooperative = false;      ///< all blocks resident at once, for kernels with grid barriers
  unsigned resident_blocks = 4;  ///< otherwise: so many at a time, started in random order
  std::uint64_t instruction_limit = 2'000'000'000;  ///< of warps, for the whole launch
  unsigned fault_limit = 20;  ///< different faults after which the launch stops
};

/// Adds a value at its natural alignment, as PTX lays parameters out.
template <class T>
void append_parameter(std::vector<std::byte>& parameters, const T& value) {
  parameters.resize((parameters.size() + alignof(T) - 1) / alignof(T) * alignof(T) + sizeof(T));
  std::memcpy(parameters.data() + parameters.size() - sizeof(T), &value, sizeof(T));
}

/// Throws std::invalid_argument for a launch that a driver would refuse: no such kernel, parameters
/// of another size, too many threads, too much shared memory.
Report run(const PtxModule&, const Launch&, Memory&);

}  // namespace sinter::emulator
