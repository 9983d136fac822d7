#pragma once
// Buffers as the compiler sees them.

#include <sinter/buffer.h>

#include "dsl/ir/interpret.h"

namespace sinter {

/// A view of the same elements. It does not keep the memory alive.
ir::BufferView view_of(const BufferBase&);
/// A view that does keep the memory alive.
std::shared_ptr<const ir::BufferView> shared_view_of(const BufferBase&);

}  // namespace sinter
