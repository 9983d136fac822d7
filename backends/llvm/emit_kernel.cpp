#include "backends/llvm/emit_kernel.h"

#include <numeric>

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "backends/llvm/emit_statement.h"
#include "backends/llvm/source_lines.h"

namespace sinter::backends {

using ir::Op;
using llvm::Value;

namespace {

constexpr std::int64_t SharedAlignment = 16;

class KernelEmitter : public StatementEmitter {
 public:
  /// `multiples`: of symbols that the kernel gets from the host. `alignment`: of its buffers.
  /// `lines`: null where nobody asked.
  KernelEmitter(const GpuHooks& hooks, llvm::Module& module, const algebra::Multiples& multiples,
                std::int64_t alignment, SourceLines* lines)
      : StatementEmitter(module.getContext()),
        hooks_(hooks),
        module_(module),
        alignment_(alignment),
        lines_(lines) {
    expressions_.hooks = &hooks;
    expressions_.multiples = multiples;
    expressions_.values.hooks = &hooks;
    expressions_.require = [](Value*, const std::string&) {
      throw InternalError("a requirement reached a kernel");
    };
  }

  EmittedKernel run(const ir::Node& kernel, const std::string& name,
                    std::optional<ir::Source> source) {
    EmittedKernel result;
    result.name = name;
    result.source = std::move(source);
    result.parameters = kernel_parameters(kernel);
    ensure(ir::as_constant(ir::as_expr(kernel.args[3]), &result.threads),
           "a block has a constant number of threads");
    std::vector<llvm::Type*> types;
    auto* global = llvm::PointerType::get(context_, hooks_.global_space());
    for (const KernelParameter& p : result.parameters)
      types.push_back(p.is_buffer ? static_cast<llvm::Type*>(global) : b_.getInt64Ty());
    function_ = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), types, false),
                                       llvm::Function::ExternalLinkage, name, module_);
    function_->setDoesNotThrow();
    hooks_.mark_kernel(*function_, result.threads, ir::limits_of(kernel));
    if (lines_) lines_->begin(*function_, result.source);
    b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
    ValueEmitter& values = expressions_.values;
    for (unsigned i = 0; i < types.size(); ++i) {
      const KernelParameter& p = result.parameters[i];
      llvm::Argument* argument = function_->getArg(i);
      if (p.is_buffer) {
        // No two buffers of a call share an element when one of them is written: the entry checks
        // it.
        argument->addAttr(llvm::Attribute::NoAlias);
        if (!p.is_written) argument->addAttr(llvm::Attribute::ReadOnly);
        expressions_.buffers[p.symbol] = {argument, p.type, nullptr, alignment_};
      } else if (p.type.is_bool()) {
        expressions_.symbols[p.symbol] = b_.CreateICmpNE(argument, index(0));
      } else {
        Value* bits = b_.CreateTrunc(argument, b_.getIntNTy(p.type.is_index() ? 64 : p.type.bits));
        expressions_.symbols[p.symbol] = b_.CreateBitCast(bits, values.type(p.type));
      }
    }
    emit(kernel.args[4]);
    b_.CreateRetVoid();
    result.shared_bytes = static_cast<std::uint64_t>(shared_bytes_);
    result.shared_stages = std::move(shared_stages_);
    return result;
  }

 private:
  void enter(const Symbol& symbol) override {
    if (!lines_) return;
    if (const llvm::DebugLoc at = lines_->at(symbol)) b_.SetCurrentDebugLocation(at);
  }

  void emit_other(const ir::Node& n) override {
    if (n.op == Op::Produce) return emit(n.args[0]);
    if (n.op == Op::Barrier) return hooks_.barrier(b_);
    if (n.op == Op::Allocate) return emit_allocate(n);
    throw InternalError(std::string("a statement that kernels do not take: ") +
                        ir::info(n.op).name);
  }

  void emit_allocate(const ir::Node& n) {
    const Type element = n.types.at(0);
    std::int64_t count = 0;
    ensure(ir::as_constant(ir::as_expr(n.args[0]), &count),
           "memory in a kernel has a constant size");
    count = std::max<std::int64_t>(count, 1);
    Value* pointer = nullptr;
    if (static_cast<ir::MemoryKind>(n.integer) == ir::MemoryKind::GPUShared) {
      pointer = b_.CreateGEP(b_.getInt8Ty(), shared(), index(shared_bytes_));
      const std::int64_t bytes =
          (count * element.bytes() + SharedAlignment - 1) / SharedAlignment * SharedAlignment;
      shared_stages_.push_back({n.symbol.name(), static_cast<std::uint64_t>(shared_bytes_),
                                static_cast<std::uint64_t>(bytes)});
      shared_bytes_ += bytes;
    } else {
      llvm::BasicBlock& first = function_->getEntryBlock();
      llvm::IRBuilder<> at_entry(&first, first.getFirstInsertionPt());
      auto* array = llvm::ArrayType::get(expressions_.values.memory_type(element.element()),
                                         static_cast<std::uint64_t>(count));
      llvm::AllocaInst* slot = at_entry.CreateAlloca(array);
      slot->setAlignment(llvm::Align(16));
      pointer = slot;
    }
    expressions_.buffers[n.symbol] = {pointer, element, nullptr, SharedAlignment};
    emit(n.args[1]);
    expressions_.buffers.erase(n.symbol);
  }

  /// The block's memory, as large as the launch asks for.
  llvm::GlobalVariable* shared() {
    if (llvm::GlobalVariable* known = module_.getNamedGlobal("sinter_shared")) return known;
    auto* type = llvm::ArrayType::get(b_.getInt8Ty(), 0);
    auto* made = new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::ExternalLinkage,
                                          nullptr, "sinter_shared", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, hooks_.shared_space());
    made->setAlignment(llvm::Align(static_cast<std::uint64_t>(SharedAlignment)));
    return made;
  }

  const GpuHooks& hooks_;
  llvm::Module& module_;
  std::int64_t alignment_;
  SourceLines* lines_;
  std::int64_t shared_bytes_ = 0;
  std::vector<SharedStage> shared_stages_;
};

