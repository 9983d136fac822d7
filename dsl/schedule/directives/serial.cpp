#include "dsl/schedule/directives/serial.h"

#include "dsl/schedule/directives/loop_kind.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const Serial& serial, const StageRef& ref, const State& state) {
  return check_is_loop(state, ref, serial.loop);
}

void apply(const Serial& serial, const StageRef& ref, State& state) {
  set_kind(state, ref, serial.loop, ir::LoopKind::Serial);
}

}  // namespace sinter::schedule
