// What partitioning copies, and what it does not.
#include <gtest/gtest.h>

#include <sinter/boundary_conditions.h>

#include "dsl/lowering/loops/partition_loops.h"
#include "dsl/schedule/fluent.h"
#include "tests/unit/lowering/harness.h"

namespace sinter::test {
namespace {

struct Counts {
  int stores = 0, guards = 0, loops = 0;
};

Counts partitioned(const std::string& body) {
  ir::Module module = ir::parse_module(
      "module \"m\" {\n"
      "  input in: i32 [in.min.0, in.extent.0, in.stride.0; in.min.1, in.extent.1, in.stride.1]\n"
      "  output out.0 \"out\" as out: i32 [out.min.0, out.extent.0, out.stride.0; out.min.1, "
      "out.extent.1, out.stride.1]\n" +
      body + "}\n");
  module = lowering::partition_loops(std::move(module), {});
  const std::string text = ir::print(module);  // copies share nodes
  const auto count = [&](const std::string& word) {
    int found = 0;
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  return {count(" store "), count(" if "), count(" for ")};
}

TEST(Partition, AGuardOfTheWholeBodyEndsTheLoop) {
  for (const char* kind : {"", " parallel"}) {
    const Counts found =
        partitioned("for yo in [0, (out.extent.1 + 31)/32)" + std::string(kind) +
                    " {\n"
                    "  for yi in [0, 32) {\n"
                    "    let y = yo*32 + yi\n"
                    "    if y < out.extent.1 && 1 < y {\n"
                    "      for x in [0, out.extent.0) { store out.0(y*out.stride.1 + x) = 1i32 }\n"
                    "    }\n"
                    "  }\n"
                    "}\n");
    EXPECT_EQ(found.stores, 1);
    EXPECT_EQ(found.guards, 0);
    EXPECT_EQ(found.loops, 3);
  }
}

TEST(Partition, LongLoopsAreNotCopiedForAClampOutsideThem) {
  const Counts found = partitioned(
      "for y in [0, out.extent.1) {\n"
      "  for x in [0, out.extent.0) {\n"
      "    store out.0(y*out.stride.1 + x) = load in(max(min(y - 1, in.extent.1 - 1), "
      "0)*in.stride.1 + x)\n"
      "  }\n"
      "}\n");
  EXPECT_EQ(found.stores, 1);
}

TEST(Partition, ClampsLeaveTheMiddleOfInnermostLoops) {
  const Counts found = partitioned(
      "for y in [0, out.extent.1) {\n"
      "  for x in [0, out.extent.0) {\n"
      "    store out.0(y*out.stride.1 + x) = load in(y*in.stride.1 + max(min(x - 1, in.extent.0 - "
      "1), 0))\n"
      "  }\n"
      "}\n");
  EXPECT_EQ(found.stores, 3);
}

TEST(Partition, TilesOfTheMiddleAreWhole) {
  // The last tile's storage is smaller: the unrolled loop and the allocation want a constant.
  const Counts found = partitioned(
      "for xo in [0, (out.extent.0 + 7)/8) {\n"
      "  let n = min(out.extent.0 - xo*8, 8)\n"
      "  allocate t: i32 [n] {\n"
      "    for i in [0, n) unrolled { store t(i) = 1i32 }\n"
      "    for k in [0, in.extent.0) { store t(0) = load t(0) + load in(k) }\n"
      "    for i in [0, n) unrolled { store out.0(xo*8 + i) = load t(i) }\n"
      "  }\n"
      "}\n");
  EXPECT_EQ(found.stores, 6);
}

/// Guards, shifted tiles, windows and clamps at sizes below, at and above the tiles'.
TEST(Partition, ChangesNoResult) {
  for (const int width : {1, 7, 8, 9, 37}) {
    for (const int height : {1, 4, 5, 11}) {
      SCOPED_TRACE(std::to_string(width) + " x " + std::to_string(height));
      ImageParam in(Int(32), 2, "in");
      Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
      Func clamped("clamped"), rows("rows"), out("out");
      clamped = BoundaryConditions::repeat_edge(in);
      rows(x, y) = clamped(x - 1, y) + clamped(x + 2, y) * 3;
      out(x, y) = rows(x, y - 1) - rows(x, y + 1);
      out.tile(x, y, xo, yo, xi, yi, 8, 4, TailStrategy::GuardWithIf).vectorize(xi, 4).parallel(yo);
      rows.store_at(out, xo).compute_at(out, yi).vectorize(x, 4);
      const auto scheduled =
          schedule::resolve(collect({out}), schedule::schedule_of({out}), "test");
      const Inputs inputs{{{in, random_buffer(Int(32), {width, height}, {0, 0}, 1)}}};
      EXPECT_EQ(compare_all(scheduled, {out}, {width, height}, inputs), "");
    }
  }
}

}  // namespace
}  // namespace sinter::test
