// may_overlap and may_overlap_itself against all pairs of elements.
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "backends/runtime/call_checks.h"

namespace sinter::backends {

namespace {

std::set<std::intptr_t> bytes_of(const ir::BufferView& view) {
  std::set<std::intptr_t> starts{reinterpret_cast<std::intptr_t>(view.host)};
  for (const auto& d : view.dimensions) {
    std::set<std::intptr_t> next;
    for (const std::intptr_t s : starts)
      for (std::int64_t i = 0; i < d.extent; ++i) next.insert(s + i * d.stride * view.type.bytes());
    starts = next;
  }
  std::set<std::intptr_t> bytes;
  for (const std::intptr_t s : starts)
    for (int b = 0; b < view.type.bytes(); ++b) bytes.insert(s + b);
  return bytes;
}

}  // namespace

TEST(Overlap, IsDecidedExactly) {
  const unsigned seed = 5;
  std::mt19937 random(seed);
  std::vector<char> memory(4096);
  int disjoint = 0, shared = 0, apart = 0, together = 0;
  for (int round = 0; round < 3000; ++round) {
    ir::BufferView views[2];
    for (ir::BufferView& view : views) {
      view.host = memory.data() + 2000 + random() % 60;
      view.type = random() % 2 ? UInt(8) : Int(16);
      for (unsigned d = random() % 4; d > 0; --d)
        view.dimensions.push_back({0, static_cast<std::int64_t>(random() % 5),
                                   static_cast<std::int64_t>(random() % 25) - 10});
    }
    bool expected = false;
    const std::set<std::intptr_t> a = bytes_of(views[0]), b = bytes_of(views[1]);
    for (const std::intptr_t byte : a) expected |= b.count(byte) > 0;
    EXPECT_EQ(may_overlap(views[0], views[1]), expected) << "seed " << seed << ", round " << round;
    ++(expected ? shared : disjoint);
    std::size_t elements = 1;
    for (const auto& d : views[0].dimensions) elements *= static_cast<std::size_t>(d.extent);
    const bool collides = a.size() < elements * static_cast<std::size_t>(views[0].type.bytes());
    EXPECT_EQ(may_overlap_itself(views[0]), collides) << "seed " << seed << ", round " << round;
    ++(collides ? together : apart);
  }
  EXPECT_GT(disjoint, 300);
  EXPECT_GT(shared, 300);
  EXPECT_GT(apart, 300);
  EXPECT_GT(together, 200);
}

}  // namespace sinter::backends
