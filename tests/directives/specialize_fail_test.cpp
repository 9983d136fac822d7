#include <sinter/param.h>

#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(SpecializeFail, LeavesTheBranchesOnly) {
  TwoStages p;
  Param<int> n("n", 9);
  p.g.specialize(n > 8).vectorize(p.x, 8);
  p.g.specialize(n == 3);
  p.g.specialize_fail("n is 3, or \"large\" (above 8)");
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  if 8 < index(n):\n"
            "    for y:\n"
            "      for x over x / 8, ShiftInwards:\n"
            "        vectorized xi in [0, 8):\n"
            "          g(x, y) = ...\n"
            "  if index(n) == 3:\n"
            "    for y:\n"
            "      for x:\n"
            "        g(x, y) = ...\n"
            "  else: the call fails\n");
  EXPECT_EQ(text({p.g}),
            "g.specialize(8 < index(n));\n"
            "g.specialize(8 < index(n)).vectorize(x, 8);\n"
            "g.specialize(index(n) == 3);\n"
            "g.specialize_fail(\"n is 3, or \\\"large\\\" (above 8)\");\n");
  TwoStages q;
  q.g.specialize(Expr(1) < 2).vectorize(q.x, 4);
  q.g.specialize_fail("no");
  expect_same_results({q.g}, {9, 6});
}

TEST(SpecializeFail, Refusals) {
  TwoStages p;
  Param<int> n("n");
  EXPECT_NE(refusal_of([&] { p.g.specialize_fail("no"); }).find("has no branch"),
            std::string::npos);
  p.g.specialize(n > 8).vectorize(p.x, 8);
  p.g.specialize_fail("no");
  EXPECT_NE(refusal_of([&] { p.g.specialize_fail("no"); }).find("already"), std::string::npos);
  EXPECT_NE(refusal_of([&] { p.g.specialize(n > 3); }).find("closed the list"), std::string::npos);
}

}  // namespace
}  // namespace sinter::test
