#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(ReduceAcross, MakesATreeOfPartials) {
  Sum p;
  Func partial = p.s.update().reduce_across(p.r.x, {2, 4});
  partial.compute_at(p.s, p.x).update().vectorize(Var("i1"));
  expect_same_results({p.s}, {5});
  EXPECT_EQ(text({p.s}),
            "s.update(0).reduce_across(r.x, {2, 4});\n"
            "s.reduce_across(r.x).compute_at(s, x);\n"
            "s.reduce_across(r.x).update(0).vectorize(i1);\n");
}

TEST(ReduceAcross, OfFloatsRunsInOneOrderEverywhere) {
  Var x("x");
  RDom r(0, 37, "r");
  Func s("s");
  s(x) = 0;
  s(x) += (x + 3) * r;
  s.update().reduce_across(r, {3, 4, 2});
  expect_same_results({s}, {4});
}

TEST(ReduceAcross, Refusals) {
  Sum p;
  EXPECT_EQ(refusal_of([&] { p.s.update().reduce_across(p.r.x, {4, 6}); }),
            "s.update(0): reduce_across(r.x, {4, 6}): the width 6 is not a power of two");
  EXPECT_EQ(refusal_of([&] { p.s.update().reduce_across(p.r.x, {}); }),
            "s.update(0): reduce_across(r.x, {}): no widths are given");
  EXPECT_EQ(refusal_of([&] { p.s.update().reduce_across(p.r.x, {1, 65536, 2}); }),
            "s.update(0): reduce_across(r.x, {1, 65536, 2}): the tree has more than 65536 leaves");
  Scan c;
  EXPECT_NE(refusal_of([&] { c.c.update().reduce_across(c.r, {4}); }).find("is not of the form"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { p.s.update().reduce_across(RVar("x"), {4}); }).find("pure variable"),
            std::string::npos);
}

}  // namespace
}  // namespace sinter::test
