#pragma once
// The schedule that a GPU target uses for a pipeline without directives: a pure function to an
// ordinary list of directives, which prints, can be saved and edited, and cannot change a result.
//
//   class                        what it gets                                       file
//   cheap producers              computed inline                                    _analysis
//   pointwise, stencils          a thread for 16 bytes of a row, blocks of 128      _loops
//   reductions per element       a thread an element, its steps in their order      _loops
//   the same, read in one place  inside the reader's threads, in registers          _loops
//   integer scatters             a thread a step, atomic                            _loops
//   reductions in any order      trees of reduce_across, where they are exact       _rows
//   transposed reads             tiles in shared memory                             _transpose
//   steps in order, few          one thread; many: the host
//
// A sum of floats keeps its order: another one would be another algorithm. `allow_rewrites` lets
// the schedule write reduce_across on it, which prints like any directive.

#include <string>
#include <unordered_map>
#include <vector>

#include <sinter/target.h>

#include "dsl/schedule/directive.h"

namespace sinter::schedule {

/// How much of a stage's schedule is given up, because more was refused.
enum class Retreat {
  None,
  Plain,   // at root, a thread for each element
  Host,    // at root, without blocks or threads
  Inline,  // nothing is said about it
};

struct DefaultGpuOptions {
  bool allow_rewrites = false;
  std::int64_t steps_of_trees = 256;  // reductions of fewer are not spread
  std::unordered_map<Symbol, Retreat> retreats = {};
};

struct DefaultGpuSchedule {
  Schedule schedule;
  /// One line for each stage that runs on the host: which, why, and what would help.
  std::vector<std::string> notices;
};

/// `estimates`: what set_estimate says of the outputs; it stays in front of the schedule.
DefaultGpuSchedule default_gpu_schedule(const Algorithm&, const Schedule& estimates, const Target&,
                                        const DefaultGpuOptions& = {});

}  // namespace sinter::schedule
