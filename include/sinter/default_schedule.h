#pragma once
// The schedule of a pipeline without one. On the host it is the empty one: what is not placed is
// computed inline. On a GPU each stage gets loops over blocks and threads by what it does; a
// pipeline whose schedule has no directive uses it by itself.
//
//   Schedule made = default_schedule({f}, target, {.sizes = {{1920, 1080}}}).schedule;
//   std::puts(made.to_string({f}).c_str());        // to be saved and edited
//   Pipeline(f).with(made).realize(...);

#include <string>
#include <vector>

#include <sinter/schedule.h>
#include <sinter/target.h>

namespace sinter {

struct DefaultScheduleOptions {
  /// Extents of the outputs to expect, as set_estimate says them; the schedule is right for others.
  std::vector<std::vector<int>> sizes = {};
  /// Sums of floats may be written as trees (reduce_across), which rounds differently. Without it
  /// the schedule changes no bit.
  bool allow_rewrites = false;
};

struct DefaultSchedule {
  Schedule schedule;
  /// One line for each stage that stays on the host: which, and why.
  std::vector<std::string> notices;
};

/// Throws what lowering refuses under any schedule.
DefaultSchedule default_schedule(const std::vector<Func>& outputs, const Target&,
                                 const DefaultScheduleOptions& = {});

}  // namespace sinter
