// How undefined bits go through instructions: a result bit that could change with them is
// undefined, and where the instruction only moves bits, no other is.

#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "backends/emulator/random.h"
#include "tests/unit/emulator/harness.h"
#include "tests/unit/emulator/instruction_cases.h"

namespace sinter::emulator::tests {
namespace {

constexpr std::size_t Count = 64;

// Text of the instruction, whose every undefined result bit some flip must reach.
const std::vector<std::string> Exact{"and.b32",     "or.b64",      "xor.b16",     "not.b32",
                                     "cvt.u32.u16", "cvt.s32.s16", "cvt.u16.u32", "cvt.u32.u64",
                                     "cvt.s32.s8",  "cvt.u32.u8",  "mov.b64",     "mov.b32",
                                     "cvt.s64.s32"};

class Undefined : public testing::TestWithParam<std::size_t> {};

TEST_P(Undefined, BitsThatMatterAreUndefined) {
  const InstructionCase& one = instruction_cases()[GetParam()];
  Random random(GetParam() + 1);
  auto operands = operands_of(one, Count);
  std::vector<std::vector<std::uint64_t>> undefined = operands;
  Memory memory;
  Launch launch;
  launch.kernel = "k";
  launch.block.x = Count;
  for (std::size_t o = 0; o < one.operands.size(); ++o) {
    const unsigned width = width_of(one.operands[o]);
    std::vector<std::byte> bytes(Count * width);
    const std::uint64_t address = memory.allocate(bytes.size(), "operand");
    for (std::size_t i = 0; i < Count; ++i) {
      std::memcpy(&bytes[i * width], &operands[i][o], width);
    }
    memory.write(address, bytes);
    for (std::size_t i = 0; i < Count; ++i) {
      // One, a few or all bits, or none.
      std::uint64_t mask = 0;
      switch (random.below(4)) {
        case 0:
          break;
        case 1:
          mask = std::uint64_t{1} << random.below(width * 8);
          break;
        case 2:
          mask = random.next() & random.next();
          break;
        default:
          mask = std::uint64_t{0xff} << 8 * random.below(width);
      }
      if (one.operands[o] == "pred") mask = random.below(2);
      if (width < 8) mask &= (std::uint64_t{1} << width * 8) - 1;
      undefined[i][o] = mask;
      std::memcpy(&memory.find(address)->undefined[i * width], &mask, width);
    }
    append_parameter(launch.parameters, address);
  }
  const unsigned width = width_of(one.result);
  const std::uint64_t out = memory.allocate(Count * width, "result");
  append_parameter(launch.parameters, out);
  const Report report = run(PtxModule::parse(PtxHeader + kernel_of(one, "k")), launch, memory);
  ASSERT_TRUE(report.clean()) << to_string(report);
  const bool exact = std::any_of(Exact.begin(), Exact.end(), [&](const std::string& name) {
    return one.text.starts_with(name + " ");
  });
  for (std::size_t i = 0; i < Count; ++i) {
    std::uint64_t marked = 0;
    std::memcpy(&marked, &memory.find(out)->undefined[i * width], width);
    const std::uint64_t base = one.meaning(operands[i].data());
    std::uint64_t changes = 0;
    for (int trial = 0; trial < 64; ++trial) {
      std::vector<std::uint64_t> flipped = operands[i];
      for (std::size_t o = 0; o < flipped.size(); ++o) {
        flipped[o] ^=
            undefined[i][o] & (trial < 32 ? std::uint64_t{1} << random.below(64) : random.next());
      }
      const std::uint64_t value = one.meaning(flipped.data());
      if (!(is_nan(one.result, base) && is_nan(one.result, value))) changes |= base ^ value;
    }
    if (exact) {
      for (std::size_t o = 0; o < operands[i].size(); ++o) {
        for (unsigned bit = 0; bit < 64; ++bit) {
          std::vector<std::uint64_t> flipped = operands[i];
          flipped[o] ^= undefined[i][o] & std::uint64_t{1} << bit;
          changes |= base ^ one.meaning(flipped.data());
        }
      }
      // A bit that two undefined ones decide together may not change with either alone.
      if (one.operands.size() == 1) {
        EXPECT_EQ(marked, changes) << one.text << " set " << i;
      }
    }
    ASSERT_EQ(changes & ~marked, 0u)
        << one.text << std::hex << " set " << i << ": result " << base << " changes in " << changes
        << ", marked " << marked << ", operand " << operands[i][0] << " undefined "
        << undefined[i][0];
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Undefined,
                         testing::Range<std::size_t>(0, instruction_cases().size()));

}  // namespace
}  // namespace sinter::emulator::tests
