// Integer, index and bool operators: Euclidean division, shifts in both directions, comparisons.
#include "backends/llvm/emit_value.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/PatternMatch.h>

namespace sinter::backends {

using ir::Op;
using llvm::Value;

Value* ValueEmitter::integer(Op op, Type t, llvm::ArrayRef<Value*> a) {
  // Coordinates never leave int64, so their arithmetic may claim it.
  const bool exact = t.is_index();
  const bool is_signed = t.is_int() || t.is_index();
  if (op == Op::Add) return b_.CreateAdd(a[0], a[1], "", false, exact);
  if (op == Op::Sub) return b_.CreateSub(a[0], a[1], "", false, exact);
  if (op == Op::Mul) return b_.CreateMul(a[0], a[1], "", false, exact);
  if (op == Op::Div) return divide(t, a[0], a[1]);
  if (op == Op::Mod) return modulo(t, a[0], a[1]);
  if (op == Op::Min)
    return b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a[0],
                                    a[1]);
  if (op == Op::Max)
    return b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a[0],
                                    a[1]);
  if (op == Op::Abs)
    return is_signed ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a[0], b_.getFalse()) : a[0];
  throw InternalError(std::string("not an operator on integers: ") + ir::info(op).name);
}

// One of the divisor's values that no machine division may see (zero, and -1 because of the one
// quotient that overflows) is replaced by 1; the callers mend the result.
Value* ValueEmitter::safe_divisor(Type t, Value* y) {
  // An undefined divisor may stand in an arm that is not selected: it must be one number
  // throughout.
  y = b_.CreateFreeze(y);
  Value* bad = b_.CreateICmpEQ(y, integer_constant(t, 0));
  if (t.is_int()) bad = b_.CreateOr(bad, b_.CreateICmpEQ(y, integer_constant(t, -1)));
  return b_.CreateSelect(bad, integer_constant(t, 1), y);
}

// No machine divides vectors of integers. Up to 16 bits the f32 quotient, up to 32 bits the f64
// quotient, truncated, is exact: quotients that are not whole stay 1/y away from a whole number,
// which is more than half an ulp.
Value* ValueEmitter::truncating_quotient(Type t, Value* x, Value* y) {
  const bool is_signed = !t.is_uint();
  if (t.is_scalar() || t.bits > 32) return is_signed ? b_.CreateSDiv(x, y) : b_.CreateUDiv(x, y);
  llvm::Type* real = type(Float(t.bits <= 16 ? 32 : 64, t.lanes));
  if (t.bits <= 16) {
    llvm::Type* wide = type(Int(32, t.lanes));
    Value* xw = is_signed ? b_.CreateSExt(x, wide) : b_.CreateZExt(x, wide);
    Value* yw = is_signed ? b_.CreateSExt(y, wide) : b_.CreateZExt(y, wide);
    Value* q = b_.CreateFDiv(b_.CreateSIToFP(xw, real), b_.CreateSIToFP(yw, real));
    return b_.CreateTrunc(b_.CreateFPToSI(q, wide), type(t));
  }
  if (is_signed) {
    Value* q = b_.CreateFDiv(b_.CreateSIToFP(x, real), b_.CreateSIToFP(y, real));
    return b_.CreateFPToSI(q, type(t));
  }
  Value* q = b_.CreateFDiv(b_.CreateUIToFP(x, real), b_.CreateUIToFP(y, real));
  return b_.CreateFPToUI(q, type(t));
}

Value* ValueEmitter::divide_by_constant(Type t, Value* x, const llvm::APInt& y) {
  if (y.isZero()) return integer_constant(t, 0);
  if (t.is_uint()) {
    if (y.isPowerOf2()) return b_.CreateLShr(x, llvm::ConstantInt::get(x->getType(), y.logBase2()));
    return b_.CreateUDiv(x, llvm::ConstantInt::get(x->getType(), y));
  }
  // Euclidean: floor(x / |y|), negated for negative y.
  const bool negative = y.isNegative();
  const llvm::APInt magnitude = y.abs();  // of the smallest value: its bits, read as unsigned
  Value* quotient = nullptr;
  if (magnitude.isPowerOf2()) {
    quotient = b_.CreateAShr(
        x, llvm::ConstantInt::get(x->getType(),
                                  std::min<std::uint64_t>(magnitude.logBase2(), t.bits - 1U)));
  } else {
    // floor(x / y) = ~(~x / y) for negative x: one unsigned division of a value without sign.
    Value* sign = b_.CreateAShr(x, llvm::ConstantInt::get(x->getType(), t.bits - 1U));
    Value* bits =
        b_.CreateUDiv(b_.CreateXor(x, sign), llvm::ConstantInt::get(x->getType(), magnitude));
    quotient = b_.CreateXor(bits, sign);
  }
  return negative ? b_.CreateNeg(quotient) : quotient;
}

