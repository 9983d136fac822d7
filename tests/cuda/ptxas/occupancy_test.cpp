// How many blocks fit: values of NVIDIA's calculator (cuda_occupancy.h of CUDA 13.0), with which
// all of 35840 combinations agreed.

#include <gtest/gtest.h>

#include "dsl/base/gpu_limits.h"

namespace sinter::test {
namespace {

std::string fits(const std::string& architecture, int threads, int registers, int shared) {
  const Occupancy o = occupancy(gpu_limits(architecture), threads, registers, shared);
  return std::to_string(o.blocks) + " blocks, " + std::to_string(o.percent) + " %, " + o.limited_by;
}

TEST(Occupancy, IsThatOfTheGuide) {
  EXPECT_EQ(fits("sm_75", 256, 32, 0), "4 blocks, 100 %, threads");
  EXPECT_EQ(fits("sm_75", 96, 40, 20000), "3 blocks, 28 %, shared memory");
  EXPECT_EQ(fits("sm_80", 128, 255, 0), "2 blocks, 12 %, registers");
  EXPECT_EQ(fits("sm_80", 640, 33, 1280), "2 blocks, 62 %, registers");
  EXPECT_EQ(fits("sm_86", 32, 16, 0), "16 blocks, 33 %, blocks");
  EXPECT_EQ(fits("sm_89", 64, 24, 40000), "2 blocks, 8 %, shared memory");
  EXPECT_EQ(fits("sm_90a", 1024, 64, 0), "1 blocks, 50 %, registers");
  EXPECT_EQ(fits("sm_90a", 64, 47, 0), "20 blocks, 62 %, registers");
  EXPECT_EQ(fits("sm_90a", 128, 32, 204800), "1 blocks, 6 %, shared memory");
  EXPECT_EQ(fits("sm_90a", 256, 20, 232448), "1 blocks, 12 %, shared memory");
  EXPECT_EQ(fits("sm_90a", 1024, 65, 0), "0 blocks, 0 %, registers");
  EXPECT_EQ(gpu_limits("sm_90a").shared_of_block, 227 * 1024);
  EXPECT_EQ(gpu_limits("sm_88").shared_of_block, gpu_limits("sm_87").shared_of_block);
}

TEST(Occupancy, RegistersComeInUnitsOfWarps) {
  EXPECT_EQ(registers_of_block(32, 1), 256);
  EXPECT_EQ(registers_of_block(33, 32), 2048);
  EXPECT_EQ(registers_of_block(1024, 64), 65536);
  EXPECT_EQ(registers_of_block(1024, 65), 73728);
}

}  // namespace
}  // namespace sinter::test
