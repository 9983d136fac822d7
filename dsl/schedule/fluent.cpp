#include "dsl/schedule/fluent.h"

#include <algorithm>
#include <atomic>

namespace sinter::schedule {

namespace {

std::atomic<std::uint64_t>& counter() {
  static std::atomic<std::uint64_t> last{0};  // orders directives of different Funcs, nothing else
  return last;
}

Family& family_of(FuncContents& contents) {
  if (!contents.schedule) {
    auto family = std::make_shared<Family>();
    family->root = contents.definition.id;
    Algorithm algorithm;
    algorithm.stages.push_back(contents.definition);
    family->state = initial_state(algorithm, true);
    contents.schedule = family;
  }
  Family& family = *std::static_pointer_cast<Family>(contents.schedule);
  if (!(family.root == contents.definition.id)) return family;
  // Updates may have been added since the last directive.
  for (StageDefinition& stage : family.state.algorithm.stages) {
    if (!(stage.id == family.root)) continue;
    StageSchedule& schedule = family.state.schedules.at(stage.id);
    for (std::size_t k = stage.definitions.size(); k < contents.definition.definitions.size();
         ++k) {
      stage.definitions.push_back(contents.definition.definitions[k]);
      schedule.definitions.push_back(initial_definition_schedule(stage, k));
    }
  }
  return family;
}

void gather(const std::shared_ptr<const FuncContents>& func, std::unordered_set<Symbol>& seen,
            std::vector<Family::Numbered>& entries) {
  if (!seen.insert(func->definition.id).second) return;
  if (func->schedule) {
    const auto family = std::static_pointer_cast<Family>(func->schedule);
    if (family->root == func->definition.id) {
      entries.insert(entries.end(), family->entries.begin(), family->entries.end());
    }
  }
  for (const auto& callee : func->references.funcs) gather(callee, seen, entries);
  for (const auto& image : func->references.images) {
    if (image->copy) gather(image->copy, seen, entries);
  }
}

std::uint64_t latest_constraint(const FuncContents& func, std::unordered_set<Symbol>& seen) {
  if (!seen.insert(func.definition.id).second) return 0;
  std::uint64_t latest = 0;
  for (const auto& image : func.references.images) latest = std::max(latest, image->constrained);
  for (const auto& callee : func.references.funcs)
    latest = std::max(latest, latest_constraint(*callee, seen));
  return latest;
}

}  // namespace

void record(const std::shared_ptr<FuncContents>& contents, int definition,
            const std::vector<Expr>& branch, Directive directive,
            const std::source_location& where) {
  if (!contents->is_defined()) {
    Diagnostic problem = refusal("the Func has no definition yet, so it has no loops",
                                 "define it first, then schedule it");
    problem.stage = contents->definition.name;
    problem.directive = to_string(directive, Algorithm{});
    throw ScheduleError(problem.at(where));
  }
  Family& family = family_of(*contents);
  Entry entry{{contents->definition.id, definition}, std::move(directive), where, branch};
  replay(entry, family.state);
  family.entries.push_back({++counter(), std::move(entry)});
}

std::uint64_t latest_directive() { return counter(); }

std::uint64_t latest_directive(const std::vector<Func>& outputs) {
  std::unordered_set<Symbol> seen;
  std::vector<Family::Numbered> entries;
  for (const Func& f : outputs) gather(f.contents(), seen, entries);
  std::uint64_t latest = latest_constraint(outputs);
  for (const Family::Numbered& numbered : entries) latest = std::max(latest, numbered.sequence);
  return latest;
}

std::uint64_t latest_constraint(const std::vector<Func>& outputs) {
  std::unordered_set<Symbol> seen;
  std::uint64_t latest = 0;
  for (const Func& f : outputs) latest = std::max(latest, latest_constraint(*f.contents(), seen));
  return latest;
}

void number_constraint(ImageContents& image) { image.constrained = ++counter(); }

Schedule schedule_of(const std::vector<Func>& outputs) {
  std::unordered_set<Symbol> seen;
  std::vector<Family::Numbered> entries;
  for (const Func& f : outputs) gather(f.contents(), seen, entries);
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
  Schedule schedule;
  for (Family::Numbered& numbered : entries) schedule.entries.push_back(std::move(numbered.entry));
  return schedule;
}

}  // namespace sinter::schedule
