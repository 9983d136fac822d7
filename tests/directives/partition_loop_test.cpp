#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(PartitionLoop, ChangesNoResult) {
  for (const Partition policy : {Partition::Auto, Partition::Never, Partition::Always}) {
    TwoStages p;
    Var xo("xo"), xi("xi");
    p.g.split(p.x, xo, xi, 8, TailStrategy::GuardWithIf).partition(xo, policy);
    expect_same_results({p.g}, {21, 2});
  }
  TwoStages p;
  p.g.partition(p.x, Partition::Never);
  EXPECT_EQ(text({p.g}), "g.partition(x, Partition::Never);\n");
}

TEST(PartitionLoop, RefusesWhatIsNoLoop) {
  TwoStages p;
  Var z("z");
  EXPECT_EQ(refusal_of([&] { p.g.partition(z, Partition::Always); }),
            "g: partition(z, Partition::Always): 'z' is not a loop of this definition");
}

}  // namespace
}  // namespace sinter::test
