#pragma once
// A State of one stage only: what a directive made of several others tries them on.

#include "dsl/schedule/state.h"

namespace sinter::schedule {

inline State local_state(const State& state, const StageRef& ref) {
  State local;
  local.algorithm.stages.push_back(state.algorithm.stage(ref.stage));
  local.schedules.emplace(ref.stage, state.schedules.at(ref.stage));
  local.partial = true;
  local.where = state.where;
  local.branch = state.branch;
  return local;
}

}  // namespace sinter::schedule
