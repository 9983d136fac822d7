// Fluent calls, and the public Schedule.

#include <gtest/gtest.h>

#include <sinter/func.h>
#include <sinter/schedule.h>

#include "dsl/algorithm/collect.h"
#include "dsl/schedule/fluent.h"
#include "dsl/schedule/resolve.h"
#include "dsl/schedule/schedule_text.h"

namespace sinter {
namespace {

TEST(Fluent, DirectivesKeepTheOrderOfWriting) {
  Var x("x"), y("y"), xi("xi");
  Func f("f"), g("g");
  f(x, y) = x + y;
  g(x, y) = f(x, y) * 2;
  g.parallel(y);
  f.compute_at(g, y);
  const std::uint64_t before = schedule::latest_directive();
  g.vectorize(x, 4);
  EXPECT_EQ(schedule::latest_directive(), before + 1);
  EXPECT_EQ(Schedule::of({g}).to_string({g}),
            "g.parallel(y);\nf.compute_at(g, y);\ng.vectorize(x, 4);\n");
}

TEST(Fluent, DirectivesOfOtherFuncsDoNotCount) {
  Var x("x");
  Func f("f"), g("g"), other("other");
  f(x) = x;
  g(x) = f(x) * 2;
  other(x) = x;
  EXPECT_EQ(schedule::latest_directive({g}), 0U);
  f.compute_root();
  const std::uint64_t before = schedule::latest_directive({g});
  EXPECT_EQ(before, schedule::latest_directive());
  other.vectorize(x, 4);
  EXPECT_EQ(schedule::latest_directive({g}), before);
}

TEST(Fluent, UpdatesMayComeAfterDirectives) {
  Var x("x");
  Func f("f");
  RDom r(0, 10, "r");
  f(x) = x;
  f.vectorize(x, 4);
  f(x) += r;
  f.update().unroll(r, 2);
  EXPECT_EQ(Schedule::of({f}).to_string({f}), "f.vectorize(x, 4);\nf.update(0).unroll(r.x, 2);\n");
}

TEST(Fluent, RefusesAFuncWithoutDefinition) {
  Func f("f");
  Var x("x");
  try {
    f.vectorize(x, 4);
    FAIL();
  } catch (const ScheduleError& error) {
    EXPECT_EQ(error.diagnostic().reason, "the Func has no definition yet, so it has no loops");
    EXPECT_EQ(error.diagnostic().directive, "vectorize(x, 4)");
    EXPECT_NE(error.diagnostic().file.find("fluent_test.cpp"), std::string::npos);
  }
}

TEST(Fluent, ARefusedDirectiveLeavesNoTrace) {
  Func f("f");
  Var x("x"), z("z");
  f(x) = x;
  EXPECT_THROW(f.parallel(z), ScheduleError);
  EXPECT_EQ(Schedule::of({f}).to_string({f}), "");
}

TEST(Fluent, InGivesTheSameWrapperAgain) {
  Var x("x");
  Func f("f"), g("g");
  f(x) = x;
  g(x) = f(x) + 1;
  f.in(g).compute_root();
  f.in(g).vectorize(x, 4);
  EXPECT_EQ(Schedule::of({g}).to_string({g}),
            "f.in(g);\nf.in(g).compute_root();\nf.in(g).vectorize(x, 4);\n");
}

TEST(Fluent, UnnamedVariablesGetDifferentNamesInTheText) {
  Var x, y, xi, yi;
  Func f("f");
  f(x, y) = x + y;
  f.tile(x, y, xi, yi, 4, 2).parallel(y);
  const std::string text = Schedule::of({f}).to_string({f});
  EXPECT_EQ(Schedule::parse(text, {f}).to_string({f}), text);
  const Algorithm algorithm = collect({f});
  EXPECT_EQ(loop_nest(resolve(algorithm, Schedule::parse(text, {f}).directives(), "p")).size(),
            loop_nest(resolve(algorithm, schedule::schedule_of({f}), "p")).size());
}

TEST(Schedule, RootPlacesEveryStage) {
  Var x("x");
  Func f("f"), g("g");
  f(x) = x;
  g(x) = f(x) + 1;
  EXPECT_EQ(Schedule::root({g}).to_string({g}), "f.compute_root();\ng.compute_root();\n");
}

TEST(Schedule, PreviewStopsAfterTheGivenDirective) {
  Var x("x"), xi("xi");
  Func f("f");
  f(x) = x;
  f.split(x, x, xi, 8).vectorize(xi).parallel(x);
  const Algorithm algorithm = collect({f});
  const auto nest = [&](std::size_t k) {
    return schedule::loop_nest_after(algorithm, schedule::schedule_of({f}), k);
  };
  EXPECT_EQ(nest(0), "produce f:\n  for x:\n    f(x) = ...\n");
  EXPECT_EQ(nest(2),
            "produce f:\n  for x over x / 8, ShiftInwards:\n    vectorized xi in [0, 8):\n"
            "      f(x) = ...\n");
  EXPECT_EQ(nest(3),
            "produce f:\n  parallel x over x / 8, GuardWithIf:\n    vectorized xi in [0, 8):\n"
            "      f(x) = ...\n");
}

}  // namespace
}  // namespace sinter
