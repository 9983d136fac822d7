#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(BoundExtent, MakesAnExtentConstantAnywhere) {
  TwoStages p;
  p.g.bound_extent(p.x, 4).vectorize(p.x);
  expect_same_results({p.g}, {4, 3});
  EXPECT_EQ(text({p.g}), "g.bound_extent(x, 4);\ng.vectorize(x);\n");
}

TEST(BoundExtent, Refusals) {
  TwoStages p;
  Var z("z");
  EXPECT_EQ(refusal_of([&] { p.g.bound_extent(z, 3); }),
            "g: bound_extent(z, 3): 'z' is not a variable of the stage's pure definition");
}

}  // namespace
}  // namespace sinter::test
