#include <sinter/param.h>

#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"

namespace sinter::test {
namespace {

TEST(StreamLoads, ChangesNoResult) {
  TwoStages p;
  p.f.compute_root();
  p.g.stream_loads(p.f);
  EXPECT_EQ(nest({p.g}),
            "produce f:\n"
            "  for y:\n"
            "    for x:\n"
            "      f(x, y) = ...\n"
            "produce g, streaming loads of f:\n"
            "  for y:\n"
            "    for x:\n"
            "      g(x, y) = ...\n");
  expect_same_results({p.g}, {9, 6});
  EXPECT_EQ(text({p.g}), "f.compute_root();\ng.stream_loads(f);\n");
  TwoStages q;
  q.f.compute_root();
  q.g.stream_loads().vectorize(q.x, 4);
  expect_same_results({q.g}, {9, 6});
  EXPECT_EQ(text({q.g}), "f.compute_root();\ng.stream_loads();\ng.vectorize(x, 4);\n");
}

TEST(StreamLoads, NamesAnImageThatIsReadThroughInlineStages) {
  ImageParam in(Int(32), 1, "in");
  Var x("x");
  Func f("f"), g("g");
  f(x) = in(x) + 1;
  g(x) = f(x) * 2;
  g.stream_loads(in);
  EXPECT_EQ(nest({g}),
            "produce g, streaming loads of in:\n"
            "  for x:\n"
            "    g(x) = ...\n");
  EXPECT_EQ(text({g}), "g.stream_loads(in);\n");
}

TEST(StreamLoads, OfWhatIsNotLoadedAreRefused) {
  TwoStages p;
  p.g.stream_loads(p.f);
  EXPECT_EQ(refusal({p.g}), "g: stream_loads(f): 'f' is computed inline, and never loaded");
  TwoStages q;
  q.f.compute_root().stream_loads(q.g);
  EXPECT_EQ(refusal({q.g}), "f: stream_loads(g): the stage does not load 'g'");
  TwoStages r;
  r.f.stream_loads();
  EXPECT_EQ(
      refusal({r.g}),
      "f: stream_loads(): the stage is computed inline: it has no loops, storage or bounds of "
      "its own");
  TwoStages s;
  s.f.compute_at(s.g, s.y).store_in(MemoryType::Register);
  s.g.stream_loads(s.f);
  EXPECT_EQ(refusal({s.g}),
            "g: stream_loads(f): 'f' is in registers, which no cache stands before");
}

}  // namespace
}  // namespace sinter::test
