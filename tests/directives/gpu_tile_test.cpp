#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(GpuTile, IsATileOfBlocksAndThreads) {
  TwoStages p;
  Var xo("xo"), yo("yo"), xi("xi"), yi("yi");
  p.g.gpu_tile(p.x, p.y, xo, yo, xi, yi, 8, 4);
  p.f.compute_at(p.g, xo).gpu_threads(p.x, p.y);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  gpu_block yo over y / 4, GuardWithIf:\n"
            "    gpu_block xo over x / 8, GuardWithIf:\n"
            "      produce f:\n"
            "        gpu_thread y:\n"
            "          gpu_thread x:\n"
            "            f(x, y) = ...\n"
            "      gpu_thread yi in [0, 4):\n"
            "        gpu_thread xi in [0, 8):\n"
            "          g(x, y) = ...\n");
  expect_same_results({p.g}, {21, 9});
  EXPECT_EQ(
      text({p.g}),
      "g.gpu_tile(x, y, xo, yo, xi, yi, 8, 4);\nf.compute_at(g, xo);\nf.gpu_threads(x, y);\n");
}

TEST(GpuTile, OfOneLoopAndOfThree) {
  TwoStages p;
  Var xi("xi");
  p.g.gpu_tile(p.x, xi, 8);
  p.f.compute_root();
  expect_same_results({p.g}, {21, 9});
  EXPECT_EQ(text({p.g}), "g.gpu_tile(x, x, xi, 8);\nf.compute_root();\n");
}

TEST(GpuTile, ShiftingInwardsWouldWriteAnElementTwice) {
  TwoStages p;
  Var xi("xi");
  p.g.gpu_tile(p.x, xi, 8, TailStrategy::ShiftInwards);
  p.f.compute_root();
  EXPECT_EQ(refusal({p.g}),
            "g: gpu_tile(x, x, xi, 8, TailStrategy::ShiftInwards): with TailStrategy::ShiftInwards "
            "two blocks or threads "
            "would write the same element");
}

TEST(GpuTile, NamesEachLoopOnce) {
  TwoStages p;
  Var xi("xi");
  EXPECT_EQ(refusal_of([&] { p.g.gpu_tile(p.x, p.y, xi, xi, 8, 4); }),
            "g: gpu_tile(x, y, x, y, xi, xi, 8, 4): the new name 'xi' is already a loop of this "
            "definition");
}

}  // namespace
}  // namespace sinter::test
