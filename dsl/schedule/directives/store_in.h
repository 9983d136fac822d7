#pragma once
// Chooses the memory that a stage lives in; otherwise lowering does (small constant sizes: stack).
//
//   before                          after  f.store_in(MemoryType::Stack)
//     allocate f on the heap          allocate f on the stack

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct StoreIn {
  ir::MemoryKind memory = ir::MemoryKind::Auto;
};

/// Refused on outputs, which live in the caller's buffers, and on a single definition.
std::optional<Diagnostic> check(const StoreIn&, const StageRef&, const State&);
void apply(const StoreIn&, const StageRef&, State&);

}  // namespace sinter::schedule
