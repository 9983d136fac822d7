#pragma once
// StatementEmitter: what host functions and kernels share: blocks, lets, branches, serial loops,
// stores.

#include <functional>

#include "backends/llvm/emit_expression.h"

namespace sinter::backends {

class StatementEmitter {
 public:
  explicit StatementEmitter(llvm::LLVMContext& context)
      : context_(context), b_(context), expressions_(b_) {}
  virtual ~StatementEmitter() = default;

 protected:
  void emit(const ir::Ref& statement);
  /// What is not shared.
  virtual void emit_other(const ir::Node&) = 0;
  /// The statement belongs to what the symbol stands for: a stage, or a loop of its definition.
  virtual void enter(const Symbol&) {}
  /// What a let binds its symbol to: the value, or where it has been put.
  virtual llvm::Value* keep(const Symbol&, llvm::Value* value) { return value; }

  void emit_let(const ir::Node&);
  void emit_if(const ir::Node&);
  void emit_for(const ir::Node&);
  /// A guard when the loop may be empty, then the test at the bottom.
  void emit_serial(const Symbol& variable, llvm::Value* min, llvm::Value* end, bool runs,
                   const std::function<void()>& body);
  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(context_, name, function_);
  }
  llvm::Value* index(std::int64_t v) {
    return llvm::ConstantInt::get(b_.getInt64Ty(), static_cast<std::uint64_t>(v));
  }

  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  ExpressionEmitter expressions_;
  llvm::Function* function_ = nullptr;  // being emitted
  int loops_ = 0;                       // serial loops around the current statement
};

}  // namespace sinter::backends
