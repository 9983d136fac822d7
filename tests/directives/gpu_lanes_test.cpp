#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(GpuLanes, AreNeighbours) {
  TwoStages p;
  p.g.bound_extent(p.x, 8).gpu_lanes(p.x).gpu_blocks(p.y);
  p.f.compute_root();
  expect_same_results({p.g}, {8, 9});
  EXPECT_EQ(text({p.g}),
            "g.bound_extent(x, 8);\ng.gpu_lanes(x);\ng.gpu_blocks(y);\nf.compute_root();\n");
}

TEST(GpuLanes, AreOneLoopOf32AtMost) {
  TwoStages p;
  p.g.bound_extent(p.x, 40).gpu_lanes(p.x).gpu_blocks(p.y);
  p.f.compute_root();
  EXPECT_EQ(refusal({p.g}), "g: gpu_lanes(x): a warp of 40 lanes is beyond the limit of 32");
  TwoStages q;
  EXPECT_EQ(refusal_of([&] { q.g.gpu_lanes(q.x).gpu_lanes(q.y); }),
            "g: gpu_lanes(y): 'x' is the loop over lanes already");
}

}  // namespace
}  // namespace sinter::test
