#pragma once
// Refusals that the placement directives share, and the making of a level.

#include "dsl/schedule/state.h"

namespace sinter::schedule {

inline std::optional<Diagnostic> check_whole_stage(const StageRef& ref) {
  if (ref.definition == 0) return std::nullopt;
  return refusal("placement and storage belong to the whole stage, not to one of its updates",
                 "write it on the stage itself");
}

/// Not an output: those are computed at root, into the caller's buffers.
inline std::optional<Diagnostic> check_may_move(const State& state, const StageRef& ref) {
  if (auto problem = check_whole_stage(ref)) return problem;
  if (state.partial || !state.algorithm.is_output(ref.stage)) return std::nullopt;
  return refusal("an output of the pipeline is computed at root, into the buffer of the caller",
                 "drop this directive, or apply it to in() of the stage");
}

inline std::optional<Diagnostic> check_level(const State& state, const StageRef& ref,
                                             const Symbol& consumer) {
  if (auto problem = check_may_move(state, ref)) return problem;
  if (!(consumer == ref.stage)) return std::nullopt;
  return refusal("a stage cannot be placed inside its own loops",
                 "name a stage that uses it, or compute_root()");
}

inline Placement level(const Symbol& consumer, const Symbol& loop, int definition,
                       const std::source_location& where) {
  Placement placement;
  placement.kind = Placement::Kind::At;
  placement.consumer = consumer;
  placement.variable = loop;
  placement.definition = definition;
  placement.where = where;
  return placement;
}

}  // namespace sinter::schedule
