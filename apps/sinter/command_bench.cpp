// sinter bench: our pipelines against other programs. Peers run in processes of their own, in turns
// with ours, so that both see the same machine; medians over rounds, with a bootstrap interval.
// Before anything is timed both sides' outputs are compared at a few hundred elements.

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>

#include <sinter/diagnostic.h>
#include <sinter/runtime.h>

#include "apps/sinter/bench.h"
#include "apps/sinter/session.h"
#include "apps/sinter/sizes.h"

namespace sinter::command {

namespace {

struct Benchmark {
  const char* suites;  // separated by spaces
  const char* pipeline;
  const char* schedule;
  const char* size;
  const char* peer;  // program in the folder of peers
  double tolerance;  // of compared elements, relative to the larger of 1 and the value
};

constexpr Benchmark Benchmarks[] = {
    {"cpu image", "blur", "tuned", "width=6400,height=4800", "blur_halide", 0},
    {"cpu image", "unsharp", "tuned", "width=1536,height=2560", "unsharp_halide", 1e-4},
    {"cpu image", "bilateral_grid", "tuned", "width=1536,height=2560", "bilateral_grid_halide",
     1e-3},
    {"host", "blur", "tuned", "width=4096,height=3072", "blur_halide", 0},
    {"host", "unsharp", "tuned", "width=4096,height=3072", "unsharp_halide", 1e-4},
    {"host", "bilateral_grid", "tuned", "width=4096,height=3072", "bilateral_grid_halide", 1e-3},
    {"cpu linear host", "conv2d", "tuned", "batch=5,inputs=128,outputs=128,width=100,height=80",
     "conv2d_halide", 1e-4},
    {"cpu linear", "sgemm", "tuned", "m=512,n=512,k=512", "sgemm_openblas", 1e-4},
    {"cpu linear host", "sgemm", "tuned", "m=1024,n=1024,k=1024", "sgemm_openblas", 1e-4},
    {"cpu linear", "sgemm", "tuned", "m=2048,n=2048,k=2048", "sgemm_openblas", 1e-4},
};

/// The pipeline's name, and its first size where the pipeline appears several times: "sgemm_512",
/// "blur_4096".
std::string bench_name(const Benchmark& b) {
  const std::string pipeline = b.pipeline, size = b.size;
  if (pipeline != "sgemm" && b.suites != std::string("host")) return pipeline;
  const std::size_t equals = size.find('=');
  return pipeline + "_" + size.substr(equals + 1, size.find(',') - equals - 1);
}

BenchRow measure(const RegisteredPipeline& pipeline, const Benchmark& benchmark,
                 const BenchOptions& options) {
  const Target target(options.target);
  const Sizes sizes = parse_sizes(benchmark.size, pipeline.info.default_sizes(target));
  Session session(pipeline, benchmark.schedule, target);
  for (const auto& [name, value] : pipeline.info.parameters) session.set_parameter(name, value);
  const CallBuffers buffers = make_buffers(pipeline, sizes);
  session.compile();
  session.run(buffers);
  PeerProcess peer(options.peers + "/" + benchmark.peer);
  ask(peer, "prepare " + to_string(sizes));
  compare(benchmark.peer, benchmark.tolerance, buffers.outputs.begin()->second, peer);

  // A turn lasts about 50 ms, so that caches and clocks settle into it; its median counts.
  const double once = std::max(median(session.time(buffers, 3)), 1e-3);
  const int count = std::clamp(int(50.0 / once), 3, 200);
  BenchRow row = take_turns(
      options, [&] { return median(session.time(buffers, count)); },
      [&] { return peer_time(peer, count); });
  row.bench = bench_name(benchmark);
  row.peer = benchmark.peer;
  return row;
}

bool belongs(const std::string& suites, const std::string& suite) {
  return (" " + suites + " ").find(" " + suite + " ") != std::string::npos;
}

/// Peers run on as many threads as we do.
void share_threads() {
  const std::string threads = std::to_string(num_threads());
  ::setenv("HL_NUM_THREADS", threads.c_str(), 1);
  ::setenv("OPENBLAS_NUM_THREADS", threads.c_str(), 1);
}

}  // namespace

int bench(const Registry& registry, const BenchOptions& options) {
  std::vector<SpecialBenchmark> special = compile_benchmarks();
  special.insert(special.end(), call_benchmarks().begin(), call_benchmarks().end());
  special.insert(special.end(), gpu_benchmarks().begin(), gpu_benchmarks().end());
  special.insert(special.end(), default_benchmarks().begin(), default_benchmarks().end());
  if (options.suite == "list") {
    std::cout << "cpu: image and linear; host: what its bars are about\n";
    for (const Benchmark& b : Benchmarks)
      std::cout << b.suites << ": " << bench_name(b) << "  " << b.size << "  against " << b.peer
                << "\n";
    for (const SpecialBenchmark& b : special) {
      if (*b.suites != 0) std::cout << b.suites << ": " << b.name << "  " << b.about << "\n";
    }
    return 0;
  }
  share_threads();
  bool any = false, failed = false;
  const auto attempt = [&](const std::string& name, const std::function<void()>& run) {
    any = true;
    if (!options.json) std::cerr << "measuring " << name << "\n";
    try {
      run();
    } catch (const std::exception& error) {
      std::cerr << "sinter: " << name << ": " << error.what() << "\n";
      failed = true;
    }
  };
  for (const SpecialBenchmark& b : special) {
    if (!belongs(b.suites, options.suite) && options.suite != b.name) continue;
    attempt(b.name, [&] { b.run(options); });
  }
  for (const Benchmark& b : Benchmarks) {
    if (!belongs(b.suites, options.suite) && options.suite != b.pipeline &&
        options.suite != bench_name(b))
      continue;
    attempt(bench_name(b) + " (" + b.size + ")", [&] {
      const RegisteredPipeline* pipeline = registry.find(b.pipeline);
      ensure(pipeline != nullptr, "a benchmark of a pipeline that is not registered");
      print(measure(*pipeline, b, options), options.json);
    });
  }
  if (!any)
    refuse_bench("bench " + options.suite, "there is no such suite or benchmark",
                 "`sinter bench list` names them");
  return failed ? 1 : 0;
}

}  // namespace sinter::command
