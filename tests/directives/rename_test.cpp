#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Rename, ChangesANameAndNothingElse) {
  TwoStages p;
  Var row("row");
  p.g.rename(p.y, row).parallel(row);
  p.f.compute_at(p.g, row);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  parallel row:\n"
            "    produce f:\n"
            "      for y:\n"
            "        for x:\n"
            "          f(x, y) = ...\n"
            "    for x:\n"
            "      g(x, y) = ...\n");
  expect_same_results({p.g}, {5, 4});
  EXPECT_EQ(text({p.g}), "g.rename(y, row);\ng.parallel(row);\nf.compute_at(g, row);\n");
}

TEST(Rename, Refusals) {
  TwoStages p;
  Var z("z");
  EXPECT_EQ(refusal_of([&] { p.g.rename(z, p.x); }),
            "g: rename(z, x): 'z' is not a loop of this definition");
  EXPECT_EQ(refusal_of([&] { p.g.rename(p.x, p.y); }),
            "g: rename(x, y): the new name 'y' is already a loop of this definition");
}

}  // namespace
}  // namespace sinter::test
