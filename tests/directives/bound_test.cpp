#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Bound, MakesExtentsConstant) {
  TwoStages p;
  p.g.bound(p.x, 0, 3).unroll(p.x);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  for y:\n"
            "    unrolled x in [0, 3):\n"
            "      g(x, y) = ...\n");
  expect_same_results({p.g}, {3, 4});
  EXPECT_EQ(text({p.g}), "g.bound(x, 0, 3);\ng.unroll(x);\n");
}

TEST(Bound, Refusals) {
  TwoStages p;
  Var z("z");
  EXPECT_EQ(refusal_of([&] { p.g.bound(z, 0, 3); }),
            "g: bound(z, 0, 3): 'z' is not a variable of the stage's pure definition");
  EXPECT_NE(
      refusal_of([&] { p.g.bound(p.x, 0, p.y); }).find("depends on 'y', which is no parameter"),
      std::string::npos);
  EXPECT_NE(refusal_of([&] { p.g.bound(p.x, 0, p.f(0, 0)); }).find("depends on data"),
            std::string::npos);
}

}  // namespace
}  // namespace sinter::test
