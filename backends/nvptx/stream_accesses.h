#pragma once
// Loads and stores marked !nontemporal become PTX with cache operators, which LLVM does not write.
// Runs last: until here they are ordinary accesses to every pass.

namespace llvm {
class Module;
}  // namespace llvm

namespace sinter::backends {

void stream_accesses(llvm::Module&);

}  // namespace sinter::backends
