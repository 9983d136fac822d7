#pragma once
// The meaning of loop IR: runs a Module at any Level up to Machine, node by node, with every access
// checked. Parallel loops run in an order drawn from `seed`. Slow on purpose; the tests' yardstick.

#include <map>
#include <vector>

#include "dsl/ir/module.h"
#include "dsl/ir/scalar.h"

namespace sinter::ir {

/// A strided view of memory owned by somebody else. Strides count elements and may be negative;
/// `host` addresses the element at coordinates `min`.
struct BufferView {
  struct Dimension {
    std::int64_t min = 0, extent = 0, stride = 0;
  };
  void* host = nullptr;
  Type type;
  std::vector<Dimension> dimensions;
};

struct Arguments {
  std::map<Symbol, BufferView> buffers;  // by Argument::symbol
  std::map<Symbol, Scalar> scalars;
};

/// Throws RuntimeError when an Assert or Require fails, InternalError on an access outside its
/// allocation, a read of an element never written in an allocation, or a malformed node.
void interpret(const Module&, const Arguments&, std::uint64_t seed = 0);

}  // namespace sinter::ir
