#include "dsl/schedule/resolve.h"

#include <gtest/gtest.h>

#include "tests/unit/schedule/small_algorithms.h"

namespace sinter::schedule {
namespace {

std::vector<std::string> loops(const ScheduledPipeline& p, const std::string& stage, int k = 0) {
  std::vector<std::string> names;
  for (const Loop& l : p.of(var(stage)).definitions[static_cast<std::size_t>(k)].loops) {
    names.push_back(l.name.name());
  }
  return names;
}
using Names = std::vector<std::string>;

const Symbol x = var("x"), y = var("y"), xo = var("xo"), xi = var("xi"), yo = var("yo"),
             yi = var("yi"), rx = var("rx"), ry = var("ry"), f = var("f"), g = var("g");

TEST(Resolve, DefaultsAreInlineAndOutputsAtRoot) {
  const auto p = resolve(two_stages(), {}, "p");
  EXPECT_EQ(p.of(f).compute.kind, Placement::Kind::Inline);
  EXPECT_EQ(p.of(g).compute.kind, Placement::Kind::Root);
  EXPECT_EQ(loops(p, "g"), (Names{"x", "y"}));
  const auto s = resolve(sum(Int(32)), {}, "p");
  EXPECT_EQ(loops(s, "s", 1), (Names{"rx", "ry", "x"}));
}

TEST(Resolve, TileSplitsAndReorders) {
  const auto p = resolve(
      two_stages(), Writer().add("g", Tile{{x, y}, {xo, yo}, {xi, yi}, {64, 8}, {}}).schedule, "p");
  EXPECT_EQ(loops(p, "g"), (Names{"xi", "yi", "xo", "yo"}));
  const auto& d = p.of(g).definitions[0];
  ASSERT_EQ(d.relations.size(), 2u);
  EXPECT_EQ(d.relations[0].split.factor, 64);
  EXPECT_EQ(d.relations[0].split.tail, Tail::ShiftInwards);
}

TEST(Resolve, ReusedNamesGetFreshVariables) {
  const auto p = resolve(two_stages(), Writer().add("g", Split{x, x, xi, 8, {}}).schedule, "p");
  const auto& d = p.of(g).definitions[0];
  EXPECT_EQ(loops(p, "g"), (Names{"xi", "x", "y"}));
  EXPECT_EQ(d.relations[0].split.old, x);
  EXPECT_FALSE(d.relations[0].split.outer == x);
  EXPECT_EQ(d.loops[1].variable, d.relations[0].split.outer);
}

TEST(Resolve, PlacementsFollowReusedNames) {
  const auto p =
      resolve(two_stages(),
              Writer().add("g", Split{y, y, yi, 8, {}}).add("f", ComputeAt{g, y}).schedule, "p");
  EXPECT_EQ(p.of(f).compute.variable, p.of(g).definitions[0].loops[2].variable);
  EXPECT_EQ(p.of(f).store, p.of(f).compute);
}

TEST(Resolve, TailIsGuardedWhenTheOuterLoopBecomesParallel) {
  const auto tail = [](const Writer& w) {
    return resolve(two_stages(), w.schedule, "p").of(g).definitions[0].relations[0].split.tail;
  };
  EXPECT_EQ(tail(Writer().add("g", Split{x, xo, xi, 8, {}})), Tail::ShiftInwards);
  EXPECT_EQ(tail(Writer().add("g", Split{x, xo, xi, 8, {}}).add("g", Parallel{xo, {}, {}})),
            Tail::GuardWithIf);
  EXPECT_EQ(tail(Writer().add("g", Split{x, xo, xi, 8, {}}).add("g", Parallel{xi, {}, {}})),
            Tail::ShiftInwards);
  EXPECT_EQ(tail(Writer()
                     .add("g", Split{x, xo, xi, 8, {}})
                     .add("g", Fuse{xo, y, var("t")})
                     .add("g", Parallel{var("t"), {}, {}})),
            Tail::GuardWithIf);
  const auto s = resolve(sum(Int(32)), Writer().add("s", Split{x, xo, xi, 8, {}}, 1).schedule, "p");
  EXPECT_EQ(s.of(var("s")).definitions[1].relations[0].split.tail, Tail::GuardWithIf);
}

TEST(Resolve, RefusalsAreComplete) {
  Writer w;
  w.add("g", Split{var("z"), xo, xi, 8, {}});
  const unsigned line = __LINE__ - 1;
  const auto problem = refusal_of(two_stages(), w.schedule);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->stage, "g");
  EXPECT_EQ(problem->directive, "split(z, xo, xi, 8)");
  EXPECT_EQ(problem->reason, "'z' is not a loop of this definition");
  EXPECT_EQ(problem->remedy, "name one of its loops (innermost first): x, y");
  EXPECT_EQ(problem->line, line);
}

TEST(Resolve, FloatReductionKeepsItsOrder) {
  const auto reorder = Writer().add("s", Reorder{{ry, rx}}, 1);
  EXPECT_NE(reason(sum(Float(32)), reorder).find("in another order"), std::string::npos);
  EXPECT_EQ(reason(sum(Int(32)), reorder), "");
  EXPECT_EQ(reason(sum(Float(32)), Writer().add("s", Reorder{{x, rx, ry}}, 1)), "");
  // Split keeps the order as long as outer stays outside inner; reordered and put back is fine.
  Writer w;
  w.add("s", Split{rx, xo, xi, 4, {}}, 1).add("s", Reorder{{xo, xi}}, 1);
  EXPECT_NE(reason(sum(Float(32)), w), "");
  w.add("s", Reorder{{xi, xo}}, 1);
  EXPECT_EQ(reason(sum(Float(32)), w), "");
}

TEST(Resolve, FuseOfReductionVariablesKeepsTheirOrder) {
  const Symbol t = var("t");
  EXPECT_EQ(reason(sum(Float(32)), Writer().add("s", Fuse{rx, ry, t}, 1)), "");
  EXPECT_NE(reason(sum(Float(32)), Writer().add("s", Fuse{ry, rx, t}, 1)), "");
  EXPECT_EQ(reason(sum(Float(32)), Writer().add("s", Fuse{ry, x, t}, 1)), "");
}

TEST(Resolve, ParallelReductionIsARace) {
  const auto parallel = Writer().add("s", Parallel{rx, {}, {}}, 1);
  auto problem = refusal_of(sum(Float(32)), parallel.schedule);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->directive, "parallel(rx)");
  EXPECT_NE(problem->remedy.find("reduce_across"), std::string::npos);
  problem = refusal_of(sum(Int(32)), parallel.schedule);
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->remedy.find("atomic()"), std::string::npos);
  EXPECT_EQ(reason(sum(Float(32)), Writer().add("s", Parallel{x, {}, {}}, 1)), "");
}

