// How long compiling takes: a trivial pipeline and a tiled blur against Halide's just-in-time
// compiler, chains of root stages, and LLVM at work on something fixed, as a measure of the
// machine.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include <sinter/sinter.h>

#include "apps/sinter/bench.h"
#include "apps/sinter/made_inputs.h"
#include "backends/calibration.h"

namespace sinter::command {

namespace {

constexpr const char* Peer = "compile_halide";
constexpr int BlurWidth = 512, BlurHeight = 64;

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// Builds, compiles and calls f(x) = x + k; a pipeline never seen before if k is new.
void trivial(int k, const Buffer<int>& out, const Target& target) {
  Var x("x");
  Func f("f");
  f(x) = x + k;
  f.realize(out, target);
}

/// The same for a tiled, vectorised, parallel 3x3 blur.
void blur(int k, const Buffer<std::uint16_t>& in, const Buffer<std::uint16_t>& out,
          const Target& target) {
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  ImageParam input(UInt(16), 2, "input");
  Func blur_x("blur_x"), blur_y("blur_y");
  blur_x(x, y) = (input(x, y) + input(x + 1, y) + input(x + 2, y)) / 3;
  blur_y(x, y) = (blur_x(x, y) + blur_x(x, y + 1) + blur_x(x, y + 2)) / 3 + cast<std::uint16_t>(k);
  const int vector = target.natural_vector_size(16);
  blur_y.tile(x, y, xo, yo, xi, yi, 256, 32).vectorize(xi, vector).parallel(yo);
  blur_x.compute_at(blur_y, xo).vectorize(x, vector);
  input.set(in);
  blur_y.realize(out, target);
}

/// One kind of pipeline on both sides. Each run of either compiles a new one.
BenchRow against_halide(const BenchOptions& options, const std::string& kind,
                        const std::function<void(int)>& ours, const Buffer<>& out) {
  PeerProcess peer(options.peers + "/" + Peer);
  // Its first run is its first in a fresh process.
  const nlohmann::json prepared = ask(peer, "prepare " + kind + "=1");
  int k = 1;
  ours(k);
  constexpr int Count = 64;
  const auto theirs = ask(peer, "values " + std::to_string(Count))["values"];
  for (int i = 0; i < Count; ++i) {
    const std::uint64_t position = mix(std::uint64_t(i)) % out.number_of_elements();
    if (element(out, position) != theirs[std::size_t(i)].get<double>())
      refuse_bench(Peer, "element " + std::to_string(position) + " differs",
                   "make both compute the same before timing them");
  }
  BenchRow row = take_turns(
      options,
      [&] {
        const auto start = std::chrono::steady_clock::now();
        ours(++k);
        return since(start);
      },
      [&] { return peer_time(peer, 1); });
  row.bench = "compile_" + kind;
  row.peer = Peer;
  return row;
}

/// Milliseconds of the first compilation in `count` new processes of this program.
std::vector<double> first_in_process(const std::string& bench, int count) {
  std::vector<double> times;
  std::error_code none;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", none).string();
  if (none || self.find('\'') != std::string::npos) return times;
  const std::string command = "'" + self + "' bench " + bench + " --json 2>&1";
  for (int i = 0; i < count; ++i) {
    FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) break;
    char line[1024] = "";
    const bool read = std::fgets(line, sizeof line, pipe) != nullptr;
    if (::pclose(pipe) != 0 || !read) break;
    times.push_back(nlohmann::json::parse(line)["ours_ms"].get<double>());
  }
  return times;
}

void first(const BenchOptions& options) {
  const Buffer<int> out(16);
  const auto start = std::chrono::steady_clock::now();
  trivial(1, out, Target(options.target));
  print({.bench = "compile_first", .ours_ms = since(start)}, options.json);
}

void compile_trivial(const BenchOptions& options) {
  const std::vector<double> fresh = first_in_process("compile_first", 5);
  const Buffer<int> out(16);
  const Target target(options.target);
  BenchRow row = against_halide(options, "trivial", [&](int k) { trivial(k, out, target); }, out);
  if (!fresh.empty()) row.more.emplace_back("first_in_process_ms", median(fresh));
  print(row, options.json);
}

void compile_blur(const BenchOptions& options) {
  const Buffer<std::uint16_t> in(BlurWidth + 2, BlurHeight + 2), out(BlurWidth, BlurHeight);
  fill(in, 0, 4095);
  const Target target(options.target);
  print(
      against_halide(options, "blur", [&](int k) { blur(k, in, out, target); }, out), options.json);
}

void compile_chain(int stages, int k, const Target& target) {
  Var x("x"), y("y");
  Func previous("f0");
  previous(x, y) = x + y + k;
  previous.compute_root();
  for (int i = 1; i < stages; ++i) {
    Func next("f" + std::to_string(i));
    next(x, y) = previous(x - 1, y) + previous(x + 1, y) * 2;
    next.compute_root();
    previous = next;
  }
  previous.compile_jit(target);
}

/// Slope of the line through (log x, log y) by least squares.
double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  const double n = double(x.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// Elapsed and processor time: on a busy machine only the latter means something.
struct Took {
  std::vector<double> ms, cpu_ms;
  void measure(const std::function<void()>& work) {
    const std::clock_t cpu = std::clock();
    const auto start = std::chrono::steady_clock::now();
    work();
    ms.push_back(since(start));
    cpu_ms.push_back(double(std::clock() - cpu) * 1000 / CLOCKS_PER_SEC);
  }
};

void compile_chains(const BenchOptions& options) {
  constexpr int Repeats = 3;
  const Target target(options.target);
  const std::vector<int> counts = {50, 100, 200, 400};
  std::vector<Took> took(counts.size());
  int k = 0;
  // In turns, so that a disturbance does not bend the curve.
  for (int i = 0; i < Repeats; ++i) {
    for (std::size_t c = 0; c < counts.size(); ++c)
      took[c].measure([&] { compile_chain(counts[c], ++k, target); });
  }
  std::vector<double> stages, times, cpu_times;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    stages.push_back(counts[c]);
    times.push_back(median(took[c].ms));
    cpu_times.push_back(median(took[c].cpu_ms));
    print({.bench = "compile_chain_" + std::to_string(counts[c]),
           .ours_ms = times.back(),
           .more = {{"stages", stages.back()}, {"cpu_ms", cpu_times.back()}}},
          options.json);
  }
  print({.bench = "compile_chain_exponent",
         .ours_ms = times.back(),
         .more = {{"exponent", exponent(stages, times)},
                  {"cpu_exponent", exponent(stages, cpu_times)}}},
        options.json);
}

void calibration(const BenchOptions& options) {
  Took took;
  for (int i = 0; i < options.rounds; ++i) took.measure([] { backends::calibrate_llvm(); });
  print({.bench = "calibration_llvm_o2",
         .ours_ms = median(took.ms),
         .more = {{"cpu_ms", median(took.cpu_ms)}}},
        options.json);
}

}  // namespace

const std::vector<SpecialBenchmark>& compile_benchmarks() {
  static const std::vector<SpecialBenchmark> all = {
      {"host compile", "calibration", "LLVM's O2 on a fixed module", calibration},
      {"host compile", "compile_trivial", "f(x) = x + k: built, compiled, called", compile_trivial},
      {"host compile", "compile_blur", "a tiled 3x3 blur: built, compiled, called", compile_blur},
      {"host compile", "compile_chain", "50 to 400 root stages: built and compiled",
       compile_chains},
      {"", "compile_first", "compile_trivial once, as the first of this process", first},
  };
  return all;
}

}  // namespace sinter::command