/// What the host knows of its lets around the kernels.
void collect_multiples(const ir::Ref& n, algebra::Multiples& known) {
  if (n->op == Op::Kernel) return;
  if (n->op == Op::Let && n->args[0]->type.is_index()) {
    const std::int64_t multiple = algebra::multiple_of(n->args[0], known);
    const auto [at, is_new] = known.emplace(n->symbol, multiple);
    if (!is_new)
      at->second =
          std::gcd(at->second, multiple);  // partitioned loops hold several copies of a let
  }
  for (const ir::Ref& a : n->args) {
    if (ir::is_statement(a->op)) collect_multiples(a, known);
  }
}

/// Of the kernel's outermost loop that belongs to a definition.
std::optional<ir::Source> source_of(const ir::Node& kernel, const ir::Sources& sources) {
  std::optional<ir::Source> found;
  ir::for_each_node(kernel.args.back(), [&](const ir::Ref& n) {
    if (!found && (n->op == Op::Let || n->op == Op::For || n->op == Op::Produce)) {
      if (const auto known = sources.find(n->symbol); known != sources.end()) found = known->second;
    }
    return !found && ir::is_statement(n->op);
  });
  return found;
}

}  // namespace

std::vector<EmittedKernel> emit_kernels(const ir::Module& source, const GpuHooks& hooks, bool lines,
                                        llvm::Module& into) {
  std::vector<EmittedKernel> result;
  std::optional<SourceLines> source_lines;
  if (lines) source_lines.emplace(into, source.sources);
  algebra::Multiples known = source.multiples;
  if (source.body.defined()) collect_multiples(source.body.node(), known);
  for (const ir::Ref& kernel : kernels_of(source.body)) {
    const std::string name = "k" + std::to_string(result.size()) + "_" + kernel->symbol.name();
    result.push_back(
        KernelEmitter(hooks, into, known, source.alignment, lines ? &*source_lines : nullptr)
            .run(*kernel, name, source_of(*kernel, source.sources)));
  }
  if (lines) source_lines->finish();
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyModule(into, &stream)) throw InternalError("malformed LLVM IR: " + problems);
  return result;
}

}  // namespace sinter::backends
