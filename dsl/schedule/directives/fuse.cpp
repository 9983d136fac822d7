#include "dsl/schedule/directives/fuse.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const Fuse& fuse, const StageRef& ref, const State& state) {
  if (auto problem = check_is_loop(state, ref, fuse.inner)) return problem;
  if (auto problem = check_is_loop(state, ref, fuse.outer)) return problem;
  if (fuse.inner == fuse.outer) {
    return refusal("a loop cannot be fused with itself", "name two different loops");
  }
  const DefinitionSchedule& schedule = definition_schedule(state, ref);
  const bool reuses_own = fuse.fused == fuse.inner || fuse.fused == fuse.outer;
  if (!reuses_own && has_loop(schedule, fuse.fused)) {
    return refusal("the new name '" + fuse.fused.name() + "' is already a loop of this definition",
                   "choose a name other than " + loops_text(schedule));
  }
  for (const Symbol& name : {fuse.inner, fuse.outer}) {
    const Loop& loop = schedule.loops[find_loop(schedule, name)];
    if (loop.kind != ir::LoopKind::Serial) {
      return refusal("the loop '" + name.name() + "' is not serial any more",
                     "fuse first, then mark the fused loop '" + fuse.fused.name() + "'");
    }
  }
  return std::nullopt;
}

void apply(const Fuse& fuse, const StageRef& ref, State& state) {
  DefinitionSchedule& schedule = definition_schedule(state, ref);
  const Loop outer = schedule.loops[find_loop(schedule, fuse.outer)];
  Loop& inner = schedule.loops[find_loop(schedule, fuse.inner)];
  const Symbol fused = unused_variable(state, ref, fuse.fused);
  Relation relation{};
  relation.kind = Relation::Kind::Fuse;
  relation.fuse = {inner.variable, outer.variable, fused};
  schedule.relations.push_back(relation);
  inner.variable = fused;
  inner.name = fuse.fused;
  inner.reduction = inner.reduction || outer.reduction;
  inner.where = state.where;
  std::erase_if(schedule.loops, [&](const Loop& l) { return l.variable == outer.variable; });
}

}  // namespace sinter::schedule
