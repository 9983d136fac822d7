#pragma once
// NVIDIA's assembler as a child process: PTX to machine code, with what each kernel needs.

#include <map>
#include <optional>
#include <string>

#include "backends/backend.h"

namespace sinter::backends {

struct Ptxas {
  std::string path;
  std::string version;  // "12.4.131"
};
/// What SINTER_PTXAS names (empty: none), else the one in PATH. It was asked for its version.
const std::optional<Ptxas>& ptxas_of_process();

struct MachineCode {
  std::string cubin;
  std::map<std::string, KernelResources> kernels;
  std::string warnings;  // lines of the report
};
/// From the cache, or assembled and kept there. Nothing when there is no ptxas, or one too old for
/// this PTX: then the driver compiles at loading. Throws CompileError when it refuses the text.
std::optional<MachineCode> assemble(const std::string& ptx, const std::string& architecture);

/// Reads what ptxas -v writes.
std::map<std::string, KernelResources> parse_ptxas_report(const std::string&);

}  // namespace sinter::backends
