#pragma once
// The pass pipeline for code that lowering has shaped already: loops are tiled, vectorised and
// unrolled as the schedule says, so only cleaning up and hoisting is left to LLVM.

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace sinter::backends {

void optimize(llvm::Module&, llvm::TargetMachine&);

}  // namespace sinter::backends
