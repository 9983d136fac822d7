#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(Serial, UndoesParallel) {
  TwoStages p;
  p.g.parallel(p.y).serial(p.y);
  EXPECT_EQ(nest({p.g}),
            "produce g:\n"
            "  for y:\n"
            "    for x:\n"
            "      g(x, y) = ...\n");
  expect_same_results({p.g}, {5, 4});
  EXPECT_EQ(text({p.g}), "g.parallel(y);\ng.serial(y);\n");
}

TEST(Serial, RefusesWhatIsNoLoop) {
  TwoStages p;
  Var z("z");
  EXPECT_EQ(refusal_of([&] { p.g.serial(z); }),
            "g: serial(z): 'z' is not a loop of this definition");
}

}  // namespace
}  // namespace sinter::test
