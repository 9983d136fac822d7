#pragma once
// The simplest schedule of an algorithm, or of the algorithm that the rewrites of a schedule make
// of it.

#include "dsl/schedule/directive.h"

namespace sinter::schedule {

/// Of `schedule` the rewrites only, with the splits, fuses and orders of loops that belong to them;
/// then each stage, those that the rewrites make too, computed at root. Outputs have the bits that
/// `schedule` gives them. Throws ScheduleError where a rewrite is refused.
Schedule root_schedule(const Algorithm&, const Schedule&);

}  // namespace sinter::schedule
