#pragma once
// ir::Module -> relocatable object for the host: emission, our short pass pipeline, code
// generation. Free of LLVM's headers.

#include <string>

#include "dsl/ir/module.h"

namespace sinter::backends {

struct HostObject {
  std::string bytes;         // ELF
  std::string architecture;  // the processor it was made for
  std::string llvm_text;     // optimised LLVM IR and assembly, when asked for
  std::string assembly;
  double emit_ms = 0, optimize_ms = 0, codegen_ms = 0;
};

/// `architecture`: an LLVM processor name, or empty for the machine this process runs on.
/// Throws CompileError when LLVM knows no such processor. Thread-safe.
HostObject compile_host(const ir::Module&, const std::string& architecture, bool listings);

}  // namespace sinter::backends
