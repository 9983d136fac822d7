#include "dsl/algorithm/collect.h"
#include "dsl/schedule/fluent.h"
#include "dsl/schedule/resolve.h"
#include "tests/directives/directive_test.h"
#include "tests/directives/pipelines.h"
#include "tests/unit/lowering/harness.h"

namespace sinter::test {
namespace {

/// What Pipeline::fuse records.
void fuse(const std::vector<Func>& stages,
          std::source_location where = std::source_location::current()) {
  schedule::FuseStages directive;
  for (const Func& f : stages) directive.stages.push_back(f.contents()->definition.id);
  schedule::record(stages.front().contents(), 0, {}, directive, where);
}

/// f and g(x, y) read the same stage p, h(x, y) reads g there.
struct Outputs {
  Var x{"x"}, y{"y"}, yo{"yo"}, yi{"yi"};
  Func p{"p"}, f{"f"}, g{"g"}, h{"h"};
  Outputs() {
    p(x, y) = x * 5 + y * y;
    f(x, y) = p(x, y) + 1;
    g(x, y) = p(x, y) * 3;
    h(x, y) = g(x, y) * 2;
    for (Func* s : {&f, &g, &h}) s->bound(y, 0, 6).split(y, yo, yi, 4);
  }
};

TEST(FuseStages, EqualLoopsAreJoinedAndShareWhatIsComputedThere) {
  Outputs s;
  for (Func* stage : {&s.f, &s.g}) stage->parallel(s.yo);
  s.p.compute_at(s.f, s.yi);
  EXPECT_NE(refusal({s.f, s.g}), "");
  fuse({s.f, s.g});
  EXPECT_EQ(nest({s.f, s.g}),
            "fused f, g:\n"
            "  parallel yo over y / 4, GuardWithIf:\n"
            "    for yi in [0, 4):\n"
            "      produce p:\n"
            "        for y:\n"
            "          for x:\n"
            "            p(x, y) = ...\n"
            "      for x:\n"
            "        produce f:\n"
            "          f(x, y) = ...\n"
            "        produce g:\n"
            "          g(x, y) = ...\n");
  expect_same_results({s.f, s.g}, {7, 6});
  EXPECT_EQ(text({s.f, s.g}),
            "f.bound(y, 0, 6);\n"
            "f.split(y, yo, yi, 4);\n"
            "g.bound(y, 0, 6);\n"
            "g.split(y, yo, yi, 4);\n"
            "f.parallel(yo);\n"
            "g.parallel(yo);\n"
            "p.compute_at(f, yi);\n"
            "pipeline.fuse({f, g});\n");
}

TEST(FuseStages, AStageThatReadsItsOwnTileRunsBehindIt) {
  Outputs s;
  for (Func* stage : {&s.g, &s.h}) stage->parallel(s.yo);
  fuse({s.g, s.h});
  EXPECT_EQ(nest({s.g, s.h}),
            "fused g, h:\n"
            "  parallel yo over y / 4, GuardWithIf:\n"
            "    produce g:\n"
            "      for yi in [0, 4):\n"
            "        for x:\n"
            "          g(x, y) = ...\n"
            "    produce h:\n"
            "      for yi in [0, 4):\n"
            "        for x:\n"
            "          h(x, y) = ...\n");
  Outputs inner;
  inner.g.compute_root();
  for (Func* stage : {&inner.g, &inner.h}) stage->parallel(inner.yo);
  fuse({inner.g, inner.h});
  expect_same_results({inner.h}, {7, 6});
  inner.g.store_at(inner.h, inner.yo);
  expect_same_results({inner.h}, {7, 6});
}

TEST(FuseStages, GridsThatDifferStandOneBehindTheOther) {
  Outputs s;
  s.f.parallel(s.yo);
  s.g.reorder(s.yi, s.yo, s.x).parallel(s.x);
  fuse({s.f, s.g});
  EXPECT_EQ(nest({s.f, s.g}),
            "fused f, g:\n"
            "  tiles:\n"
            "    parallel yo over y / 4, GuardWithIf:\n"
            "      produce f:\n"
            "        for yi in [0, 4):\n"
            "          for x:\n"
            "            f(x, y) = ...\n"
            "  then tiles:\n"
            "    parallel x:\n"
            "      produce g:\n"
            "        for yo over y / 4, ShiftInwards:\n"
            "          for yi in [0, 4):\n"
            "            g(x, y) = ...\n");
  expect_same_results({s.f, s.g}, {7, 6});
}

TEST(FuseStages, OfLoopsThatDifferInLength) {
  Var x("x");
  Func f("f"), g("g");
  f(x) = x * 3;
  g(x) = x - 5;
  Func h("h");
  h(x) = f(x) + f(x + 3) + g(x);
  for (Func* s : {&f, &g}) s->compute_root().parallel(x);
  fuse({f, g});
  expect_same_results({h}, {9});
}

TEST(FuseStages, DefinitionsOfOneStageShareItsGrid) {
  Sum s(true);
  Var xo("xo"), xi("xi");
  s.s.split(s.x, xo, xi, 2).parallel(xo);
  s.s.update().reorder(s.r.x, s.r.y, s.x).split(s.x, xo, xi, 2).parallel(xo);
  fuse({s.s});
  EXPECT_EQ(nest({s.s}).find("fused s:\n  parallel xo over x / 2, GuardWithIf:\n"), 0u);
  expect_same_results({s.s}, {5});
}

TEST(FuseStages, PartialSumsStayInTheirTileThroughAJoinedLoop) {
  Var x("x"), y("y"), p("p"), r("r");
  RDom all(0, 10, "all");
  RVar run("run"), in_run("r");
  Func row("row"), twice("twice"), sum("sum");
  row(x, y) = f32(x * 7 - y * y) / 3.0f;
  twice(x, y) = row(x, y) * 2.0f;
  sum(x) = 0.0f;
  sum(x) += row(x, all);
  sum.update().split(all.x, run, in_run, 4);
  Func part = sum.update().rfactor(run, p);
  Func kept = part.in();
  part.compute_root().store_at(kept, p).parallel(p);
  part.update().reorder(x, in_run).parallel(p);
  kept.compute_root().parallel(p);
  twice.compute_root().bound(y, 0, 10).split(y, p, r, 4).parallel(p);
  sum.compute_root();
  row.compute_at(twice, r);
  fuse({part, twice, kept});
  Func last("last");
  last(x, y) = twice(x, y) - sum(x);
  last.bound(y, 0, 10);
  const std::string loops = nest({last});
  EXPECT_EQ(loops.substr(0, loops.find("produce sum:")),
            "fused sum.rfactor(run), twice, sum.rfactor(run).in():\n"
            "  parallel p:\n"
            "    store sum.rfactor(run):\n"
            "    produce sum.rfactor(run):\n"
            "      for x:\n"
            "        sum.rfactor(run)(x, p) = ...\n"
            "    for r in [0, 4):\n"
            "      produce row:\n"
            "        for y:\n"
            "          for x:\n"
            "            row(x, y) = ...\n"
            "      for x:\n"
            "        produce sum.rfactor(run):\n"
            "          sum.rfactor(run)(x, p) = ...\n"
            "        produce twice:\n"
            "          twice(x, y) = ...\n"
            "    produce sum.rfactor(run).in():\n"
            "      for x:\n"
            "        sum.rfactor(run).in()(x, p) = ...\n");
  EXPECT_EQ(compare_all(schedule::resolve(collect({last}), schedule::schedule_of({last}), "test"),
                        {last}, {5, 10}),
            "");
}

TEST(FuseStages, Refusals) {
  Outputs s;
  EXPECT_EQ(refusal_of([&] { fuse({s.f}); }), "f: fuse({f}): there is nothing to join");
  EXPECT_EQ(refusal_of([&] { fuse({s.f, s.f}); }), "f: fuse({f, f}): 'f' is named twice");
  fuse({s.h, s.g});
  EXPECT_EQ(refusal({s.g, s.h}),
            "h: fuse({h, g}): the stage reads 'g', which stands behind it in the list");
  Outputs inlined;
  fuse({inlined.p, inlined.f});
  EXPECT_EQ(refusal({inlined.f}), "p: fuse({p, f}): the stage is not computed at root");
  Outputs twice;
  fuse({twice.f, twice.g});
  fuse({twice.g, twice.h});
  EXPECT_EQ(refusal({twice.f, twice.g, twice.h}),
            "g: fuse({f, g}): the stage stands in another fuse");
  Outputs kinds;
  kinds.f.parallel(kinds.yo);
  fuse({kinds.f, kinds.g});
  EXPECT_EQ(refusal({kinds.f, kinds.g}),
            "g: fuse({f, g}): 'f' starts with a parallel loop, 'g' starts with a serial loop");
  Outputs differ;
  differ.g.parallel(differ.yo);
  differ.h.reorder(differ.yi, differ.yo, differ.x).parallel(differ.x);
  fuse({differ.g, differ.h});
  EXPECT_EQ(refusal({differ.g, differ.h}),
            "h: fuse({g, h}): 'h' reads 'g', and they have different loops over tiles: one would "
            "have to wait for all tiles of the other");
  Outputs between;
  Func last("last");
  last(between.x, between.y) = between.h(between.x, between.y) + 1;
  between.g.compute_root();
  between.h.compute_root();
  fuse({between.g, last});
  EXPECT_EQ(refusal({last}),
            "last: fuse({g, last}): the stage reads 'h', computed at root after "
            "'g': it would have to run in between");
  Outputs shifted;
  for (Func* stage : {&shifted.g, &shifted.h}) {
    stage->split(shifted.x, Var("xo"), Var("xi"), 4, TailStrategy::ShiftInwards)
        .reorder(shifted.yi, shifted.yo, Var("xi"), Var("xo"))
        .parallel(Var("xo"));
  }
  fuse({shifted.g, shifted.h});
  EXPECT_EQ(refusal({shifted.g, shifted.h}),
            "g: fuse({g, h}): with TailStrategy::ShiftInwards tiles of 'xo' overlap, and other "
            "stages of the list use them");
}

TEST(FuseStages, TilesThatOthersUseAreBoxes) {
  const std::string scattered =
      "tiles do not have all 'x' between their first and last, and other stages of the list use "
      "them";
  // Block xi has every fourth element, and others' in between.
  Var x("x"), y("y"), xo("xo"), xi("xi"), t("t"), to("to"), ti("ti");
  Func f("f"), g("g");
  f(x) = x * 3;
  g(xi) = f(xi + 1);
  f.bound(x, 0, 16).split(x, xo, xi, 4, TailStrategy::GuardWithIf).reorder(xo, xi).parallel(xi);
  f.compute_root();
  g.bound(xi, 0, 4).parallel(xi);
  fuse({f, g});
  EXPECT_EQ(refusal({g}), "f: fuse({f, g}): " + scattered);

  // A tile of a joined loop ends in the middle of a row.
  Func rows("rows"), first("first");
  rows(x, y) = x * 3 + y;
  first(x, y) = rows(0, y) + x;
  for (Func* s : {&rows, &first}) s->fuse(x, y, t).split(t, to, ti, 4).parallel(to);
  fuse({rows, first});
  EXPECT_EQ(refusal({rows, first}), "rows: fuse({rows, first}): " + scattered);
}

TEST(FuseStages, ATileThatReadsAnotherOneIsRefused) {
  TwoStages p;
  p.f.compute_root().parallel(p.y);
  p.g.parallel(p.y);
  fuse({p.f, p.g});
  EXPECT_EQ(refusal({p.g}), "");  // what tiles touch is known when regions are
  try {
    expect_same_results({p.g}, {5, 4});
    ADD_FAILURE() << "not refused";
  } catch (const ScheduleError& error) {
    EXPECT_EQ(error.diagnostic().reason,
              "a tile of it may need what another tile writes of 'f', and blocks never wait for "
              "each other");
    EXPECT_NE(error.diagnostic().remedy.find("compute_at"), std::string::npos);
  }
}

}  // namespace
}  // namespace sinter::test
