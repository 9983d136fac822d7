#pragma once
// State: the working copy that directives are applied to, one after the other. It becomes a
// ScheduledPipeline when all are applied and their result is proved legal (resolve.h).

#include <optional>
#include <source_location>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <sinter/diagnostic.h>

#include "dsl/algorithm/algorithm.h"
#include "dsl/schedule/directives/arg.h"
#include "dsl/schedule/stage_schedule.h"

namespace sinter::schedule {

struct State {
  Algorithm algorithm;
  std::unordered_map<Symbol, StageSchedule> schedules;
  std::vector<FusedStages> fused;
  std::vector<Estimate> estimates;
  std::unordered_set<Symbol> stored_explicitly;  // store_at or store_root was given
  /// Wrappers made by in(), with the stage they copy.
  std::unordered_map<Symbol, Symbol> wrapper_of;
  /// Loop variables of one Func family only: what concerns other stages is left to resolve().
  bool partial = false;

  // Of the entry being replayed.
  std::source_location where;
  std::vector<std::size_t> branch;  // path of specializations inside the definition
};

/// Every stage with its own loops in Halide's order, computed inline; outputs at root.
State initial_state(const Algorithm&, bool partial = false);
StageSchedule initial_schedule(const StageDefinition&, bool is_output);
/// A definition's own loops: reduction variables innermost (first fastest), then dimension 0, 1,
/// ...
DefinitionSchedule initial_definition_schedule(const StageDefinition&, std::size_t definition);

/// The schedule that the current entry speaks of: of the definition, or of its branch.
const DefinitionSchedule& definition_schedule(const State&, const StageRef&);
DefinitionSchedule& definition_schedule(State&, const StageRef&);
const StageDefinition& stage_of(const State&, const StageRef&);
const Definition& definition_of(const State&, const StageRef&);

/// Index of the loop that the schedule calls `name`; loops.size() when there is none.
std::size_t find_loop(const DefinitionSchedule&, const Symbol& name);
bool has_loop(const DefinitionSchedule&, const Symbol& name);
/// A variable that no relation, loop or variable of the definition uses yet: `name` itself if free.
Symbol unused_variable(const State&, const StageRef&, const Symbol& name);

/// "blur_x", "hist.update(0)".
std::string stage_text(const Algorithm&, const StageRef&);
/// "xi, xo, y": the loops of a definition, innermost first.
std::string loops_text(const DefinitionSchedule&);

/// The reason and remedy of a refusal; whoever replays adds stage, directive and line.
Diagnostic refusal(std::string reason, std::string remedy);
/// Refusals that many directives share.
std::optional<Diagnostic> check_is_loop(const State&, const StageRef&, const Symbol& name);
std::optional<Diagnostic> check_factor(const IntegerArg& factor);

}  // namespace sinter::schedule
