// sinter bench: our pipelines against other programs. Peers run in processes of their own, in turns
// with ours, so that both see the same machine; medians over rounds, with a bootstrap interval.
// Before anything is timed both sides' outputs are compared at a few hundred elements.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <optional>

#include <nlohmann/json.hpp>

#include <sinter/diagnostic.h>

#include "apps/sinter/commands.h"
#include "apps/sinter/peer_process.h"
#include "apps/sinter/session.h"
#include "apps/sinter/sizes.h"
#include "apps/sinter/statistics.h"

namespace sinter::command {

namespace {

struct Benchmark {
  const char* suite;
  const char* pipeline;
  const char* schedule;
  const char* size;
  const char* peer;  // program in the folder of peers
  double tolerance;  // of compared elements, relative to the larger of 1 and the value
};

constexpr Benchmark Benchmarks[] = {
    {"image", "blur", "tuned", "width=6400,height=4800", "blur_halide", 0},
    {"image", "unsharp", "tuned", "width=1536,height=2560", "unsharp_halide", 1e-4},
    {"image", "bilateral_grid", "tuned", "width=1536,height=2560", "bilateral_grid_halide", 1e-3},
    {"linear", "conv2d", "tuned", "batch=5,inputs=128,outputs=128,width=100,height=80",
     "conv2d_halide", 1e-4},
    {"linear", "sgemm", "tuned", "m=512,n=512,k=512", "sgemm_openblas", 1e-4},
    {"linear", "sgemm", "tuned", "m=1024,n=1024,k=1024", "sgemm_openblas", 1e-4},
    {"linear", "sgemm", "tuned", "m=2048,n=2048,k=2048", "sgemm_openblas", 1e-4},
};

/// The pipeline's name; "sgemm_512" where one pipeline appears with several sizes.
std::string bench_name(const Benchmark& b) {
  const std::string pipeline = b.pipeline, size = b.size;
  if (pipeline != "sgemm") return pipeline;
  return pipeline + "_" + size.substr(2, size.find(',') - 2);
}

[[noreturn]] void refuse(const std::string& what, const std::string& reason,
                         const std::string& remedy) {
  throw RuntimeError(
      Diagnostic{.stage = "", .directive = what, .reason = reason, .remedy = remedy, .file = ""});
}

nlohmann::json ask(PeerProcess& peer, const std::string& line) {
  const nlohmann::json answer = nlohmann::json::parse(peer.ask(line));
  if (answer.contains("error"))
    refuse(line, "the peer failed: " + answer["error"].get<std::string>(), "run it by hand");
  return answer;
}

void compare(const Benchmark& benchmark, const Buffer<>& ours, PeerProcess& peer) {
  constexpr int Count = 256;
  const nlohmann::json theirs = ask(peer, "values " + std::to_string(Count));
  for (int i = 0; i < Count; ++i) {
    const std::uint64_t position = mix(std::uint64_t(i)) % ours.number_of_elements();
    const double a = element(ours, position), b = theirs["values"][std::size_t(i)].get<double>();
    if (!(std::abs(a - b) <= benchmark.tolerance * std::max(1.0, std::abs(b)))) {
      refuse(benchmark.peer,
             "element " + std::to_string(position) + " is " + std::to_string(b) + " there and " +
                 std::to_string(a) + " here",
             "make both compute the same before timing them");
    }
  }
}

struct Outcome {
  double ours_ms, peer_ms, ratio;
  Interval interval;
};

Outcome measure(const RegisteredPipeline& pipeline, const Benchmark& benchmark,
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
  compare(benchmark, buffers.outputs.begin()->second, peer);

  // A turn lasts about 50 ms, so that caches and clocks settle into it; its median counts.
  const double once = std::max(median(session.time(buffers, 3)), 1e-3);
  const int count = std::clamp(int(50.0 / once), 3, 200);
  const auto ours_turn = [&] { return median(session.time(buffers, count)); };
  const auto peer_turn = [&] {
    return median(ask(peer, "time " + std::to_string(count))["ms"].get<std::vector<double>>());
  };
  std::vector<double> ours, theirs;
  for (int round = 0; round < options.rounds; ++round) {
    if (round % 2 == 0) {
      ours.push_back(ours_turn());
      theirs.push_back(peer_turn());
    } else {
      theirs.push_back(peer_turn());
      ours.push_back(ours_turn());
    }
  }
  return {median(ours), median(theirs), median(theirs) / median(ours),
          ratio_interval(theirs, ours)};
}

void print(const Benchmark& benchmark, const Outcome& outcome, bool json) {
  if (json) {
    const nlohmann::ordered_json row = {
        {"bench", bench_name(benchmark)},   {"ours_ms", outcome.ours_ms},
        {"peer", benchmark.peer},           {"peer_ms", outcome.peer_ms},
        {"ratio", outcome.ratio},           {"ratio_lo", outcome.interval.low},
        {"ratio_hi", outcome.interval.high}};
    std::cout << row.dump() << std::endl;
    return;
  }
  std::printf("%-16s %9.3f ms   %-22s %9.3f ms   %.2fx its speed [%.2f, %.2f]\n",
              bench_name(benchmark).c_str(), outcome.ours_ms, benchmark.peer, outcome.peer_ms,
              outcome.ratio, outcome.interval.low, outcome.interval.high);
  std::fflush(stdout);
}

}  // namespace

int bench(const Registry& registry, const BenchOptions& options) {
  if (options.suite == "list") {
    std::cout << "cpu (all of them)\n";
    for (const Benchmark& b : Benchmarks)
      std::cout << b.suite << "  " << bench_name(b) << "  " << b.size << "  against " << b.peer
                << "\n";
    return 0;
  }
  bool any = false, failed = false;
  for (const Benchmark& benchmark : Benchmarks) {
    if (options.suite != "cpu" && options.suite != benchmark.suite &&
        options.suite != benchmark.pipeline && options.suite != bench_name(benchmark))
      continue;
    any = true;
    const RegisteredPipeline* pipeline = registry.find(benchmark.pipeline);
    ensure(pipeline != nullptr, "a benchmark of a pipeline that is not registered");
    if (!options.json)
      std::cerr << "measuring " << bench_name(benchmark) << " (" << benchmark.size << ")\n";
    try {
      print(benchmark, measure(*pipeline, benchmark, options), options.json);
    } catch (const std::exception& error) {
      std::cerr << "sinter: " << bench_name(benchmark) << ": " << error.what() << "\n";
      failed = true;
    }
  }
  if (!any)
    refuse("bench " + options.suite, "there is no such suite or benchmark",
           "`sinter bench list` names them");
  return failed ? 1 : 0;
}

}  // namespace sinter::command
