#pragma once
// What every launch checks about its arguments before any code runs, and the slots it makes of
// them.

#include "backends/backend.h"

namespace sinter::backends {

/// Writes the slots of all arguments in order: per buffer the host pointer, then min, extent,
/// stride of each dimension; per scalar its bits. Throws RuntimeError when an argument has another
/// type or number of dimensions than declared, or when an output shares elements with another
/// argument.
void pack_slots(const std::vector<ir::Argument>&, std::span<const CallArgument>,
                std::uint64_t* slots);
/// Named arguments in the order declared; throws RuntimeError when one is missing. Borrows from
/// them.
std::vector<CallArgument> by_position(const std::vector<ir::Argument>&, const ir::Arguments&);

/// False when no element of one view lies on an element of the other. True may also mean that it
/// could not be decided.
bool may_overlap(const ir::BufferView&, const ir::BufferView&);
/// The same of the elements of one view.
bool may_overlap_itself(const ir::BufferView&);

}  // namespace sinter::backends
