#include "backends/driver/compile_pipeline.h"

#include <chrono>

#include "dsl/algorithm/collect.h"
#include "dsl/base/large_stack.h"
#include "dsl/lowering/passes.h"
#include "dsl/schedule/resolve.h"

namespace sinter::driver {

namespace {

class Stopwatch {
 public:
  /// Milliseconds since the last lap.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

schedule::ScheduledPipeline resolve_pipeline(const std::vector<Func>& outputs,
                                             const Schedule& schedule) {
  const std::string name = outputs.empty() ? "pipeline" : outputs.front().name();
  return schedule::resolve(collect(outputs), schedule.directives(), name);
}

namespace {

Compiled compile(const schedule::ScheduledPipeline& scheduled, const Target& target,
                 const CompileOptions& options) {
  Compiled result;
  Stopwatch watch;
  const backends::Backend& backend = backends::backend_for(target);
  lowering::LowerOptions lower_options;
  lower_options.vector_bits = target.vector_bits();
  lower_options.strided = options.strided;
  lower_options.alignment = options.alignment;
  lower_options.input_rows = options.input_rows;
  lower_options.output_rows = options.output_rows;
  lower_options.aligned_mins = options.aligned_mins;
  lower_options.disabled = options.disabled;
  if (target.is_gpu()) lower_options.gpu = target.architecture();
  lower_options.debug = options.debug;
  lower_options.verify = options.verify;
  lower_options.after_pass = options.after_pass;
  result.scheduled = scheduled;
  result.module = lowering::lower(scheduled, lower_options);
  result.lower_ms = watch.lap();
  backends::CompileOptions backend_options;
  backend_options.listings = options.listings;
  result.code = backend.compile(result.module, target, backend_options);
  result.code_ms = watch.lap();
  return result;
}

}  // namespace

Compiled compile_code(const schedule::ScheduledPipeline& scheduled, const Target& target,
                      const CompileOptions& options) {
  Compiled result;
  on_large_stack([&] { result = compile(scheduled, target, options); });
  return result;
}

Compiled compile_pipeline(const schedule::ScheduledPipeline& scheduled, const Target& target,
                          const CompileOptions& options) {
  Compiled result = compile_code(scheduled, target, options);
  Stopwatch watch;
  on_large_stack([&] {
    result.executable = backends::backend_for(target).default_device(target)->load(result.code);
  });
  result.load_ms = watch.lap();
  return result;
}

}  // namespace sinter::driver
