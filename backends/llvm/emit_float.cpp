// Float operators and conversions. No fast-math flags, no contraction; sequences that stay vector
// code where LLVM's own intrinsics would be scalarised or leave the result open.
#include "backends/llvm/emit_value.h"

#include <cmath>
#include <limits>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

namespace sinter::backends {

using ir::Op;
using llvm::Value;

Value* ValueEmitter::widen(Type t, Value* value) {
  if (t.bits != 16) return value;
  llvm::Type* single = type(Float(32, t.lanes));
  if (t.kind == TypeKind::BFloat && hooks && t.lanes % 2 == 0) return widen_pairs(t, value);
  if (t.kind == TypeKind::BFloat) {
    Value* bits = b_.CreateZExt(value, type(UInt(32, t.lanes)));
    return b_.CreateBitCast(b_.CreateShl(bits, integer_constant(UInt(32, t.lanes), 16)), single);
  }
  llvm::Type* half = llvm::Type::getHalfTy(b_.getContext());
  if (t.is_vector()) half = llvm::FixedVectorType::get(half, t.lanes);
  Value* wide = b_.CreateFPExt(b_.CreateBitCast(value, half), single);
  if (llvm::isa<llvm::Constant>(wide) || hooks) return wide;
  // Without the fence comparisons of widened halves become comparisons of halves, which are
  // scalarised.
  return b_.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {single}, {wide});
}

// GPUs keep two bf16 in a register: one instruction for each, without taking the pair apart.
Value* ValueEmitter::widen_pairs(Type t, Value* value) {
  const Type u32 = UInt(32, t.lanes / 2), f32 = Float(32, t.lanes / 2);
  Value* pairs = b_.CreateBitCast(value, type(u32));
  Value* first = b_.CreateBitCast(b_.CreateShl(pairs, integer_constant(u32, 16)), type(f32));
  Value* second =
      b_.CreateBitCast(b_.CreateAnd(pairs, integer_constant(u32, 0xffff0000)), type(f32));
  if (t.lanes == 2) {
    first = b_.CreateVectorSplat(1, first);
    second = b_.CreateVectorSplat(1, second);
  }
  llvm::SmallVector<int, 16> order;
  for (int i = 0; i < t.lanes; ++i) order.push_back(i / 2 + i % 2 * (t.lanes / 2));
  return b_.CreateShuffleVector(first, second, order);
}

Value* ValueEmitter::narrow(Type t, Value* value) {
  if (t.bits != 16) return value;
  if (t.kind == TypeKind::Float) {
    llvm::Type* half = llvm::Type::getHalfTy(b_.getContext());
    if (t.is_vector()) half = llvm::FixedVectorType::get(half, t.lanes);
    return b_.CreateBitCast(b_.CreateFPTrunc(value, half), type(t));
  }
  if (hooks && hooks->has_bfloat())
    return by_lane({value}, [&](llvm::ArrayRef<Value*> v) { return hooks->to_bfloat(b_, v[0]); });
  const Type u32 = UInt(32, t.lanes);
  Value* bits = b_.CreateBitCast(value, type(u32));
  Value* odd =
      b_.CreateAnd(b_.CreateLShr(bits, integer_constant(u32, 16)), integer_constant(u32, 1));
  Value* rounded = b_.CreateAdd(b_.CreateAdd(bits, integer_constant(u32, 0x7fff)), odd);
  Value* is_nan = b_.CreateFCmpUNO(value, value);
  Value* high = b_.CreateLShr(rounded, integer_constant(u32, 16));
  return b_.CreateTrunc(b_.CreateSelect(is_nan, integer_constant(u32, 0x7fc0), high), type(t));
}

Value* ValueEmitter::round_to_odd(int lanes, Value* f64) {
  const Type i32 = Int(32, lanes);
  Value* nearest = b_.CreateFPTrunc(f64, type(Float(32, lanes)));
  Value* back = b_.CreateFPExt(nearest, type(Float(64, lanes)));
  Value* bits = b_.CreateBitCast(nearest, type(i32));
  // An inexact result with an even last bit moves by one towards the exact value.
  Value* inexact = b_.CreateFCmpONE(back, f64);
  Value* even =
      b_.CreateICmpEQ(b_.CreateAnd(bits, integer_constant(i32, 1)), integer_constant(i32, 0));
  Value* too_far = b_.CreateFCmpOGT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                    b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, f64));
  Value* step = b_.CreateSelect(too_far, integer_constant(i32, -1), integer_constant(i32, 1));
  Value* moved = b_.CreateSelect(b_.CreateAnd(inexact, even), b_.CreateAdd(bits, step), bits);
  return b_.CreateBitCast(moved, type(Float(32, lanes)));
}

