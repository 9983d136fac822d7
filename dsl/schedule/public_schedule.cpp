// Bodies of the public Schedule: a handle on the list of directives.

#include <sinter/func.h>
#include <sinter/schedule.h>

#include "dsl/algorithm/collect.h"
#include "dsl/schedule/fluent.h"
#include "dsl/schedule/root_schedule.h"
#include "dsl/schedule/schedule_text.h"

namespace sinter {

Schedule::Schedule() : directives_(std::make_shared<const schedule::Schedule>()) {}
Schedule::Schedule(schedule::Schedule directives)
    : directives_(std::make_shared<const schedule::Schedule>(std::move(directives))) {}

Schedule Schedule::of(const std::vector<Func>& outputs) {
  return Schedule(schedule::schedule_of(outputs));
}

Schedule Schedule::root(const std::vector<Func>& outputs) {
  return Schedule(schedule::root_schedule(collect(outputs), {}));
}

Schedule Schedule::parse(const std::string& text, const std::vector<Func>& outputs,
                         const std::string& filename) {
  return Schedule(schedule::parse_schedule(text, collect(outputs), filename));
}

std::string Schedule::to_string(const std::vector<Func>& outputs) const {
  return schedule::to_string(*directives_, collect(outputs));
}

}  // namespace sinter
