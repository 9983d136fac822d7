// Expressions without memory.
#include "backends/llvm/emit_expression.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

namespace sinter::backends {

using ir::Op;
using llvm::Value;

Value* ExpressionEmitter::emit(const ir::Ref& node) {
  if (auto it = memo_.find(node.get()); it != memo_.end()) return it->second;
  Value* value = emit_new(*node);
  memo_.emplace(node.get(), value);
  return value;
}

Value* ExpressionEmitter::emit_new(const ir::Node& n) {
  switch (n.op) {
    case Op::Literal:
      return n.type.is_float() ? values.real_constant(n.type, n.real)
                               : values.integer_constant(n.type, n.integer);
    case Op::Symbol: {
      auto it = symbols.find(n.symbol);
      if (it == symbols.end()) throw InternalError("no value for the symbol " + n.symbol.name());
      // No value is a pointer: one of those says where the value lies. It is computed anew, to be
      // in no register in between.
      if (auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(it->second))
        return b_.CreateLoad(values.type(n.type), b_.Insert(place->clone()));
      return it->second;
    }
    case Op::Load:
      return load(n);
    case Op::Ramp:
      return emit_ramp(n);
    case Op::Broadcast:
      return values.splat(emit(n.args[0]), n.type.lanes);
    case Op::ThreadIndex:
      return b_.CreateZExt(hooks->thread_index(b_), b_.getInt64Ty());
    case Op::BlockIndex:
      return b_.CreateZExt(hooks->block_index(b_, static_cast<int>(n.args[0]->integer)),
                           b_.getInt64Ty());
    case Op::Shuffle:
      return emit_shuffle(n);
    case Op::FastExp2:
    case Op::FastLog2:
    case Op::FastTanh:
    case Op::FastSin:
    case Op::FastCos:
    case Op::FastRsqrt:
    case Op::FastReciprocal:
      return values.by_lane({emit(n.args[0])}, [&](llvm::ArrayRef<Value*> v) {
        return hooks->approximate(b_, n.op, v[0]);
      });
    case Op::Strict:
    case Op::PromiseClamped:
      return emit(n.args[0]);
    case Op::Require: {
      Value* condition = emit(n.args[0]);
      if (n.args[0]->type.is_vector()) condition = b_.CreateAndReduce(condition);
      require(condition, n.symbol.name());
      return emit(n.args[1]);
    }
    case Op::Equal:
    case Op::NotEqual:
    case Op::Less:
    case Op::LessEqual:
      return emit_comparison(n);
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Mod:
    case Op::Min:
    case Op::Max:
    case Op::Fma:
    case Op::Abs:
    case Op::And:
    case Op::Or:
    case Op::Not:
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor:
    case Op::BitNot:
    case Op::ShiftLeft:
    case Op::ShiftRight:
    case Op::CountLeadingZeros:
    case Op::CountTrailingZeros:
    case Op::PopCount:
    case Op::Select:
    case Op::Cast:
    case Op::Reinterpret:
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Trunc:
    case Op::Sqrt:
      return emit_operator(n);
    case Op::Exp:
    case Op::Exp2:
    case Op::Log:
    case Op::Log2:
    case Op::Pow:
    case Op::Sin:
    case Op::Cos:
    case Op::Tan:
    case Op::Tanh:
    case Op::Erf:
    case Op::Rsqrt:
    case Op::Undef:
    case Op::Access:
    case Op::Block:
    case Op::For:
    case Op::Let:
    case Op::Produce:
    case Op::Provide:
    case Op::Store:
    case Op::AtomicStore:
    case Op::Realize:
    case Op::Allocate:
    case Op::Free:
    case Op::If:
    case Op::Assert:
    case Op::Kernel:
    case Op::Barrier:
    case Op::Transfer:
    case Op::Count_:
      break;
  }
  throw InternalError(std::string("an expression that code generation does not take: ") +
                      ir::info(n.op).name);
}

// Lanes exchange 32 bits at a time.
Value* ExpressionEmitter::emit_shuffle(const ir::Node& n) {
  Value* lane = b_.CreateTrunc(emit(n.args[1]), b_.getInt32Ty());
  Value* value = values.to_memory(n.type, emit(n.args[0]));
  const auto bits =
      static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits().getFixedValue());
  if (bits <= 32) {
    Value* word = b_.CreateZExt(b_.CreateBitCast(value, b_.getIntNTy(bits)), b_.getInt32Ty());
    word = b_.CreateTrunc(hooks->shuffle(b_, word, lane), b_.getIntNTy(bits));
    return values.from_memory(n.type, b_.CreateBitCast(word, value->getType()));
  }
  auto* words = llvm::FixedVectorType::get(b_.getInt32Ty(), bits / 32);
  Value* all = b_.CreateBitCast(value, words);
  all = values.by_lane({all},
                       [&](llvm::ArrayRef<Value*> v) { return hooks->shuffle(b_, v[0], lane); });
  return values.from_memory(n.type, b_.CreateBitCast(all, value->getType()));
}

