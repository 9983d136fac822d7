#pragma once
// resolve(): an algorithm and a schedule make a ScheduledPipeline, or an error that names the
// directive at fault. Replays the entries in order, chooses tails, then proves what depends on the
// whole: order of reductions, races, placement. The three steps are in resolve, legality,
// placement.

#include "dsl/schedule/directive.h"
#include "dsl/schedule/stage_schedule.h"

namespace sinter::schedule {

/// Throws ScheduleError.
ScheduledPipeline resolve(const Algorithm&, const Schedule&, const std::string& name);
/// The first refusal as a value, for tools that try many schedules.
std::optional<Diagnostic> refusal_of(const Algorithm&, const Schedule&);

/// The loop nest after the first `count` directives, legal or not: for errors, viewer and lessons.
std::string loop_nest_after(const Algorithm&, const Schedule&, std::size_t count);

// --- the steps, after all entries are replayed
/// Auto becomes GuardWithIf or ShiftInwards.
void choose_tails(State&);
/// Order of reduction steps, races, constant extents; for every definition and branch.
void check_legality(const State&, const Schedule&);
/// Finds the loops that the stages of each fuse share, and proves what does not depend on sizes.
void join_fused_stages(State&, const Schedule&);
/// Finds the loops that placements name, and proves that all uses lie inside them.
void settle_placements(State&, const Schedule&);

/// Throws `problem` completed with the stage and the last entry on `ref` that `matches`.
template <typename Matches>
[[noreturn]] void refuse(Diagnostic problem, const State& state, const Schedule& schedule,
                         const StageRef& ref, const std::source_location& where,
                         const Matches& matches) {
  problem.stage = stage_text(state.algorithm, ref);
  problem.at(where);
  for (auto e = schedule.entries.rbegin(); e != schedule.entries.rend(); ++e) {
    if (e->stage == ref && matches(e->directive)) {
      problem.directive = to_string(e->directive, state.algorithm);
      e->locate(problem);
      break;
    }
  }
  throw ScheduleError(problem);
}

}  // namespace sinter::schedule
