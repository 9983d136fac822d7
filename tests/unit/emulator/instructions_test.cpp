// Every instruction of the table against its meaning, on special and random operands.

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/unit/emulator/harness.h"
#include "tests/unit/emulator/instruction_cases.h"

namespace sinter::emulator::tests {
namespace {

constexpr std::size_t Count = 2048;

bool equal(const InstructionCase& one, std::uint64_t a, std::uint64_t b) {
  if (a == b || (is_nan(one.result, a) && is_nan(one.result, b))) return true;
  if (one.result == "f16x2" || one.result == "bf16x2") {
    const std::string part = one.result.substr(0, one.result.size() - 2);
    for (int shift : {0, 16}) {
      const std::uint64_t x = a >> shift & 0xffff, y = b >> shift & 0xffff;
      if (x != y && !(is_nan(part, x) && is_nan(part, y))) return false;
    }
    return true;
  }
  return false;
}

class Instructions : public testing::TestWithParam<std::size_t> {};

TEST_P(Instructions, MeanWhatTheTableSays) {
  const InstructionCase& one = instruction_cases()[GetParam()];
  const auto operands = operands_of(one, Count);
  Memory memory;
  Launch launch;
  launch.kernel = "k";
  launch.grid.x = Count / 128;
  launch.block.x = 128;
  for (std::size_t o = 0; o < one.operands.size(); ++o) {
    const unsigned width = width_of(one.operands[o]);
    std::vector<std::byte> bytes(Count * width);
    for (std::size_t i = 0; i < Count; ++i) std::memcpy(&bytes[i * width], &operands[i][o], width);
    const std::uint64_t address = memory.allocate(bytes.size(), "operand " + std::to_string(o));
    memory.write(address, bytes);
    append_parameter(launch.parameters, address);
  }
  const unsigned width = width_of(one.result);
  const std::uint64_t out = memory.allocate(Count * width, "result");
  append_parameter(launch.parameters, out);
  const Report report = run(PtxModule::parse(PtxHeader + kernel_of(one, "k")), launch, memory);
  ASSERT_TRUE(report.clean()) << to_string(report);
  std::vector<std::byte> bytes(Count * width);
  EXPECT_TRUE(memory.read(out, bytes).empty());
  int wrong = 0;
  for (std::size_t i = 0; i < Count && wrong < 5; ++i) {
    std::uint64_t got = 0;
    std::memcpy(&got, &bytes[i * width], width);
    const std::uint64_t expected = one.meaning(operands[i].data());
    if (equal(one, got, expected)) continue;
    ++wrong;
    std::string text;
    for (const std::uint64_t o : operands[i]) {
      char number[24];
      std::snprintf(number, sizeof number, " %llx", static_cast<unsigned long long>(o));
      text += number;
    }
    ADD_FAILURE() << one.text << std::hex << " of" << text << " gives " << got << ", expected "
                  << expected;
  }
}

// What a GPU gave for the first sets of operands, recorded by calibrate_emulator. Approximations
// may differ by the error that PTX states, which depends on the operand (sin and cos promise
// nothing beyond 100 pi); what else PTX leaves open is as the GPU does it.
TEST(Golden, IsWhatTheGpuGave) {
  std::ifstream file(std::string(SINTER_SOURCE_DIR) + "/tests/unit/emulator/data/golden.txt");
  ASSERT_TRUE(file) << "the recorded table is missing";
  std::string line;
  std::getline(file, line);
  std::size_t compared = 0;
  while (std::getline(file, line)) {
    const auto one = std::find_if(instruction_cases().begin(), instruction_cases().end(),
                                  [&](const InstructionCase& c) { return c.text == line; });
    std::string values;
    std::getline(file, values);
    if (one == instruction_cases().end()) continue;
    const auto operands = operands_of(*one, GoldenCount);
    std::istringstream in(values);
    in >> std::hex;
    for (std::size_t i = 0; i < GoldenCount; ++i) {
      std::uint64_t recorded = 0;
      in >> recorded;
      const std::uint64_t ours = one->meaning(operands[i].data());
      bool near = false;
      if (one->allowed) {
        const auto as_float = [](std::uint64_t bits) {
          return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        };
        const float exact = as_float(ours);
        const double allowed = one->allowed(as_float(operands[i].back()), exact);
        if (std::isinf(allowed)) continue;
        near = std::fabs(double{as_float(recorded)} - exact) <= allowed;
      }
      EXPECT_TRUE(near || equal(*one, recorded, ours))
          << line << std::hex << " set " << i << ": " << recorded << ", ours " << ours;
      ++compared;
    }
  }
  EXPECT_GT(compared, 25000u);
}

INSTANTIATE_TEST_SUITE_P(Table, Instructions,
                         testing::Range<std::size_t>(0, instruction_cases().size()),
                         [](const auto& one) {
                           std::string name = instruction_cases()[one.param].text;
                           name = name.substr(0, name.find(' '));
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); },
                               '_');
                           return std::to_string(one.param) + "_" + name;
                         });

}  // namespace
}  // namespace sinter::emulator::tests
