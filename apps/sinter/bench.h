#pragma once
// What the kinds of benchmarks share: their rows, their peers, and taking turns.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <sinter/buffer.h>

#include "apps/sinter/commands.h"
#include "apps/sinter/peer_process.h"
#include "apps/sinter/statistics.h"

namespace sinter::command {

/// A result. Without a peer there is no ratio; `more` holds what this row alone has.
struct BenchRow {
  std::string bench;
  double ours_ms = 0;
  std::string peer = {};
  double peer_ms = 0, ratio = 0;  // ratio: the peer's time divided by ours
  Interval interval = {};         // of the ratio
  std::vector<std::pair<std::string, double>> more = {};
};
void print(const BenchRow&, bool json);

/// A benchmark that needs its own code; prints one row or more.
struct SpecialBenchmark {
  const char* suites;  // separated by spaces
  const char* name;
  const char* about;
  void (*run)(const BenchOptions&);
};
/// bench_compile.cpp
const std::vector<SpecialBenchmark>& compile_benchmarks();
/// bench_gpu.cpp
const std::vector<SpecialBenchmark>& gpu_benchmarks();
/// bench_default.cpp
const std::vector<SpecialBenchmark>& default_benchmarks();
/// bench_call.cpp
const std::vector<SpecialBenchmark>& call_benchmarks();

/// The peer's answer; throws RuntimeError when it is an error.
nlohmann::json ask(PeerProcess&, const std::string& line);
/// Compares a few hundred elements; throws RuntimeError where one differs by more than `tolerance`,
/// relative to the larger of 1 and the value.
void compare(const std::string& peer_name, double tolerance, const Buffer<>& ours, PeerProcess&);
/// Median of `count` timed runs by the peer, in milliseconds.
double peer_time(PeerProcess&, int count);

/// Ours and theirs in turns, as many rounds as asked for; the order changes from round to round.
BenchRow take_turns(const BenchOptions&, const std::function<double()>& ours,
                    const std::function<double()>& theirs);

[[noreturn]] void refuse_bench(const std::string& what, const std::string& reason,
                               const std::string& remedy);

}  // namespace sinter::command
