// Public bugs of Halide turned into tests: each schedule must give the right answer or be refused
// with a clear message. Numbers are those of issues in halide/Halide.

#include <gtest/gtest.h>

#include <functional>

#include <sinter/sinter.h>

namespace sinter::test {
namespace {

/// in(x, y) = 2x + 5y; ls = sum of in over a 5x5 window; out = ls / 25 = 2x + 5y everywhere.
struct Window {
  Var x{"x"}, y{"y"};
  Func in{"in"}, ls{"ls"}, out{"out"};
  RDom r{-2, 5, -2, 5, "r"};
  Window() {
    in(x, y) = 2 * x + 5 * y;
    ls(x, y) += in(x + r.x, y + r.y);
    out(x, y) = ls(x, y) / 25;
  }
};

/// Runs `schedule`, then compares with 2x + 5y; a refusal must name a stage, a reason and a remedy.
void right_or_refused(const std::function<void(Window&)>& schedule, int width = 32,
                      int height = 32) {
  Window w;
  try {
    schedule(w);
    Buffer<int> result = w.out.realize({width, height}).as<int>();
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) ASSERT_EQ(result(x, y), 2 * x + 5 * y) << x << ", " << y;
    }
  } catch (const ScheduleError& e) {
    EXPECT_NE(e.diagnostic().stage, "") << e.what();
    EXPECT_NE(e.diagnostic().reason, "") << e.what();
    EXPECT_NE(e.diagnostic().remedy, "") << e.what();
  }
}

TEST(KnownBugs, SlidingOverALoopOnWhichTwoDimensionsDepend) {  // 7872
  Var xo("xo"), xi("xi");
  right_or_refused([&](Window& w) {
    w.out.split(w.x, xo, xi, 2, TailStrategy::GuardWithIf);
    w.ls.store_at(w.out, w.y).compute_at(w.out, xi);
  });
}

TEST(KnownBugs, RfactorAfterUnequalSplitsOfPureAndUpdate) {  // 7890
  Var xo("xo"), xi("xi"), u("u");
  right_or_refused([&](Window& w) {
    w.ls.compute_root().split(w.x, xo, xi, 4);
    w.ls.update().split(w.x, xo, xi, 1);
    w.ls.update().rfactor(w.r.x, u);
  });
}

TEST(KnownBugs, SplitByOneWithStorageAtRoot) {  // 7909
  Var yo("yo"), yi("yi");
  right_or_refused([&](Window& w) {
    w.out.split(w.y, yo, yi, 1);
    w.ls.store_root().compute_at(w.out, yo);
    w.in.store_root().compute_at(w.ls, w.x);
  });
}

TEST(KnownBugs, NestedSplitsWithGuards) {  // 7764
  Var x("x"), xo("xo"), xi("xi"), xio("xio"), xii("xii");
  Func f("f"), g("g");
  f(x) = x;
  g(x) = f(x);
  g.split(x, xo, xi, 2, TailStrategy::GuardWithIf)
      .split(xi, xio, xii, 4, TailStrategy::GuardWithIf)
      .vectorize(xii);
  Buffer<int> result = g.realize({16}).as<int>();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(result(i), i);
}

TEST(KnownBugs, GuardedTailOfAStageWithUpdates) {  // 7873
  Var xo("xo"), xi("xi");
  right_or_refused(
      [&](Window& w) {
        w.ls.compute_root().split(w.x, xo, xi, 4, TailStrategy::GuardWithIf).vectorize(xi);
      },
      33, 31);
}

TEST(KnownBugs, MixedTailsThroughFuse) {  // 7851, 8038
  Var yo("yo"), yi("yi"), f("f"), fo("fo"), fi("fi");
  right_or_refused([&](Window& w) {
    w.out.split(w.y, yo, yi, 8, TailStrategy::RoundUp)
        .fuse(yo, w.x, f)
        .vectorize(yi)
        .split(f, fo, fi, 3, TailStrategy::GuardWithIf);
  });
}

