#include "backends/llvm/emit_statement.h"

#include <optional>

namespace sinter::backends {

using ir::Op;
using llvm::Value;

void StatementEmitter::emit(const ir::Ref& statement) {
  if (!statement) return;
  const ir::Node& n = *statement;
  if (!ir::is_statement(n.op)) throw InternalError("a value stands where a statement is needed");
  const llvm::DebugLoc outer = b_.getCurrentDebugLocation();
  if (n.op == Op::For || n.op == Op::Let || n.op == Op::Produce) enter(n.symbol);
  if (n.op == Op::Block) {
    for (const ir::Ref& part : n.args) emit(part);
  } else if (n.op == Op::For && static_cast<ir::LoopKind>(n.integer) == ir::LoopKind::Serial) {
    emit_for(n);
  } else if (n.op == Op::Let) {
    emit_let(n);
  } else if (n.op == Op::If) {
    emit_if(n);
  } else if (n.op == Op::Store) {
    expressions_.store(n);
    expressions_.forget();
  } else if (n.op == Op::AtomicStore) {
    expressions_.atomic_store(n);
    expressions_.forget();
  } else {
    emit_other(n);
  }
  b_.SetCurrentDebugLocation(outer);
}

void StatementEmitter::emit_let(const ir::Node& n) {
  Value* value = expressions_.emit(n.args[0]);
  expressions_.forget();
  auto& bound = expressions_.symbols;
  const auto outer = bound.find(n.symbol);
  const std::optional<Value*> hidden =
      outer == bound.end() ? std::nullopt : std::optional(outer->second);
  bound[n.symbol] = keep(n.symbol, value);
  if (expressions_.hooks && n.args[0]->type.is_index()) {
    expressions_.multiples[n.symbol] = algebra::multiple_of(n.args[0], expressions_.multiples);
  }
  emit(n.args[1]);
  if (hidden) bound[n.symbol] = *hidden;
  else bound.erase(n.symbol);
}

void StatementEmitter::emit_if(const ir::Node& n) {
  Value* condition = expressions_.emit(n.args[0]);
  expressions_.forget();
  llvm::BasicBlock* then_block = new_block("then");
  llvm::BasicBlock* after = new_block("endif");
  llvm::BasicBlock* else_block = n.args.size() > 2 ? new_block("else") : after;
  b_.CreateCondBr(condition, then_block, else_block);
  b_.SetInsertPoint(then_block);
  emit(n.args[1]);
  b_.CreateBr(after);
  if (n.args.size() > 2) {
    b_.SetInsertPoint(else_block);
    emit(n.args[2]);
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
}

void StatementEmitter::emit_for(const ir::Node& n) {
  Value* min = expressions_.emit(n.args[0]);
  Value* extent = expressions_.emit(n.args[1]);
  expressions_.forget();
  std::int64_t constant = 0;
  const bool known = ir::as_constant(ir::as_expr(n.args[1]), &constant);
  if (known && constant <= 0) return;
  if (known && constant == 1) {
    expressions_.symbols[n.symbol] = min;
    emit(n.args[2]);
    expressions_.symbols.erase(n.symbol);
    return;
  }
  Value* end = b_.CreateAdd(min, extent, "end", false, true);
  emit_serial(n.symbol, min, end, known, [&] { emit(n.args[2]); });
}

// A guard when the loop may be empty, then the test at the bottom.
void StatementEmitter::emit_serial(const Symbol& variable, Value* min, Value* end, bool runs,
                                   const std::function<void()>& body) {
  llvm::BasicBlock* preheader = new_block("preheader");
  llvm::BasicBlock* loop = new_block("loop");
  llvm::BasicBlock* after = new_block("endfor");
  if (runs) b_.CreateBr(preheader);
  else b_.CreateCondBr(b_.CreateICmpSLT(min, end), preheader, after);
  b_.SetInsertPoint(preheader);
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2, variable.name());
  i->addIncoming(min, preheader);
  expressions_.symbols[variable] = i;
  ++loops_;
  body();
  --loops_;
  expressions_.symbols.erase(variable);
  Value* next = b_.CreateAdd(i, index(1), "", false, true);
  i->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpSLT(next, end), loop, after);
  b_.SetInsertPoint(after);
}

}  // namespace sinter::backends
