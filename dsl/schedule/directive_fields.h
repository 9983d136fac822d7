#pragma once
// The fields of each directive in the order of its arguments, and its name as a method. Printing
// and parsing derive from these; included by the files that do so only.

#include <boost/hana.hpp>

#include "dsl/schedule/directive.h"

BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Split, old, outer, inner, factor, tail);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Fuse, inner, outer, fused);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::FuseStages, stages);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Tile, old, outer, inner, factors, tail);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Reorder, loops);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Rename, old, name);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Serial, loop);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Parallel, loop, factor, tail);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Vectorize, loop, factor, tail);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Unroll, loop, factor, tail);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::PartitionLoop, loop, policy);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::ComputeInline);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::ComputeRoot);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::ComputeAt, consumer, loop, definition);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::StoreRoot);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::StoreAt, consumer, loop, definition);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::StoreIn, memory);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Bound, variable, min, extent);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::BoundExtent, variable, extent);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::AlignBounds, variable, modulus, remainder);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Rfactor, preserved, intermediate);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::ReduceAcross, loop, widths, partial);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Atomic, override_associativity_test);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::Specialize, condition);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::SpecializeFail, message);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::In, consumers, wrapper);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::SetEstimate, variable, min, extent);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::GpuBlocks, loops);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::GpuThreads, loops);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::GpuLanes, loop);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::GpuWarps, loop);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::GpuSingleThread);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::GpuTile, tile);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::GpuMaxRegisters, registers);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::GpuMinBlocks, blocks);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::StreamLoads, producer);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::StreamStores);
BOOST_HANA_ADAPT_STRUCT(sinter::schedule::AlignStorage, variable, alignment, offset);

namespace sinter::schedule {

/// Method names, in the order of the variant's alternatives.
constexpr const char* DirectiveNames[] = {"split",           "fuse",
                                          "fuse_stages",     "tile",
                                          "reorder",         "rename",
                                          "serial",          "parallel",
                                          "vectorize",       "unroll",
                                          "partition",       "compute_inline",
                                          "compute_root",    "compute_at",
                                          "store_root",      "store_at",
                                          "store_in",        "bound",
                                          "bound_extent",    "align_bounds",
                                          "rfactor",         "reduce_across",
                                          "atomic",          "specialize",
                                          "specialize_fail", "in",
                                          "set_estimate",    "gpu_blocks",
                                          "gpu_threads",     "gpu_lanes",
                                          "gpu_warps",       "gpu_single_thread",
                                          "gpu_tile",        "gpu_max_registers",
                                          "gpu_min_blocks",  "stream_loads",
                                          "stream_stores",   "align_storage"};
static_assert(std::size(DirectiveNames) == std::variant_size_v<Directive>);

/// Enumerators in the text, by value.
constexpr const char* TailNames[] = {"Auto", "RoundUp", "GuardWithIf", "ShiftInwards"};
constexpr const char* PartitionNames[] = {"Auto", "Never", "Always"};
constexpr const char* MemoryNames[] = {"Auto", "Heap", "Stack", "Register", "GPUShared"};

}  // namespace sinter::schedule
