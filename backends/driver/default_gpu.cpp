// What the default GPU schedule proposes is lowered on trial. Where that is refused, the stage
// gives up a part: its class, then the GPU, then its place.

#include "backends/driver/default_gpu.h"

#include <algorithm>
#include <iostream>

#include "dsl/algorithm/collect.h"
#include "dsl/base/large_stack.h"
#include "dsl/lowering/passes.h"
#include "dsl/schedule/fluent.h"
#include "dsl/schedule/resolve.h"

namespace sinter {

namespace {

using schedule::DefaultGpuOptions;
using schedule::DefaultGpuSchedule;
using schedule::Retreat;

/// The stage that a refusal speaks of: of it, of one of its updates, or of one made from it.
const StageDefinition* stage_of(const Diagnostic& problem, const Algorithm& algorithm) {
  const StageDefinition* found = nullptr;
  for (const StageDefinition& s : algorithm.stages) {
    const bool starts =
        problem.stage.starts_with(s.name) &&
        (problem.stage.size() == s.name.size() || problem.stage[s.name.size()] == '.');
    if (starts && (found == nullptr || s.name.size() > found->name.size())) found = &s;
  }
  return found;
}

/// Asks for less where it was refused. False when nothing is left to give up.
bool give_up(const Diagnostic& problem, const Algorithm& algorithm, DefaultGpuOptions& options,
             std::vector<std::string>& notices) {
  const StageDefinition* blamed = stage_of(problem, algorithm);
  if (blamed != nullptr && options.retreats[blamed->id] == Retreat::Inline) blamed = nullptr;
  bool gave = false;
  for (const StageDefinition& s : algorithm.stages) {
    Retreat& retreat = options.retreats[s.id];
    if ((blamed != nullptr && blamed != &s) || retreat == Retreat::Inline) continue;
    retreat = static_cast<Retreat>(static_cast<int>(retreat) + 1);
    if (retreat == Retreat::Host)
      notices.push_back("'" + s.name + "' runs on the host: " + problem.reason + "; " +
                        problem.remedy);
    gave = true;
  }
  return gave;
}

void add_estimates(schedule::Schedule& estimates, const Algorithm& algorithm,
                   const std::vector<std::vector<int>>& mins,
                   const std::vector<std::vector<int>>& extents) {
  for (std::size_t i = 0; i < std::min(extents.size(), algorithm.outputs.size()); ++i) {
    const StageDefinition& stage = algorithm.stage(algorithm.outputs[i]);
    for (std::size_t d = 0; d < std::min(extents[i].size(), stage.rank()); ++d) {
      const bool given = std::any_of(
          estimates.entries.begin(), estimates.entries.end(), [&](const schedule::Entry& e) {
            return e.stage.stage == stage.id &&
                   std::get<schedule::SetEstimate>(e.directive).variable == stage.variables[d];
          });
      if (given || extents[i][d] <= 0) continue;
      const int min = i < mins.size() ? mins[i][d] : 0;
      estimates.entries.push_back({{stage.id, 0},
                                   schedule::SetEstimate{stage.variables[d], min, extents[i][d]},
                                   stage.definitions[0].where,
                                   {}});
    }
  }
}

}  // namespace

namespace {

DefaultGpuSchedule make(const Algorithm& algorithm, const schedule::Schedule& estimates,
                        const Target& target, DefaultGpuOptions options) {
  std::vector<std::string> notices;
  for (;;) {
    Diagnostic problem;
    try {
      DefaultGpuSchedule made =
          schedule::default_gpu_schedule(algorithm, estimates, target, options);
      lowering::lower(schedule::resolve(algorithm, made.schedule, "default"));
      made.notices.insert(made.notices.end(), notices.begin(), notices.end());
      return made;
    } catch (const ScheduleError& e) {
      problem = e.diagnostic();
    } catch (const CompileError& e) {
      problem = e.diagnostic();
    }
    if (!give_up(problem, algorithm, options, notices)) {
      return {estimates,
              {"the pipeline runs on the host: " + problem.reason + "; " + problem.remedy}};
    }
  }
}

}  // namespace

DefaultGpuSchedule driver::default_gpu_schedule(const Algorithm& algorithm,
                                                const schedule::Schedule& estimates,
                                                const Target& target, DefaultGpuOptions options) {
  DefaultGpuSchedule made;
  on_large_stack([&] { made = make(algorithm, estimates, target, std::move(options)); });
  return made;
}

DefaultSchedule default_schedule(const std::vector<Func>& outputs, const Target& target,
                                 const DefaultScheduleOptions& options) {
  if (target.is_host()) return {};
  schedule::Schedule estimates;
  for (schedule::Entry& e : schedule::schedule_of(outputs).entries) {
    if (std::holds_alternative<schedule::SetEstimate>(e.directive))
      estimates.entries.push_back(std::move(e));
  }
  const Algorithm algorithm = collect(outputs);
  add_estimates(estimates, algorithm, {}, options.sizes);
  DefaultGpuSchedule made = driver::default_gpu_schedule(
      algorithm, estimates, target, {.allow_rewrites = options.allow_rewrites});
  return {Schedule(std::move(made.schedule)), std::move(made.notices)};
}

namespace driver {

bool is_unscheduled(const Schedule& given) {
  const auto& entries = given.directives().entries;
  return std::all_of(entries.begin(), entries.end(), [](const schedule::Entry& e) {
    return std::holds_alternative<schedule::SetEstimate>(e.directive);
  });
}

Schedule scheduled_for_gpu(const std::vector<Func>& outputs, const Schedule& given,
                           const Target& target, const std::vector<Buffer<>>& buffers) {
  std::vector<std::vector<int>> mins, extents;
  std::size_t next = 0;
  for (const Func& f : outputs) {
    if (next >= buffers.size()) break;
    const Buffer<>& b = buffers[next];
    next += f.outputs();
    mins.emplace_back();
    extents.emplace_back();
    for (int d = 0; d < b.dimensions(); ++d) {
      mins.back().push_back(b.min(d));
      extents.back().push_back(b.extent(d));
    }
  }
  const Algorithm algorithm = collect(outputs);
  schedule::Schedule estimates = given.directives();
  add_estimates(estimates, algorithm, mins, extents);
  DefaultGpuSchedule made = driver::default_gpu_schedule(algorithm, estimates, target, {});
  for (const std::string& notice : made.notices) std::cerr << "sinter: " << notice << "\n";
  return Schedule(std::move(made.schedule));
}

}  // namespace driver

}  // namespace sinter
