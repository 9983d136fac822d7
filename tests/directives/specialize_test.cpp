#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Specialize, MakesABranchWithItsOwnLoops) {
  TwoStages p;
  Param<int> n("n");
  p.g.specialize(n > 8).vectorize(p.x, 8);
  p.g.unroll(p.x, 2);
  EXPECT_EQ(text({p.g}),
            "g.specialize(8 < index(n));\n"
            "g.specialize(8 < index(n)).vectorize(x, 8);\n"
            "g.unroll(x, 2);\n");
}

TEST(Specialize, Refusals) {
  TwoStages p;
  Param<int> n("n");
  EXPECT_NE(
      refusal_of([&] { p.g.specialize(p.x > 3); }).find("depends on 'x', which is no parameter"),
      std::string::npos);
  EXPECT_NE(refusal_of([&] { p.g.specialize(n); }).find("the condition is not a bool"),
            std::string::npos);
  Sum s;
  EXPECT_NE(refusal_of([&] {
              s.s.update().specialize(n > 3).rfactor(s.r.x, Var("u"));
            }).find("cannot depend on a condition"),
            std::string::npos);
}

TEST(Specialize, BranchesAreProvedToo) {
  Sum s(true);
  Param<int> n("n");
  s.s.update().specialize(n > 3).parallel(s.r.x);
  EXPECT_NE(refusal({s.s}).find("parallel(r.x)"), std::string::npos);
}

}  // namespace
}  // namespace sinter::test
