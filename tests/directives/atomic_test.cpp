#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Atomic, LetsUpdatesOfOneElementRunInParallel) {
  Histogram p;
  p.h.update().atomic().parallel(p.r, 10);
  expect_same_results({p.h}, {8});
  EXPECT_EQ(text({p.h}), "h.update(0).atomic();\nh.update(0).parallel(r.x, 10);\n");
}

TEST(Atomic, IsOfIntegersOnly) {
  Var x("x");
  RDom r(0, 50, "r");
  Func f("f");
  f(x) = 100.0f;
  f(x) = min(f(x), f32((r * 37 + x) % 23));
  EXPECT_EQ(refusal_of([&] { f.update().atomic(); }),
            "f.update(0): atomic(): indivisible updates are of integers and bools");
  Func g("g");
  g(x) = Tuple(0, 0);
  g(x) = Tuple(g(x)[0] + r, g(x)[1] + 1);
  EXPECT_EQ(refusal_of([&] { g.update().atomic(); }),
            "g.update(0): atomic(): an update of a tuple cannot be one indivisible operation");
}

TEST(Atomic, Refusals) {
  Sum p(true);
  EXPECT_EQ(refusal_of([&] { p.s.update().atomic(); }),
            "s.update(0): atomic(): the order of float additions and multiplications decides the "
            "rounding");
  EXPECT_EQ(refusal_of([&] { p.s.atomic(); }),
            "s: atomic(): a pure definition writes each element once");
  Scan c;
  EXPECT_NE(refusal_of([&] { c.c.update().atomic(); }).find("is not of the form"),
            std::string::npos);
}

}  // namespace
}  // namespace sinter::test
