#pragma once
// Loads of a stencil: x[i .. i+8), x[i+1 .. i+9) and x[i+2 .. i+10) are ten elements. Where the
// first starts at a multiple of 16 bytes the others do not, and would be loaded element by element;
// together they are one access of 16 bytes and one of 4.

#include <llvm/IR/Module.h>

namespace sinter::backends {

/// Loads of a block that overlap or touch become aligned pieces of their union, and each of them
/// picks its elements. Nothing is loaded that was not before.
void share_windows(llvm::Module&);

}  // namespace sinter::backends
