#pragma once
// Says whether a loop is cut where its guards become always true, so that its long middle part runs
// without them.
//
//   before                  after  f.partition(x, Partition::Always)
//     for x:                  for x in prologue: ...
//       if (guard) f(x)       for x in middle: f(x)
//                             for x in epilogue: ...

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct PartitionLoop {
  Symbol loop;
  PartitionPolicy policy = PartitionPolicy::Auto;
};

/// Refused when `loop` is no loop of the definition.
std::optional<Diagnostic> check(const PartitionLoop&, const StageRef&, const State&);
void apply(const PartitionLoop&, const StageRef&, State&);

}  // namespace sinter::schedule