Value* ValueEmitter::divide(Type t, Value* x, Value* y) {
  const llvm::APInt* constant = nullptr;
  if (llvm::PatternMatch::match(y, llvm::PatternMatch::m_APInt(constant)))
    return divide_by_constant(t, x, *constant);
  Value* zero = integer_constant(t, 0);
  Value* safe = safe_divisor(t, y);
  Value* quotient = truncating_quotient(t, x, safe);
  if (!t.is_uint()) {
    Value* remainder = b_.CreateSub(x, b_.CreateMul(quotient, safe));
    Value* step = b_.CreateSelect(b_.CreateICmpSGT(safe, zero), integer_constant(t, 1),
                                  integer_constant(t, -1));
    quotient =
        b_.CreateSub(quotient, b_.CreateSelect(b_.CreateICmpSLT(remainder, zero), step, zero));
    if (t.is_int())
      quotient =
          b_.CreateSelect(b_.CreateICmpEQ(y, integer_constant(t, -1)), b_.CreateNeg(x), quotient);
  }
  return b_.CreateSelect(b_.CreateICmpEQ(y, zero), zero, quotient);
}

Value* ValueEmitter::modulo(Type t, Value* x, Value* y) {
  const llvm::APInt* constant = nullptr;
  Value* zero = integer_constant(t, 0);
  if (llvm::PatternMatch::match(y, llvm::PatternMatch::m_APInt(constant))) {
    if (constant->isZero()) return zero;
    const llvm::APInt magnitude = t.is_uint() ? *constant : constant->abs();
    if (magnitude.isPowerOf2())
      return b_.CreateAnd(x, llvm::ConstantInt::get(x->getType(), magnitude - 1));
    if (t.is_uint()) return b_.CreateURem(x, y);
    return b_.CreateSub(x, b_.CreateMul(divide_by_constant(t, x, *constant), y));
  }
  Value* safe = safe_divisor(t, y);
  Value* remainder = b_.CreateSub(x, b_.CreateMul(truncating_quotient(t, x, safe), safe));
  if (!t.is_uint()) {
    Value* magnitude = b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, safe, b_.getFalse());
    remainder = b_.CreateSelect(b_.CreateICmpSLT(remainder, zero),
                                b_.CreateAdd(remainder, magnitude), remainder);
  }
  // A divisor of -1 became 1, whose remainder is 0 as well.
  return b_.CreateSelect(b_.CreateICmpEQ(y, zero), zero, remainder);
}

Value* ValueEmitter::shift_unsigned(bool left, Type t, Value* x, Value* amount) {
  if (!left && !t.is_uint()) {
    Value* last = integer_constant(t, t.bits - 1);
    return b_.CreateAShr(x, b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, last));
  }
  Value* in_range = b_.CreateICmpULT(amount, integer_constant(t, t.bits));
  Value* shifted = left ? b_.CreateShl(x, amount) : b_.CreateLShr(x, amount);
  return b_.CreateSelect(in_range, shifted, integer_constant(t, 0));
}

Value* ValueEmitter::shift(bool left, Type t, Type amount_type, Value* x, Value* amount) {
  const llvm::APInt* constant = nullptr;
  if (llvm::PatternMatch::match(amount, llvm::PatternMatch::m_APInt(constant))) {
    llvm::APInt distance = *constant;
    if (!amount_type.is_uint() && distance.isNegative()) {
      left = !left;
      distance.negate();
    }
    const bool beyond = distance.uge(t.bits);
    if (beyond && (left || t.is_uint())) return integer_constant(t, 0);
    const std::uint64_t n = beyond ? t.bits - 1U : distance.getZExtValue();
    Value* by = integer_constant(t, static_cast<std::int64_t>(n));
    return left ? b_.CreateShl(x, by) : t.is_uint() ? b_.CreateLShr(x, by) : b_.CreateAShr(x, by);
  }
  if (amount_type.is_uint()) return shift_unsigned(left, t, x, amount);
  Value* negative = b_.CreateICmpSLT(amount, integer_constant(amount_type, 0));
  Value* other_way = shift_unsigned(!left, t, x, b_.CreateNeg(amount));
  return b_.CreateSelect(negative, other_way, shift_unsigned(left, t, x, amount));
}

Value* ValueEmitter::compare(Op op, Type t, Value* a, Value* b) {
  if (t.is_float()) {
    a = widen(t, a);
    b = widen(t, b);
    return op == Op::Equal      ? b_.CreateFCmpOEQ(a, b)
           : op == Op::NotEqual ? b_.CreateFCmpUNE(a, b)
           : op == Op::Less     ? b_.CreateFCmpOLT(a, b)
                                : b_.CreateFCmpOLE(a, b);
  }
  const bool is_signed = t.is_int() || t.is_index();
  if (op == Op::Equal) return b_.CreateICmpEQ(a, b);
  if (op == Op::NotEqual) return b_.CreateICmpNE(a, b);
  if (op == Op::Less) return is_signed ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b);
  return is_signed ? b_.CreateICmpSLE(a, b) : b_.CreateICmpULE(a, b);
}

}  // namespace sinter::backends
