// The default GPU schedules against those that the apps' authors wrote, in turns.

#include <algorithm>
#include <chrono>

#include <sinter/stream.h>

#include "apps/sinter/apps.h"
#include "apps/sinter/bench.h"
#include "apps/sinter/session.h"
#include "apps/sinter/sizes.h"

namespace sinter::command {

namespace {

struct DefaultBenchmark {
  const char* pipeline;
  const char* schedule;
  const char* size;  // empty: the default one for a GPU
};

constexpr DefaultBenchmark Benchmarks[] = {
    {"blur", "auto", "width=15360,height=8640"},
    {"unsharp", "auto", "width=7680,height=4320"},
    {"bilateral_grid", "auto", "width=7680,height=4320"},
    {"histogram", "auto", "width=7680,height=4320"},
    {"conv2d", "auto", ""},
    {"copy", "auto", ""},
    {"copy3", "auto", ""},
    {"gelu", "auto", ""},
    {"gelu_fast", "auto", ""},
    {"chain10", "auto", ""},
    {"chain10_fast", "auto", ""},
    {"transpose", "auto", ""},
    {"transpose_f32", "auto", ""},
    {"reduce", "auto_rewrites", ""},
    {"softmax", "auto_rewrites", ""},
    {"softmax_fast", "auto_rewrites", ""},
    {"rmsnorm", "auto_rewrites", ""},
    {"rmsnorm_fast", "auto_rewrites", ""},
    {"layernorm", "auto_rewrites", ""},
    {"layernorm_fast", "auto_rewrites", ""},
    {"softmax_fast_8192", "auto_rewrites", ""},
    {"rmsnorm_fast_8192", "auto_rewrites", ""},
    {"layernorm_fast_8192", "auto_rewrites", ""},
    // Float sums in their order: what keeping every bit costs.
    {"softmax_fast", "auto", ""},
    {"rmsnorm_fast", "auto", ""},
    {"layernorm_fast", "auto", ""},
};

/// A pipeline under one schedule, with its buffers on the device.
class Timed {
 public:
  Timed(const RegisteredPipeline& pipeline, const std::string& schedule, const Sizes& sizes,
        const Target& target)
      : session_(pipeline, schedule, target, sizes),
        buffers_(make_buffers(pipeline, sizes)),
        stream_(target) {
    for (const auto& [parameter, value] : pipeline.info.parameters)
      session_.set_parameter(parameter, value);
    session_.run(buffers_);
    calls_ = target.is_emulated() ? 1 : std::clamp(int(20.0 / time(2)), 2, 50);
  }
  /// Milliseconds a call, of some in a row.
  double time() { return time(calls_); }

 private:
  double time(int count) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) session_.enqueue(buffers_, stream_);
    stream_.synchronize();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
               .count() /
           count;
  }

  Session session_;
  CallBuffers buffers_;
  Stream stream_;
  int calls_ = 1;
};

void bench_default(const BenchOptions& options) {
  const Target target(options.target);
  if (!target.is_gpu())
    refuse_bench("default", "the target is " + target.to_string(),
                 "give a GPU: --target nvptx-sm_90a");
  const Registry registry = apps::all_apps();
  for (const DefaultBenchmark& b : Benchmarks) {
    const RegisteredPipeline& pipeline = *registry.find(b.pipeline);
    const Sizes sizes =
        parse_sizes(target.is_emulated() ? "" : b.size, pipeline.info.default_sizes(target));
    Timed ours(pipeline, b.schedule, sizes, target), hand(pipeline, "tuned", sizes, target);
    BenchRow row = take_turns(options, [&] { return ours.time(); }, [&] { return hand.time(); });
    row.bench = std::string(b.pipeline) + " " + b.schedule;
    row.peer = "tuned";
    print(row, options.json);
  }
}

}  // namespace

const std::vector<SpecialBenchmark>& default_benchmarks() {
  static const std::vector<SpecialBenchmark> all = {
      {"default", "default", "default GPU schedules, against the apps' own", bench_default}};
  return all;
}

}  // namespace sinter::command
