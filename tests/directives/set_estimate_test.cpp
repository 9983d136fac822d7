#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(SetEstimate, ChangesNothingThatRuns) {
  TwoStages p;
  const std::string before = nest({p.g});
  p.g.set_estimates({{0, 1920}, {0, 1080}});
  EXPECT_EQ(nest({p.g}), before);
  EXPECT_EQ(text({p.g}), "g.set_estimate(x, 0, 1920);\ng.set_estimate(y, 0, 1080);\n");
}

TEST(SetEstimate, Refusals) {
  TwoStages p;
  Var z("z");
  Param<int> n("n");
  EXPECT_EQ(refusal_of([&] { p.g.set_estimate(z, 0, 3); }),
            "g: set_estimate(z, 0, 3): 'z' is not a variable of the stage's pure definition");
  EXPECT_EQ(refusal_of([&] { p.g.set_estimate(p.x, 0, -3); }),
            "g: set_estimate(x, 0, -3): the estimated extent is negative");
  EXPECT_EQ(refusal_of([&] { p.g.set_estimate(p.x, 0, n); }),
            "g: set_estimate(x, ...): an estimate is a number");
  EXPECT_EQ(refusal_of([&] { p.g.set_estimates({{0, 3}}); }),
            "g: set_estimates(...): the Func has 2 dimensions, and 1 estimates are given");
}

}  // namespace
}  // namespace sinter::test
