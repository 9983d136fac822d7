#include "dsl/schedule/resolve.h"

#include <algorithm>

namespace sinter::schedule {

namespace {

bool derives_from(const DefinitionSchedule& schedule, const Symbol& variable,
                  const Symbol& ancestor) {
  std::vector<Symbol> current{variable};
  const auto contains = [&](const Symbol& s) {
    return std::find(current.begin(), current.end(), s) != current.end();
  };
  for (auto r = schedule.relations.rbegin(); r != schedule.relations.rend(); ++r) {
    if (contains(ancestor)) return true;
    if (r->kind == Relation::Kind::Split) {
      if (contains(r->split.outer) || contains(r->split.inner)) current.push_back(r->split.old);
    } else if (contains(r->fuse.fused)) {
      current.push_back(r->fuse.outer);
      current.push_back(r->fuse.inner);
    }
  }
  return contains(ancestor);
}

void choose_tails_of(DefinitionSchedule& schedule, const Definition& definition, bool is_update) {
  for (Relation& relation : schedule.relations) {
    if (relation.kind != Relation::Kind::Split || relation.split.tail != Tail::Auto) continue;
    bool guard = is_update || !definition.domain.empty();
    for (const Loop& loop : schedule.loops) {
      guard = guard || ir::is_gpu_loop(loop.kind) ||
              (ir::is_concurrent(loop.kind) &&
               derives_from(schedule, loop.variable, relation.split.outer));
    }
    relation.split.tail = guard ? Tail::GuardWithIf : Tail::ShiftInwards;
  }
  for (auto& branch : schedule.specializations) {
    choose_tails_of(branch.schedule, definition, is_update);
  }
}

ScheduledPipeline finish(State state, const std::string& name) {
  ScheduledPipeline result;
  result.name = name;
  result.algorithm = std::move(state.algorithm);
  result.schedules = std::move(state.schedules);
  result.fused = std::move(state.fused);
  result.estimates = std::move(state.estimates);
  return result;
}

}  // namespace

void choose_tails(State& state) {
  for (const StageDefinition& stage : state.algorithm.stages) {
    StageSchedule& schedule = state.schedules.at(stage.id);
    for (std::size_t k = 0; k < schedule.definitions.size(); ++k) {
      choose_tails_of(schedule.definitions[k], stage.definitions[k], k > 0);
    }
  }
}

ScheduledPipeline resolve(const Algorithm& algorithm, const Schedule& schedule,
                          const std::string& name) {
  State state = initial_state(algorithm);
  for (const Entry& entry : schedule.entries) replay(entry, state);
  choose_tails(state);
  check_legality(state, schedule);
  join_fused_stages(state, schedule);
  settle_placements(state, schedule);
  return finish(std::move(state), name);
}

std::optional<Diagnostic> refusal_of(const Algorithm& algorithm, const Schedule& schedule) {
  try {
    resolve(algorithm, schedule, "");
  } catch (const ScheduleError& error) {
    return error.diagnostic();
  }
  return std::nullopt;
}

std::string loop_nest_after(const Algorithm& algorithm, const Schedule& schedule,
                            std::size_t count) {
  State state = initial_state(algorithm);
  for (std::size_t i = 0; i < std::min(count, schedule.entries.size()); ++i) {
    replay(schedule.entries[i], state);
  }
  choose_tails(state);
  state.fused.clear();  // joined only when the whole is legal
  return loop_nest(finish(std::move(state), ""));
}

}  // namespace sinter::schedule
