#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(AlignBounds, WidensTheComputedRegion) {
  TwoStages p;
  p.f.compute_root().align_bounds(p.x, 8, 1);
  expect_same_results({p.g}, {13, 3});
  EXPECT_EQ(text({p.g}), "f.compute_root();\nf.align_bounds(x, 8, 1);\n");
}

TEST(AlignBounds, Refusals) {
  TwoStages p;
  Var z("z");
  EXPECT_EQ(refusal_of([&] { p.f.align_bounds(z, 8); }),
            "f: align_bounds(z, 8): 'z' is not a variable of the stage's pure definition");
  EXPECT_EQ(refusal_of([&] { p.f.align_bounds(p.x, 0); }),
            "f: align_bounds(x, 0): the factor is 0");
  EXPECT_EQ(refusal_of([&] { p.f.align_bounds(p.x, 8, 9); }),
            "f: align_bounds(x, 8, 9): the remainder 9 is not in [0, 8)");
}

}  // namespace
}  // namespace sinter::test
