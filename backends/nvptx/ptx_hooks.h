#pragma once
// What PTX answers to code generation. Inline PTX lives here and nowhere else: LLVM 19 has no
// intrinsic for these, or drops what they say in silence.

#include "backends/llvm/gpu_hooks.h"

namespace sinter::backends {

class PtxHooks : public GpuHooks {
 public:
  explicit PtxHooks(int sm) : sm_(sm) {}
  unsigned global_space() const override { return 1; }
  unsigned shared_space() const override { return 3; }
  llvm::Value* thread_index(llvm::IRBuilder<>&) const override;
  llvm::Value* block_index(llvm::IRBuilder<>&, int dimension) const override;
  void barrier(llvm::IRBuilder<>&) const override;
  llvm::Value* shuffle(llvm::IRBuilder<>&, llvm::Value* bits, llvm::Value* lane) const override;
  llvm::Value* approximate(llvm::IRBuilder<>&, ir::Op, llvm::Value*) const override;
  llvm::Value* min_max(llvm::IRBuilder<>&, bool is_min, llvm::Value* a,
                       llvm::Value* b) const override;
  bool has_bound() const override { return sm_ >= 80; }
  llvm::Value* bound(llvm::IRBuilder<>&, bool is_min, llvm::Value* x,
                     llvm::Value* constant) const override;
  llvm::Value* inverse(llvm::IRBuilder<>&, llvm::Value* x) const override;
  bool has_bfloat() const override { return sm_ >= 80; }
  llvm::Value* to_bfloat(llvm::IRBuilder<>&, llvm::Value*) const override;
  void mark_kernel(llvm::Function&, std::int64_t threads, const ir::KernelLimits&) const override;

 private:
  int sm_;
};

}  // namespace sinter::backends
