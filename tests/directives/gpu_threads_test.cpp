#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(GpuThreads, AreTheElementsOfABlock) {
  TwoStages p;
  Var xi("xi");
  p.g.split(p.x, p.x, xi, 8).gpu_blocks(p.x).gpu_threads(xi);
  p.f.compute_root();
  EXPECT_EQ(nest({p.g}),
            "produce f:\n"
            "  for y:\n"
            "    for x:\n"
            "      f(x, y) = ...\n"
            "produce g:\n"
            "  for y:\n"
            "    gpu_block x over x / 8, GuardWithIf:\n"
            "      gpu_thread xi in [0, 8):\n"
            "        g(x, y) = ...\n");
  expect_same_results({p.g}, {21, 9});
  EXPECT_EQ(text({p.g}),
            "g.split(x, x, xi, 8);\ng.gpu_blocks(x);\ng.gpu_threads(xi);\nf.compute_root();\n");
}

TEST(GpuThreads, StandInABlock) {
  TwoStages p;
  Var xi("xi");
  p.g.split(p.x, p.x, xi, 8).gpu_threads(xi);
  p.f.compute_root();
  EXPECT_EQ(refusal({p.g}), "g: gpu_threads(xi): no loop over blocks stands around the threads");
}

TEST(GpuThreads, OfOneStageDoNotStandInThoseOfAnother) {
  TwoStages p;
  Var xi("xi"), yi("yi");
  p.g.gpu_tile(p.x, p.y, xi, yi, 8, 4);
  p.f.compute_at(p.g, yi).gpu_threads(p.x);
  EXPECT_EQ(refusal({p.g}),
            "f: gpu_threads(x): the stage is computed inside the loop over threads 'yi' of 'g'");
}

TEST(GpuThreads, AreNoMoreThanABlockHolds) {
  TwoStages p;
  Var xi("xi");
  p.g.split(p.x, p.x, xi, 2048).gpu_blocks(p.x).gpu_threads(xi);
  EXPECT_EQ(refusal({p.g}),
            "g: gpu_threads(xi): a block of 2048 threads is beyond the limit of 1024");
}

}  // namespace
}  // namespace sinter::test
