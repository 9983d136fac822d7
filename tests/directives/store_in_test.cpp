#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(StoreIn, ChangesNoResult) {
  for (const MemoryType memory : {MemoryType::Heap, MemoryType::Stack}) {
    TwoStages p;
    Var xi("xi"), yi("yi");
    p.g.tile(p.x, p.y, xi, yi, 4, 4);
    p.f.compute_at(p.g, p.x).store_in(memory);
    expect_same_results({p.g}, {9, 6});
  }
  TwoStages p;
  p.f.compute_root().store_in(MemoryType::Heap);
  EXPECT_EQ(text({p.g}), "f.compute_root();\nf.store_in(MemoryType::Heap);\n");
}

TEST(StoreIn, OfAnOutputIsRefused) {
  TwoStages p;
  p.g.store_in(MemoryType::Stack);
  EXPECT_EQ(refusal({p.g}),
            "g: store_in(MemoryType::Stack): an output lives in the buffer of the caller");
}

}  // namespace
}  // namespace sinter::test
