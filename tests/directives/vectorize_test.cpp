#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Vectorize, RunsAnInnerLoopInLanes) {
  TwoStages p;
  p.g.vectorize(p.x, 8);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  for y:\n"
            "    for x over x / 8, ShiftInwards:\n"
            "      vectorized xi in [0, 8):\n"
            "        g(x, y) = ...\n");
  expect_same_results({p.g}, {19, 3});
  expect_same_results({p.g}, {5, 3});
  EXPECT_EQ(text({p.g}), "g.vectorize(x, 8);\n");
}

TEST(Vectorize, TakesAnExtentFromABound) {
  TwoStages p;
  p.g.vectorize(p.x).bound(p.x, 0, 6);
  expect_same_results({p.g}, {6, 3});
}

TEST(Vectorize, OfUpdatesInPureVariables) {
  Sum p(true);
  p.s.update().reorder(p.x, p.r.x, p.r.y).vectorize(p.x, 4);
  expect_same_results({p.s}, {10});
}

TEST(Vectorize, NeedsAConstantExtent) {
  TwoStages p;
  p.g.vectorize(p.x);
  EXPECT_EQ(refusal({p.g}), "g: vectorize(x): the extent of 'x' is not a constant");
  TwoStages q;
  q.g.vectorize(q.x, 5000);
  EXPECT_EQ(refusal({q.g}),
            "g: vectorize(x, 5000): a vector of 5000 lanes is beyond the limit of 1024");
}

TEST(Vectorize, OfAReductionIsARace) {
  Scan p;
  p.c.update().vectorize(p.r, 4);
  EXPECT_NE(refusal({p.c}).find("c.update(0): vectorize(r.x, 4): iterations of"),
            std::string::npos);
}

}  // namespace
}  // namespace sinter::test
