#include "dsl/schedule/directive.h"

namespace sinter::schedule {

namespace {

/// Makes `state` speak of the entry's line and branch.
std::optional<Diagnostic> enter(const Entry& entry, State& state) {
  state.where = entry.where;
  state.branch.clear();
  const StageDefinition* stage = state.algorithm.find(entry.stage.stage);
  if (stage == nullptr) {
    return refusal("the pipeline has no stage '" + entry.stage.stage.name() + "'",
                   "drop the directive, or use the stage");
  }
  const auto count = static_cast<int>(stage->definitions.size());
  if (entry.stage.definition < 0 || entry.stage.definition >= count) {
    return refusal("the stage has " + std::to_string(count - 1) + " updates",
                   count == 1 ? "write it on the stage itself"
                              : "name update(0) to update(" + std::to_string(count - 2) + ")");
  }
  for (const Expr& condition : entry.branch) {
    const auto index = find_specialization(definition_schedule(state, entry.stage), condition);
    if (!index) {
      return refusal("the definition has no branch for " + to_string(condition),
                     "call specialize with that condition first");
    }
    state.branch.push_back(*index);
  }
  return std::nullopt;
}

bool is_of_whole_stage(const Directive& d) {
  return std::holds_alternative<ComputeInline>(d) || std::holds_alternative<ComputeRoot>(d) ||
         std::holds_alternative<ComputeAt>(d) || std::holds_alternative<StoreRoot>(d) ||
         std::holds_alternative<StoreAt>(d) || std::holds_alternative<StoreIn>(d) ||
         std::holds_alternative<Bound>(d) || std::holds_alternative<BoundExtent>(d) ||
         std::holds_alternative<AlignBounds>(d) || std::holds_alternative<SetEstimate>(d) ||
         std::holds_alternative<StreamLoads>(d) || std::holds_alternative<StreamStores>(d) ||
         std::holds_alternative<AlignStorage>(d);
}

}  // namespace

std::optional<Diagnostic> check(const Entry& entry, State& state) {
  std::optional<Diagnostic> problem = enter(entry, state);
  if (!problem && !state.branch.empty() && is_of_whole_stage(entry.directive)) {
    problem = refusal("a branch of specialize shapes loops only",
                      "write placement, storage and bounds on the stage itself");
  }
  if (!problem) {
    problem =
        std::visit([&](const auto& d) { return check(d, entry.stage, state); }, entry.directive);
  }
  if (problem) {
    problem->stage = stage_text(state.algorithm, entry.stage);
    problem->directive = to_string(entry.directive, state.algorithm);
    entry.locate(*problem);
  }
  return problem;
}

void replay(const Entry& entry, State& state) {
  if (auto problem = check(entry, state)) throw ScheduleError(*problem);
  std::visit([&](const auto& d) { apply(d, entry.stage, state); }, entry.directive);
}

}  // namespace sinter::schedule
