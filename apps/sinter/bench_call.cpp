// What a call costs beyond its work, once everything is compiled.

#include <chrono>

#include <sinter/runtime.h>
#include <sinter/sinter.h>

#include "apps/sinter/bench.h"

namespace sinter::command {

namespace {

/// Median over short batches of the mean of their calls, in milliseconds. A batch takes some ten
/// microseconds, so that few of them are interrupted.
template <typename Call>
double cost(const BenchOptions& options, const Call& call) {
  constexpr int Batches = 200, Calls = 100;
  std::vector<double> batches;
  for (int batch = -Batches; batch < Batches * options.rounds; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < Calls; ++i) call();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (batch >= 0) batches.push_back(took.count() / Calls);
  }
  return median(batches);
}

/// Median of single calls, each after a pause in which the pool's threads fall asleep.
template <typename Call>
double cost_after_pause(const BenchOptions& options, const Call& call) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> calls;
  for (int i = 0; i < 20 * options.rounds; ++i) {
    for (const auto end = Clock::now() + std::chrono::microseconds(300); Clock::now() < end;) {
    }
    const auto start = Clock::now();
    call();
    calls.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return median(calls);
}

BenchRow row(const std::string& bench, double ms) {
  return {.bench = bench, .ours_ms = ms, .more = {{"ns", ms * 1e6}}};
}

Func made(const Buffer<int>& in) {
  Var x("x");
  Func f("f");
  f(x) = in(x) + 1;
  return f;
}

// One element is read and one written: what is left is the call.
void call_serial(const BenchOptions& options) {
  const Target target(options.target);
  Buffer<int> in(1), out(1);
  in(0) = 41;
  Func f = made(in);
  Pipeline pipeline(f);
  const RealizationArg outputs(out);
  print(row("call_serial", cost(options, [&] { pipeline.realize(outputs, target); })),
        options.json);
  print(row("call_serial_buffer", cost(options, [&] { pipeline.realize(out, target); })),
        options.json);
  print(row("call_serial_func", cost(options, [&] { f.realize(out, target); })), options.json);
  if (out(0) != 42) refuse_bench("call_serial", "the result is wrong", "report it");
}

void call_parallel(const BenchOptions& options) {
  const Target target(options.target);
  Buffer<int> in(2), out(2);
  in(0) = in(1) = 41;
  Func serial = made(in), parallel = made(in);
  parallel.parallel(parallel.args()[0]);
  Pipeline one(serial), two(parallel);
  const RealizationArg outputs(out);
  const auto call_one = [&] { one.realize(outputs, target); };
  const auto call_two = [&] { two.realize(outputs, target); };
  const auto report = [&](const std::string& name, double alone, double woken) {
    BenchRow result = row(name, woken - alone);
    result.more.emplace_back("serial_ns", alone * 1e6);
    result.more.emplace_back("threads", num_threads());
    print(result, options.json);
  };
  report("call_parallel", cost(options, call_one), cost(options, call_two));
  report("call_parallel_asleep", cost_after_pause(options, call_one),
         cost_after_pause(options, call_two));
  if (out(1) != 42) refuse_bench("call_parallel", "the result is wrong", "report it");
}

}  // namespace

const std::vector<SpecialBenchmark>& call_benchmarks() {
  static const std::vector<SpecialBenchmark> all = {
      {"host call", "call_serial", "a repeated call of a serial pipeline on one element",
       call_serial},
      {"host call", "call_parallel", "what a call costs more when it wakes the pool",
       call_parallel},
  };
  return all;
}

}  // namespace sinter::command
