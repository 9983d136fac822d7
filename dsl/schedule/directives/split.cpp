#include "dsl/schedule/directives/split.h"

#include <algorithm>

#include "dsl/schedule/loop_facts.h"

namespace sinter::schedule {

namespace {

std::optional<Diagnostic> check_names(const Split& split, const DefinitionSchedule& schedule) {
  if (split.outer == split.inner) {
    return refusal("outer and inner loop are both called '" + split.outer.name() + "'",
                   "give the two new loops different names");
  }
  for (const Symbol& name : {split.outer, split.inner}) {
    if (!(name == split.old) && has_loop(schedule, name)) {
      return refusal("the new name '" + name.name() + "' is already a loop of this definition",
                     "choose a name other than " + loops_text(schedule));
    }
  }
  return std::nullopt;
}

std::optional<Diagnostic> check_tail(const Split& split, const StageRef& ref, const State& state,
                                     const Loop& loop) {
  const DefinitionSchedule& schedule = definition_schedule(state, ref);
  const StageDefinition& stage = stage_of(state, ref);
  const Definition& definition = definition_of(state, ref);
  if (split.tail == Tail::ShiftInwards) {
    if (loop.reduction) {
      return refusal("ShiftInwards would run some steps of the reduction twice",
                     "use TailStrategy::GuardWithIf");
    }
    if (ref.definition > 0 && reads_itself(stage, definition)) {
      return refusal(
          "ShiftInwards would update some elements twice, and this update reads what "
          "it writes",
          "use TailStrategy::GuardWithIf");
    }
  }
  if (split.tail == Tail::RoundUp) {
    if (loop.reduction) {
      return refusal("RoundUp would run the reduction beyond its domain",
                     "use TailStrategy::GuardWithIf");
    }
    const auto extent =
        constant_extent(state.schedules.at(ref.stage), stage, definition, schedule, loop.variable);
    const bool divides = extent && *extent % split.factor.constant() == 0;
    if (ref.definition > 0 && !divides) {
      return refusal("RoundUp would update elements that the pure definition has not set",
                     "use TailStrategy::GuardWithIf");
    }
    for (const Relation& r : schedule.relations) {
      const bool is_inner = r.kind == Relation::Kind::Split && r.split.inner == loop.variable;
      if (is_inner && !divides) {
        return refusal("RoundUp would run into the next tile: the factor does not divide the " +
                           std::to_string(r.split.factor) + " iterations of '" + loop.name.name() +
                           "'",
                       "use TailStrategy::GuardWithIf, or a factor that divides " +
                           std::to_string(r.split.factor));
      }
    }
  }
  return std::nullopt;
}

/// gpu_single_thread's own.
bool is_of_no_variable(const StageDefinition& stage, const Definition& definition,
                       const DefinitionSchedule& schedule, const Loop& loop) {
  const Symbol origin = origins(schedule, loop.variable).front();
  const auto is_origin = [&](const auto& r) { return r.symbol == origin; };
  return std::find(stage.variables.begin(), stage.variables.end(), origin) ==
             stage.variables.end() &&
         std::none_of(definition.domain.begin(), definition.domain.end(), is_origin);
}

}  // namespace

std::optional<Diagnostic> check(const Split& split, const StageRef& ref, const State& state) {
  if (auto problem = check_is_loop(state, ref, split.old)) return problem;
  const DefinitionSchedule& schedule = definition_schedule(state, ref);
  if (auto problem = check_names(split, schedule)) return problem;
  if (auto problem = check_factor(split.factor)) return problem;
  const Loop& loop = schedule.loops[find_loop(schedule, split.old)];
  if (ir::is_gpu_loop(loop.kind) &&
      is_of_no_variable(stage_of(state, ref), definition_of(state, ref), schedule, loop)) {
    return refusal("'" + loop.name.name() +
                       "' is the one thread or block of gpu_single_thread(): it has one iteration",
                   "drop this directive");
  }
  return check_tail(split, ref, state, loop);
}

void apply(const Split& split, const StageRef& ref, State& state) {
  DefinitionSchedule& schedule = definition_schedule(state, ref);
  const std::size_t at = find_loop(schedule, split.old);
  const Symbol outer_variable = unused_variable(state, ref, split.outer);
  const Symbol inner_variable = unused_variable(state, ref, split.inner);
  Relation relation{};
  relation.kind = Relation::Kind::Split;
  relation.split = {schedule.loops[at].variable, outer_variable, inner_variable,
                    split.factor.constant(), split.tail};
  schedule.relations.push_back(relation);
  Loop inner = schedule.loops[at];
  inner.where = state.where;
  Loop outer = inner;
  inner.variable = inner_variable;
  inner.name = split.inner;
  outer.variable = outer_variable;
  outer.name = split.outer;
  schedule.loops[at] = inner;
  schedule.loops.insert(schedule.loops.begin() + static_cast<std::ptrdiff_t>(at) + 1, outer);
}

}  // namespace sinter::schedule
