// Types, constants and the dispatch of ops.
#include "backends/llvm/emit_value.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

namespace sinter::backends {

using ir::Op;
using llvm::Value;

namespace {
llvm::Type* with_lanes(llvm::Type* element, int lanes) {
  if (lanes == 1) return element;
  return llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
}
}  // namespace

llvm::Type* ValueEmitter::type(Type t) const {
  llvm::LLVMContext& context = b_.getContext();
  llvm::Type* element = nullptr;
  switch (t.kind) {
    case TypeKind::Void:
      return llvm::Type::getVoidTy(context);
    case TypeKind::Index:
    case TypeKind::Handle:
      element = llvm::Type::getInt64Ty(context);
      break;
    case TypeKind::Bool:
      element = llvm::Type::getInt1Ty(context);
      break;
    case TypeKind::Int:
    case TypeKind::UInt:
      element = llvm::Type::getIntNTy(context, t.bits);
      break;
    case TypeKind::BFloat:
      element = llvm::Type::getInt16Ty(context);
      break;
    case TypeKind::Float:
      element = t.bits == 16   ? llvm::Type::getInt16Ty(context)
                : t.bits == 32 ? llvm::Type::getFloatTy(context)
                               : llvm::Type::getDoubleTy(context);
      break;
  }
  return with_lanes(element, t.lanes);
}

llvm::Type* ValueEmitter::memory_type(Type t) const {
  return t.is_bool() ? type(UInt(8, t.lanes)) : type(t);
}

llvm::Constant* ValueEmitter::integer_constant(Type t, std::int64_t value) const {
  return llvm::ConstantInt::get(type(t), static_cast<std::uint64_t>(value), true);
}

llvm::Constant* ValueEmitter::real_constant(Type t, double value) const {
  if (t.bits == 16) {
    const std::uint16_t bits =
        t.kind == TypeKind::BFloat ? bfloat_bits_from_double(value) : half_bits_from_double(value);
    return llvm::ConstantInt::get(type(t), bits);
  }
  if (t.bits == 32) {
    // Through APFloat of the type itself: infinities and NaN included.
    llvm::APFloat f(static_cast<float>(value));
    llvm::Constant* c = llvm::ConstantFP::get(b_.getContext(), f);
    if (t.is_scalar()) return c;
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(t.lanes), c);
  }
  return llvm::ConstantFP::get(type(t), value);
}

Value* ValueEmitter::splat(Value* value, int lanes) {
  return lanes == 1 ? value : b_.CreateVectorSplat(static_cast<unsigned>(lanes), value);
}

llvm::Constant* ValueEmitter::iota(Type element, int lanes, std::int64_t step) const {
  llvm::SmallVector<llvm::Constant*, 64> values;
  for (int i = 0; i < lanes; ++i)
    values.push_back(
        integer_constant(element, static_cast<std::int64_t>(static_cast<std::uint64_t>(i) *
                                                            static_cast<std::uint64_t>(step))));
  return llvm::ConstantVector::get(values);
}

Value* ValueEmitter::from_memory(Type t, Value* value) {
  return t.is_bool() ? b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()))
                     : value;
}

Value* ValueEmitter::to_memory(Type t, Value* value) {
  return t.is_bool() ? b_.CreateZExt(value, memory_type(t)) : value;
}

Value* ValueEmitter::apply(Op op, Type result, llvm::ArrayRef<Type> types,
                           llvm::ArrayRef<Value*> a) {
  const Type operand = types[0];
  switch (op) {
    case Op::Select:
      if (Value* bounded = bound(a[0], a[1], a[2])) return bounded;
      return b_.CreateSelect(a[0], a[1], a[2]);
    case Op::Cast:
      return cast(result, operand, a[0]);
    case Op::Reinterpret:
      return b_.CreateBitCast(a[0], type(result));
    case Op::And:
    case Op::BitAnd:
      return b_.CreateAnd(a[0], a[1]);
    case Op::Or:
    case Op::BitOr:
      return b_.CreateOr(a[0], a[1]);
    case Op::BitXor:
      return b_.CreateXor(a[0], a[1]);
    case Op::Not:
    case Op::BitNot:
      return b_.CreateNot(a[0]);
    case Op::ShiftLeft:
    case Op::ShiftRight:
      return shift(op == Op::ShiftLeft, operand, types[1], a[0], a[1]);
    case Op::Equal:
    case Op::NotEqual:
    case Op::Less:
    case Op::LessEqual:
      return compare(op, operand, a[0], a[1]);
    case Op::CountLeadingZeros:
    case Op::CountTrailingZeros:
    case Op::PopCount: {
      Value* count = op == Op::PopCount ? b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a[0])
                                        : b_.CreateBinaryIntrinsic(op == Op::CountLeadingZeros
                                                                       ? llvm::Intrinsic::ctlz
                                                                       : llvm::Intrinsic::cttz,
                                                                   a[0], b_.getFalse());
      return cast(result, UInt(operand.bits, operand.lanes), count);
    }
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Mod:
    case Op::Min:
    case Op::Max:
    case Op::Fma:
    case Op::Abs:
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Trunc:
    case Op::Sqrt:
      return operand.is_float() ? floating(op, operand, a) : integer(op, operand, a);
    case Op::Literal:
    case Op::Symbol:
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
    case Op::FastExp2:
    case Op::FastLog2:
    case Op::FastTanh:
    case Op::FastSin:
    case Op::FastCos:
    case Op::FastRsqrt:
    case Op::FastReciprocal:
    case Op::Strict:
    case Op::Undef:
    case Op::PromiseClamped:
    case Op::Require:
    case Op::Access:
    case Op::Load:
    case Op::Ramp:
    case Op::Broadcast:
    case Op::BlockIndex:
    case Op::ThreadIndex:
    case Op::Shuffle:
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
  throw InternalError(std::string("an op that code generation does not take: ") +
                      ir::info(op).name);
}

}  // namespace sinter::backends
