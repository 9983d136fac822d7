#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(StoreAt, AllocatesFurtherOutThanItComputes) {
  TwoStages p;
  p.f.store_at(p.g, p.y).compute_at(p.g, p.x);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  for y:\n"
            "    store f:\n"
            "    for x:\n"
            "      produce f:\n"
            "        for y:\n"
            "          for x:\n"
            "            f(x, y) = ...\n"
            "      g(x, y) = ...\n");
  expect_same_results({p.g}, {5, 6});
  EXPECT_EQ(text({p.g}), "f.store_at(g, y);\nf.compute_at(g, x);\n");
}

TEST(StoreAt, Refusals) {
  TwoStages p;
  p.f.store_at(p.g, p.x).compute_at(p.g, p.y);
  EXPECT_EQ(refusal({p.g}), "f: store_at(g, x): the stage is not computed inside loop 'x' of 'g'");
  TwoStages q;
  q.f.store_at(q.g, q.x);
  EXPECT_EQ(refusal({q.g}), "f: store_at(g, x): the stage is computed inline and stored nowhere");
  TwoStages r;
  Var xo("xo"), xi("xi");
  r.g.split(r.x, xo, xi, 4).vectorize(xi);
  r.f.store_at(r.g, xo).compute_at(r.g, xi);
  EXPECT_EQ(refusal({r.g}),
            "f: store_at(g, xo): the vectorised loop 'xi' of 'g' lies between storage and "
            "computation: its iterations would share one buffer");
}

}  // namespace
}  // namespace sinter::test
