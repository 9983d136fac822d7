#pragma once
// A random schedule for an instance: directives of all kinds, most of them sensible, some not. The
// drawer replays what it draws, so that it knows the loops; what is refused at once is noted and
// left out, what only resolve() can refuse stays in.

#include "tests/property/instance.h"

namespace sinter::test {

struct DrawnSchedule {
  schedule::Schedule schedule;
  std::vector<Diagnostic> refused;  // at the draw
};

DrawnSchedule random_schedule(const Instance&, std::uint64_t seed);
/// The default schedule of a GPU; which estimates it knows, and whether rewrites are allowed, is
/// drawn.
schedule::Schedule default_gpu_schedule_of(const Instance&, std::uint64_t seed);

}  // namespace sinter::test
