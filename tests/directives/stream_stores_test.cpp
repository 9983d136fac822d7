#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(StreamStores, ChangesNoResult) {
  TwoStages p;
  p.f.compute_root().stream_stores();
  p.g.stream_loads().stream_stores().parallel(p.y).vectorize(p.x, 8);
  EXPECT_EQ(nest({p.g}),
            "produce f, streaming stores:\n"
            "  for y:\n"
            "    for x:\n"
            "      f(x, y) = ...\n"
            "produce g, streaming loads, streaming stores:\n"
            "  parallel y:\n"
            "    for x over x / 8, ShiftInwards:\n"
            "      vectorized xi in [0, 8):\n"
            "        g(x, y) = ...\n");
  expect_same_results({p.g}, {19, 6});
  EXPECT_EQ(text({p.g}),
            "f.compute_root();\nf.stream_stores();\ng.stream_loads();\ng.stream_stores();\n"
            "g.parallel(y);\ng.vectorize(x, 8);\n");
}

TEST(StreamStores, WithoutMemoryAreRefused) {
  TwoStages p;
  p.f.compute_at(p.g, p.y).store_in(MemoryType::GPUShared).stream_stores();
  EXPECT_EQ(refusal({p.g}),
            "f: stream_stores(): the stage is in shared memory, which no cache stands before");
  Histogram h;
  Func out("out");
  out(h.x) = h.h(h.x) + 1;
  h.h.stream_stores();
  EXPECT_EQ(refusal({out}),
            "h: stream_stores(): the stage is computed inline: loads and stores are those of its "
            "consumers");
}

}  // namespace
}  // namespace sinter::test
