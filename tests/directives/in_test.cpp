#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(In, PutsACopyBetweenStages) {
  TwoStages p;
  p.f.compute_root();
  p.f.in(p.g).compute_at(p.g, p.y).vectorize(p.x, 4);
  EXPECT_EQ(nest({p.g}),
            "produce f:\n"
            "  for y:\n"
            "    for x:\n"
            "      f(x, y) = ...\n"
            "produce g:\n"
            "  for y:\n"
            "    produce f.in(g):\n"
            "      for y:\n"
            "        for x over x / 4, ShiftInwards:\n"
            "          vectorized xi in [0, 4):\n"
            "            f.in(g)(x, y) = ...\n"
            "    for x:\n"
            "      g(x, y) = ...\n");
  expect_same_results({p.g}, {7, 3});
  EXPECT_EQ(text({p.g}),
            "f.compute_root();\nf.in(g);\nf.in(g).compute_at(g, y);\nf.in(g).vectorize(x, 4);\n");
}

TEST(In, OfAllConsumers) {
  TwoStages p;
  Func h("h");
  h(p.x, p.y) = p.g(p.x, p.y) + p.f(p.x, p.y);
  p.g.compute_root();
  p.f.in().compute_root();
  p.f.compute_at(p.f.in(), p.y);
  expect_same_results({h}, {5, 3});
  text({h});
}

TEST(In, Refusals) {
  TwoStages p;
  Func other("other");
  other(p.x) = p.x;
  EXPECT_EQ(refusal_of([&] { p.f.in(p.f); }),
            "f: in(f): a stage cannot call itself through a wrapper");
  p.f.in(other);
  EXPECT_EQ(refusal({p.g}), "f: in(other): 'other' does not call this stage");
  TwoStages q;
  q.g.in();
  EXPECT_EQ(refusal({q.g}), "g: in(): no stage calls this one");
}

}  // namespace
}  // namespace sinter::test