Value* ValueEmitter::from_double(Type to, Value* f64) {
  if (to.bits == 64) return f64;
  if (to.bits == 32) return b_.CreateFPTrunc(f64, type(to));
  return narrow(to, round_to_odd(to.lanes, f64));
}

// minimumNumber / maximumNumber: NaN loses, -0 < +0. `a < b ? a : b` is one instruction on x86 and
// right unless b is NaN or both are zeros of different sign.
Value* ValueEmitter::float_min_max(bool is_min, Value* a, Value* b) {
  if (hooks && a->getType()->getScalarType()->isFloatTy())
    return by_lane(
        {a, b}, [&](llvm::ArrayRef<Value*> v) { return hooks->min_max(b_, is_min, v[0], v[1]); });
  if (llvm::isa<llvm::Constant>(a)) std::swap(a, b);
  Value* chosen = b_.CreateSelect(is_min ? b_.CreateFCmpOLT(a, b) : b_.CreateFCmpOGT(a, b), a, b);
  llvm::Constant* constant = llvm::dyn_cast<llvm::Constant>(b);
  if (constant && constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  if (auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
      number && !number->isNaN()) {
    // With the constant in second place a NaN in a loses already, and a zero of either sign gives
    // the constant zero: right when that zero is the extreme one.
    if (!number->isZero() || number->isNegative() == is_min) return chosen;
  }
  llvm::Type* bits =
      b->getType()->getWithNewType(b_.getIntNTy(b->getType()->getScalarSizeInBits()));
  Value* a_bits = b_.CreateBitCast(a, bits);
  Value* b_bits = b_.CreateBitCast(b, bits);
  // Equal operands differ at most in the sign of zero: minimum has either sign, maximum both.
  Value* merged = is_min ? b_.CreateOr(a_bits, b_bits) : b_.CreateAnd(a_bits, b_bits);
  chosen = b_.CreateSelect(b_.CreateFCmpOEQ(a, b), b_.CreateBitCast(merged, b->getType()), chosen);
  return b_.CreateSelect(b_.CreateFCmpUNO(b, b), a, chosen);
}

// `c < x ? c : x` and `x < c ? c : x` of a constant c keep a NaN in x. Null: it is neither, or
// takes a comparison here.
Value* ValueEmitter::bound(Value* condition, Value* constant, Value* x) {
  auto* compare = llvm::dyn_cast<llvm::FCmpInst>(condition);
  auto* c = llvm::dyn_cast<llvm::Constant>(constant);
  if (!hooks || !hooks->has_bound() || !compare || !c ||
      compare->getPredicate() != llvm::FCmpInst::FCMP_OLT ||
      !x->getType()->getScalarType()->isFloatTy())
    return nullptr;
  const bool is_min = compare->getOperand(0) == c && compare->getOperand(1) == x;
  const bool is_max = compare->getOperand(0) == x && compare->getOperand(1) == c;
  if (c->getType()->isVectorTy()) c = c->getSplatValue();
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(c);
  if ((!is_min && !is_max) || !number || number->isNaN() || number->isZero()) return nullptr;
  return by_lane({x, constant},
                 [&](llvm::ArrayRef<Value*> v) { return hooks->bound(b_, is_min, v[0], v[1]); });
}

// The product is exact in f64; the sum is rounded to odd there (its error is known exactly), so the
// rounding to the type is the only one.
Value* ValueEmitter::fma_of_short_floats(Type t, llvm::ArrayRef<Value*> wide) {
  const Type f64 = Float(64, t.lanes);
  const Type i64 = Int(64, t.lanes);
  Value* product =
      b_.CreateFMul(b_.CreateFPExt(wide[0], type(f64)), b_.CreateFPExt(wide[1], type(f64)));
  Value* c = b_.CreateFPExt(wide[2], type(f64));
  Value* sum = b_.CreateFAdd(product, c);
  Value* other = b_.CreateFSub(sum, product);
  Value* error =
      b_.CreateFAdd(b_.CreateFSub(product, b_.CreateFSub(sum, other)), b_.CreateFSub(c, other));
  Value* zero = real_constant(f64, 0);
  Value* bits = b_.CreateBitCast(sum, type(i64));
  Value* even =
      b_.CreateICmpEQ(b_.CreateAnd(bits, integer_constant(i64, 1)), integer_constant(i64, 0));
  // Infinities and NaNs have an error that is NaN: never adjusted.
  Value* adjust = b_.CreateAnd(b_.CreateFCmpONE(error, zero), even);
  Value* away = b_.CreateICmpEQ(b_.CreateFCmpOGT(error, zero), b_.CreateFCmpOGT(sum, zero));
  Value* step = b_.CreateSelect(away, integer_constant(i64, 1), integer_constant(i64, -1));
  Value* odd = b_.CreateBitCast(b_.CreateSelect(adjust, b_.CreateAdd(bits, step), bits), type(f64));
  return from_double(t, odd);
}

Value* ValueEmitter::floating(Op op, Type t, llvm::ArrayRef<Value*> a) {
  if (op == Op::Abs && t.bits == 16) return b_.CreateAnd(a[0], integer_constant(t, 0x7fff));
  // f32 holds more than twice the digits of the 16-bit formats: rounding twice is rounding once.
  llvm::SmallVector<Value*, 3> x;
  for (Value* value : a) x.push_back(widen(t, value));
  const auto unary = [&](llvm::Intrinsic::ID id) {
    return narrow(t, b_.CreateUnaryIntrinsic(id, x[0]));
  };
  if (op == Op::Add) return narrow(t, b_.CreateFAdd(x[0], x[1]));
  if (op == Op::Sub) return narrow(t, b_.CreateFSub(x[0], x[1]));
  if (op == Op::Mul) return narrow(t, b_.CreateFMul(x[0], x[1]));
  if (op == Op::Div) return narrow(t, b_.CreateFDiv(x[0], x[1]));
  if (op == Op::Min || op == Op::Max) return narrow(t, float_min_max(op == Op::Min, x[0], x[1]));
  if (op == Op::Fma) {
    if (t.bits == 16) return fma_of_short_floats(t, x);
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x[0]->getType()}, {x[0], x[1], x[2]});
  }
  if (op == Op::Abs) return unary(llvm::Intrinsic::fabs);
  if (op == Op::Floor) return unary(llvm::Intrinsic::floor);
  if (op == Op::Ceil) return unary(llvm::Intrinsic::ceil);
  if (op == Op::Round) return unary(llvm::Intrinsic::roundeven);
  if (op == Op::Trunc) return unary(llvm::Intrinsic::trunc);
  if (op == Op::Sqrt) return unary(llvm::Intrinsic::sqrt);
  throw InternalError(std::string("not an operator on floats: ") + ir::info(op).name);
}

