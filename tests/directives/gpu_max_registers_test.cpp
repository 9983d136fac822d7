#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(GpuMaxRegisters, BelongsToTheLoopsOverBlocks) {
  TwoStages p;
  Var yi("yi");
  p.g.gpu_tile(p.y, yi, 4).gpu_max_registers(64);
  p.f.compute_root();
  EXPECT_EQ(nest({p.g}),
            "produce f:\n"
            "  for y:\n"
            "    for x:\n"
            "      f(x, y) = ...\n"
            "produce g:\n"
            "  gpu_block y over y / 4, GuardWithIf, at most 64 registers:\n"
            "    gpu_thread yi in [0, 4):\n"
            "      for x:\n"
            "        g(x, y) = ...\n");
  expect_same_results({p.g}, {5, 9});
  EXPECT_EQ(text({p.g}), "g.gpu_tile(y, y, yi, 4);\ng.gpu_max_registers(64);\nf.compute_root();\n");
}

TEST(GpuMaxRegisters, IsForKernels) {
  TwoStages p;
  p.g.gpu_max_registers(64);
  EXPECT_EQ(
      refusal({p.g}),
      "g: gpu_max_registers(64): the definition has no loops over blocks, so it is no kernel");
  TwoStages q;
  EXPECT_EQ(refusal_of([&] { q.g.gpu_blocks(q.y).gpu_max_registers(256); }),
            "g: gpu_max_registers(256): a thread has between 16 and 255 registers");
  EXPECT_EQ(refusal_of([&] { q.g.gpu_max_registers(8); }),
            "g: gpu_max_registers(8): a thread has between 16 and 255 registers");
}

}  // namespace
}  // namespace sinter::test
