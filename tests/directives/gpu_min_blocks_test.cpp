#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(GpuMinBlocks, BelongsToTheLoopsOverBlocks) {
  Sum p;
  p.s.update().gpu_blocks(p.x).gpu_min_blocks(2);
  EXPECT_EQ(nest({p.s}),
            "produce s:\n"
            "  for x:\n"
            "    s(x) = ...\n"
            "  gpu_block x, at least 2 at a time:\n"
            "    for r.y in [0, 8):\n"
            "      for r.x in [0, 16):\n"
            "        s(x) = ...\n");
  expect_same_results({p.s}, {9});
  EXPECT_EQ(text({p.s}), "s.update(0).gpu_blocks(x);\ns.update(0).gpu_min_blocks(2);\n");
}

TEST(GpuMinBlocks, IsForKernels) {
  TwoStages p;
  p.g.gpu_min_blocks(2);
  EXPECT_EQ(refusal({p.g}),
            "g: gpu_min_blocks(2): the definition has no loops over blocks, so it is no kernel");
  TwoStages q;
  EXPECT_EQ(refusal_of([&] { q.g.gpu_min_blocks(33); }),
            "g: gpu_min_blocks(33): a multiprocessor runs at most 32 blocks at a time");
  q.g.gpu_blocks(q.y).gpu_max_registers(64).gpu_min_blocks(2);
  EXPECT_EQ(refusal({q.g}),
            "g: gpu_min_blocks(2): a kernel is held to a number of registers or of blocks, not to "
            "both");
}

}  // namespace
}  // namespace sinter::test
