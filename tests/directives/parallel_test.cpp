#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Parallel, RunsALoopOnSeveralThreads) {
  TwoStages p;
  p.g.parallel(p.y);
  p.f.compute_at(p.g, p.y);
  expect_same_results({p.g}, {5, 9});
  EXPECT_EQ(text({p.g}), "g.parallel(y);\nf.compute_at(g, y);\n");
}

TEST(Parallel, WithAFactorMakesTasks) {
  TwoStages p;
  p.g.parallel(p.y, 4);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  parallel y over y / 4, GuardWithIf:\n"
            "    for yi in [0, 4):\n"
            "      for x:\n"
            "        g(x, y) = ...\n");
  expect_same_results({p.g}, {5, 9});
}

TEST(Parallel, OfUpdatesInPureVariables) {
  Sum p(true);
  p.s.parallel(p.x).update().parallel(p.x);
  expect_same_results({p.s}, {9});
}

TEST(Parallel, OfAReductionIsARace) {
  Sum p(true);
  p.s.update().parallel(p.r.y);
  EXPECT_EQ(refusal({p.s}),
            "s.update(0): parallel(r.y): iterations of 'r.y' may update the same element, and the "
            "order of float additions and multiplications decides the rounding");
  Sum q;
  q.s.update().parallel(q.r.y);
  EXPECT_EQ(
      refusal({q.s}),
      "s.update(0): parallel(r.y): iterations of 'r.y' may update the same element at the same "
      "time");
  Scan c;
  c.c.update().parallel(c.r);
  EXPECT_EQ(
      refusal({c.c}),
      "c.update(0): parallel(r.x): iterations of 'r.x' may touch the same element, and a step may "
      "read what another one wrote");
}

TEST(Parallel, OfAReductionThatWritesEachElementOnce) {
  Var x("x");
  RDom r(0, 10, "r");
  Func f("f");
  f(x) = x;
  f(r + 2) = f(r + 2) * 2 + r;
  f.update().parallel(r);
  expect_same_results({f}, {14});
}

TEST(Parallel, WherePredicatesThatReadOtherElementsAreRefused) {
  Var x("x");
  RDom r(0, 10, "r");
  Func f("f");
  f(x) = x;
  r.where(f(r + 1) > 3);
  f(r) = 7;
  f.update().parallel(r);
  EXPECT_NE(refusal({f}), "");
}

TEST(Parallel, InsideAVectorIsRefused) {
  TwoStages p;
  Var yo("yo"), yi("yi");
  p.g.split(p.y, yo, yi, 4).vectorize(yi).parallel(p.x);
  EXPECT_EQ(refusal({p.g}), "g: parallel(x): a parallel loop inside a vectorised one cannot run");
}

}  // namespace
}  // namespace sinter::test
