#pragma once
// Replaces calls of inlined stages by their values, in every definition.
//
//   before                          after
//     g(x) = f(x - 1) + f(x)          g(x) = in(x - 1)*2 + in(x)*2
//     f(x) = in(x)*2   (inline)

#include "dsl/schedule/stage_schedule.h"

namespace sinter::lowering {

/// The stages that remain, producers first, with inlined calls replaced. Linear in the size of the
/// result as a DAG.
std::vector<StageDefinition> inline_calls(const schedule::ScheduledPipeline&);

/// A stage that is expanded into its consumers' expressions.
bool is_inlined(const StageDefinition&, const schedule::ScheduledPipeline&);

}  // namespace sinter::lowering
