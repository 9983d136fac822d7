#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Unroll, ReplicatesTheBody) {
  TwoStages p;
  p.g.unroll(p.x, 3);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  for y:\n"
            "    for x over x / 3, ShiftInwards:\n"
            "      unrolled xi in [0, 3):\n"
            "        g(x, y) = ...\n");
  expect_same_results({p.g}, {10, 3});
  EXPECT_EQ(text({p.g}), "g.unroll(x, 3);\n");
}

TEST(Unroll, KeepsTheOrderOfAReduction) {
  Scan p;
  p.c.update().unroll(p.r, 7);
  expect_same_results({p.c}, {42});
  Sum q(true);
  q.s.update().unroll(q.r.x);
  expect_same_results({q.s}, {3});
}

TEST(Unroll, NeedsAConstantExtent) {
  TwoStages p;
  p.g.unroll(p.x);
  EXPECT_EQ(refusal({p.g}), "g: unroll(x): the extent of 'x' is not a constant");
  TwoStages q;
  q.g.unroll(q.x, 100000);
  EXPECT_EQ(refusal({q.g}),
            "g: unroll(x, 100000): 100000 copies of the body is beyond the limit of 4096");
}

}  // namespace
}  // namespace sinter::test
