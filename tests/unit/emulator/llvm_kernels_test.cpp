// Kernels that LLVM compiled, against C++.

#include <bit>
#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "backends/emulator/random.h"
#include "sinter/float16.h"
#include "tests/unit/emulator/harness.h"

namespace sinter::emulator::tests {
namespace {

const PtxModule& kernels() {
  static const PtxModule module = [] {
    std::ifstream file(std::string(SINTER_SOURCE_DIR) + "/tests/unit/emulator/data/kernels.ptx");
    std::stringstream text;
    text << file.rdbuf();
    return PtxModule::parse(text.str());
  }();
  return module;
}

template <class... A>
Launch launch_of(const std::string& kernel, unsigned grid, unsigned block, std::uint64_t seed,
                 A... arguments) {
  Launch launch;
  launch.kernel = kernel;
  launch.grid.x = grid;
  launch.block.x = block;
  launch.seed = seed;
  (append_parameter(launch.parameters, arguments), ...);
  return launch;
}

template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> result(count);
  for (T& value : result) {
    if constexpr (std::is_floating_point_v<T>) value = static_cast<T>(random.below(2000)) / T(64);
    else value = static_cast<T>(random.next());
  }
  return result;
}

class LlvmKernels : public testing::TestWithParam<bool> {
 protected:
  Device device;
  void expect_clean(Launch launch) {
    launch.checks = GetParam();
    const Report report = run(kernels(), launch, device.memory);
    EXPECT_TRUE(report.clean()) << to_string(report);
    counts = report.counts;
  }
  Counts counts;
};

TEST_P(LlvmKernels, Saxpy) {
  const auto x = random_values<float>(1000, 1), y = random_values<float>(1000, 2);
  const std::uint64_t py = device.upload(y, "y"), px = device.upload(x, "x");
  expect_clean(launch_of("saxpy", 8, 128, 1, py, px, 1.5f, 1000));
  const auto result = device.download<float>(py, 1000);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(result[i], std::fma(1.5f, x[i], y[i]));
}

TEST_P(LlvmKernels, Sgemm) {
  const int n = 64;
  const auto a = random_values<float>(n * n, 1), b = random_values<float>(n * n, 2);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::uint64_t c = device.memory.allocate(n * n * 4, "c");
    expect_clean(
        launch_of("sgemm", 4, 128, seed, c, device.upload(a, "a"), device.upload(b, "b"), n));
    const auto result = device.download<float>(c, n * n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int k = 0; k < n; ++k) {
          sum = std::fma(a[std::size_t(i * n + k)], b[std::size_t(k * n + j)], sum);
        }
        ASSERT_EQ(result[std::size_t(i * n + j)], sum);
      }
    }
    EXPECT_EQ(counts.bank_conflicts, 0u);
    EXPECT_EQ(counts.barriers, 4u * 2 * (n / 32));
  }
}

TEST_P(LlvmKernels, RowSums) {
  const auto x = random_values<float>(4 * 1000, 1);
  const std::uint64_t out = device.memory.allocate(16, "out");
  expect_clean(launch_of("row_sums", 4, 256, 3, out, device.upload(x, "x"), 1000));
  const auto result = device.download<float>(out, 4);
  for (std::size_t r = 0; r < 4; ++r) {
    double sum = 0;
    for (std::size_t i = 0; i < 1000; ++i) sum += x[r * 1000 + i];
    EXPECT_EQ(result[r], sum);  // multiples of 1/64: exact in any order
  }
}

TEST_P(LlvmKernels, Blur) {
  const std::size_t w = 100, h = 20;
  const auto in = random_values<std::uint16_t>(w * h, 1);
  const std::uint64_t out = device.upload(std::vector<std::uint16_t>(w * h), "out");
  expect_clean(launch_of("blur", 4, 32, 1, out, device.upload(in, "in"), int(w), int(h)));
  const auto result = device.download<std::uint16_t>(out, w * h);
  for (std::size_t y = 0; y + 2 < h; ++y) {
    for (std::size_t x = 0; x + 2 < w; ++x) {
      unsigned sum = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = 0; i < 3; ++i) sum += in[(y + j) * w + x + i];
      }
      ASSERT_EQ(result[y * w + x], sum / 9);
    }
  }
}

