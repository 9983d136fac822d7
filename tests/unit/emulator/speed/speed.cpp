// How fast the emulator is: kernels from LLVM, with checks and without. Prints; asserts nothing.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "backends/emulator/launch.h"

namespace {

using namespace sinter::emulator;

struct Work {
  const char* kernel;
  unsigned grid, block;
  std::uint64_t bytes;  ///< of each of two or three buffers
  unsigned buffers;
  std::vector<int> numbers;  ///< after the pointers
};

double rate(const PtxModule& module, const Work& work, bool checks) {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    Memory memory;
    Launch launch;
    launch.kernel = work.kernel;
    launch.grid.x = work.grid;
    launch.block.x = work.block;
    launch.checks = checks;
    const std::vector<std::byte> zeros(work.bytes);
    for (unsigned i = 0; i < work.buffers; ++i) {
      const std::uint64_t address = memory.allocate(work.bytes, "buffer " + std::to_string(i));
      memory.write(address, zeros);
      append_parameter(launch.parameters, address);
    }
    for (const int number : work.numbers) append_parameter(launch.parameters, number);
    const auto start = std::chrono::steady_clock::now();
    const Report report = run(module, launch, memory);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (!report.clean()) std::printf("%s", to_string(report).c_str());
    best = std::max(best, double(report.counts.lane_operations) / seconds.count());
  }
  return best;
}

}  // namespace

int main() {
  std::ifstream file(std::string(SINTER_SOURCE_DIR) + "/tests/unit/emulator/data/kernels.ptx");
  std::stringstream text;
  text << file.rdbuf();
  const PtxModule module = PtxModule::parse(text.str());
  const Work works[] = {{"sgemm", 64, 128, 256 * 256 * 4, 3, {256}},
                        {"row_sums", 16, 256, 16 * 16384 * 4, 2, {16384}},
                        {"blur", 8, 128, 1000 * 900 * 2, 2, {1000, 900}},
                        {"histogram", 4, 256, 500000, 2, {500000}},
                        {"choices", 500, 256, 128000 * 4, 2, {128000}},
                        {"saxpy", 1000, 256, 256000 * 4, 2, {0, 256000}}};
  std::printf("million lane operations a second: kernel, with checks, without\n");
  for (const Work& work : works) {
    std::printf("%-12s %8.0f %8.0f\n", work.kernel, rate(module, work, true) * 1e-6,
                rate(module, work, false) * 1e-6);
  }
}