Value* ValueEmitter::truncate(Type to, Type from, Value* value) {
  // Narrow types go through i32: the machine converts no other.
  const bool is_wide = to.is_index() || to.bits >= 32;
  const Type through = is_wide ? to : Int(32, to.lanes);
  value = widen(from, value);
  Value* result = through.is_uint() ? b_.CreateFPToUI(value, type(through))
                                    : b_.CreateFPToSI(value, type(through));
  return b_.CreateTrunc(result, type(to));
}

// Truncates, saturates, NaN gives 0. The operand is clamped to values the conversion can take, by
// compares and selects, since llvm.fptosi.sat is scalarised.
Value* ValueEmitter::float_to_integer(Type to, Type from, Value* value) {
  if (from.bits == 16) return float_to_integer(to, Float(32, from.lanes), widen(from, value));
  const bool is_signed = !to.is_uint();
  const int bits = to.is_index() ? 64 : to.bits;
  const Type through = bits <= 32
                           ? (bits == 32 && !is_signed ? UInt(32, to.lanes) : Int(32, to.lanes))
                           : (is_signed ? Int(64, to.lanes) : UInt(64, to.lanes));
  const double limit = std::ldexp(1.0, is_signed ? bits - 1 : bits);  // first value beyond
  const int digits = from.bits == 32 ? 24 : 53;
  const bool exact = (is_signed ? bits - 1 : bits) <= digits;
  const double high = exact ? limit - 1 : limit - std::ldexp(limit, -digits);
  const double low = is_signed ? -limit : 0;
  Value* low_value = real_constant(from, low);
  Value* high_value = real_constant(from, high);
  // NaN fails the comparison and becomes `low`.
  Value* clamped = b_.CreateSelect(b_.CreateFCmpOGT(value, low_value), value, low_value);
  clamped = b_.CreateSelect(b_.CreateFCmpOLT(clamped, high_value), clamped, high_value);
  Value* result = is_signed || bits < 32 ? b_.CreateFPToSI(clamped, type(through))
                                         : b_.CreateFPToUI(clamped, type(through));
  result = b_.CreateTrunc(result, type(to));
  if (!exact) {
    Value* beyond = b_.CreateFCmpOGE(value, real_constant(from, limit));
    Value* largest =
        is_signed
            ? b_.CreateNot(b_.CreateShl(integer_constant(to, 1), integer_constant(to, bits - 1)))
            : integer_constant(to, -1);
    result = b_.CreateSelect(beyond, largest, result);
  }
  if (is_signed)
    result = b_.CreateSelect(b_.CreateFCmpUNO(value, value), integer_constant(to, 0), result);
  return result;
}

