// Rewritten algorithms compute what the directives say: checked against the oracle.

#include <cstring>

#include <gtest/gtest.h>

#include "dsl/algorithm/evaluate.h"
#include "dsl/schedule/schedule_text.h"
#include "tests/unit/schedule/small_algorithms.h"

namespace sinter::schedule {
namespace {

/// s(x) for x in [0, 5) of `sum`, with in(x, rx, ry) a fixed pattern.
template <typename T>
std::vector<T> run(const Algorithm& a, const std::string& output) {
  std::vector<T> input(5 * 16 * 8), result(5);
  for (std::size_t i = 0; i < input.size(); ++i) {
    input[i] = static_cast<T>(static_cast<double>((i * 7919) % 1013) / 7 - 60);
  }
  ir::Arguments arguments;
  arguments.buffers[var("in")] = {input.data(), type_of<T>(), {{0, 5, 1}, {0, 16, 5}, {0, 8, 80}}};
  arguments.buffers[output_symbol(a.stage(var(output)), 0)] = {
      result.data(), type_of<T>(), {{0, 5, 1}}};
  evaluate(a, arguments);
  return result;
}

Algorithm rewritten(const Algorithm& a, const Writer& w) {
  return resolve(a, w.schedule, "p").algorithm;
}

const Symbol x = var("x"), rx = var("rx"), ry = var("ry"), ro = var("ro"), ri = var("ri"),
             u = var("u"), v = var("v"), made = var("made");

TEST(Rfactor, KeepsExactSums) {
  const Algorithm a = sum(Int(32));
  const auto expected = run<std::int32_t>(a, "s");
  const auto check = [&](const Writer& w) {
    EXPECT_EQ(run<std::int32_t>(rewritten(a, w), "s"), expected);
  };
  check(Writer().add("s", Rfactor{{{ry, u}}, made}, 1));
  check(Writer().add("s", Rfactor{{{rx, u}}, made}, 1));
  check(Writer().add("s", Rfactor{{{rx, u}, {ry, v}}, made}, 1));
  check(Writer().add("s", Split{rx, ro, ri, 5, {}}, 1).add("s", Rfactor{{{ro, u}}, made}, 1));
  check(Writer().add("s", Split{rx, ro, ri, 5, {}}, 1).add("s", Rfactor{{{ri, u}}, made}, 1));
  check(Writer().add("s", Split{rx, rx, ri, 4, {}}, 1).add("s", Rfactor{{{rx, u}}, made}, 1));
  check(Writer().add("s", Fuse{rx, ry, ro}, 1).add("s", Rfactor{{{ro, u}}, made}, 1));
  check(Writer()
            .add("s", Fuse{rx, ry, var("t")}, 1)
            .add("s", Split{var("t"), ro, ri, 7, {}}, 1)
            .add("s", Rfactor{{{ro, u}}, made}, 1));
}

TEST(Rfactor, FoldsPartialsInTheirOwnOrder) {
  const Algorithm a = sum(Float(32));
  const auto got = run<float>(rewritten(a, Writer().add("s", Rfactor{{{ry, u}}, made}, 1)), "s");
  for (std::size_t i = 0; i < 5; ++i) {
    float total = 0;
    for (std::size_t y = 0; y < 8; ++y) {
      float partial = -0.0f;
      for (std::size_t k = 0; k < 16; ++k) {
        const std::size_t n = i + 5 * k + 80 * y;
        partial += static_cast<float>(static_cast<double>((n * 7919) % 1013) / 7 - 60);
      }
      total += partial;
    }
    EXPECT_EQ(got[i], total);
  }
}

TEST(Rfactor, MergesScatteredUpdates) {
  // h(in(r)) += 1 becomes a table for each u, then their sum.
  const Algorithm a = histogram();
  Writer w;
  w.add("h", Split{var("r"), ro, ri, 64, {}}, 1).add("h", Rfactor{{{ro, u}}, made}, 1);
  const Algorithm b = rewritten(a, w);
  std::vector<std::uint8_t> input(1000);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::uint8_t>(i * 37 % 11);
  std::vector<std::int32_t> expected(16), got(16);
  const auto fill = [&](const Algorithm& algorithm, std::vector<std::int32_t>& out) {
    ir::Arguments arguments;
    arguments.buffers[var("in")] = {input.data(), UInt(8), {{0, 1000, 1}}};
    arguments.buffers[output_symbol(algorithm.stage(var("h")), 0)] = {
        out.data(), Int(32), {{0, 16, 1}}};
    evaluate(algorithm, arguments);
  };
  fill(a, expected);
  fill(b, got);
  EXPECT_EQ(got, expected);
}

TEST(ReduceAcross, BuildsTheStatedTree) {
  // 16 steps of rx, widths {3, 2, 2}: r = ((t * 2 + i2) * 2 + i1) * 3 + i0.
  const Algorithm a = sum(Float(32));
  Writer w;
  w.add("s", ReduceAcross{rx, {3, 2, 2}, made}, 1);
  const auto got = run<float>(rewritten(a, w), "s");
  const auto term = [](std::size_t i, std::size_t k, std::size_t y) {
    const std::size_t n = i + 5 * k + 80 * y;
    return static_cast<float>(static_cast<double>((n * 7919) % 1013) / 7 - 60);
  };
  for (std::size_t i = 0; i < 5; ++i) {
    float total = 0;
    for (std::size_t y = 0; y < 8; ++y) {
      float p[2][2];
      for (std::size_t i2 = 0; i2 < 2; ++i2) {
        for (std::size_t i1 = 0; i1 < 2; ++i1) {
          p[i2][i1] = -0.0f;
          for (std::size_t t = 0; t < 2; ++t) {
            for (std::size_t i0 = 0; i0 < 3; ++i0) {
              const std::size_t r = ((t * 2 + i2) * 2 + i1) * 3 + i0;
              if (r < 16) p[i2][i1] += term(i, r, y);
            }
          }
        }
      }
      total += (p[0][0] + p[0][1]) + (p[1][0] + p[1][1]);
    }
    EXPECT_EQ(got[i], total);
  }
}

TEST(ReduceAcross, KeepsExactSums) {
  const Algorithm a = sum(Int(32));
  const auto expected = run<std::int32_t>(a, "s");
  const std::vector<std::vector<IntegerArg>> shapes{{1},    {16},      {4, 4},
                                                    {2, 8}, {1, 1, 4}, {5, 8, 2, 4}};
  for (const auto& widths : shapes) {
    EXPECT_EQ(
        run<std::int32_t>(rewritten(a, Writer().add("s", ReduceAcross{rx, widths, made}, 1)), "s"),
        expected);
  }
  Writer fused;
  fused.add("s", Fuse{rx, ry, ro}, 1).add("s", ReduceAcross{ro, {4, 8}, made}, 1);
  EXPECT_EQ(run<std::int32_t>(rewritten(a, fused), "s"), expected);
}

TEST(ReduceAcross, KeepsOtherLoopsThatReuseAName) {
  const Algorithm a = sum(Int(32));
  Writer w;
  w.add("s", Split{rx, ro, rx, 5, {}}, 1).add("s", ReduceAcross{ro, {1, 2}, made}, 1);
  EXPECT_EQ(run<std::int32_t>(rewritten(a, w), "s"), run<std::int32_t>(a, "s"));
}

TEST(ReduceAcross, RefusesWhatIsNoTree) {
  const Algorithm a = sum(Float(32));
  const auto with = [&](std::vector<IntegerArg> widths) {
    return reason(a, Writer().add("s", ReduceAcross{rx, std::move(widths), made}, 1));
  };
  EXPECT_EQ(with({}), "no widths are given");
  EXPECT_EQ(with({4, 3}), "the width 3 is not a power of two");
  EXPECT_EQ(with({0}), "the factor is 0");
  EXPECT_NE(reason(scan(), Writer().add("c", ReduceAcross{var("r"), {4}, made}, 1)), "");
  EXPECT_NE(reason(a, Writer().add("s", ReduceAcross{x, {4}, made}, 1)), "");
}

TEST(Resolve, PlacementBelongsToTheWholeStage) {
  EXPECT_EQ(reason(sum(Int(32)), Writer().add("s", ComputeRoot{}, 1)),
            "placement and storage belong to the whole stage, not to one of its updates");
  EXPECT_EQ(reason(sum(Int(32)), Writer().add("s", Parallel{x, {}, {}}, 2)),
            "the stage has 1 updates");
  Writer w;
  w.add("s", Split{x, ro, ri, IntegerArg::knob("tile"), {}});
  EXPECT_EQ(reason(sum(Int(32)), w), "the factor is the knob 'tile', which has no value here");
}

TEST(In, RedirectsTheNamedConsumers) {
  Writer w;
  w.add("f", In{{var("g")}, made}).add("made", ComputeRoot{});
  const auto p = resolve(two_stages(), w.schedule, "p");
  ASSERT_EQ(p.algorithm.stages.size(), 3u);
  EXPECT_EQ(p.algorithm.stages[1].name, "f.in(g)");
  EXPECT_EQ(callees(p.algorithm.stage(var("g")), p.algorithm), (std::vector<Symbol>{made}));
  EXPECT_EQ(callees(p.algorithm.stage(made), p.algorithm), (std::vector<Symbol>{var("f")}));
  EXPECT_NE(reason(two_stages(), Writer().add("g", In{{var("f")}, made})), "");
  EXPECT_NE(reason(two_stages(), Writer().add("g", In{{}, made})), "");
}

TEST(ScheduleText, RoundTrips) {
  const std::string text =
      "g.tile(x, y, xo, yo, xi, yi, 64, 8, TailStrategy::GuardWithIf);\n"
      "g.fuse(xo, yo, t);\n"
      "g.parallel(t);\n"
      "g.vectorize(xi, 8);\n"
      "g.reorder(xi, yi, t);\n"
      "f.in(g);\n"
      "f.in(g).compute_at(g, t);\n"
      "f.in(g).store_in(MemoryType::Stack);\n"
      "f.compute_at(f.in(g), y);\n"
      "f.unroll(x, 2, TailStrategy::RoundUp);\n"
      "f.align_bounds(x, 8);\n"
      "f.set_estimate(y, 0, 100);\n";
  const Algorithm a = two_stages();
  const Schedule parsed = parse_schedule(text, a, "test.sched");
  EXPECT_EQ(to_string(parsed, a), text);
  const Schedule again = parse_schedule(to_string(parsed, a), a, "test.sched");
  EXPECT_EQ(to_string(again, a), text);
  EXPECT_FALSE(refusal_of(a, parsed));
}

TEST(ScheduleText, RewritesNameTheirStages) {
  const std::string text =
      "s.update(0).split(rx, ro, ri, 4);\n"
      "s.update(0).rfactor(ro, u);\n"
      "s.rfactor(ro).compute_root();\n"
      "s.rfactor(ro).update(0).reorder(u, ri);\n"
      "s.rfactor(ro).update(0).vectorize(u, 4);\n";
  const Algorithm a = sum(Int(32));
  const Schedule parsed = parse_schedule(text, a, "test.sched");
  EXPECT_EQ(to_string(parsed, a), text);
  const auto problem = refusal_of(a, parsed);
  EXPECT_FALSE(problem) << to_string(*problem);
}

TEST(ScheduleText, ChainsAndCommentsAreRead) {
  const Algorithm a = two_stages();
  const Schedule parsed = parse_schedule(
      "// a comment\n g.split(x, xo, xi, 8)\n   .vectorize(xi); f.in(g).compute_root();", a, "t");
  EXPECT_EQ(to_string(parsed, a),
            "g.split(x, xo, xi, 8);\ng.vectorize(xi);\nf.in(g);\nf.in(g).compute_root();\n");
}

TEST(ScheduleText, ErrorsNameLineAndColumn) {
  const auto error = [](const std::string& text) {
    try {
      parse_schedule(text, two_stages(), "test.sched");
    } catch (const ScheduleError& e) {
      return std::to_string(e.diagnostic().line) + ": " + e.diagnostic().reason;
    }
    return std::string();
  };
  EXPECT_EQ(error("g.split(x, xo, xi, 8);\n  q.parallel(y);"),
            "2: column 3: the pipeline has no stage 'q'");
  EXPECT_EQ(error("g.split(x, xo, xi, eight);"), "1: column 20: an integer is expected here");
  EXPECT_EQ(error("\ng.hexagon(x);"), "2: column 3: there is no directive 'hexagon'");
  EXPECT_EQ(error("s.update(0).compute_root();"), "1: column 1: the pipeline has no stage 's'");
  EXPECT_EQ(
      error("g.partition(x, Partition::Maybe);"),
      "1: column 16: one of Partition::Auto, Partition::Never, Partition::Always is expected here");
  EXPECT_EQ(error("g.split(x, xo, xi, 8"),
            "1: column 9: the parenthesis before this is never closed");
  EXPECT_EQ(error("g.tile(x, y, 3);"), "1: column 3: six or eight arguments are expected");
  EXPECT_EQ(error("g.split(x, xo, xi, 8, TailStrategy::Auto, 3);"),
            "1: column 43: there is an argument too many");
  EXPECT_EQ(error("g.bound(x, 0, %);").substr(0, 44),
            "1: column 15: this is no expression of sizes");
  EXPECT_EQ(error("g.parallel(x)"), "1: column 14: ';' is expected here");
  EXPECT_EQ(error("g.split(x, xo);"), "1: column 3: an argument is missing");
}

}  // namespace
}  // namespace sinter::schedule
