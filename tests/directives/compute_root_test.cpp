#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(ComputeRoot, ComputesAStageBeforeItsConsumers) {
  TwoStages p;
  p.f.compute_root();
  EXPECT_EQ(nest({p.g}),
            "produce f:\n"
            "  for y:\n"
            "    for x:\n"
            "      f(x, y) = ...\n"
            "produce g:\n"
            "  for y:\n"
            "    for x:\n"
            "      g(x, y) = ...\n");
  expect_same_results({p.g}, {5, 4});
  EXPECT_EQ(text({p.g}), "f.compute_root();\n");
}

TEST(ComputeRoot, StorageCannotLieFurtherIn) {
  TwoStages p;
  p.f.compute_root().store_at(p.g, p.y);
  EXPECT_EQ(refusal({p.g}), "f: store_at(g, y): the stage is not computed inside loop 'y' of 'g'");
}

}  // namespace
}  // namespace sinter::test
