#pragma once
// Stores a dimension with room for more than is computed: its extent in memory is a multiple of
// `alignment`, and `offset` more. The strides of the dimensions behind it follow.
//
//   before                  after  f.align_storage(x, 8, 1)
//     f in [0, 13) x [0, 4)   f in [0, 13) x [0, 4)
//     f(x, y) at x + 13 y     f(x, y) at x + 17 y

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct AlignStorage {
  Symbol variable;
  IntegerArg alignment;
  IntegerArg offset = 0;
};

/// Refused when `variable` is no pure variable of the stage, for an output, and when the numbers
/// are not 1 <= alignment and 0 <= offset; at resolve() for a stage without storage.
std::optional<Diagnostic> check(const AlignStorage&, const StageRef&, const State&);
void apply(const AlignStorage&, const StageRef&, State&);

}  // namespace sinter::schedule