TEST_P(LlvmKernels, Calls) {
  const auto x = random_values<float>(500, 1);
  const std::uint64_t out = device.memory.allocate(2000, "out");
  expect_clean(launch_of("calls", 4, 128, 1, out, device.upload(x, "x"), 500));
  const auto result = device.download<float>(out, 500);
  for (std::size_t i = 0; i < 500; ++i) {
    float power = 1;
    for (std::size_t k = 0; k < (i & 7); ++k) power *= x[i];
    EXPECT_EQ(result[i], power);
  }
}

TEST_P(LlvmKernels, Choices) {
  const auto x = random_values<int>(500, 1);
  const std::uint64_t out = device.memory.allocate(2000, "out");
  expect_clean(launch_of("choices", 4, 128, 1, out, device.upload(x, "x"), 500));
  const auto result = device.download<int>(out, 500);
  for (std::size_t i = 0; i < 500; ++i) {
    const int v = x[i];
    const int choices[] = {int(unsigned(v) * 3),
                           int(unsigned(v) - 7),
                           v / 3,
                           v % 5,
                           std::popcount(unsigned(v)),
                           std::countl_zero(unsigned(v) | 1),
                           int(unsigned(v) << 3),
                           ~v};
    EXPECT_EQ(unsigned(result[i]), unsigned(choices[v & 7]) + unsigned(v ^ ((v >> 3) & 7)));
  }
}

TEST_P(LlvmKernels, Doubles) {
  const auto x = random_values<double>(200, 1);
  const std::uint64_t out = device.memory.allocate(1600, "out");
  expect_clean(launch_of("doubles", 2, 128, 1, out, device.upload(x, "x"), 200));
  const auto result = device.download<double>(out, 200);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(result[i], std::sqrt(x[i]) / (x[i] + 1) + double((long long)(x[i])));
  }
}

TEST_P(LlvmKernels, Histogram) {
  const auto x = random_values<unsigned char>(5000, 1);
  const std::uint64_t h = device.upload(std::vector<unsigned>(256), "h");
  expect_clean(launch_of("histogram", 4, 256, 1, h, device.upload(x, "x"), 5000));
  std::vector<unsigned> expected(256);
  for (const unsigned char value : x) ++expected[value];
  EXPECT_EQ(device.download<unsigned>(h, 256), expected);
}

TEST_P(LlvmKernels, Halves) {
  std::vector<std::uint16_t> x(300);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = half_bits_from_float(float(i) / 8);
  const std::uint64_t out = device.memory.allocate(600, "out");
  expect_clean(launch_of("halves", 3, 128, 1, out, device.upload(x, "x"), 300));
  const auto result = device.download<std::uint16_t>(out, 300);
  for (std::size_t i = 0; i < 300; ++i) {
    const float third = float_from_half_bits(half_bits_from_float(float_from_half_bits(x[i]) / 3));
    EXPECT_EQ(result[i], half_bits_from_double(double(float_from_half_bits(x[i])) * 2.5 + third));
  }
}

INSTANTIATE_TEST_SUITE_P(Checks, LlvmKernels, testing::Bool());

TEST(LlvmKernels, FaultsNameSourceAndKernel) {
  Device device;
  const std::uint64_t x = device.upload(std::vector<float>(100), "x");
  const std::uint64_t y = device.upload(std::vector<float>(100), "y");
  const Report report =
      run(kernels(), launch_of("saxpy", 1, 128, 1, y, x, 1.f, 128), device.memory);
  ASSERT_FALSE(report.faults.empty());
  const Fault& fault = report.faults[0];
  EXPECT_EQ(fault.kind, FaultKind::OutOfBounds);
  EXPECT_EQ(fault.function, "saxpy");
  EXPECT_TRUE(fault.source.ends_with("kernels.cu:17")) << fault.source;
  EXPECT_NE(fault.text.find("0 bytes past the end of 'x' (400 bytes)"), std::string::npos)
      << fault.text;
  EXPECT_EQ(fault.thread.x, 100u);
  EXPECT_EQ(fault.repeats, 27u);
}

}  // namespace
}  // namespace sinter::emulator::tests
