#include "backends/nvptx/nvptx_backend.h"

#include "backends/kernel_parameters.h"
#include "backends/llvm/host_compiler.h"
#include "backends/nvptx/ptx_compiler.h"
#include "backends/nvptx/ptxas.h"

namespace sinter::backends {

namespace {

std::string resources_text(const std::vector<KernelCall>& calls) {
  std::string text;
  for (const KernelCall& c : calls) {
    const KernelResources& r = c.resources;
    text += c.name + ": " + std::to_string(c.threads) + " threads, " + std::to_string(r.registers) +
            " registers, " + std::to_string(static_cast<std::uint64_t>(r.shared) + c.shared_bytes) +
            " bytes of shared memory, " + std::to_string(r.stack) +
            " of stack, spilled: " + std::to_string(r.spill_stores) + " stored, " +
            std::to_string(r.spill_loads) + " loaded\n";
  }
  return text;
}

}  // namespace

CompiledModule NvptxBackend::compile(const ir::Module& module, const Target& target,
                                     const CompileOptions& options) const {
  HostObject host = compile_host(module, "", options.listings);
  PtxModule ptx = compile_ptx(module, target.architecture(), options.listings);
  CompiledModule result;
  result.name = module.name;
  result.target = target;
  result.arguments = module.arguments;
  const std::unordered_set<Symbol> of_host = buffers_of_host(module.body);
  for (const ir::Argument& a : module.arguments)
    result.used_by_host.push_back(of_host.count(a.symbol) != 0);
  result.host_object = std::move(host.bytes);
  for (const PtxKernel& k : ptx.kernels)
    result.kernel_calls.push_back({k.name, k.shared_bytes, k.threads, k.parameters.size(), {}});
  if (options.listings) {
    result.listings["llvm"] = std::move(ptx.llvm_text);
    result.listings["asm"] = ptx.text;
  }
  result.kernels = {{module.name, {{target.architecture(), ptx.text}}}};
  if (!target.is_emulated()) {
    if (std::optional<MachineCode> code = assemble(ptx.text, target.architecture())) {
      for (KernelCall& call : result.kernel_calls) call.resources = code->kernels[call.name];
      result.kernels[0].variants.push_back(
          {target.architecture() + " cubin", std::move(code->cubin)});
      if (options.listings) result.listings["resources"] = resources_text(result.kernel_calls);
    }
  }
  result.lower_ms = host.emit_ms + ptx.emit_ms;
  result.optimize_ms = host.optimize_ms + ptx.optimize_ms;
  result.codegen_ms = host.codegen_ms + ptx.codegen_ms;
  return result;
}

}  // namespace sinter::backends
