#include "backends/host/host_backend.h"

#include "backends/host/host_device.h"

#include <sinter/diagnostic.h>

#include "backends/kernel_parameters.h"
#include "backends/llvm/host_compiler.h"

namespace sinter::backends {

CompiledModule HostBackend::compile(const ir::Module& module, const Target& target,
                                    const CompileOptions& options) const {
  ensure(target.is_host(), "the host backend compiles for the host");
  if (const auto kernels = kernels_of(module.body); !kernels.empty()) {
    throw CompileError(Diagnostic{
        kernels[0]->symbol.name(),
        "gpu_blocks",
        "the host has no blocks and threads",
        "use a target such as nvptx-sm_90a or emulated-nvptx-sm_90a, or a schedule for the host",
        {},
        0});
  }
  HostObject object = compile_host(module, target.architecture(), options.listings);
  CompiledModule result;
  result.name = module.name;
  result.target = target;
  result.arguments = module.arguments;
  result.kernels = {{module.name, {{object.architecture, std::move(object.bytes)}}}};
  if (options.listings) {
    result.listings["llvm"] = std::move(object.llvm_text);
    result.listings["asm"] = std::move(object.assembly);
  }
  result.lower_ms = object.emit_ms;
  result.optimize_ms = object.optimize_ms;
  result.codegen_ms = object.codegen_ms;
  return result;
}

std::shared_ptr<Device> HostBackend::default_device(const Target&) const {
  return std::make_shared<HostDevice>();
}

}  // namespace sinter::backends
