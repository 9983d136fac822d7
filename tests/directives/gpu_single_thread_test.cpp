#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(GpuSingleThread, IsOneThreadOfOneBlock) {
  TwoStages p;
  p.g.gpu_single_thread();
  p.f.compute_root();
  EXPECT_EQ(nest({p.g}),
            "produce f:\n"
            "  for y:\n"
            "    for x:\n"
            "      f(x, y) = ...\n"
            "produce g:\n"
            "  gpu_block block:\n"
            "    gpu_thread thread:\n"
            "      for y:\n"
            "        for x:\n"
            "          g(x, y) = ...\n");
  expect_same_results({p.g}, {5, 3});
  EXPECT_EQ(text({p.g}), "g.gpu_single_thread();\nf.compute_root();\n");
}

TEST(GpuSingleThread, IsNotForLoopsOverThreads) {
  TwoStages p;
  EXPECT_EQ(refusal_of([&] { p.g.gpu_blocks(p.x).gpu_single_thread(); }),
            "g: gpu_single_thread(): 'x' is a loop over blocks or threads already");
}

}  // namespace
}  // namespace sinter::test
