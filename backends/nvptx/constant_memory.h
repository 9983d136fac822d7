#pragma once

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Argument.h>

namespace sinter::backends {

/// Read only as long as the kernel runs: the entry checks that no written buffer overlaps it.
inline bool is_constant(const llvm::Value* pointer) {
  const auto* argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer));
  return argument && argument->hasNoAliasAttr() && argument->onlyReadsMemory();
}

}  // namespace sinter::backends
