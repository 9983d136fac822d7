#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(StoreRoot, KeepsStorageForTheWholePipeline) {
  TwoStages p;
  p.f.store_root().compute_at(p.g, p.y);
  EXPECT_EQ(nest({p.g}),
            "store f:\n"
            "produce g:\n"
            "  for y:\n"
            "    produce f:\n"
            "      for y:\n"
            "        for x:\n"
            "          f(x, y) = ...\n"
            "    for x:\n"
            "      g(x, y) = ...\n");
  expect_same_results({p.g}, {5, 6});
  EXPECT_EQ(text({p.g}), "f.store_root();\nf.compute_at(g, y);\n");
}

TEST(StoreRoot, Refusals) {
  TwoStages p;
  p.f.store_root();
  EXPECT_EQ(refusal({p.g}), "f: store_root(): the stage is computed inline and stored nowhere");
  TwoStages q;
  q.f.store_root().compute_at(q.g, q.x);
  q.g.parallel(q.y);
  EXPECT_EQ(
      refusal({q.g}),
      "f: store_root(): the parallel loop 'y' of 'g' lies between storage and computation: its "
      "iterations would share one buffer");
}

}  // namespace
}  // namespace sinter::test