/// 1 / x of an x far from 0 and from the largest numbers.
bool ExpressionEmitter::is_simple_inverse(const ir::Node& n) {
  const algebra::FloatInterval one = floats_.of(ir::as_expr(n.args[0]));
  const algebra::FloatInterval x = floats_.of(ir::as_expr(n.args[1]));
  return one.min == 1 && one.max == 1 && !one.may_be_nan && n.args[1]->type.lanes == n.type.lanes &&
         x.min >= 0x1p-100 && x.max <= 0x1p100;
}

Value* ExpressionEmitter::emit_operator(const ir::Node& n) {
  // Coordinates used as data keep to lanes as narrow as the data.
  if (n.op == Op::Cast && n.args[0]->type.is_index() && n.type.is_integer() && n.type.bits < 64 &&
      n.type.is_vector())
    return emit_narrow(n.args[0], n.type);
  if (n.op == Op::Cast && n.args[0]->type.is_float() &&
      (n.type.is_integer() || n.type.is_index()) &&
      floats_.only_truncates(ir::as_expr(n.args[0]), n.type))
    return values.truncate(n.type, n.args[0]->type, emit(n.args[0]));
  if (hooks && n.op == Op::Div && n.type.element() == Float(32) && is_simple_inverse(n))
    return values.by_lane({emit(n.args[1])},
                          [&](llvm::ArrayRef<Value*> v) { return hooks->inverse(b_, v[0]); });
  llvm::SmallVector<Value*, 4> arguments;
  llvm::SmallVector<Type, 4> types;
  for (const ir::Ref& argument : n.args) {
    Value* value = emit(argument);
    // A scalar operand of a vector operator stands for all lanes; select takes such a condition as
    // it is.
    const bool chooses = n.op == Op::Select && arguments.empty();
    const bool spread = argument->type.is_scalar() && n.type.is_vector() && !chooses;
    arguments.push_back(spread ? values.splat(value, n.type.lanes) : value);
    types.push_back(spread ? argument->type.with_lanes(n.type.lanes) : argument->type);
  }
  return values.apply(n.op, n.type, types, arguments);
}

Value* ExpressionEmitter::emit_ramp(const ir::Node& n) {
  const Type element = n.type.element();
  Value* base = emit(n.args[0]);
  Value* stride = emit(n.args[1]);
  Value* offsets = nullptr;
  if (element.is_float()) {
    Value* lanes = values.cast(n.type, Int(32, n.type.lanes), values.iota(Int(32), n.type.lanes));
    offsets = values.apply(Op::Mul, n.type, {n.type, n.type},
                           {lanes, values.splat(stride, n.type.lanes)});
    return values.apply(Op::Add, n.type, {n.type, n.type},
                        {values.splat(base, n.type.lanes), offsets});
  }
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(stride)) {
    offsets = values.iota(element, n.type.lanes, constant->getSExtValue());
  } else {
    offsets = b_.CreateMul(values.iota(element, n.type.lanes), values.splat(stride, n.type.lanes),
                           "", false, element.is_index());
  }
  return b_.CreateAdd(values.splat(base, n.type.lanes), offsets, "", false, element.is_index());
}

// Reduction modulo 2^bits commutes with +, -, * and choice; anything else is computed in full.
bool ExpressionEmitter::can_narrow(const ir::Node& n) const {
  // Scalar operands of vector operators are left to the general case.
  for (const ir::Ref& argument : n.args)
    if (argument->type.is_scalar() && n.op != Op::Ramp && n.op != Op::Broadcast) return false;
  return n.type.is_vector() &&
         (n.op == Op::Add || n.op == Op::Sub || n.op == Op::Mul || n.op == Op::Ramp ||
          n.op == Op::Broadcast || n.op == Op::Select || n.op == Op::Cast);
}

