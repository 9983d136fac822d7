#include "backends/nvptx/ptx_hooks.h"

#include <algorithm>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include <sinter/diagnostic.h>

#include "dsl/base/gpu_limits.h"

namespace sinter::backends {

using llvm::Value;

namespace {

Value* index_below(llvm::IRBuilder<>& b, llvm::Intrinsic::ID id, std::uint32_t end) {
  llvm::CallInst* call = b.CreateIntrinsic(id, {}, {});
  call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, end)));
  return call;
}

/// One PTX instruction on f32.
Value* instruction(llvm::IRBuilder<>& b, const char* text, Value* operand) {
  auto* type = llvm::FunctionType::get(b.getFloatTy(), {b.getFloatTy()}, false);
  return b.CreateCall(
      type, llvm::InlineAsm::get(type, std::string(text) + " $0, $1;", "=f,f", false), {operand});
}

}  // namespace

Value* PtxHooks::thread_index(llvm::IRBuilder<>& b) const {
  return index_below(b, llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, 1024);
}

Value* PtxHooks::block_index(llvm::IRBuilder<>& b, int dimension) const {
  constexpr llvm::Intrinsic::ID Ids[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                         llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                         llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  return index_below(b, Ids[dimension], dimension == 0 ? 0x7fffffff : 0x10000);
}

void PtxHooks::barrier(llvm::IRBuilder<>& b) const {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
}

Value* PtxHooks::shuffle(llvm::IRBuilder<>& b, Value* bits, Value* lane) const {
  return b.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {},
                           {b.getInt32(0xffffffff), bits, lane, b.getInt32(31)});
}

// Errors as the PTX ISA states them: ex2 and lg2 2^-22 (lg2 outside [0.5, 2] relative), tanh 2^-11,
// sin and cos 2^-20.9 absolute in [-pi, pi], rsqrt 2^-22.9, rcp 1 ulp.
Value* PtxHooks::approximate(llvm::IRBuilder<>& b, ir::Op op, Value* x) const {
  using ir::Op;
  if (op == Op::FastExp2) return instruction(b, "ex2.approx.f32", x);
  if (op == Op::FastLog2) return instruction(b, "lg2.approx.f32", x);
  if (op == Op::FastTanh) return instruction(b, "tanh.approx.f32", x);
  if (op == Op::FastSin) return instruction(b, "sin.approx.f32", x);
  if (op == Op::FastCos) return instruction(b, "cos.approx.f32", x);
  if (op == Op::FastRsqrt) return instruction(b, "rsqrt.approx.f32", x);
  if (op == Op::FastReciprocal) return instruction(b, "rcp.approx.f32", x);
  throw InternalError(std::string("no approximation: ") + ir::info(op).name);
}

// PTX's min and max: NaN loses, -0 < +0.
Value* PtxHooks::min_max(llvm::IRBuilder<>& b, bool is_min, Value* x, Value* y) const {
  return b.CreateIntrinsic(is_min ? llvm::Intrinsic::nvvm_fmin_f : llvm::Intrinsic::nvvm_fmax_f, {},
                           {x, y});
}

Value* PtxHooks::bound(llvm::IRBuilder<>& b, bool is_min, Value* x, Value* constant) const {
  return b.CreateIntrinsic(
      is_min ? llvm::Intrinsic::nvvm_fmin_nan_f : llvm::Intrinsic::nvvm_fmax_nan_f, {},
      {x, constant});
}

// The approximation is within 1 ulp; one step of Newton's makes it the nearest f32, for every
// mantissa (but all ones: there the machine's approximation is the nearest already). ptxas takes
// the same three instructions for rcp.rn, behind a test and a branch to a subroutine for the other
// exponents.
Value* PtxHooks::inverse(llvm::IRBuilder<>& b, Value* x) const {
  Value* y = instruction(b, "rcp.approx.ftz.f32", x);
  const auto fma = [&](Value* p, Value* q, Value* r) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {b.getFloatTy()}, {p, q, r});
  };
  Value* error = fma(b.CreateFNeg(x), y, llvm::ConstantFP::get(b.getFloatTy(), 1.0));
  return fma(y, error, y);
}

Value* PtxHooks::to_bfloat(llvm::IRBuilder<>& b, Value* x) const {
  auto* type = llvm::FunctionType::get(b.getInt16Ty(), {b.getFloatTy()}, false);
  return b.CreateCall(type, llvm::InlineAsm::get(type, "cvt.rn.bf16.f32 $0, $1;", "=h,f", false),
                      {x});
}

void PtxHooks::mark_kernel(llvm::Function& function, std::int64_t threads,
                           const ir::KernelLimits& limits) const {
  llvm::LLVMContext& context = function.getContext();
  llvm::NamedMDNode* annotations =
      function.getParent()->getOrInsertNamedMetadata("nvvm.annotations");
  const auto annotate = [&](const char* what, std::int64_t value) {
    auto* number = llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), static_cast<std::uint64_t>(value)));
    annotations->addOperand(llvm::MDNode::get(
        context,
        {llvm::ValueAsMetadata::get(&function), llvm::MDString::get(context, what), number}));
  };
  annotate("kernel", 1);
  annotate("maxntidx", threads);
  if (limits.max_registers > 0) annotate("maxnreg", limits.max_registers);
  if (limits.min_blocks > 0) {
    // Smaller multiprocessors are asked for what they hold: ptxas ignores more, with a warning.
    const GpuLimits holds = gpu_limits("sm_" + std::to_string(sm_));
    annotate("minctasm",
             std::min<std::int64_t>({limits.min_blocks, holds.blocks,
                                     std::max<std::int64_t>(holds.threads / threads, 1)}));
  }
}

}  // namespace sinter::backends
