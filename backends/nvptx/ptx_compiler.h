#pragma once
// Kernels of a module to PTX text, through LLVM's NVPTX. Free of LLVM's headers.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/kernel_parameters.h"
#include "dsl/ir/module.h"

namespace sinter::backends {

struct PtxKernel {
  std::string name;
  std::optional<ir::Source> source;
  std::uint64_t shared_bytes = 0;
  std::int64_t threads = 0;
  std::vector<KernelParameter> parameters;
  std::vector<SharedStage> shared_stages;
};
struct PtxModule {
  std::string text;
  std::string llvm_text;  // when asked for
  std::vector<PtxKernel> kernels;
  double emit_ms = 0, optimize_ms = 0, codegen_ms = 0;
};

struct PtxOptions {
  bool listings = false;
  bool lines = false;  // .loc and .file, of the user's program
};
/// `architecture`: "sm_75" to "sm_90a". Throws CompileError when LLVM has no such processor.
/// Thread-safe.
PtxModule compile_ptx(const ir::Module&, const std::string& architecture, const PtxOptions& = {});

}  // namespace sinter::backends
