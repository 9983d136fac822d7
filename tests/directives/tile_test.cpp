#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Tile, SplitsAndReorders) {
  TwoStages p;
  Var xi("xi"), yi("yi");
  p.g.tile(p.x, p.y, xi, yi, 8, 4);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  for y over y / 4, ShiftInwards:\n"
            "    for x over x / 8, ShiftInwards:\n"
            "      for yi in [0, 4):\n"
            "        for xi in [0, 8):\n"
            "          g(x, y) = ...\n");
  p.f.compute_at(p.g, p.x);
  expect_same_results({p.g}, {19, 9});
  EXPECT_EQ(text({p.g}), "g.tile(x, y, x, y, xi, yi, 8, 4);\nf.compute_at(g, x);\n");
}

TEST(Tile, RefusesAsItsSplitsDo) {
  TwoStages p;
  Var xo("xo"), yo("yo"), xi("xi"), yi("yi");
  EXPECT_EQ(refusal_of([&] { p.g.tile(p.x, p.y, xo, yo, xi, xi, 8, 4); }),
            "g: tile(x, y, xo, yo, xi, xi, 8, 4): the new name 'xi' is already a loop of this "
            "definition");
  EXPECT_EQ(refusal_of([&] { p.g.tile(p.x, p.y, xo, yo, xi, yi, 8, -4); }),
            "g: tile(x, y, xo, yo, xi, yi, 8, -4): the factor is -4");
}

}  // namespace
}  // namespace sinter::test
