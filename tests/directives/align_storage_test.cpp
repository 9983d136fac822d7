#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

#include "dsl/algorithm/collect.h"
#include "dsl/lowering/passes.h"
#include "dsl/schedule/resolve.h"

#include <sinter/schedule.h>

namespace sinter::test {
namespace {

std::string lowered(const Func& f) {
  const auto scheduled = schedule::resolve(collect({f}), Schedule::of({f}).directives(), "test");
  return ir::print(lowering::lower(scheduled));
}

TEST(AlignStorage, ChangesNoResult) {
  TwoStages p;
  p.f.compute_root().align_storage(p.x, 8).align_storage(p.y, 3, 2);
  expect_same_results({p.g}, {13, 3});
  EXPECT_EQ(text({p.g}), "f.compute_root();\nf.align_storage(x, 8);\nf.align_storage(y, 3, 2);\n");

  TwoStages q;
  Var xi("xi"), yi("yi");
  q.g.tile(q.x, q.y, xi, yi, 5, 4).vectorize(xi);
  q.f.compute_at(q.g, q.x).align_storage(q.x, 4, 1).vectorize(q.x, 4);
  expect_same_results({q.g}, {13, 9});

  TwoStages slides;
  slides.f.store_root().compute_at(slides.g, slides.y).align_storage(slides.x, 16);
  expect_same_results({slides.g}, {13, 9});
}

TEST(AlignStorage, OfAStageWithUpdatesComputedAroundEachUse) {
  Var x("x");
  RDom r(0, 3, "r");
  Func sums("sums"), g("g");
  sums(x) = 1;
  sums(x) += x * r;
  g(x) = sums(x) + sums(x + 1);
  sums.align_storage(x, 4, 1);
  expect_same_results({g}, {7});
}

TEST(AlignStorage, IsTheStrideOfTheNextDimension) {
  TwoStages p;
  Var xi("xi"), yi("yi");
  p.g.bound(p.x, 0, 13).bound(p.y, 0, 4);
  p.f.compute_root();
  EXPECT_NE(lowered(p.g).find("y*13"), std::string::npos) << lowered(p.g);
  p.f.align_storage(p.x, 8, 1);
  EXPECT_NE(lowered(p.g).find("y*17"), std::string::npos) << lowered(p.g);
  p.f.align_storage(p.x, 1);  // the last one holds
  EXPECT_NE(lowered(p.g).find("y*13"), std::string::npos) << lowered(p.g);
}

TEST(AlignStorage, Refusals) {
  TwoStages p;
  Var z("z");
  EXPECT_EQ(refusal_of([&] { p.f.align_storage(z, 8); }),
            "f: align_storage(z, 8): 'z' is not a variable of the stage's pure definition");
  EXPECT_EQ(refusal_of([&] { p.f.align_storage(p.x, 0); }),
            "f: align_storage(x, 0): the factor is 0");
  EXPECT_EQ(refusal_of([&] { p.f.align_storage(p.x, 8, -1); }),
            "f: align_storage(x, 8, -1): the offset is not a constant from 0 on");
  p.f.align_storage(p.x, 8);
  EXPECT_EQ(refusal({p.g}),
            "f: align_storage(x, 8): the stage is computed inline: it is never stored");
  TwoStages q;
  q.g.align_storage(q.x, 8);
  EXPECT_EQ(refusal({q.g}), "g: align_storage(x, 8): an output lives in the buffer of the caller");
}

}  // namespace
}  // namespace sinter::test
