#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Split, MakesAnOuterAndAnInnerLoop) {
  TwoStages p;
  Var xo("xo"), xi("xi");
  p.g.split(p.x, xo, xi, 8);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  for y:\n"
            "    for xo over x / 8, ShiftInwards:\n"
            "      for xi in [0, 8):\n"
            "        g(x, y) = ...\n");
  expect_same_results({p.g}, {21, 3});
  EXPECT_EQ(text({p.g}), "g.split(x, xo, xi, 8);\n");
}

TEST(Split, EveryTailGivesTheSameResult) {
  for (const TailStrategy tail : {TailStrategy::GuardWithIf, TailStrategy::ShiftInwards}) {
    for (const int extent : {3, 8, 13}) {
      TwoStages p;
      Var xi("xi"), xj("xj");
      p.g.split(p.x, p.x, xi, 8, tail).split(xi, xi, xj, 3, tail);
      p.f.compute_root().split(p.x, p.x, xi, 4, TailStrategy::RoundUp);
      expect_same_results({p.g}, {extent, 3});
    }
  }
}

TEST(Split, OfUpdatesIsGuarded) {
  Sum p;
  Var xo("xo"), xi("xi");
  RVar ro("ro"), ri("ri");
  p.s.update().split(p.x, xo, xi, 4).split(p.r.x, ro, ri, 5);
  EXPECT_EQ(nest({p.s}),
            "produce s:\n"
            "  for x:\n"
            "    s(x) = ...\n"
            "  for xo over x / 4, GuardWithIf:\n"
            "    for xi in [0, 4):\n"
            "      for r.y in [0, 8):\n"
            "        for ro over r.x / 5, GuardWithIf:\n"
            "          for ri in [0, 5):\n"
            "            s(x) = ...\n");
  expect_same_results({p.s}, {11});
}

TEST(Split, RefusesWhatIsNoLoop) {
  TwoStages p;
  Var z("z"), xo("xo"), xi("xi");
  EXPECT_EQ(refusal_of([&] { p.g.split(z, xo, xi, 8); }),
            "g: split(z, xo, xi, 8): 'z' is not a loop of this definition");
  p.g.split(p.x, xo, xi, 8);
  EXPECT_EQ(refusal_of([&] { p.g.split(p.x, xo, xi, 8); }),
            "g: split(x, xo, xi, 8): 'x' is not a loop of this definition any more");
}

TEST(Split, RefusesTakenNames) {
  TwoStages p;
  Var xo("xo");
  EXPECT_EQ(refusal_of([&] { p.g.split(p.x, xo, xo, 8); }),
            "g: split(x, xo, xo, 8): outer and inner loop are both called 'xo'");
  EXPECT_EQ(refusal_of([&] { p.g.split(p.x, xo, p.y, 8); }),
            "g: split(x, xo, y, 8): the new name 'y' is already a loop of this definition");
}

TEST(Split, RefusesFactorsThatAreNoPositiveConstants) {
  TwoStages p;
  Var xo("xo"), xi("xi");
  Param<int> n("n");
  EXPECT_EQ(refusal_of([&] { p.g.split(p.x, xo, xi, 0); }),
            "g: split(x, xo, xi, 0): the factor is 0");
  EXPECT_NE(refusal_of([&] { p.g.split(p.x, xo, xi, n); }).find("only constant factors"),
            std::string::npos);
}

TEST(Split, RefusesTailsThatRepeatOrExceed) {
  Sum p;
  Var xo("xo"), xi("xi");
  RVar ro("ro"), ri("ri");
  EXPECT_EQ(
      refusal_of([&] { p.s.update().split(p.r.x, ro, ri, 4, TailStrategy::ShiftInwards); }),
      "s.update(0): split(r.x, ro, ri, 4, TailStrategy::ShiftInwards): ShiftInwards would run "
      "some steps of the reduction twice");
  EXPECT_EQ(refusal_of([&] { p.s.update().split(p.r.x, ro, ri, 4, TailStrategy::RoundUp); }),
            "s.update(0): split(r.x, ro, ri, 4, TailStrategy::RoundUp): RoundUp would run the "
            "reduction beyond its domain");
  EXPECT_EQ(
      refusal_of([&] { p.s.update().split(p.x, xo, xi, 4, TailStrategy::ShiftInwards); }),
      "s.update(0): split(x, xo, xi, 4, TailStrategy::ShiftInwards): ShiftInwards would update "
      "some elements twice, and this update reads what it writes");
  EXPECT_EQ(
      refusal_of([&] { p.s.update().split(p.x, xo, xi, 4, TailStrategy::RoundUp); }),
      "s.update(0): split(x, xo, xi, 4, TailStrategy::RoundUp): RoundUp would update elements "
      "that the pure definition has not set");
  TwoStages q;
  Var xj("xj");
  q.g.split(q.x, xo, xi, 8);
  EXPECT_NE(refusal_of([&] {
              q.g.split(xi, xi, xj, 3, TailStrategy::RoundUp);
            }).find("RoundUp would run into the next tile"),
            std::string::npos);
}

}  // namespace
}  // namespace sinter::test
