#pragma once
// A schedule is a list of values. Directive is one of them; Entry says on which stage and where it
// was written; Schedule is the one ordered list of a pipeline.

#include <optional>
#include <source_location>
#include <string>
#include <variant>
#include <vector>

#include "dsl/schedule/directives/align_bounds.h"
#include "dsl/schedule/directives/align_storage.h"
#include "dsl/schedule/directives/atomic.h"
#include "dsl/schedule/directives/bound.h"
#include "dsl/schedule/directives/bound_extent.h"
#include "dsl/schedule/directives/compute_at.h"
#include "dsl/schedule/directives/compute_inline.h"
#include "dsl/schedule/directives/compute_root.h"
#include "dsl/schedule/directives/fuse.h"
#include "dsl/schedule/directives/fuse_stages.h"
#include "dsl/schedule/directives/gpu_blocks.h"
#include "dsl/schedule/directives/gpu_lanes.h"
#include "dsl/schedule/directives/gpu_max_registers.h"
#include "dsl/schedule/directives/gpu_min_blocks.h"
#include "dsl/schedule/directives/gpu_single_thread.h"
#include "dsl/schedule/directives/gpu_threads.h"
#include "dsl/schedule/directives/gpu_tile.h"
#include "dsl/schedule/directives/gpu_warps.h"
#include "dsl/schedule/directives/in.h"
#include "dsl/schedule/directives/parallel.h"
#include "dsl/schedule/directives/partition_loop.h"
#include "dsl/schedule/directives/reduce_across.h"
#include "dsl/schedule/directives/rename.h"
#include "dsl/schedule/directives/reorder.h"
#include "dsl/schedule/directives/rfactor.h"
#include "dsl/schedule/directives/serial.h"
#include "dsl/schedule/directives/set_estimate.h"
#include "dsl/schedule/directives/specialize.h"
#include "dsl/schedule/directives/specialize_fail.h"
#include "dsl/schedule/directives/split.h"
#include "dsl/schedule/directives/store_at.h"
#include "dsl/schedule/directives/store_in.h"
#include "dsl/schedule/directives/store_root.h"
#include "dsl/schedule/directives/stream_loads.h"
#include "dsl/schedule/directives/stream_stores.h"
#include "dsl/schedule/directives/tile.h"
#include "dsl/schedule/directives/unroll.h"
#include "dsl/schedule/directives/vectorize.h"

namespace sinter::schedule {

using Directive =
    std::variant<Split, Fuse, FuseStages, Tile, Reorder, Rename, Serial, Parallel, Vectorize,
                 Unroll, PartitionLoop, ComputeInline, ComputeRoot, ComputeAt, StoreRoot, StoreAt,
                 StoreIn, Bound, BoundExtent, AlignBounds, Rfactor, ReduceAcross, Atomic,
                 Specialize, SpecializeFail, In, SetEstimate, GpuBlocks, GpuThreads, GpuLanes,
                 GpuWarps, GpuSingleThread, GpuTile, GpuMaxRegisters, GpuMinBlocks, StreamLoads,
                 StreamStores, AlignStorage>;

struct Entry {
  StageRef stage;
  Directive directive;
  std::source_location where;
  /// Conditions of the branches, outermost first, that the directive speaks of.
  std::vector<Expr> branch;
  /// Of a directive that was read from a text.
  std::string file = {};
  unsigned line = 0;

  void locate(Diagnostic& problem) const {
    problem.at(where);
    if (line == 0) return;
    problem.file = file;
    problem.line = line;
  }
};

struct Schedule {
  std::vector<Entry> entries;
};

/// "split(x, xo, xi, 8)". Stages are called by their names in `algorithm`.
std::string to_string(const Directive&, const Algorithm&);

/// Checks the entry against the state. The diagnostic is complete: stage, directive, line.
std::optional<Diagnostic> check(const Entry&, State&);
/// check, then apply; throws ScheduleError.
void replay(const Entry&, State&);

}  // namespace sinter::schedule
