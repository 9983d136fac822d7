#pragma once
// The memory behind Buffers: its extent, and which side of it is newer.

#include <memory>

#include <sinter/buffer.h>

namespace sinter {

/// The memory of `contents` is what its dimensions span around `host`.
void span_memory(BufferContents& contents);
/// The same view of a copy, here, of memory that is on a device only.
std::shared_ptr<BufferContents> brought_here(const BufferContents&);
/// Copies to this side what is newer on the device; under the memory's mutex.
void fetch(BufferMemory&);

}  // namespace sinter
