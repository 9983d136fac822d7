// The smallest programs that random testing has shown to be wrong, each with the schedule that did
// it.

#include <gtest/gtest.h>

#include <sinter/sinter.h>

#include "dsl/algorithm/collect.h"
#include "dsl/algorithm/entities.h"
#include "dsl/schedule/fluent.h"
#include "tests/property/trial.h"

namespace sinter::test {
namespace {

/// The outputs over their boxes under their default schedules, in all the ways of run_trial.
std::string failure(const std::vector<Func>& outputs,
                    const std::vector<std::vector<Extent>>& boxes) {
  Instance instance;
  instance.algorithm = collect(outputs);
  instance.schedule = schedule::schedule_of(outputs);
  instance.boxes = boxes;
  instance.data_seed = 1;
  const TrialResult result = run_trial(instance);
  if (result.kind == TrialResult::Kind::Agreed) return "";
  return result.kind == TrialResult::Kind::Failed ? result.text
                                                  : "refused: " + to_string(result.refusal);
}

Var x("x"), y("y"), z("z");

TEST(Regressions, InlineStageWithUpdatesInsideAnotherUseOfItself) {
  Func s("s"), t("t"), out("out");
  RDom r(2, 3, "r");
  s(x, y) = x + y;
  s(x, y) = s(x, y) * 2 + r;
  t(x, y) = s(x, y);
  t(x, y) += 1;
  out(x) = t(x, x) * s(0, 0);
  EXPECT_EQ(failure({out}, {{{0, 7}}}), "");
}

TEST(Regressions, SlidingUnderAStageOfTheSamePlace) {
  for (const TailStrategy tail : {TailStrategy::GuardWithIf, TailStrategy::ShiftInwards}) {
    Var xo("xo"), xi("xi");
    Func f("f"), g("g"), out("out");
    f(x) = x;
    g(x) = f(x) * 2;
    out(x) = g(x) + g(x + 1) + f(x);
    out.split(x, xo, xi, 8, tail);
    g.compute_at(out, xo);
    f.store_root().compute_at(out, xo);
    EXPECT_EQ(failure({out}, {{{-3, 27}}}), "");
  }
}

TEST(Regressions, TextOfAStageComputedInATreeOfALaterUpdate) {
  Func s("s"), out("out");
  RDom r(0, 9, "r");
  s(x) = 0;
  s(x) += 1;
  s(x) += x + r;
  out(x) = s(x);
  Func partial = s.update(1).reduce_across(r, {2, 2, 2});
  s.compute_root();
  partial.tree_level(1, 1).compute_at(s, x);
  partial.compute_at(partial.tree_level(1, 1), x);
  EXPECT_EQ(failure({out}, {{{0, 7}}}), "");
}

TEST(Regressions, StorageIsFreedAfterTheLetsThatReadIt) {
  Func s("s"), out("out");
  RDom r(0, 3, "r");
  s(x) = 6 + x;
  s(r) += 1;
  out(x) = Tuple(u64(s(x)), i32(x));
  EXPECT_EQ(failure({out}, {{{0, 5}}}), "");
}

TEST(Regressions, FloatsSaturateWhereIntegersWrap) {
  ImageParam in(Int(32), 1, "in");
  Func out("out");
  out(x) = i8(f64(in(x)));
  EXPECT_EQ(failure({out}, {{{0, 40}}}), "");
}

TEST(Regressions, CopiesOfALetAreWidenedApart) {
  Func s("s"), out("out");
  RDom r(0, 3, "r");
  s(x) = 6 + x;
  s(r) += 1;
  out(x, y) = Tuple(i16(s(x)), f32(x) + y);
  out.vectorize(y, 8);
  EXPECT_EQ(failure({out}, {{{0, 5}, {0, 11}}}), "");
}

TEST(Regressions, LanesWithStorageOfTheirOwn) {
  ImageParam in(Int(32), 1, "in");
  Func s("s"), out("out");
  RDom r(0, 3, "r");
  r.where(r > 5);
  s(x) = in(x);
  s(r) = 0;
  out(x, y) = u16(s(y));
  out.vectorize(x, 24);
  EXPECT_EQ(failure({out}, {{{0, 1}, {0, 1}}}), "");
}

TEST(Regressions, WhatAClampChoosesIsNoEndOfALoop) {
  ImageParam in(UInt(16), 1, "in");
  Func s("s"), out("out");
  RDom r(-1, 11, "r");
  s(x) = i32(in(x));
  r.where(f32(s(min(x, 5))) > 1.0f);
  out(x, y) = u32(5);
  out(x, y) += u32(r);
  EXPECT_EQ(failure({out}, {{{3, 9}, {0, 2}}}), "");
}

TEST(Regressions, APredicateReadsAStageOfItsOwnLoop) {
  ImageParam in(Int(16), 1, "in");
  Func s("s"), out("out");
  RDom r(2, 3, "r");
  s(x) = in(x) * 2;
  r.where(s(min(r, 3)) > 2);
  out(x) = 9;
  out(r) += 1;
  s.compute_at(LoopLevel(out, r, 1));
  EXPECT_EQ(failure({out}, {{{0, 8}}}), "");
}

TEST(Regressions, APredicateReadsMoreThanItLetsRun) {
  ImageParam in(Int(16), 1, "in");
  Func s("s"), out("out");
  RDom r(0, 10, "r");
  s(x) = in(x) * 2;
  r.where(s(r) > 2 && r < 5);
  out(x) = x;
  out(r) += i32(s(r));
  s.compute_root();
  EXPECT_EQ(failure({out}, {{{0, 10}}}), "");
}

TEST(Regressions, APredicateReadsMoreOfItsOwnStageThanItLetsRun) {
  Func s("s"), out("out");
  RDom r(0, 10, "r");
  s(x) = x * 3;
  r.where(s(r) % 2 == 0 && r < 5);
  s(r) = s(r) + 1;
  out(x) = s(x);
  s.compute_root();
  EXPECT_EQ(failure({out}, {{{0, 4}}}), "");
}

TEST(Regressions, VectorsInsideUnrolledLoops) {
  ImageParam in(Float(32), 1, "in");
  Func s("s"), out("out");
  Var xo("xo"), xi("xi");
  s(x) = i64(in(x));
  out(x, y, z) = i32(s(max(min(x, 5), -1)));
  s.split(x, xo, xi, 16).unroll(xi).vectorize(xi, 4);
  s.compute_at(out, y);
  EXPECT_EQ(failure({out}, {{{0, 3}, {0, 2}, {0, 1}}}), "");
}

TEST(Regressions, GathersOfAnyWidth) {
  ImageParam in(Int(32), 1, "in");
  for (int lanes = 2; lanes <= 40; ++lanes) {
    Func out("out");
    out(x) = in(min(x, 30) * 2) + in(x * 7) - in(x % 3);
    out.vectorize(x, lanes, TailStrategy::GuardWithIf);
    EXPECT_EQ(failure({out}, {{{0, 50}}}), "") << lanes;
  }
}

TEST(Regressions, LanesThatProduceWhatTheyRead) {
  Func s("s"), out("out");
  s(x, y, z) = f32(x + y);
  out(x) = u8(s(0, x, x));
  out.vectorize(x, 24, TailStrategy::GuardWithIf);
  s.compute_at(out, x);
  EXPECT_EQ(failure({out}, {{{0, 1}}}), "");
}

TEST(Regressions, SpecializationsRoundUpByThemselves) {
  ImageParam in(Int(32), 1, "in");
  Func s("s"), out("out");
  Var xo("xo"), xi("xi");
  s(x) = in(x) + 1;
  out(x) = s(x) * 2;
  s.compute_root().split(x, xo, xi, 4, TailStrategy::RoundUp);
  s.specialize(in.width() < 6).split(xo, y, z, 3, TailStrategy::RoundUp);
  EXPECT_EQ(failure({out}, {{{0, 5}}}), "");
  Func other("other");
  other(x) = in(x) + 1;
  other.specialize(in.width() < 6).vectorize(x, 4, TailStrategy::RoundUp);
  EXPECT_EQ(failure({other}, {{{0, 7}}}), "");
  Buffer<int> five(5);  // the branch is taken, and 5 is no multiple of 4
  in.set(five);
  EXPECT_THROW(other.realize({5}), RuntimeError);
}

TEST(Regressions, BoundsAreCheckedInsideVectors) {
  Func s("s"), out("out");
  RDom r(0, 3, "r");
  s(x, y) = x;
  s(x, y) += r;
  out(x, y) = s(x, y) * 2;
  out.vectorize(y, 4, TailStrategy::ShiftInwards);
  s.bound(x, -10, 25);
  EXPECT_EQ(failure({out}, {{{0, 3}, {0, 7}}}), "");
}

TEST(Regressions, PredicatesAreAskedInOrder) {
  ImageParam in(Int(32), 1, "in");
  Func s("s");
  RDom r(2, 11, "r");
  Var u("u");
  RVar ro("ro"), ri("ri");
  r.where(in(r) > 3);
  s(x) = x;
  s(x) += i32(r);
  s.update().split(r, ro, ri, 4).reduce_across(ri, {2, 2, 2});
  EXPECT_EQ(failure({s}, {{{0, 3}}}), "");
}

TEST(Regressions, OneOutputIsEmptyAndAnotherIsNot) {
  Func a("a"), b("b"), c("c");
  a(x) = x * 2;
  b(x, y) = x + y;
  c() = 7;
  EXPECT_EQ(failure({a, b}, {{{0, 5}}, {{0, 0}, {2, 3}}}), "");
  EXPECT_EQ(failure({a, b}, {{{0, 0}}, {{0, 2}, {2, 3}}}), "");
  EXPECT_EQ(failure({a, c}, {{{0, 0}}, {}}), "");
}

TEST(Regressions, FusedLoopsOverNothing) {
  Param<int> n("n");
  Func s("s"), out("out");
  RDom r(0, n, "r");
  Var f("f");
  s(x, y) = x + y;
  out(x) = x;
  out(x) += s(3 * r, 2 * r);
  s.compute_root().fuse(x, y, f);
  Instance instance;
  instance.algorithm = collect({out});
  instance.schedule = schedule::schedule_of({out});
  instance.boxes = {{{0, 3}}};
  instance.scalars[n.contents()->id] = ir::Scalar::of_integer(Int(32), 0);
  EXPECT_EQ(run_trial(instance).text, "");
}

}  // namespace
}  // namespace sinter::test
