#pragma once
// A yardstick for compile times: how long LLVM takes here for work that never changes.

namespace sinter::backends {

/// Milliseconds that LLVM needs to parse one fixed module, optimise it by its standard O2 pipeline
/// and write the object for this kind of processor (no particular model).
double calibrate_llvm();

}  // namespace sinter::backends
