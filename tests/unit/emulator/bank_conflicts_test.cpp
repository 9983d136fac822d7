// Extra wavefronts of shared accesses, counted by line and by part of the memory.

#include <gtest/gtest.h>

#include "harness.h"

namespace sinter::emulator::tests {
namespace {

/// One access of a warp to shared memory, thread t at t * stride.
Counts counts(const std::string& access, unsigned stride, unsigned threads = 32) {
  const std::string text = kernel_text(
      0,
      "mov.u32 %r1, %tid.x;\nmul.lo.u32 %r1, %r1, " + std::to_string(stride) +
          ";\nmov.u32 %r2, tile;\nadd.u32 %r1, %r1, %r2;\nmov.u32 %r3, 5;\nmov.u64 %rd1, 5;\n"
          "cvt.u16.u32 %h1, %r3;\n" +
          access,
      ".extern .shared .align 16 .b8 tile[];");
  Memory memory;
  Launch launch;
  launch.kernel = "k";
  launch.grid = {1};
  launch.block = {threads};
  launch.dynamic_shared = 8192;
  launch.shared_parts = {{"low", 0, 4096}, {"high", 4096, 4096}};
  const Report report = run(PtxModule::parse(text), launch, memory);
  EXPECT_TRUE(report.clean()) << to_string(report);
  return report.counts;
}

TEST(BankConflicts, AreExtraWavefronts) {
  const std::string word = "st.shared.u32 [%r1], %r3;", half = "st.shared.u16 [%r1], %h1;",
                    two = "st.shared.u64 [%r1], %rd1;",
                    four = "st.shared.v4.u32 [%r1], {%r3, %r3, %r3, %r3};";
  EXPECT_EQ(counts(word, 4).bank_conflicts, 0u);
  EXPECT_EQ(counts(word, 0).bank_conflicts, 0u);
  EXPECT_EQ(counts(word, 8).bank_conflicts, 1u);
  EXPECT_EQ(counts(word, 128).bank_conflicts, 31u);
  EXPECT_EQ(counts(word, 132).bank_conflicts, 0u);
  EXPECT_EQ(counts(word, 128, 3).bank_conflicts, 2u);
  EXPECT_EQ(counts(half, 2).bank_conflicts, 0u);
  EXPECT_EQ(counts(two, 8).bank_conflicts, 0u);
  EXPECT_EQ(counts(two, 16).bank_conflicts, 2u);
  EXPECT_EQ(counts(four, 16).bank_conflicts, 0u);
  EXPECT_EQ(counts(four, 128).bank_conflicts, 28u);
}

TEST(BankConflicts, AreCountedByPart) {
  const Counts low = counts("st.shared.u32 [%r1], %r3;", 64);
  EXPECT_EQ(low.bank_conflicts_of, (std::map<std::string, std::uint64_t>{{"low", 15}}));
  const Counts high = counts("st.shared.u32 [%r1+4096], %r3;", 64);
  EXPECT_EQ(high.bank_conflicts_of, (std::map<std::string, std::uint64_t>{{"high", 15}}));
}

TEST(BankConflicts, FaultsNameThePart) {
  const std::string text = kernel_text(0,
                                       "mov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\n"
                                       "st.shared.u32 [%r2+4100], %r1;\n",
                                       ".extern .shared .align 16 .b8 tile[];");
  Memory memory;
  Launch launch;
  launch.kernel = "k";
  launch.grid = {1};
  launch.block = {64};
  launch.dynamic_shared = 8192;
  launch.shared_parts = {{"low", 0, 4096}, {"high", 4096, 4096}};
  const Report report = run(PtxModule::parse(text), launch, memory);
  EXPECT_NE(to_string(report).find("offset 4 of 'high'"), std::string::npos) << to_string(report);
}

}  // namespace
}  // namespace sinter::emulator::tests
