#pragma once
// Small kernels written in the tests: the frame of a module, launches, and typed buffers.

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "backends/emulator/launch.h"

namespace sinter::emulator::tests {

/// A module with one kernel `k` whose parameters are pointers p0, p1, ... loaded to %rd100...
inline std::string kernel_text(unsigned pointers, const std::string& body,
                               const std::string& globals = "") {
  std::string text =
      ".version 8.0\n.target sm_90a\n.address_size 64\n" + globals + "\n.visible .entry k(";
  for (unsigned i = 0; i < pointers; ++i) {
    text += (i ? ", " : "") + std::string(".param .u64 k_p") + std::to_string(i);
  }
  text +=
      ")\n{\n.reg .pred %p<20>;\n.reg .b16 %h<40>;\n.reg .b32 %r<60>;\n.reg .f32 %f<40>;\n"
      ".reg .b64 %rd<120>;\n.reg .f64 %fd<20>;\n";
  for (unsigned i = 0; i < pointers; ++i) {
    const std::string n = std::to_string(100 + i);
    text += "ld.param.u64 %rd" + n + ", [k_p" + std::to_string(i) + "];\ncvta.to.global.u64 %rd" +
            n + ", %rd" + n + ";\n";
  }
  return text + body + "\nret;\n}\n";
}

/// A device with buffers, one launch at a time.
class Device {
 public:
  template <class T>
  std::uint64_t upload(const std::vector<T>& values, const std::string& name) {
    const std::uint64_t address = memory.allocate(values.size() * sizeof(T), name);
    memory.write(address, std::as_bytes(std::span(values)));
    return address;
  }
  template <class T>
  std::vector<T> download(std::uint64_t address, std::size_t count) {
    std::vector<T> values(count);
    const std::vector<Fault> faults =
        memory.read(address, std::as_writable_bytes(std::span(values)));
    read_faults.insert(read_faults.end(), faults.begin(), faults.end());
    return values;
  }
  Report launch(const std::string& text, Dim3 grid, Dim3 block,
                const std::vector<std::uint64_t>& pointers, std::uint64_t seed = 1) {
    Launch launch;
    launch.kernel = "k";
    launch.grid = grid;
    launch.block = block;
    launch.seed = seed;
    launch.instruction_limit = 10'000'000;
    launch.fault_limit = 1000;
    for (const std::uint64_t p : pointers) append_parameter(launch.parameters, p);
    return run(PtxModule::parse(text), launch, memory);
  }

  Memory memory;
  std::vector<Fault> read_faults;
};

inline bool has(const std::vector<Fault>& faults, FaultKind kind) {
  return std::any_of(faults.begin(), faults.end(), [&](const Fault& f) { return f.kind == kind; });
}

}  // namespace sinter::emulator::tests
