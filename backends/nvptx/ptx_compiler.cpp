#include "backends/nvptx/ptx_compiler.h"

#include <chrono>
#include <mutex>

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <sinter/diagnostic.h>

#include "backends/llvm/emit_kernel.h"
#include "backends/llvm/optimize.h"
#include "backends/nvptx/ptx_hooks.h"
#include "backends/nvptx/share_windows.h"
#include "backends/nvptx/stream_accesses.h"

namespace sinter::backends {

namespace {

constexpr const char* Triple = "nvptx64-nvidia-cuda";

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

std::unique_ptr<llvm::TargetMachine> make_machine(const std::string& architecture, int sm) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(Triple, problem);
  if (!target)
    throw CompileError(Diagnostic{
        "", "", "LLVM has no code generator for PTX: " + problem, "use an LLVM with NVPTX", {}, 0});
  if (sm < 75 || sm > 90) {
    throw CompileError(Diagnostic{
        "", "", "no PTX for " + architecture, "name a processor from sm_75 to sm_90a", {}, 0});
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // contraction is the front end's decision
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      Triple, architecture, sm >= 90 ? "+ptx80" : "+ptx78", options, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

}  // namespace

PtxModule compile_ptx(const ir::Module& source, const std::string& architecture,
                      const PtxOptions& options) {
  auto start = std::chrono::steady_clock::now();
  const int sm = std::stoi(architecture.substr(3));
  const std::unique_ptr<llvm::TargetMachine> machine = make_machine(architecture, sm);
  PtxModule result;
  llvm::LLVMContext context;
  context.setDiscardValueNames(!options.listings);
  llvm::Module module(source.name, context);
  module.setTargetTriple(Triple);
  module.setDataLayout(machine->createDataLayout());
  for (EmittedKernel& k : emit_kernels(source, PtxHooks(sm), options.lines, module)) {
    result.kernels.push_back({std::move(k.name), std::move(k.source), k.shared_bytes, k.threads,
                              std::move(k.parameters), std::move(k.shared_stages)});
  }
  result.emit_ms = milliseconds_since(start);

  start = std::chrono::steady_clock::now();
  optimize(module, *machine);
  share_windows(module);
  stream_accesses(module);
  result.optimize_ms = milliseconds_since(start);
  if (options.listings) {
    llvm::raw_string_ostream stream(result.llvm_text);
    module.print(stream, nullptr);
  }

  start = std::chrono::steady_clock::now();
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile,
                                   true))
    throw InternalError("the target cannot write PTX");
  passes.run(module);
  result.text = std::string(buffer.data(), buffer.size());
  result.codegen_ms = milliseconds_since(start);
  return result;
}

}  // namespace sinter::backends
