#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(GpuBlocks, MakesAGrid) {
  TwoStages p;
  p.g.gpu_blocks(p.x, p.y);
  p.f.compute_at(p.g, p.x);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  gpu_block y:\n"
            "    gpu_block x:\n"
            "      produce f:\n"
            "        for y:\n"
            "          for x:\n"
            "            f(x, y) = ...\n"
            "      g(x, y) = ...\n");
  expect_same_results({p.g}, {5, 9});
  EXPECT_EQ(text({p.g}), "g.gpu_blocks(x, y);\nf.compute_at(g, x);\n");
}

TEST(GpuBlocks, OfAReductionIsARace) {
  Sum p(true);
  p.s.update().gpu_blocks(p.r.y);
  EXPECT_EQ(refusal({p.s}),
            "s.update(0): gpu_blocks(r.y): iterations of 'r.y' may update the same element, and "
            "the order of float "
            "additions and multiplications decides the rounding");
}

TEST(GpuBlocks, ShareNoBuffer) {
  TwoStages p;
  p.g.gpu_blocks(p.x);
  p.f.store_root().compute_at(p.g, p.x);
  EXPECT_EQ(refusal({p.g}),
            "f: store_root(): the parallel loop 'x' of 'g' lies between storage and computation: "
            "its iterations would "
            "share one buffer");
}

TEST(GpuBlocks, StandOutsideThreadsAndNextToEachOther) {
  TwoStages p;
  Var yi("yi");
  p.g.split(p.y, p.y, yi, 8).reorder(p.x, yi, p.y).gpu_blocks(p.x, p.y).gpu_threads(yi);
  p.f.compute_root();
  EXPECT_EQ(refusal({p.g}),
            "g: gpu_blocks(x, y): a loop over blocks stands inside the loop over threads 'yi'");
  TwoStages q;
  Var z("z"), w("w");
  q.g.split(q.x, z, w, 4).gpu_blocks(w).gpu_blocks(q.y);
  q.f.compute_root();
  EXPECT_EQ(refusal({q.g}), "g: gpu_blocks(y): the loop 'z' stands between two loops over blocks");
}

}  // namespace
}  // namespace sinter::test
