#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(GpuWarps, HoldLanes) {
  TwoStages p;
  Var z("z");
  p.g.split(p.y, z, p.y, 4).bound_extent(p.x, 8).gpu_lanes(p.x).gpu_warps(p.y).gpu_blocks(z);
  p.f.compute_root();
  expect_same_results({p.g}, {8, 9});
  EXPECT_EQ(text({p.g}),
            "g.split(y, z, y, 4);\ng.bound_extent(x, "
            "8);\ng.gpu_lanes(x);\ng.gpu_warps(y);\ng.gpu_blocks(z);\n"
            "f.compute_root();\n");
}

TEST(GpuWarps, AreOneLoopOf32AtMost) {
  TwoStages p;
  p.g.bound_extent(p.x, 33).gpu_warps(p.x).gpu_blocks(p.y);
  p.f.compute_root();
  EXPECT_EQ(refusal({p.g}), "g: gpu_warps(x): a block of 33 warps is beyond the limit of 32");
  TwoStages q;
  EXPECT_EQ(refusal_of([&] { q.g.gpu_warps(q.x).gpu_warps(q.y); }),
            "g: gpu_warps(y): 'x' is the loop over warps already");
}

}  // namespace
}  // namespace sinter::test
