// What is bound by memory on a GPU: our kernels against a copy of as many streams, in turns.

#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>

#include <sinter/stream.h>

#include "apps/sinter/apps.h"
#include "apps/sinter/bench.h"
#include "apps/sinter/session.h"
#include "apps/sinter/sizes.h"

namespace sinter::command {

namespace {

struct GpuBenchmark {
  const char* pipeline;
  const char* size;  // empty: the default one for a GPU
  const char* copy;  // the pipeline that copies as many matrices
  const char* copy_size = "";
};

constexpr GpuBenchmark Benchmarks[] = {
    {"gelu_fast", "", "copy3"},
    {"gelu", "", "copy3"},
    {"chain10_fast", "", "copy3"},
    {"chain10", "", "copy3"},
    {"rmsnorm_fast_8192", "", "copy"},
    {"rmsnorm_8192", "", "copy"},
    {"layernorm_fast_8192", "", "copy"},
    {"layernorm_8192", "", "copy"},
    {"softmax_fast_8192", "", "copy"},
    {"softmax_8192", "", "copy"},
    {"rmsnorm_fast", "", "copy"},
    {"layernorm_fast", "", "copy"},
    {"softmax_fast", "", "copy"},
    {"transpose", "", "copy"},
    {"transpose_f32", "", "copy"},
    {"rmsnorm_backward", "", "copy3"},
    {"layernorm_backward", "", "copy3"},
    {"scan", "", "copy"},
    {"scan_i32", "", "copy"},
    {"blur", "width=15360,height=8640", "copy_u16", "columns=15360,rows=8640"},
};

/// Halide's program for the same pipeline on the same device.
struct GpuPeer {
  const char* pipeline;
  const char* size;
  const char* peer;
  double tolerance;
};

constexpr GpuPeer Peers[] = {
    {"blur", "width=15360,height=8640", "blur_halide_cuda", 0},
    {"bilateral_grid", "width=1536,height=2560", "bilateral_grid_halide_cuda", 1e-3},
    {"bilateral_grid", "width=15360,height=8640", "bilateral_grid_halide_cuda", 1e-3},
};

/// A pipeline with its buffers on the device.
class Prepared {
 public:
  /// Buffers of their own, or some that another schedule of the pipeline had.
  Prepared(const Registry& registry, const std::string& name, const std::string& size,
           const Target& target, const std::string& schedule = "tuned",
           const std::optional<CallBuffers>& buffers = {})
      : pipeline_(*registry.find(name)),
        session_(pipeline_, schedule, target),
        buffers_(buffers ? *buffers
                         : make_buffers(pipeline_,
                                        parse_sizes(size, pipeline_.info.default_sizes(target)))),
        stream_(target) {
    for (const auto& [parameter, value] : pipeline_.info.parameters)
      session_.set_parameter(parameter, value);
    session_.run(buffers_);
    for (int i = 0; i < 3; ++i) session_.enqueue(buffers_, stream_);
    stream_.synchronize();
  }
  /// Milliseconds a call, of `count` calls in a row.
  double time(int count) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) session_.enqueue(buffers_, stream_);
    stream_.synchronize();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
               .count() /
           count;
  }
  const CallBuffers& buffers() const { return buffers_; }
  const Buffer<>& output() const { return buffers_.outputs.begin()->second; }
  /// Bytes of all buffers.
  double bytes() const {
    double sum = 0;
    for (const auto* group : {&buffers_.inputs, &buffers_.outputs}) {
      for (const auto& [name, buffer] : *group) sum += double(buffer.size_in_bytes());
    }
    return sum;
  }

 private:
  const RegisteredPipeline& pipeline_;
  Session session_;
  CallBuffers buffers_;
  Stream stream_;
};

int calls_on(const Target& target) { return target.is_emulated() ? 1 : 50; }

void measure_against_copy(Prepared& ours, Prepared& copy, const std::string& name,
                          const std::string& copy_name, const BenchOptions& options, int calls) {
  BenchRow row =
      take_turns(options, [&] { return ours.time(calls); }, [&] { return copy.time(calls); });
  row.bench = name;
  row.peer = copy_name;
  row.more = {
      {"gbps", ours.bytes() / row.ours_ms / 1e6},
      {"percent_of_copy", 100 * (ours.bytes() / row.ours_ms) / (copy.bytes() / row.peer_ms)}};
  print(row, options.json);
}

