#include "backends/nvptx/nvptx_backend.h"

#include <cstdlib>

#include <sinter/diagnostic.h>

#include "backends/kernel_parameters.h"
#include "backends/llvm/host_compiler.h"
#include "backends/nvptx/ptx_compiler.h"
#include "backends/nvptx/ptxas.h"
#include "dsl/base/gpu_limits.h"

namespace sinter::backends {

namespace {

/// An emulator names lines in what it reports; for profilers one asks, since assembled code is kept
/// by its text.
bool wants_lines(const Target& target) {
  static const char* const asked = std::getenv("SINTER_LINE_INFO");
  return target.is_emulated() || (asked && *asked && std::string(asked) != "0");
}

void check_registers(const KernelCall& call) {
  const std::int64_t registers = registers_of_block(call.threads, call.resources.registers);
  if (registers <= GpuLimits::Registers) return;
  Diagnostic d{call.source ? call.source->name() : call.name,
               "",
               "its " + std::to_string(call.threads) + " threads a block take " +
                   std::to_string(registers) + " registers, " +
                   std::to_string(call.resources.registers) + " each; a multiprocessor has " +
                   std::to_string(GpuLimits::Registers),
               "use fewer threads a block, smaller tiles of each thread, or gpu_max_registers",
               {},
               0};
  if (call.source) d.at(call.source->where);
  throw CompileError(d);
}

}  // namespace

CompiledModule NvptxBackend::compile(const ir::Module& module, const Target& target,
                                     const CompileOptions& options) const {
  HostObject host = compile_host(module, "", false);  // listings are those of the kernels
  PtxModule ptx = compile_ptx(module, target.architecture(),
                              {.listings = options.listings, .lines = wants_lines(target)});
  CompiledModule result;
  result.name = module.name;
  result.target = target;
  result.arguments = module.arguments;
  result.sources = module.sources;
  const std::unordered_set<Symbol> of_host = buffers_of_host(module.body);
  for (const ir::Argument& a : module.arguments)
    result.used_by_host.push_back(of_host.count(a.symbol) != 0);
  result.host_object = std::move(host.bytes);
  for (const PtxKernel& k : ptx.kernels)
    result.kernel_calls.push_back(
        {k.name, k.shared_bytes, k.threads, k.parameters.size(), {}, k.source, k.shared_stages});
  if (options.listings) {
    result.listings["llvm"] = std::move(ptx.llvm_text);
    result.listings["asm"] = ptx.text;
  }
  result.kernels = {{module.name, {{target.architecture(), ptx.text}}}};
  if (!target.is_emulated()) {
    if (std::optional<MachineCode> code = assemble(ptx.text, target.architecture())) {
      for (KernelCall& call : result.kernel_calls) {
        call.resources = code->kernels[call.name];
        check_registers(call);
      }
      result.kernels[0].variants.push_back(
          {target.architecture() + " cubin", std::move(code->cubin)});
    }
  }
  result.lower_ms = host.emit_ms + ptx.emit_ms;
  result.optimize_ms = host.optimize_ms + ptx.optimize_ms;
  result.codegen_ms = host.codegen_ms + ptx.codegen_ms;
  return result;
}

}  // namespace sinter::backends