Value* ExpressionEmitter::emit_narrow(const ir::Ref& node, Type to) {
  const ir::Node& n = *node;
  const auto in_full = [&] { return values.cast(to, n.type, emit(node)); };
  if (!can_narrow(n)) return in_full();
  if (auto it = narrow_memo_.find(node.get()); it != narrow_memo_.end() && it->second.first == to)
    return it->second.second;
  Value* result = nullptr;
  if (n.op == Op::Broadcast) {
    result = values.splat(values.cast(to.element(), Index(), emit(n.args[0])), to.lanes);
  } else if (n.op == Op::Ramp) {
    Value* base = values.cast(to.element(), Index(), emit(n.args[0]));
    Value* stride = values.cast(to.element(), Index(), emit(n.args[1]));
    Value* lanes =
        b_.CreateMul(values.iota(to.element(), to.lanes), values.splat(stride, to.lanes));
    result = b_.CreateAdd(values.splat(base, to.lanes), lanes);
  } else if (n.op == Op::Select) {
    Value* condition = emit(n.args[0]);
    result = b_.CreateSelect(condition, emit_narrow(n.args[1], to), emit_narrow(n.args[2], to));
  } else if (n.op == Op::Cast) {
    const Type from = n.args[0]->type;
    if (!from.is_integer() || (from.is_uint() && from.bits == 64)) return in_full();
    result = values.cast(to, from, emit(n.args[0]));
  } else {
    Value* a = emit_narrow(n.args[0], to);
    Value* b = emit_narrow(n.args[1], to);
    result = n.op == Op::Add   ? b_.CreateAdd(a, b)
             : n.op == Op::Sub ? b_.CreateSub(a, b)
                               : b_.CreateMul(a, b);
  }
  narrow_memo_[node.get()] = {to, result};
  return result;
}

// ramp(a, 1) < broadcast(e) holds in the first clamp(e - a, 0, n) lanes: compared in i32, where a
// vector of coordinates would need twice the registers.
Value* ExpressionEmitter::emit_comparison(const ir::Node& n) {
  const Type t = n.args[0]->type;
  // What is known not to be, as a bound that holds anyway; false for a NaN too.
  if (n.op == Op::Less && t.is_float() &&
      floats_.of(ir::as_expr(n.args[0])).min >= floats_.of(ir::as_expr(n.args[1])).max)
    return llvm::Constant::getNullValue(values.type(n.type));
  const auto is_count = [](const ir::Ref& r) {
    std::int64_t step = 0;
    return r->op == Op::Ramp && ir::as_constant(ir::as_expr(r->args[1]), &step) && step == 1;
  };
  const bool ramp_first = is_count(n.args[0]) && n.args[1]->op == Op::Broadcast;
  const bool ramp_second = is_count(n.args[1]) && n.args[0]->op == Op::Broadcast;
  const bool ordered = n.op == Op::Less || n.op == Op::LessEqual;
  if (!t.is_index() || !ordered || !(ramp_first || ramp_second)) return emit_operator(n);
  Value* ramp_base = emit((ramp_first ? n.args[0] : n.args[1])->args[0]);
  Value* bound = emit((ramp_first ? n.args[1] : n.args[0])->args[0]);
  // Lanes below `limit`: base + i < bound, base + i <= bound, or the complement of the mirrored
  // ones.
  const bool inclusive = (n.op == Op::LessEqual) == ramp_first;
  Value* limit = b_.CreateSub(bound, ramp_base, "", false, true);
  if (inclusive) limit = b_.CreateAdd(limit, values.integer_constant(Index(), 1), "", false, true);
  limit =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, limit, values.integer_constant(Index(), 0));
  limit = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, limit,
                                   values.integer_constant(Index(), t.lanes));
  Value* count = values.splat(b_.CreateTrunc(limit, values.type(Int(32))), t.lanes);
  Value* lanes = values.iota(Int(32), t.lanes);
  return ramp_first ? b_.CreateICmpSLT(lanes, count) : b_.CreateICmpSGE(lanes, count);
}

}  // namespace sinter::backends
