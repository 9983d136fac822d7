#include "dsl/schedule/state.h"

#include <limits>

namespace sinter::schedule {

namespace {

Loop own_loop(const Symbol& variable, bool reduction, const std::source_location& where) {
  Loop loop;
  loop.variable = variable;
  loop.name = variable;
  loop.reduction = reduction;
  loop.where = where;
  return loop;
}

bool mentions(const DefinitionSchedule& schedule, const Symbol& symbol) {
  for (const Loop& loop : schedule.loops) {
    if (loop.variable == symbol || loop.name == symbol) return true;
  }
  for (const Relation& r : schedule.relations) {
    if (r.kind == Relation::Kind::Split) {
      if (r.split.old == symbol || r.split.outer == symbol || r.split.inner == symbol) return true;
    } else if (r.fuse.inner == symbol || r.fuse.outer == symbol || r.fuse.fused == symbol) {
      return true;
    }
  }
  return false;
}

}  // namespace

DefinitionSchedule initial_definition_schedule(const StageDefinition& stage, std::size_t index) {
  const Definition& definition = stage.definitions.at(index);
  DefinitionSchedule schedule;
  for (const ReductionVariable& r : definition.domain) {
    schedule.loops.push_back(own_loop(r.symbol, true, definition.where));
  }
  for (std::size_t d = 0; d < stage.rank(); ++d) {
    if (index == 0 || definition.is_pure_in(d, stage.variables)) {
      schedule.loops.push_back(own_loop(stage.variables[d], false, definition.where));
    }
  }
  return schedule;
}

StageSchedule initial_schedule(const StageDefinition& stage, bool is_output) {
  StageSchedule schedule;
  schedule.compute.kind = is_output ? Placement::Kind::Root : Placement::Kind::Inline;
  if (!stage.definitions.empty()) schedule.compute.where = stage.definitions[0].where;
  schedule.store = schedule.compute;
  for (std::size_t k = 0; k < stage.definitions.size(); ++k) {
    schedule.definitions.push_back(initial_definition_schedule(stage, k));
  }
  return schedule;
}

State initial_state(const Algorithm& algorithm, bool partial) {
  State state;
  state.algorithm = algorithm;
  state.partial = partial;
  for (const StageDefinition& stage : algorithm.stages) {
    state.schedules.emplace(stage.id, initial_schedule(stage, algorithm.is_output(stage.id)));
  }
  return state;
}

DefinitionSchedule& definition_schedule(State& state, const StageRef& ref) {
  DefinitionSchedule* schedule =
      &state.schedules.at(ref.stage).definitions.at(static_cast<std::size_t>(ref.definition));
  for (const std::size_t index : state.branch) {
    schedule = &schedule->specializations.at(index).schedule;
  }
  return *schedule;
}

const DefinitionSchedule& definition_schedule(const State& state, const StageRef& ref) {
  const DefinitionSchedule* schedule =
      &state.schedules.at(ref.stage).definitions.at(static_cast<std::size_t>(ref.definition));
  for (const std::size_t index : state.branch) {
    schedule = &schedule->specializations.at(index).schedule;
  }
  return *schedule;
}

const StageDefinition& stage_of(const State& state, const StageRef& ref) {
  return state.algorithm.stage(ref.stage);
}

const Definition& definition_of(const State& state, const StageRef& ref) {
  return stage_of(state, ref).definitions.at(static_cast<std::size_t>(ref.definition));
}

std::size_t find_loop(const DefinitionSchedule& schedule, const Symbol& name) {
  for (std::size_t i = 0; i < schedule.loops.size(); ++i) {
    if (schedule.loops[i].name == name) return i;
  }
  return schedule.loops.size();
}

bool has_loop(const DefinitionSchedule& schedule, const Symbol& name) {
  return find_loop(schedule, name) < schedule.loops.size();
}

Symbol unused_variable(const State& state, const StageRef& ref, const Symbol& name) {
  bool used = mentions(definition_schedule(state, ref), name);
  for (const Symbol& v : stage_of(state, ref).variables) used = used || v == name;
  for (const ReductionVariable& r : definition_of(state, ref).domain) {
    used = used || r.symbol == name;
  }
  return used ? Symbol::fresh(name.name()) : name;
}

std::string stage_text(const Algorithm& algorithm, const StageRef& ref) {
  const StageDefinition* stage = algorithm.find(ref.stage);
  std::string text = stage ? stage->name : ref.stage.name();
  if (ref.definition > 0) text += ".update(" + std::to_string(ref.definition - 1) + ")";
  return text;
}

std::string loops_text(const DefinitionSchedule& schedule) {
  if (schedule.loops.empty()) return "none";
  std::string text;
  for (const Loop& loop : schedule.loops) {
    text += (text.empty() ? "" : ", ") + loop.name.name();
  }
  return text;
}

Diagnostic refusal(std::string reason, std::string remedy) {
  Diagnostic diagnostic;
  diagnostic.reason = std::move(reason);
  diagnostic.remedy = std::move(remedy);
  return diagnostic;
}

std::optional<Diagnostic> check_is_loop(const State& state, const StageRef& ref,
                                        const Symbol& name) {
  const DefinitionSchedule& schedule = definition_schedule(state, ref);
  if (has_loop(schedule, name)) return std::nullopt;
  const bool was_loop = [&] {
    for (const Symbol& v : stage_of(state, ref).variables) {
      if (v == name) return true;
    }
    return mentions(schedule, name);
  }();
  return refusal(
      "'" + name.name() + "' is not a loop of this definition" + (was_loop ? " any more" : ""),
      "name one of its loops (innermost first): " + loops_text(schedule));
}

std::optional<Diagnostic> check_factor(const IntegerArg& factor) {
  if (const auto* knob = std::get_if<IntegerArg::Knob>(&factor.value)) {
    return refusal("the factor is the knob '" + knob->name + "', which has no value here",
                   "write a constant factor");
  }
  if (!factor.is_constant()) {
    return refusal("the factor is an expression of sizes; only constant factors are realised",
                   "write a constant factor");
  }
  constexpr std::int64_t Most = std::numeric_limits<std::int32_t>::max();
  if (factor.constant() < 1 || factor.constant() > Most) {
    return refusal("the factor is " + std::to_string(factor.constant()),
                   "write a factor from 1 to " + std::to_string(Most));
  }
  return std::nullopt;
}

}  // namespace sinter::schedule