TEST(KnownBugs, UnrolledAndFusedProducerInsideALoop) {  // 7906
  Var yo("yo"), yi("yi"), f("f");
  right_or_refused([&](Window& w) {
    w.in.compute_at(w.out, w.x)
        .split(w.y, yo, yi, 2, TailStrategy::ShiftInwards)
        .fuse(w.x, yo, f)
        .vectorize(yi);
  });
}

TEST(KnownBugs, FuseWithTheInnerPartOfASplit) {  // 7742
  Var x("x"), y("y"), xo("xo"), xi("xi"), f("f");
  Func g("g");
  g(x, y) = x + y;
  g.split(x, xo, xi, 2, TailStrategy::GuardWithIf).fuse(xi, y, f);
  Buffer<int> result = g.realize({15, 7}).as<int>();
  for (int j = 0; j < 7; ++j) {
    for (int i = 0; i < 15; ++i) EXPECT_EQ(result(i, j), i + j);
  }
}

TEST(KnownBugs, RfactorOfAFusedPureAndReductionVariableIsRefused) {  // 7854
  Var x("x"), y("y"), u("u"), z("z");
  RDom r(0, 100, "r");
  Func f("f");
  f(x, y) = 0;
  f(x, y) += r;
  RVar fused("fused");
  EXPECT_THROW(f.update().fuse(y, r, fused).rfactor(fused, u), ScheduleError);
  Func g("g");
  g(x, y) = 0;
  g(x, y) += r;
  EXPECT_EQ(g.realize({1, 1}).as<int>()(0, 0), 4950);
}

TEST(KnownBugs, SplitIntoTheSameNameTwiceIsRefused) {  // 7714, 7827
  Var x("x"), y("y");
  Func f("f");
  f(x, y) = x;
  EXPECT_THROW(f.split(x, x, x, 4), ScheduleError);
  EXPECT_THROW(f.split(x, y, Var("xi"), 4), ScheduleError);
}

TEST(KnownBugs, ParallelUpdateThatReadsWhatItWritesIsRefused) {  // 6808
  Var x("x");
  RDom r(0, 100, "r");
  Func f("f");
  f(x) = x;
  r.where(f(r) < 50);
  f(99 - r) = f(r) + 1;
  f.compute_root();
  EXPECT_THROW(
      {
        f.update().parallel(r);
        f.realize({100});
      },
      ScheduleError);
}

TEST(KnownBugs, LastValueWinsIsNotParallel) {  // 6609
  Var i("i");
  RDom r(0, 1024, "r");
  Func a("a"), b("b");
  a(i) = i;
  b() = 0;
  b() = a(r);
  EXPECT_EQ(b.realize().as<int>()(), 1023);
  Func c("c");
  c() = 0;
  c() = a(r);
  EXPECT_THROW(
      {
        c.update().parallel(r);
        c.realize();
      },
      ScheduleError);
}

TEST(KnownBugs, UpdateWithoutAnInitialisation) {  // 9102
  Var x("x");
  Func f("f"), g("g"), h("h");
  f(x) = x + 1;
  g(x) = 2 * x + 3;
  RDom r(0, 16, 0, 8, "r");
  h(r.x) += f(r.x + r.y) * g(r.y);
  Buffer<int> result = h.realize({16}).as<int>();
  for (int i = 0; i < 16; ++i) {
    int expected = 0;
    for (int j = 0; j < 8; ++j) expected += (i + j + 1) * (2 * j + 3);
    EXPECT_EQ(result(i), expected) << i;
  }
  Func k("k");
  RDom s(2, 5, "s");
  k(s) += 10 * s;
  Buffer<int> second = k.realize({10}).as<int>();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(second(i), i >= 2 && i < 7 ? 10 * i : 0) << i;
}

TEST(KnownBugs, RoundUpNeverTrapsOnADivisionOutsideTheImage) {  // 4423
  Var x("x"), xo("xo"), xi("xi");
  Func f("f"), g("g");
  f(x) = 100 / (5 - x);
  g(x) = f(x);
  f.compute_root().split(x, xo, xi, 8, TailStrategy::RoundUp).vectorize(xi);
  Buffer<int> result = g.realize({5}).as<int>();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(result(i), 100 / (5 - i));
}

