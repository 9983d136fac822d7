#include "backends/llvm/host_compiler.h"

#include <chrono>
#include <map>
#include <mutex>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <sinter/diagnostic.h>

#include "backends/kernel_parameters.h"
#include "backends/llvm/emit_host.h"
#include "backends/llvm/optimize.h"

namespace sinter::backends {

namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

[[noreturn]] void refuse(const std::string& reason, const std::string& remedy) {
  Diagnostic diagnostic;
  diagnostic.reason = reason;
  diagnostic.remedy = remedy;
  throw CompileError(diagnostic);
}

struct Processor {
  std::string name, features;
  std::vector<std::pair<std::string, std::string>> attributes;
};

Processor find_processor(const std::string& architecture) {
  Processor result;
  bool wide = architecture.find("v4") != std::string::npos;
  if (architecture.empty()) {
    result.name = llvm::sys::getHostCPUName().str();
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
      if (!result.features.empty()) result.features += ",";
      result.features += (feature.getValue() ? "+" : "-") + feature.getKey().str();
      if (feature.getKey() == "avx512f" && feature.getValue()) wide = true;
    }
  } else {
    result.name = architecture;
  }
  result.attributes = {{"target-cpu", result.name}, {"target-features", result.features}};
  if (wide) {
    result.attributes.emplace_back("prefer-vector-width", "512");
    result.attributes.emplace_back("min-legal-vector-width", "512");
  }
  return result;
}

// Making a TargetMachine costs more than compiling a small module, and one serves one compilation
// at a time: idle ones are kept, per processor.
class MachinePool {
 public:
  struct Lease {
    MachinePool& pool;
    const Processor& processor;
    std::unique_ptr<llvm::TargetMachine> machine;
    Lease(MachinePool& from, const Processor& p, std::unique_ptr<llvm::TargetMachine> m)
        : pool(from), processor(p), machine(std::move(m)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool.give_back(processor.name, std::move(machine)); }
  };

  Lease take(const std::string& architecture) {
    const std::lock_guard lock(mutex_);
    if (!ready_) {
      llvm::InitializeNativeTarget();
      llvm::InitializeNativeTargetAsmPrinter();
      ready_ = true;
    }
    auto found = processors_.find(architecture);
    if (found == processors_.end())
      found = processors_.emplace(architecture, find_processor(architecture)).first;
    const Processor& processor = found->second;
    auto& idle = idle_[processor.name];
    if (!idle.empty()) {
      auto machine = std::move(idle.back());
      idle.pop_back();
      return {*this, processor, std::move(machine)};
    }
    return {*this, processor, make(processor)};
  }

 private:
  static std::unique_ptr<llvm::TargetMachine> make(const Processor& processor) {
    const std::string triple = llvm::sys::getProcessTriple();
    std::string problem;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
    if (!target)
      refuse("LLVM has no code generator for " + triple + ": " + problem,
             "use an LLVM built with this machine's target");
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // contraction is the front end's decision
    std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
    if (!processor.name.empty() && !known->isCPUStringValid(processor.name))
      refuse("LLVM knows no processor '" + processor.name + "'",
             "name one that `llc -mcpu=help` lists, such as host-x86-64-v3, or use host");
    auto* machine = target->createTargetMachine(triple, processor.name, processor.features, options,
                                                llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                                llvm::CodeGenOptLevel::Aggressive, true);
    return std::unique_ptr<llvm::TargetMachine>(machine);
  }

  void give_back(const std::string& name, std::unique_ptr<llvm::TargetMachine> machine) {
    const std::lock_guard lock(mutex_);
    idle_[name].push_back(std::move(machine));
  }

  std::mutex mutex_;
  bool ready_ = false;
  std::map<std::string, Processor> processors_;
  std::map<std::string, std::vector<std::unique_ptr<llvm::TargetMachine>>> idle_;
};

MachinePool& machine_pool() {
  // Never destroyed: threads may still compile while the process ends.
  static MachinePool* pool = new MachinePool;
  return *pool;
}

/// Loop strength reduction takes some 40 % of code generation. It pays where loops were made for
/// speed, which shows in their vectors; long pipelines of scalar loops compile without it.
class WithoutStrengthReduction : public llvm::OptPassGate {
 public:
  bool shouldRunPass(const llvm::StringRef pass, llvm::StringRef) override {
    return pass != "Loop Strength Reduction";
  }
  bool isEnabled() const override { return true; }

  static bool suits(const llvm::Module& module) {
    constexpr int FewFunctions = 8;
    int functions = 0;
    for (const llvm::Function& function : module) {
      functions += function.isDeclaration() ? 0 : 1;
      for (const llvm::Instruction& i : llvm::instructions(function))
        if (i.getType()->isVectorTy()) return false;
    }
    return functions > FewFunctions;
  }
};

/// Code that only launches kernels runs in no time however it is made: as fast as it can be. Of a
/// machine both are set, since it was lent before.
void set_effort(llvm::TargetMachine& machine, const ir::Module& source) {
  const bool launches = !kernels_of(source.body).empty() && buffers_of_host(source.body).empty();
  machine.setOptLevel(launches ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Aggressive);
  machine.setFastISel(launches);
}

std::string generate(llvm::Module& module, llvm::TargetMachine& machine,
                     llvm::CodeGenFileType file_type) {
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, file_type, true))
    throw InternalError("the target cannot write this kind of file");
  passes.run(module);
  return std::string(buffer.data(), buffer.size());
}

}  // namespace

HostObject compile_host(const ir::Module& source, const std::string& architecture, bool listings) {
  auto start = std::chrono::steady_clock::now();
  MachinePool::Lease lease = machine_pool().take(architecture);
  llvm::TargetMachine& machine = *lease.machine;
  set_effort(machine, source);
  HostObject result;
  result.architecture = lease.processor.name;
  llvm::LLVMContext context;
  context.setDiscardValueNames(!listings);
  std::unique_ptr<llvm::Module> module = emit_host(source, context, lease.processor.attributes);
  module->setTargetTriple(machine.getTargetTriple().str());
  module->setDataLayout(machine.createDataLayout());
  result.emit_ms = milliseconds_since(start);

  start = std::chrono::steady_clock::now();
  optimize(*module, machine);
  WithoutStrengthReduction gate;
  if (WithoutStrengthReduction::suits(*module)) context.setOptPassGate(gate);
  result.optimize_ms = milliseconds_since(start);

  if (listings) {
    llvm::raw_string_ostream stream(result.llvm_text);
    module->print(stream, nullptr);
    result.assembly =
        generate(*llvm::CloneModule(*module), machine, llvm::CodeGenFileType::AssemblyFile);
  }
  start = std::chrono::steady_clock::now();
  result.bytes = generate(*module, machine, llvm::CodeGenFileType::ObjectFile);
  result.codegen_ms = milliseconds_since(start);
  return result;
}

}  // namespace sinter::backends
