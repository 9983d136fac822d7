#pragma once
// Buffers that kernels use get an instance on the device; transfers keep the two instances current.
//
//   kernel k [...] { store out(...) = ... in(...) }      transfer in to_device
//                                                   ->   transfer out on_device
//                                                        kernel k [...] { ... }
//                                                        transfer out written
//
// Every kernel has the transfers of all its buffers in front of it; one whose instance is current
// costs a look at a flag. Stages that only kernels use live on the device alone.

#include "dsl/lowering/passes.h"

namespace sinter::lowering {

ir::Module insert_transfers(ir::Module, const LowerOptions&);

}  // namespace sinter::lowering
