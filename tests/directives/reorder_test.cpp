#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Reorder, PutsLoopsInTheGivenOrder) {
  TwoStages p;
  p.g.reorder(p.y, p.x);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  for x:\n"
            "    for y:\n"
            "      g(x, y) = ...\n");
  expect_same_results({p.g}, {5, 4});
  EXPECT_EQ(text({p.g}), "g.reorder(y, x);\n");
}

TEST(Reorder, OfAnIntegerSumIsFree) {
  Sum p;
  p.s.update().reorder(p.r.y, p.x, p.r.x);
  expect_same_results({p.s}, {5});
}

TEST(Reorder, OfAFloatSumKeepsTheReductionsOrder) {
  Sum p(true);
  p.s.update().reorder(p.x, p.r.x, p.r.y);
  expect_same_results({p.s}, {5});
  Sum q(true);
  q.s.update().reorder(q.r.y, q.r.x);
  EXPECT_EQ(
      refusal({q.s}),
      "s.update(0): reorder(r.y, r.x): the steps of the reduction would run in another order: "
      "'r.x' would go around 'r.y'; the order of float additions and multiplications decides "
      "the rounding");
}

TEST(Reorder, ThatIsUndoneIsAccepted) {
  Sum p(true);
  p.s.update().reorder(p.r.y, p.r.x).reorder(p.r.x, p.r.y);
  EXPECT_EQ(refusal({p.s}), "");
}

TEST(Reorder, OfIndependentReductionVariablesIsFree) {
  // Each element is written by one value of r.x; r.y folds into it.
  Var x("x");
  RDom r(0, 10, 0, 6, "r");
  Func f("f");
  f(x) = 0.25f;
  f(r.x) = f(r.x) * 0.5f + f32(r.y);
  f.update().reorder(r.y, r.x);
  expect_same_results({f}, {10});
}

TEST(Reorder, Refusals) {
  TwoStages p;
  Var z("z");
  EXPECT_EQ(refusal_of([&] { p.g.reorder(p.x, z); }),
            "g: reorder(x, z): 'z' is not a loop of this definition");
  EXPECT_EQ(refusal_of([&] { p.g.reorder(p.x, p.y, p.x); }),
            "g: reorder(x, y, x): the loop 'x' is named twice");
}

}  // namespace
}  // namespace sinter::test