TEST(KnownBugs, SmallSemantics) {  // 9271, 6782, 9278, 9152
  Var x("x");
  Buffer<int> n(4);
  n(0) = 7;
  n(1) = -7;
  n(2) = -2147483647 - 1;
  n(3) = 5;
  Buffer<int> d(4);
  d(0) = -3;
  d(1) = -3;
  d(2) = -1;
  d(3) = 1;
  Func q("q"), m("m");
  q(x) = n(x) / d(x);
  m(x) = n(x) % d(x);
  Buffer<int> quotient = q.realize({4}).as<int>(), remainder = m.realize({4}).as<int>();
  EXPECT_EQ(quotient(0), -2);
  EXPECT_EQ(remainder(0), 1);
  EXPECT_EQ(quotient(1), 3);
  EXPECT_EQ(remainder(1), 2);
  EXPECT_EQ(quotient(2), -2147483647 - 1);
  EXPECT_EQ(remainder(2), 0);
  EXPECT_EQ(quotient(3), 5);
  EXPECT_EQ(remainder(3), 0);

  Param<unsigned> amount("amount");
  amount.set(3);
  Func shifted("shifted");
  shifted(x) = u32(x) << (-amount);  // the amount wraps: far beyond the width
  EXPECT_EQ(shifted.realize({4}).as<unsigned>()(3), 0u);

  Func negated("negated");
  negated(x) = -cast<std::uint8_t>(x);
  EXPECT_EQ(negated.realize({4}).as<std::uint8_t>()(3), 253);

  // Both arms of a select must have storage, whatever its condition.
  Param<bool> flag("flag");
  flag.set(false);
  Func a("a"), b("b"), s("s");
  a(x) = x + 1;
  b(x) = x + 2;
  a.compute_root();
  b.compute_root();
  s(x) = select(flag, a(x - 3), b(x + 3));
  EXPECT_EQ(s.realize({8}).as<int>()(2), 7);
}

// Found by trying: not Halide's.
TEST(KnownBugs, TriangularDomainsTouchNothingOutside) {
  Var x("x");
  RDom r(0, 6, 0, 6, "r");
  r.where(r.y < r.x);
  Func f("f");
  f(x) = x + 1;
  f(r.y) += 1;
  Buffer<int> result = f.realize({6}).as<int>();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(result(i), i + 1 + (5 - i));
  Buffer<int> b(6);
  for (int i = 0; i < 6; ++i) b(i) = i;
  RDom s(0, 6, 0, 6, "s");
  s.where(s.x < s.y);
  Func g("g");
  g(x) = 0;
  g(x) += b(s.x);
  EXPECT_EQ(g.realize({2}).as<int>()(1), 0 * 5 + 1 * 4 + 2 * 3 + 3 * 2 + 4 * 1);
}

TEST(KnownBugs, EmptyHandlesAreRefused) {
  EXPECT_THROW(Pipeline().realize({3}), Error);
  EXPECT_THROW(ImageParam().set(Buffer<int>(3)), Error);
  EXPECT_THROW(ImageParam().name(), Error);
  Var x("x");
  Func f("f");
  f(x) = x;
  EXPECT_THROW(f.bound(x, Expr(), Expr()), Error);
  EXPECT_THROW(f.specialize(Expr()), Error);
  Func g("g");
  g(x) = x;
  g(x) += 1;
  EXPECT_THROW(
      Pipeline(g).with(Schedule::parse("g.update(4294967296).vectorize(x, 4);", {g})).realize({8}),
      Error);
}

TEST(KnownBugs, GathersOfOddWidths) {
  Var x("x");
  Buffer<int> b(30);
  for (int i = 0; i < 30; ++i) b(i) = i * i;
  for (const int lanes : {3, 5, 7, 9, 13, 17, 33}) {
    Func f("f");
    f(x) = b((x * 5) % 29);
    f.vectorize(x, lanes);
    Buffer<int> result = f.realize({37}).as<int>();
    for (int i = 0; i < 37; ++i) EXPECT_EQ(result(i), b((i * 5) % 29)) << lanes;
  }
}

}  // namespace
}  // namespace sinter::test
