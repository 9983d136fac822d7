#pragma once
// What every launch checks about its arguments before any code runs, and the slots it makes of them.

#include "dsl/ir/interpret.h"

namespace sinter::backends {

/// Writes the slots of all arguments in order: per buffer the host pointer, then min, extent, stride
/// of each dimension; per scalar its bits. Throws RuntimeError when an argument is missing, has
/// another type or number of dimensions, or when an output shares elements with another argument.
void pack_slots(const std::vector<ir::Argument>&, const ir::Arguments&, std::uint64_t* slots);

/// False when no element of one view lies on an element of the other. True may also mean that it
/// could not be decided.
bool may_overlap(const ir::BufferView&, const ir::BufferView&);

}  // namespace sinter::backends
