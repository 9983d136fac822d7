#pragma once
// The questions that a GPU target answers to code generation. All values are scalars.

#include <cstdint>

#include <llvm/IR/IRBuilder.h>

#include "dsl/ir/node.h"

namespace sinter::backends {

class GpuHooks {
 public:
  virtual ~GpuHooks() = default;
  virtual unsigned global_space() const = 0;
  virtual unsigned shared_space() const = 0;
  /// Number of the thread in its block, and of the block in dimension 0 to 2 of the grid; i32.
  virtual llvm::Value* thread_index(llvm::IRBuilder<>&) const = 0;
  virtual llvm::Value* block_index(llvm::IRBuilder<>&, int dimension) const = 0;
  virtual void barrier(llvm::IRBuilder<>&) const = 0;
  /// The 32 bits that lane `lane` (i32) of the warp holds in `bits` (i32).
  virtual llvm::Value* shuffle(llvm::IRBuilder<>&, llvm::Value* bits, llvm::Value* lane) const = 0;
  /// One of the approximations (ir::is_fast) of an f32.
  virtual llvm::Value* approximate(llvm::IRBuilder<>&, ir::Op, llvm::Value*) const = 0;
  /// minimumNumber or maximumNumber of f32 with -0 < +0.
  virtual llvm::Value* min_max(llvm::IRBuilder<>&, bool is_min, llvm::Value* a,
                               llvm::Value* b) const = 0;
  virtual bool has_bound() const = 0;
  /// min_max of an f32 and a constant that is neither 0 nor NaN, but NaN where x is; where
  /// has_bound().
  virtual llvm::Value* bound(llvm::IRBuilder<>&, bool is_min, llvm::Value* x,
                             llvm::Value* constant) const = 0;
  /// 1 / x, correctly rounded, for f32 whose magnitude is in [2^-100, 2^100], and NaN.
  virtual llvm::Value* inverse(llvm::IRBuilder<>&, llvm::Value* x) const = 0;
  virtual bool has_bfloat() const = 0;
  /// f32 to the bits (i16) of the nearest bf16; where has_bfloat().
  virtual llvm::Value* to_bfloat(llvm::IRBuilder<>&, llvm::Value*) const = 0;
  /// Makes the function an entry that is launched with `threads` threads.
  virtual void mark_kernel(llvm::Function&, std::int64_t threads,
                           const ir::KernelLimits&) const = 0;
};

}  // namespace sinter::backends
