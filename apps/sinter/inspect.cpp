#include "apps/sinter/inspect.h"

#include <iostream>

#include <sinter/diagnostic.h>

#include "apps/sinter/kernel_resources.h"
#include "backends/driver/compile_pipeline.h"
#include "dsl/algorithm/buffer_access.h"
#include "dsl/algorithm/collect.h"
#include "dsl/algorithm/evaluate.h"
#include "dsl/schedule/root_schedule.h"

namespace sinter::command {

void evaluate_reference(const std::vector<Func>& outputs, const Schedule& schedule,
                        const std::vector<Buffer<>>& buffers) {
  const schedule::ScheduledPipeline scheduled = driver::resolve_pipeline(outputs, schedule);
  const Collection collection = collect_all(outputs);
  ir::Arguments arguments;
  for (const auto& image : collection.images) arguments.buffers[image->id] = view_of(image->buffer);
  for (const auto& parameter : collection.parameters) {
    if (parameter->value) arguments.scalars[parameter->id] = *parameter->value;
  }
  std::size_t next = 0;
  for (const Symbol& output : scheduled.algorithm.outputs) {
    const StageDefinition& stage = scheduled.algorithm.stage(output);
    for (std::size_t component = 0; component < stage.types.size(); ++component) {
      arguments.buffers[output_symbol(stage, component)] = view_of(buffers.at(next++));
    }
  }
  evaluate(scheduled.algorithm, arguments);
}

Schedule at_root(const std::vector<Func>& outputs, const Schedule& rewrites) {
  return Schedule(schedule::root_schedule(collect(outputs), rewrites.directives()));
}

std::string inspect(const std::vector<Func>& outputs, const Schedule& schedule,
                    const std::string& what, const Target& target, bool json) {
  if (what == "schedule") return schedule.to_string(outputs);
  const schedule::ScheduledPipeline scheduled = driver::resolve_pipeline(outputs, schedule);
  if (what == "loops") return schedule::loop_nest(scheduled);
  driver::CompileOptions options;
  options.listings = true;
  options.alignment = target.is_gpu() ? 16 : 0;  // as for buffers of our own
  options.input_rows = options.output_rows = options.alignment;
  options.aligned_mins = target.is_gpu();
  if (what == "resources" && target.is_gpu()) {
    // Of the machine itself, since nothing is assembled for an emulated one.
    const driver::Compiled compiled =
        driver::compile_code(scheduled, Target("nvptx-" + target.architecture()), options);
    return kernel_resources(compiled.code, json);
  }
  const driver::Compiled compiled = driver::compile_code(scheduled, target, options);
  std::cerr << "lowered in " << compiled.lower_ms << " ms, code generated in " << compiled.code_ms
            << " ms\n";
  if (what == "ir") return ir::print(compiled.module);
  const auto listing = compiled.code.listings.find(what);
  if (listing == compiled.code.listings.end()) {
    throw RuntimeError(Diagnostic{.stage = "",
                                  .directive = "--emit " + what,
                                  .reason = "target " + target.to_string() + " has no such listing",
                                  .remedy = "use schedule, loops, ir, llvm or asm; of a GPU also "
                                            "resources",
                                  .file = ""});
  }
  return listing->second;
}

}  // namespace sinter::command
