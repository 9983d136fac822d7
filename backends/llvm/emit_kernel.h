#pragma once
// Kernels of a module as LLVM functions for a GPU. What machines differ in is asked of GpuHooks.

#include <optional>
#include <string>

#include <llvm/IR/Module.h>

#include "backends/backend.h"
#include "backends/kernel_parameters.h"
#include "backends/llvm/gpu_hooks.h"
#include "dsl/ir/module.h"

namespace sinter::backends {

struct EmittedKernel {
  std::string name;
  std::optional<ir::Source> source;  // the definition that its loops over blocks belong to
  std::uint64_t shared_bytes = 0;    // of the block, asked for at the launch
  std::vector<KernelParameter> parameters;
  std::int64_t threads = 0;
  std::vector<SharedStage> shared_stages;
};

/// The kernels go into `into`, in the order of kernels_of; with `lines` of the user's program.
std::vector<EmittedKernel> emit_kernels(const ir::Module&, const GpuHooks&, bool lines,
                                        llvm::Module& into);

}  // namespace sinter::backends