/// Files PIPELINE.NAME.sched: each schedule against the copy that belongs to its pipeline.
void bench_schedules(const BenchOptions& options, const Registry& registry, const Target& target) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.schedules)) {
    if (entry.path().extension() == ".sched") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::map<std::string, std::unique_ptr<Prepared>> copies;
  std::string of;  // the pipeline whose buffers these are
  std::optional<CallBuffers> buffers;
  int failures = 0;
  for (const std::filesystem::path& file : files) {
    const std::string name = file.stem().string(), pipeline = name.substr(0, name.find('.'));
    if (registry.find(pipeline) == nullptr)
      refuse_bench(file.string(), "there is no pipeline '" + pipeline + "'",
                   "name the file PIPELINE.NAME.sched");
    std::string copy_name = "copy";
    for (const GpuBenchmark& b : Benchmarks) {
      if (b.pipeline == pipeline && *b.copy_size == 0) copy_name = b.copy;
    }
    auto& copy = copies[copy_name];
    if (!copy) copy = std::make_unique<Prepared>(registry, copy_name, "", target);
    if (pipeline != of) buffers.reset();
    of = pipeline;
    try {
      Prepared ours(registry, pipeline, "", target, file.string(), buffers);
      measure_against_copy(ours, *copy, name, copy_name, options, calls_on(target));
      buffers = ours.buffers();
    } catch (const Error& error) {
      std::cerr << "sinter: " << name << ": " << error.what() << "\n";
      ++failures;
    }
  }
  if (failures > 0)
    refuse_bench("--schedules", std::to_string(failures) + " of them did not run",
                 "their errors are above");
}

void bench_gpu(const BenchOptions& options) {
  const Target target(options.target);
  if (!target.is_gpu())
    refuse_bench("gpu", "the target is " + target.to_string(), "give a GPU: --target nvptx-sm_90a");
  const Registry registry = apps::all_apps();
  if (!options.schedules.empty()) return bench_schedules(options, registry, target);
  std::map<std::string, std::unique_ptr<Prepared>> copies;
  for (const GpuBenchmark& b : Benchmarks) {
    auto& copy = copies[b.copy];
    const auto on_device = [&](const char* size) { return target.is_emulated() ? "" : size; };
    if (!copy) copy = std::make_unique<Prepared>(registry, b.copy, on_device(b.copy_size), target);
    Prepared ours(registry, b.pipeline, on_device(b.size), target);
    measure_against_copy(ours, *copy, b.pipeline, b.copy, options, calls_on(target));
  }
  Prepared sum(registry, "reduce", "", target);
  std::vector<double> times;
  for (int i = 0; i < options.rounds; ++i) times.push_back(sum.time(target.is_emulated() ? 1 : 10));
  print(BenchRow{.bench = "reduce",
                 .ours_ms = median(times),
                 .more = {{"gbps", sum.bytes() / median(times) / 1e6}}},
        options.json);
}

void bench_gpu_peers(const BenchOptions& options) {
  const Target target(options.target);
  if (!target.is_gpu() || target.is_emulated())
    refuse_bench("gpu_peers", "the target is " + target.to_string(),
                 "Halide needs a device: --target nvptx-sm_90a");
  const Registry registry = apps::all_apps();
  constexpr int Calls = 50;
  for (const GpuPeer& b : Peers) {
    Prepared ours(registry, b.pipeline, b.size, target);
    PeerProcess peer(options.peers + "/" + b.peer);
    ask(peer, "prepare " + std::string(b.size));
    compare(b.peer, b.tolerance, ours.output(), peer);
    BenchRow row = take_turns(
        options, [&] { return ours.time(Calls); },
        [&] { return ask(peer, "time_row " + std::to_string(Calls))["ms"].get<double>(); });
    row.bench = std::string(b.pipeline) + " " + b.size;
    row.peer = b.peer;
    row.more = {{"gbps", ours.bytes() / row.ours_ms / 1e6}};
    print(row, options.json);
  }
}

}  // namespace

const std::vector<SpecialBenchmark>& gpu_benchmarks() {
  static const std::vector<SpecialBenchmark> all = {
      {"gpu", "gpu", "kernels bound by memory, against copies", bench_gpu},
      {"gpu_peers", "gpu_peers", "blur and the bilateral grid against Halide", bench_gpu_peers}};
  return all;
}

}  // namespace sinter::command
