#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(ComputeAt, ComputesWhatOneIterationNeeds) {
  TwoStages p;
  p.f.compute_at(p.g, p.y);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  for y:\n"
            "    produce f:\n"
            "      for y:\n"
            "        for x:\n"
            "          f(x, y) = ...\n"
            "    for x:\n"
            "      g(x, y) = ...\n");
  expect_same_results({p.g}, {5, 4});
  EXPECT_EQ(text({p.g}), "f.compute_at(g, y);\n");
}

TEST(ComputeAt, FollowsReusedNames) {
  TwoStages p;
  Var xi("xi"), yi("yi");
  p.g.tile(p.x, p.y, xi, yi, 4, 4);
  p.f.compute_at(p.g, p.x).vectorize(p.x, 4);
  expect_same_results({p.g}, {9, 6});
}

TEST(ComputeAt, EnclosesUsesThroughOtherStages) {
  TwoStages p;
  Func h("h");
  h(p.x, p.y) = p.g(p.x, p.y) + p.f(p.x + 1, p.y);
  p.g.compute_at(h, p.x);
  p.f.compute_at(h, p.y);
  expect_same_results({h}, {5, 4});
  p.f.compute_at(h, p.x);
  expect_same_results({h}, {5, 4});
  p.f.compute_at(p.g, p.y);
  EXPECT_EQ(refusal({h}),
            "f: compute_at(g, y): its use in 'h' lies outside loop 'y' of 'g': 'h' is computed at "
            "root");
}

TEST(ComputeAt, InOneDefinitionOfTheConsumer) {
  Var x("x"), y("y");
  Func f("f"), g("g");
  RDom r(0, 3, "r");
  f(x) = x * x;
  g(x, y) = 0;
  g(x, y) += f(x + r);
  f.compute_at(LoopLevel(g, x, 1));
  EXPECT_EQ(text({g}), "f.compute_at(g.update(0), x);\n");
  expect_same_results({g}, {4, 2});
  f.compute_at(LoopLevel(g, r, 0));
  EXPECT_EQ(refusal({g}), "f: compute_at(g, r.x): 'g' has no loop 'r.x'");
}

TEST(ComputeAt, Refusals) {
  TwoStages p;
  Var z("z");
  Func other("other");
  other(p.x) = p.x;
  EXPECT_EQ(refusal_of([&] { p.f.compute_at(p.f, p.x); }),
            "f: compute_at(f, x): a stage cannot be placed inside its own loops");
  p.f.compute_at(p.g, z);
  EXPECT_EQ(refusal({p.g}), "f: compute_at(g, z): 'g' has no loop 'z'");
  p.f.compute_at(other, p.x);
  EXPECT_EQ(refusal({p.g}), "f: compute_at(other, x): the pipeline has no stage 'other'");
  p.f.compute_root();
  p.g.compute_at(p.f, p.x);
  EXPECT_EQ(
      refusal({p.g}),
      "g: compute_at(f, x): an output of the pipeline is computed at root, into the buffer of "
      "the caller");
}

TEST(ComputeAt, ALevelThatDiffersBetweenBranchesIsRefused) {
  TwoStages p;
  Param<int> n("n");
  p.g.specialize(n > 8).vectorize(p.x, 8);
  p.f.compute_at(p.g, p.x);
  EXPECT_EQ(
      refusal({p.g}),
      "f: compute_at(g, x): the name 'x' stands for differently shaped loops in the definitions "
      "or branches of 'g'");
  p.f.compute_at(p.g, p.y);
  EXPECT_EQ(refusal({p.g}), "");
}

TEST(ComputeAt, AnInlinedStageHasNoLoops) {
  TwoStages p;
  Func h("h");
  h(p.x, p.y) = p.g(p.x, p.y);
  p.f.compute_at(p.g, p.y);
  EXPECT_EQ(refusal({h}),
            "f: compute_at(g, y): 'g' is computed inline and has no loops of its own");
}

TEST(ComputeAt, AProducerIsNoLevel) {
  TwoStages p;
  Func h("h");
  h(p.x, p.y) = p.g(p.x, p.y) + p.f(p.x, p.y);
  p.f.compute_root();
  p.g.compute_at(p.f, p.y);
  EXPECT_EQ(refusal({h}), "g: compute_at(f, y): 'f' does not use this stage");
}

}  // namespace
}  // namespace sinter::test
