#pragma once
// Gathers of neighbours become one: x[i] and x[i + 1] for all lanes i are one gather of pairs,
// which costs what either of them does. Interpolation is full of them.

#include <llvm/IR/PassManager.h>

namespace sinter::backends {

struct PairGathers : llvm::PassInfoMixin<PairGathers> {
  llvm::PreservedAnalyses run(llvm::Function&, llvm::FunctionAnalysisManager&);
};

}  // namespace sinter::backends