TEST(Resolve, AtomicMakesExactUpdatesParallel) {
  EXPECT_EQ(
      reason(histogram(), Writer().add("h", Parallel{var("r"), {}, {}}, 1).add("h", Atomic{}, 1)),
      "");
  EXPECT_NE(reason(histogram(), Writer().add("h", Parallel{var("r"), {}, {}}, 1)), "");
  EXPECT_NE(reason(sum(Float(32)), Writer().add("s", Atomic{}, 1)), "");
  EXPECT_NE(reason(scan(), Writer().add("c", Atomic{}, 1)), "");
}

TEST(Resolve, ScanStaysSerial) {
  EXPECT_NE(reason(scan(), Writer().add("c", Parallel{var("r"), {}, {}}, 1)), "");
  EXPECT_NE(reason(scan(), Writer().add("c", Vectorize{var("r"), IntegerArg(4), {}}, 1)), "");
  EXPECT_EQ(reason(scan(), Writer().add("c", Unroll{var("r"), IntegerArg(4), {}}, 1)), "");
}

TEST(Resolve, VectorsNeedConstantExtents) {
  EXPECT_EQ(reason(two_stages(), Writer().add("g", Vectorize{x, {}, {}})),
            "the extent of 'x' is not a constant");
  EXPECT_EQ(reason(two_stages(), Writer().add("g", Vectorize{x, IntegerArg(8), {}})), "");
  const Expr eight = ir::index_literal(8);
  EXPECT_EQ(
      reason(two_stages(), Writer().add("g", Vectorize{x, {}, {}}).add("g", BoundExtent{x, eight})),
      "");
  EXPECT_EQ(reason(sum(Int(32)), Writer().add("s", Unroll{rx, {}, {}}, 1)), "");
}

TEST(Resolve, TailsThatRepeatStepsAreRefused) {
  const auto with = [](const Symbol& v, Tail tail) {
    return reason(sum(Int(32)), Writer().add("s", Split{v, xo, xi, 4, tail}, 1));
  };
  EXPECT_NE(with(rx, Tail::ShiftInwards), "");
  EXPECT_NE(with(rx, Tail::RoundUp), "");
  EXPECT_NE(with(x, Tail::ShiftInwards), "");
  EXPECT_EQ(with(x, Tail::GuardWithIf), "");
}

TEST(Resolve, PlacementMustEncloseUses) {
  EXPECT_EQ(reason(two_stages(), Writer().add("f", ComputeAt{g, y})), "");
  EXPECT_EQ(reason(two_stages(), Writer().add("f", ComputeAt{g, var("z")})), "'g' has no loop 'z'");
  EXPECT_EQ(reason(two_stages(), Writer().add("g", ComputeAt{f, y})),
            "an output of the pipeline is computed at root, into the buffer of the caller");
  EXPECT_EQ(reason(two_stages(), Writer().add("f", ComputeAt{f, y})),
            "a stage cannot be placed inside its own loops");
  EXPECT_NE(reason(two_stages(), Writer().add("f", ComputeAt{var("k"), y})), "");
}

TEST(Resolve, StorageMustEncloseComputation) {
  EXPECT_EQ(reason(two_stages(), Writer().add("f", StoreAt{g, y}).add("f", ComputeAt{g, x})), "");
  EXPECT_NE(reason(two_stages(), Writer().add("f", StoreAt{g, x}).add("f", ComputeAt{g, y})), "");
  EXPECT_NE(reason(two_stages(), Writer().add("f", StoreRoot{})), "");
  EXPECT_NE(
      reason(
          two_stages(),
          Writer().add("f", StoreRoot{}).add("f", ComputeAt{g, y}).add("g", Parallel{y, {}, {}})),
      "");
}

TEST(Resolve, DirectivesOnInlinedStagesAreRefused) {
  EXPECT_EQ(reason(two_stages(), Writer().add("f", Vectorize{x, IntegerArg(8), {}})),
            "the stage is computed inline: it has no loops, storage or bounds of its own");
}

TEST(LoopNest, ShowsStagesInTheirPlaces) {
  const auto p = resolve(two_stages(),
                         Writer()
                             .add("g", Split{y, yo, yi, 8, {}})
                             .add("g", Parallel{yo, {}, {}})
                             .add("f", ComputeAt{g, yo})
                             .schedule,
                         "p");
  EXPECT_EQ(loop_nest(p),
            "produce g:\n"
            "  parallel yo over y / 8, GuardWithIf:\n"
            "    produce f:\n"
            "      for y:\n"
            "        for x:\n"
            "          f(x, y) = ...\n"
            "    for yi in [0, 8):\n"
            "      for x:\n"
            "        g(x, y) = ...\n");
}

}  // namespace
}  // namespace sinter::schedule
