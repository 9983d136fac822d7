#pragma once
// How parallel loops of host code run: by a pool of SINTER_NUM_THREADS threads (default: one for
// each hardware thread), another number of threads, or a function of your own.

#include <cstdint>
#include <functional>

namespace sinter {

/// Runs the iterations [begin, end) of one parallel loop; not 0 when one of them failed. May be
/// called from any thread, several at a time.
using ParallelBody = std::function<int(std::int64_t begin, std::int64_t end)>;
/// Must run every iteration of [min, min + extent) once, unless a body failed, whose result it
/// then returns after all running ones are done. Must not throw. May be called inside a body.
using ParallelFor = std::function<int(std::int64_t min, std::int64_t extent, const ParallelBody&)>;

/// For calls that start after this one; an empty function brings the pool back.
void set_parallel_for(ParallelFor);
/// Size of the pool, the calling thread included; 0 or less: the default. Must not be called while
/// a pipeline runs.
void set_num_threads(int);
int num_threads();

}  // namespace sinter
