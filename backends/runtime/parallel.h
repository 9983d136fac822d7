#pragma once
// Which thread pool, or user's function, runs the parallel loops of this process.

#include "backends/runtime/context.h"

namespace sinter::backends {

/// RuntimeContext::parallel_for as set by include/sinter/runtime.h.
std::int32_t run_parallel_loop(LoopBody, std::int64_t min, std::int64_t extent, void* closure);

}  // namespace sinter::backends
