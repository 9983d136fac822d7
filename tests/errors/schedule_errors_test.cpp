// Refusals of schedules: a directive that cannot be applied, or would change the result.

#include <sinter/sinter.h>

#include "tests/errors/refusals.h"

namespace sinter::test {
namespace {

const Var x("x"), y("y"), z("z"), u("u"), xo("xo"), xi("xi");
const std::string FloatOrder =
    "the order of float additions and multiplications decides the rounding";

TEST(ScheduleErrors, UnknownLoop) {
  Func f("f");
  f(x, y) = x;
  expect_refused<ScheduleError>(
      message("f", "vectorize(z, 4)", "'z' is not a loop of this definition",
              "name one of its loops (innermost first): x, y"),
      [&] {
        f.vectorize(z, 4);  // refused
      });
}

TEST(ScheduleErrors, DirectiveBeforeTheDefinition) {
  Func f("f");
  expect_refused<ScheduleError>(
      message("f", "vectorize(x, 4)", "the Func has no definition yet, so it has no loops",
              "define it first, then schedule it"),
      [&] {
        f.vectorize(x, 4);  // refused
      });
}

TEST(ScheduleErrors, SplitIntoTheSameNameTwice) {
  Func f("f");
  f(x, y) = x;
  expect_refused<ScheduleError>(
      message("f", "split(x, xo, xo, 4)", "outer and inner loop are both called 'xo'",
              "give the two new loops different names"),
      [&] {
        f.split(x, xo, xo, 4);  // refused
      });
}

TEST(ScheduleErrors, SplitIntoANameThatIsTaken) {
  Func f("f");
  f(x, y) = x;
  expect_refused<ScheduleError>(
      message("f", "split(x, y, xi, 4)", "the new name 'y' is already a loop of this definition",
              "choose a name other than x, y"),
      [&] {
        f.split(x, y, xi, 4);  // refused
      });
}

TEST(ScheduleErrors, FactorZero) {
  Func f("f");
  f(x) = x;
  expect_refused<ScheduleError>(
      message("f", "split(x, xo, xi, 0)", "the factor is 0", "write a factor from 1 to 2147483647"),
      [&] {
        f.split(x, xo, xi, 0);  // refused
      });
}

TEST(ScheduleErrors, ReorderAcrossANonAssociativeReduction) {
  Func f("f");
  RDom r(0, 8, 0, 8, "r");
  f(x) = 0.0f;
  f(x) += f32(r.x * r.y);
  f.update().reorder(r.y, r.x);  // refused
  expect_refused<ScheduleError>(
      message(
          "f.update(0)", "reorder(r.y, r.x)",
          "the steps of the reduction would run in another order: 'r.x' would go around 'r.y'; " +
              FloatOrder,
          "keep these loops in their order, or use rfactor or reduce_across, which write another "
          "order into the algorithm"),
      [&] { f.realize({4}); });
}

TEST(ScheduleErrors, ParallelOverARaceOfFloats) {
  Func f("f");
  RDom r(0, 8, "r");
  f(x) = 0.0f;
  f(x) += f32(r);
  f.update().parallel(r);  // refused
  expect_refused<ScheduleError>(
      message("f.update(0)", "parallel(r.x)",
              "iterations of 'r.x' may update the same element, and " + FloatOrder,
              "use reduce_across or rfactor, which fix the order in the algorithm, and run their "
              "stages in parallel"),
      [&] { f.realize({4}); });
}

TEST(ScheduleErrors, ParallelOverStepsThatReadEachOther) {
  Func f("f");
  RDom r(0, 8, "r");
  f(x) = x;
  f(r + 1) += f(r);
  f.update().parallel(r);  // refused
  expect_refused<ScheduleError>(
      message("f.update(0)", "parallel(r.x)",
              "iterations of 'r.x' may touch the same element, and a step may read what another "
              "one wrote",
              "keep the loop serial, or write elements by the coordinate 'r.x' itself"),
      [&] { f.realize({4}); });
}

TEST(ScheduleErrors, AtomicOfFloats) {
  Func f("f");
  RDom r(0, 8, "r");
  f(x) = 0.0f;
  f(clamp(r * r, 0, 3)) += 1.0f;
  expect_refused<ScheduleError>(
      message("f.update(0)", "atomic()", FloatOrder,
              "use reduce_across or rfactor, which fix the order in the algorithm"),
      [&] {
        f.update().atomic().parallel(r);  // refused
        f.realize({4});
      });
}

TEST(ScheduleErrors, RfactorOfAFusedPureAndReductionVariable) {
  Func f("f");
  RDom r(0, 100, "r");
  RVar fused("fused");
  f(x, y) = 0;
  f(x, y) += r;
  f.update().fuse(y, r, fused);
  expect_refused<ScheduleError>(
      message("f.update(0)", "rfactor(fused, u)",
              "the loop 'fused' is fused from a reduction variable and a pure one",
              "fuse them after this rewrite"),
      [&] {
        f.update().rfactor(fused, u);  // refused
      });
}

TEST(ScheduleErrors, RfactorOfAnUpdateThatIsNoFold) {
  Func f("f");
  RDom r(0, 8, 0, 8, "r");
  f(x) = 0;
  f(x) = f(x) * 2 + r.x + r.y;
  expect_refused<ScheduleError>(message("f.update(0)", "rfactor(r.y, u)",
                                        "the update is not of the form f(a) = f(a) op g, with op "
                                        "one of + * min max & | ^ and g free of f",
                                        "restate the update in that form"),
                                [&] {
                                  f.update().rfactor(r.y, u);  // refused
                                });
}

TEST(ScheduleErrors, RfactorOfATupleWhoseComponentsAreChosenTogether) {
  Buffer<float> b(8, 8);
  Func least("least");
  RDom r(0, 8, 0, 8, "r");
  argmin(r, b(r.x, r.y), least);
  expect_refused<ScheduleError>(
      message("least.update(0)", "rfactor(r.y, u)",
              "the update's components are chosen together, as argmin chooses a place and a value: "
              "it is not proved that "
              "such steps may be regrouped",
              "write the reduction of the parts as a Func of its own, and reduce that one"),
      [&] {
        least.update().rfactor(r.y, u);  // refused
      });
  Func sums("sums");
  sums(x) = Tuple(0, 0);
  sums(x) = Tuple(sums(x)[0] + r.x, sums(x)[1] + r.x * r.y);
  sums.update().rfactor(r.y, u).compute_root();  // each component is a fold of its own: fine
  Realization result = sums.realize({1});
  EXPECT_EQ(result[0].as<int>()(0), 28 * 8);
  EXPECT_EQ(result[1].as<int>()(0), 28 * 28);
}

TEST(ScheduleErrors, ReduceAcrossWidthsThatAreNoPowers) {
  Func f("f");
  RDom r(0, 64, "r");
  f(x) = 0.0f;
  f(x) += f32(r);
  expect_refused<ScheduleError>(
      message("f.update(0)", "reduce_across(r.x, {4, 3})", "the width 3 is not a power of two",
              "n1, n2, ... are powers of two; n0 and the number of turns take the rest"),
      [&] {
        f.update().reduce_across(r, {4, 3});  // refused
      });
}

TEST(ScheduleErrors, ComputeAtALoopThatDoesNotEncloseAllUses) {
  Func f("f"), g("g"), h("h"), o("o");
  f(x) = x;
  g(x) = f(x);
  h(x) = f(x) + 1;
  o(x) = g(x) + h(x);
  g.compute_root();
  h.compute_root();
  f.compute_at(g, x);  // refused
  expect_refused<ScheduleError>(
      message("f", "compute_at(g, x)",
              "its use in 'h' lies outside loop 'x' of 'g': 'h' is computed at root",
              "compute_root(), or a level that encloses every use"),
      [&] { o.realize({4}); });
}

TEST(ScheduleErrors, ComputeAtALoopOutsideOfWhichAUseIsNested) {
  Func f("f"), g("g"), h("h"), o("o");
  f(x) = x;
  g(x) = f(x);
  h(x) = f(x) + 1;
  o(x) = g(x) + h(x);
  g.compute_root();
  h.compute_at(o, x);
  f.compute_at(g, x);  // refused
  expect_refused<ScheduleError>(message("f", "compute_at(g, x)",
                                        "its use in 'h' lies outside loop 'x' of 'g': 'h' is "
                                        "computed at loop 'x' of 'o', and 'o' is computed at root",
                                        "compute_root(), or a level that encloses every use"),
                                [&] { o.realize({4}); });
}

TEST(ScheduleErrors, ComputeAtAStageThatDoesNotUseIt) {
  Func f("f"), g("g"), o("o");
  f(x) = x;
  g(x) = x;
  o(x) = g(x) + f(x);
  g.compute_root();
  f.compute_at(g, x);  // refused
  expect_refused<ScheduleError>(message("f", "compute_at(g, x)", "'g' does not use this stage",
                                        "name a stage that uses it, or compute_root()"),
                                [&] { o.realize({4}); });
}

TEST(ScheduleErrors, ComputeAtALoopThatIsNotThere) {
  Func f("f"), o("o");
  f(x) = x;
  o(x) = f(x);
  f.compute_at(o, z);  // refused
  expect_refused<ScheduleError>(message("f", "compute_at(o, z)", "'o' has no loop 'z'",
                                        "name one of its loops (innermost first): x"),
                                [&] { o.realize({4}); });
}

TEST(ScheduleErrors, StoreAtInsideComputeAt) {
  Func f("f"), o("o");
  f(x, y) = x;
  o(x, y) = f(x, y) + f(x, y - 1);
  f.compute_at(o, y);
  f.store_at(o, x);  // refused
  expect_refused<ScheduleError>(
      message("f", "store_at(o, x)", "the stage is not computed inside loop 'x' of 'o'",
              "store it at a loop around the one it is computed at"),
      [&] { o.realize({4, 4}); });
}

TEST(ScheduleErrors, PlacementOfAnOutput) {
  Func f("f"), g("g");
  f(x) = x;
  g(x) = f(x);
  g.compute_at(f, x);  // refused
  expect_refused<ScheduleError>(
      message("g", "compute_at(f, x)",
              "an output of the pipeline is computed at root, into the buffer of the caller",
              "drop this directive, or apply it to in() of the stage"),
      [&] { g.realize({4}); });
}

TEST(ScheduleErrors, LoopsOfAnInlinedStage) {
  Func f("f"), g("g");
  f(x) = x;
  g(x) = f(x);
  f.vectorize(x, 4);  // refused
  expect_refused<ScheduleError>(
      message("f", "vectorize(x, 4)",
              "the stage is computed inline: it has no loops, storage or bounds of its own",
              "place it with compute_root or compute_at, or drop this directive"),
      [&] { g.realize({4}); });
}

TEST(ScheduleErrors, ShiftInwardsOfAnUpdate) {
  Func f("f");
  RDom r(0, 4, "r");
  f(x) = 0;
  f(x) += r;
  expect_refused<ScheduleError>(
      message("f.update(0)", "vectorize(x, 4, TailStrategy::ShiftInwards)",
              "ShiftInwards would update some elements twice, and this update reads what it writes",
              "use TailStrategy::GuardWithIf"),
      [&] {
        f.update().vectorize(x, 4, TailStrategy::ShiftInwards);  // refused
        f.realize({5});
      });
}

TEST(ScheduleErrors, VectorOfUnknownExtent) {
  Func f("f");
  f(x) = x;
  f.vectorize(x);  // refused
  expect_refused<ScheduleError>(
      message("f", "vectorize(x)", "the extent of 'x' is not a constant",
              "split it by a constant factor first, or give the dimension a constant bound_extent"),
      [&] { f.realize({5}); });
}

TEST(ScheduleErrors, VectorTooWide) {
  Func f("f");
  f(x) = x;
  expect_refused<ScheduleError>(
      message("f", "vectorize(x, 4096)", "a vector of 4096 lanes is beyond the limit of 1024",
              "split the loop by a smaller factor first"),
      [&] {
        f.vectorize(x, 4096);  // refused
        f.realize({4});
      });
}

TEST(ScheduleErrors, CopyForAStageThatIsNoCaller) {
  Func f("f"), g("g"), h("h");
  f(x) = x;
  g(x) = f(x);
  h(x) = g(x) + 1;
  expect_refused<ScheduleError>(message("f", "in(h)", "'h' does not call this stage",
                                        "name a stage that calls it (a rewrite or another in() may "
                                        "have moved the calls), or in() for all"),
                                [&] {
                                  f.in(h);  // refused
                                  h.realize({4});
                                });
}

TEST(ScheduleErrors, FailWithoutABranch) {
  Func f("f");
  f(x) = x;
  expect_refused<ScheduleError>(
      message("f", "specialize_fail(\"no\")", "the definition has no branch: every call would fail",
              "call specialize with a condition first, or state it in the algorithm with "
              "require()"),
      [&] {
        f.specialize_fail("no");  // refused
      });
}

TEST(ScheduleErrors, TextWithAnUnknownDirective) {
  Func f("f");
  f(x) = x;
  try {
    Schedule::parse("f.vectorize(x, 4);\nf.splt(x, xo, xi, 4);\n", {f}, "blur.schedule");
    FAIL() << "accepted";
  } catch (const ScheduleError& e) {
    EXPECT_EQ(e.diagnostic().file, "blur.schedule");
    EXPECT_EQ(e.diagnostic().line, 2u);
    EXPECT_EQ(e.diagnostic().directive, "splt(x, xo, xi, 4)");
    EXPECT_EQ(e.diagnostic().reason, "column 3: there is no directive 'splt'");
    EXPECT_TRUE(e.diagnostic().remedy.starts_with("use one of split, fuse, tile, "));
  }
}

TEST(ScheduleErrors, TextWhoseDirectiveCannotBeApplied) {
  Func f("f");
  f(x) = x;
  try {
    Pipeline(f)
        .with(
            Schedule::parse("\nf.split(x, xo, xi, 8);\nf.vectorize(x, 4);\n", {f}, "blur.schedule"))
        .realize({4});
    FAIL() << "accepted";
  } catch (const ScheduleError& e) {
    EXPECT_EQ(std::string(e.what()),
              "blur.schedule:3: stage 'f': vectorize(x, 4): 'x' is not a loop of this definition "
              "any more\n"
              "  remedy: name one of its loops (innermost first): xi, xo");
  }
}

}  // namespace
}  // namespace sinter::test