Value* ValueEmitter::integer_to_float(Type to, Type from, Value* value) {
  const bool is_signed = !from.is_uint();
  if (to.bits >= 32)
    return is_signed ? b_.CreateSIToFP(value, type(to)) : b_.CreateUIToFP(value, type(to));
  const int bits = from.bits;
  const Type f32 = Float(32, to.lanes);
  const Type f64 = Float(64, to.lanes);
  if (bits < 32) return narrow(to, integer_to_float(f32, from, value));
  // What f32 rounds is beyond the largest half anyway.
  if (to.kind == TypeKind::Float) return narrow(to, integer_to_float(f32, from, value));
  if (bits == 64) {
    // Values of more than 53 bits: the low 11 are folded into bit 11, far below any tie.
    Value* low = b_.CreateAnd(value, integer_constant(from, 0x7ff));
    Value* sticky = b_.CreateSelect(b_.CreateICmpEQ(low, integer_constant(from, 0)),
                                    integer_constant(from, 0), integer_constant(from, 0x800));
    Value* folded = b_.CreateOr(b_.CreateXor(value, low), sticky);
    Value* high = b_.CreateLShr(
        is_signed ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, b_.getFalse()) : value,
        integer_constant(from, 53));
    value = b_.CreateSelect(b_.CreateICmpEQ(high, integer_constant(from, 0)), value, folded);
  }
  return from_double(to, integer_to_float(f64, from, value));
}

Value* ValueEmitter::float_to_float(Type to, Type from, Value* value) {
  if (from.bits == 64) return from_double(to, value);
  Value* single = widen(from, value);
  return to.bits == 64 ? b_.CreateFPExt(single, type(to)) : narrow(to, single);
}

Value* ValueEmitter::cast(Type to, Type from, Value* value) {
  if (to == from) return value;
  if (to.is_bool()) {
    if (from.is_float()) {
      value = widen(from, value);
      return b_.CreateFCmpUNE(value, llvm::Constant::getNullValue(value->getType()));
    }
    return b_.CreateICmpNE(value, integer_constant(from, 0));
  }
  if (from.is_bool()) {
    if (to.is_float()) return b_.CreateSelect(value, real_constant(to, 1), real_constant(to, 0));
    return b_.CreateZExt(value, type(to));
  }
  if (from.is_float())
    return to.is_float() ? float_to_float(to, from, value) : float_to_integer(to, from, value);
  if (to.is_float()) return integer_to_float(to, from, value);
  if (to.is_index() && from.is_uint() && from.bits == 64)
    return b_.CreateBinaryIntrinsic(
        llvm::Intrinsic::umin, value,
        integer_constant(from, std::numeric_limits<std::int64_t>::max()));
  return b_.CreateIntCast(value, type(to), !from.is_uint());
}

}  // namespace sinter::backends
