// Medians and bootstrap intervals.

#include <gtest/gtest.h>

#include "apps/sinter/statistics.h"

namespace sinter::command {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({5, 1, 3, 2}), 2.5);
}

TEST(Statistics, IntervalOfConstantSamplesIsAPoint) {
  const Interval interval = ratio_interval({6, 6, 6}, {3, 3, 3});
  EXPECT_EQ(interval.low, 2);
  EXPECT_EQ(interval.high, 2);
}

TEST(Statistics, IntervalHoldsTheRatioAndIsRepeatable) {
  std::vector<double> a, b;
  for (int i = 0; i < 25; ++i) {
    a.push_back(10 + (i * 7) % 5 * 0.1);
    b.push_back(5 + (i * 3) % 7 * 0.1);
  }
  const Interval once = ratio_interval(a, b), again = ratio_interval(a, b);
  EXPECT_EQ(once.low, again.low);
  EXPECT_EQ(once.high, again.high);
  EXPECT_LE(once.low, median(a) / median(b));
  EXPECT_GE(once.high, median(a) / median(b));
  EXPECT_LT(once.high - once.low, 0.2);
}

}  // namespace
}  // namespace sinter::command
