#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Fuse, JoinsTwoLoops) {
  TwoStages p;
  Var t("t");
  p.g.fuse(p.x, p.y, t);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  for t fused from y, x:\n"
            "    g(x, y) = ...\n");
  expect_same_results({p.g}, {7, 5});
  EXPECT_EQ(text({p.g}), "g.fuse(x, y, t);\n");
}

TEST(Fuse, OfTilesRunsInParallel) {
  TwoStages p;
  Var xo("xo"), yo("yo"), xi("xi"), yi("yi"), t("t");
  p.g.tile(p.x, p.y, xo, yo, xi, yi, 4, 3).fuse(xo, yo, t).parallel(t);
  p.f.compute_at(p.g, t);
  expect_same_results({p.g}, {10, 7});
}

TEST(Fuse, OfReductionVariablesKeepsTheirOrder) {
  Sum p(true);
  RVar t("t");
  p.s.update().fuse(p.r.x, p.r.y, t);
  expect_same_results({p.s}, {5});
  Sum q(true);
  q.s.update().fuse(q.r.y, q.r.x, t);
  EXPECT_NE(refusal({q.s}).find("s.update(0): fuse(r.y, r.x, t): the steps of the reduction would "
                                "run in another order"),
            std::string::npos);
}

TEST(Fuse, OfAPureAndAReductionVariable) {
  Sum p(true);
  RVar t("t");
  p.s.update().fuse(p.r.y, p.x, t);
  expect_same_results({p.s}, {5});
}

TEST(Fuse, Refusals) {
  TwoStages p;
  Var t("t"), z("z");
  EXPECT_EQ(refusal_of([&] { p.g.fuse(p.x, z, t); }),
            "g: fuse(x, z, t): 'z' is not a loop of this definition");
  EXPECT_EQ(refusal_of([&] { p.g.fuse(p.x, p.x, t); }),
            "g: fuse(x, x, t): a loop cannot be fused with itself");
  p.g.parallel(p.y);
  EXPECT_EQ(refusal_of([&] { p.g.fuse(p.x, p.y, t); }),
            "g: fuse(x, y, t): the loop 'y' is not serial any more");
  TwoStages q;
  Var xo("xo"), xi("xi");
  q.g.split(q.x, xo, xi, 4);
  EXPECT_EQ(refusal_of([&] { q.g.fuse(xo, q.y, xi); }),
            "g: fuse(xo, y, xi): the new name 'xi' is already a loop of this definition");
}

}  // namespace
}  // namespace sinter::test
