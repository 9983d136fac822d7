// Layouts of shared memory: one to one, the same as numbers and as expressions, and what a warp's
// access costs under them.

#include "dsl/algebra/layout.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "dsl/algebra/simplify.h"

namespace sinter::algebra {
namespace {

std::vector<std::int64_t> lanes(std::int64_t stride, int count = 32) {
  std::vector<std::int64_t> result;
  for (int lane = 0; lane < count; ++lane) result.push_back(lane * stride);
  return result;
}

TEST(BankConflicts, OfStrides) {
  EXPECT_EQ(bank_conflicts(lanes(4), 4), 0);
  EXPECT_EQ(bank_conflicts(lanes(0), 4), 0);       // one word for all
  EXPECT_EQ(bank_conflicts(lanes(2), 2), 0);       // halves of a word
  EXPECT_EQ(bank_conflicts(lanes(8), 4), 1);       // every other bank
  EXPECT_EQ(bank_conflicts(lanes(128), 4), 31);    // one bank
  EXPECT_EQ(bank_conflicts(lanes(132), 4), 0);     // padded rows
  EXPECT_EQ(bank_conflicts(lanes(8), 8), 0);       // half warps
  EXPECT_EQ(bank_conflicts(lanes(16), 16), 0);     // quarter warps
  EXPECT_EQ(bank_conflicts(lanes(128), 16), 28);   // 8 lanes in 4 banks, four times
  EXPECT_EQ(bank_conflicts(lanes(128, 3), 4), 2);  // three lanes
  std::vector<std::int64_t> one(32, -1);
  EXPECT_EQ(bank_conflicts(one, 4), 0);
  one[7] = 12;
  EXPECT_EQ(bank_conflicts(one, 4), 0);
}

TEST(Layouts, AreOneToOneAndKeepNeighbours) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  const auto in = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 20; ++round) {
    const std::int64_t elements = in(1, 600), bytes = std::int64_t{1} << in(0, 3),
                       widest = std::int64_t{1} << in(0, 3);
    const std::vector<std::int64_t> rows{in(1, 100), 8 * in(1, 12), 32};
    for (const Layout& layout : candidate_layouts(elements, bytes, widest, rows)) {
      std::set<std::int64_t> places;
      const std::string what =
          "seed " + std::to_string(seed) + ": row " + std::to_string(layout.row) + " + " +
          std::to_string(layout.padding) + ", run " + std::to_string(layout.run) + " of " +
          std::to_string(layout.runs) + ", period " + std::to_string(layout.period);
      for (std::int64_t e = 0; e < elements; ++e) {
        const std::int64_t place = layout(e);
        ASSERT_TRUE(places.insert(place).second) << what << ", element " << e;
        ASSERT_GE(place, 0) << what;
        ASSERT_LT(place, layout.size(elements)) << what << ", element " << e;
        const bool first = e % widest == 0;
        ASSERT_EQ(first ? place % widest : place - layout(e - 1), first ? 0 : 1)
            << what << ", element " << e;
      }
      const std::int64_t some = in(0, static_cast<int>(elements) - 1);
      EXPECT_TRUE(ir::is_constant(simplify(layout(ir::index_literal(some))), layout(some))) << what;
    }
  }
}

TEST(Layouts, SimplestFirst) {
  const std::vector<std::int64_t> rows{32};
  EXPECT_TRUE(candidate_layouts(1024, 4, 1, rows).front().is_dense());
  const Layout padded{.row = 32, .padding = 1};
  EXPECT_EQ(candidate_layouts(1024, 4, 1, rows)[1], padded);
  EXPECT_EQ(padded.size(1024), 1024 + 31);
}

}  // namespace
}  // namespace sinter::algebra
