#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Rfactor, MakesPartialReductions) {
  Sum p;
  Var u("u");
  Func partial = p.s.update().rfactor(p.r.y, u);
  partial.compute_root().update().parallel(u);
  EXPECT_EQ(nest({p.s}),
            "produce s.rfactor(r.y):\n"
            "  for u:\n"
            "    for x:\n"
            "      s.rfactor(r.y)(x, u) = ...\n"
            "  parallel u:\n"
            "    for x:\n"
            "      for r.x in [0, 16):\n"
            "        s.rfactor(r.y)(x, u) = ...\n"
            "produce s:\n"
            "  for x:\n"
            "    s(x) = ...\n"
            "  for x:\n"
            "    for r.y in [0, 8):\n"
            "      s(x) = ...\n");
  expect_same_results({p.s}, {5});
  EXPECT_EQ(text({p.s}),
            "s.update(0).rfactor(r.y, u);\n"
            "s.rfactor(r.y).compute_root();\n"
            "s.rfactor(r.y).update(0).parallel(u);\n");
}

TEST(Rfactor, OfASplitReductionVectorises) {
  Sum p;
  Var u("u");
  RVar ro("ro"), ri("ri");
  Func partial = p.s.update().split(p.r.x, ro, ri, 5).rfactor(ri, u);
  partial.compute_at(p.s, p.x).bound(u, 0, 5).update().reorder(u, ro, p.r.y).vectorize(u);
  expect_same_results({p.s}, {4});
  text({p.s});
}

TEST(Rfactor, RunsInOneOrderEverywhere) {
  Var x("x"), u("u");
  RDom r(0, 37, "r");
  RVar ro("ro"), ri("ri");
  Func s("s");
  s(x) = 0.0f;
  s(x) += f32(x * r) / 3.0f;
  Func partial = s.update().split(r, ro, ri, 8).rfactor(ri, u);
  partial.compute_root().vectorize(u, 4).update().vectorize(x, 4);
  EXPECT_EQ(refusal({s}), "");
}

TEST(Rfactor, Refusals) {
  Scan c;
  Var u("u");
  EXPECT_NE(refusal_of([&] { c.c.update().rfactor(c.r, u); }).find("is not of the form"),
            std::string::npos);
  Sum p;
  EXPECT_EQ(
      refusal_of([&] { p.s.update().rfactor({{p.r.x, p.x}}); }),
      "s.update(0): rfactor(r.x, x): the pure variable 'x' or its loop is named twice, or is a "
      "variable of the stage");
  EXPECT_NE(refusal_of([&] { p.s.update().rfactor({}); }).find("no reduction loop is named"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { p.s.update().rfactor(RVar("q"), u); }).find("'q' is not a loop"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { p.s.update().rfactor(RVar("x"), u); }).find("'x' is a pure variable"),
            std::string::npos);
  p.s.update().parallel(p.x);
  EXPECT_NE(refusal_of([&] { p.s.update().rfactor(p.r.x, u); }).find("has been shaped already"),
            std::string::npos);
  Sum q;
  RVar t("t");
  q.s.update().fuse(q.x, q.r.y, t);
  EXPECT_NE(refusal_of([&] {
              q.s.update().rfactor(q.r.x, u);
            }).find("is fused from a reduction variable and a pure one"),
            std::string::npos);
}

}  // namespace
}  // namespace sinter::test
