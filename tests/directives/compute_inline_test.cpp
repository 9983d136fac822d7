#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(ComputeInline, IsTheDefault) {
  TwoStages p;
  p.f.compute_root().compute_inline();
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  for y:\n"
            "    for x:\n"
            "      g(x, y) = ...\n");
  expect_same_results({p.g}, {5, 4});
  EXPECT_EQ(text({p.g}), "f.compute_root();\nf.compute_inline();\n");
}

TEST(ComputeInline, OfAnOutputIsRefused) {
  TwoStages p;
  p.g.compute_inline();
  EXPECT_EQ(
      refusal({p.g}),
      "g: compute_inline(): an output of the pipeline is computed at root, into the buffer of "
      "the caller");
}

TEST(ComputeInline, WithScheduledLoopsIsRefused) {
  TwoStages p;
  p.f.vectorize(p.x, 8);
  EXPECT_EQ(
      refusal({p.g}),
      "f: vectorize(x, 8): the stage is computed inline: it has no loops, storage or bounds of "
      "its own");
}

TEST(ComputeInline, OfAReductionRunsAroundEachUse) {
  Sum p;
  Func out("out");
  out(p.x) = p.s(p.x) + p.s(p.x + 1);
  expect_same_results({out}, {5});
}

}  // namespace
}  // namespace sinter::test
