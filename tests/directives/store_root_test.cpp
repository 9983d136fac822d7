#include <sinter/param.h>

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

/// p is computed in c, which is computed in both definitions of d, or in a branch of it.
struct ThreeStages {
  Var x{"x"}, y{"y"};
  Func p{"p"}, c{"c"}, d{"d"};
  ThreeStages() {
    p(x) = x;
    p(x) += 7 * x;
    c(x, y) = p(x) + p(x + 1) + y;
    d(x, y) = c(x, y);
    d(x, y) += c(x + 1, y);
    c.compute_at(d, y);
    p.compute_at(c, y).store_root();
  }
};

TEST(StoreRoot, ParallelLoopsOfOtherDefinitionsAndBranches) {
  const auto shared = [](const std::string& definition) {
    return "p: store_root(): the parallel loop 'y' of '" + definition +
           "' lies between storage and computation: its iterations would share one buffer";
  };
  ThreeStages serial;
  EXPECT_EQ(refusal({serial.d}), "");
  expect_same_results({serial.d}, {5, 6});
  ThreeStages update;
  update.d.update().parallel(update.y);
  EXPECT_EQ(refusal({update.d}), shared("d.update(0)"));
  ThreeStages branch;
  Param<int> k("k");
  branch.d.specialize(k > 0).parallel(branch.y);
  EXPECT_EQ(refusal({branch.d}), shared("d"));
}

}  // namespace
}  // namespace sinter::test
