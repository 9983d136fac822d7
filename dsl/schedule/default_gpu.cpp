#include "dsl/schedule/default_gpu.h"

#include <algorithm>

#include "dsl/schedule/default_gpu_builder.h"

namespace sinter::schedule {

DefaultGpuBuilder::DefaultGpuBuilder(const Algorithm& algorithm, const Schedule& estimates,
                                     const Target& target, const DefaultGpuOptions& options)
    : options_(options),
      facts_(algorithm, estimates, options),
      target_(target),
      state_(initial_state(algorithm)) {
  for (const Entry& e : estimates.entries) {
    replay(e, state_);
    result_.schedule.entries.push_back(e);
  }
}

void DefaultGpuBuilder::add(const StageRef& ref, Directive directive) {
  const StageDefinition& stage = state_.algorithm.stage(ref.stage);
  const auto definition = static_cast<std::size_t>(ref.definition);
  Entry entry{ref, std::move(directive), stage.definitions[definition].where, {}};
  replay(entry, state_);
  result_.schedule.entries.push_back(std::move(entry));
}

Symbol DefaultGpuBuilder::name(const StageRef& ref, const std::string& wanted) {
  auto& taken = names_[ref.stage][ref.definition];
  for (const Symbol& v : state_.algorithm.stage(ref.stage).variables) taken.insert(v.name());
  for (const ReductionVariable& r : definition_of(state_, ref).domain)
    taken.insert(r.symbol.name());
  std::string text = wanted;
  for (int i = 1; !taken.insert(text).second; ++i) text = wanted + std::to_string(i);
  return Symbol::named(text);
}

Retreat DefaultGpuBuilder::retreat(const Symbol& stage) const {
  const auto it = options_.retreats.find(stage);
  return it == options_.retreats.end() ? Retreat::None : it->second;
}

void DefaultGpuBuilder::notice(const StageDefinition& stage, const std::string& why,
                               const std::string& remedy) {
  result_.notices.push_back("'" + stage.name + "' runs on the host: " + why + "; " + remedy);
}

void DefaultGpuBuilder::place(const StageDefinition& stage) {
  if (facts_.is_inline(stage.id) || retreat(stage.id) == Retreat::Inline) return;
  if (const auto reader = readers_.find(stage.id); reader != readers_.end()) {
    add({stage.id, 0}, ComputeAt{reader->second, thread_loop_.at(reader->second)});
    return;
  }
  if (const auto rows = rows_.find(stage.id); rows != rows_.end()) {
    if (!(rows->second == stage.id)) return row_member(stage, rows->second);
    if (!facts_.algorithm().is_output(stage.id)) add({stage.id, 0}, ComputeRoot{});
    return row_kernel({stage.id, 0});
  }
  if (!facts_.algorithm().is_output(stage.id)) add({stage.id, 0}, ComputeRoot{});
  if (retreat(stage.id) == Retreat::Host) return;  // whoever asked for it says why
  const int definitions = static_cast<int>(stage.definitions.size());
  for (int k = 1; k < definitions; ++k) {
    if (class_of({stage.id, k}) != Class::Host) continue;
    const auto update = as_self_update(stage, stage.definitions[static_cast<std::size_t>(k)]);
    if (update && !update->exact)
      notice(stage,
             "an order of float additions is part of the algorithm, and so many steps in a row are "
             "the host's",
             "write reduce_across on it, which makes another algorithm (allow_rewrites)");
    else
      notice(stage, "its steps depend on each other, and there may be many",
             "say with constants how few they are, or schedule it by hand");
    return;
  }
  if (const auto turn = turns_.find(stage.id); turn != turns_.end())
    return transpose(stage, turn->second);
  pure({stage.id, 0});
  for (int k = 1; k < definitions; ++k) update({stage.id, k});
}

DefaultGpuSchedule DefaultGpuBuilder::run() {
  const auto& stages = facts_.algorithm().stages;
  find_rows();
  for (const StageDefinition& s : stages) {
    if (rows_.contains(s.id)) continue;
    if (const auto reader = one_reader(s)) readers_[s.id] = *reader;
  }
  find_turns();
  for (auto s = stages.rbegin(); s != stages.rend(); ++s) place(*s);  // readers first
  return std::move(result_);
}

DefaultGpuSchedule default_gpu_schedule(const Algorithm& algorithm, const Schedule& estimates,
                                        const Target& target, const DefaultGpuOptions& options) {
  return DefaultGpuBuilder(algorithm, estimates, target, options).run();
}

}  // namespace sinter::schedule
