#pragma once
// What a kernel is called with: derived from its body, so that the host's call and the kernel
// agree.

#include <unordered_set>
#include <vector>

#include "dsl/ir/node.h"

namespace sinter::backends {

/// Each takes 8 bytes: the address of a buffer's element 0 on the device, or the bits of a scalar.
struct KernelParameter {
  Symbol symbol;
  Type type;  // of the scalar, or of the buffer's elements
  bool is_buffer = false;
  bool is_written = false;
};

/// In the order of first use in the body of Op::Kernel.
std::vector<KernelParameter> kernel_parameters(const ir::Node& kernel);
/// All kernels of a statement, in order.
std::vector<ir::Ref> kernels_of(const ir::Stmt&);
/// Buffers whose elements the statement touches outside of kernels.
std::unordered_set<Symbol> buffers_of_host(const ir::Stmt&);

}  // namespace sinter::backends
