// The default GPU schedule of each class of stages: its text, and the same bits as the algorithm's.
#include <sinter/boundary_conditions.h>
#include <sinter/default_schedule.h>
#include <sinter/reduction.h>

#include "backends/driver/compile_pipeline.h"
#include "backends/driver/default_gpu.h"
#include "dsl/algorithm/collect.h"
#include "tests/gpu/gpu_test.h"
#include "tests/unit/lowering/harness.h"

namespace sinter::test {
namespace {

struct Vars {
  Var x{"x"}, y{"y"}, z{"z"}, w{"w"};
};

/// The text without estimates.
std::string text_of(const Func& f, const DefaultScheduleOptions& options = {}) {
  std::istringstream lines(default_schedule({f}, gpu_target(), options).schedule.to_string({f}));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("set_estimate") == std::string::npos) text += line + "\n";
  }
  return text;
}

/// The only notice; empty when there is none.
std::string notice_of(const Func& f) {
  const std::vector<std::string> notices = default_schedule({f}, gpu_target()).notices;
  EXPECT_LE(notices.size(), 1u);
  return notices.empty() ? "" : notices[0];
}

void expect_equal(const std::vector<Buffer<>>& got, const std::vector<Buffer<>>& expected) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Buffer<>& here = got[i];
    here.copy_to_host();
    EXPECT_EQ(bytes_of(here), bytes_of(expected[i])) << "output " << i;
  }
}

/// realize() on a GPU without a directive equals the algorithm as it was written.
void expect_right(const Func& f, const std::vector<int>& sizes,
                  const std::vector<ImageParam>& inputs = {}) {
  const Algorithm algorithm = collect({f});
  Inputs given;
  for (const ImageParam& image : inputs) given.images.emplace_back(image, image.get());
  const std::vector<Buffer<>> expected = make_outputs({f}, sizes, 0),
                              got = make_outputs({f}, sizes, 0);
  evaluate(algorithm, test::bind(algorithm, given, expected));
  Pipeline(std::vector<Func>{f}).realize(RealizationArg(got), gpu_target());
  SCOPED_TRACE(text_of(f, {.sizes = {sizes}}));
  expect_equal(got, expected);
}

/// With rewrites it equals the rewritten algorithm.
void expect_right_rewritten(const Func& f, const std::vector<int>& sizes, const ImageParam& input) {
  const Schedule schedule = default_schedule({f}, gpu_target(), {.allow_rewrites = true}).schedule;
  const auto scheduled = driver::resolve_pipeline({f}, schedule);
  Inputs given;
  given.images.emplace_back(input, input.get());
  const std::vector<Buffer<>> expected = make_outputs({f}, sizes, 0),
                              got = make_outputs({f}, sizes, 0);
  evaluate(scheduled.algorithm, test::bind(scheduled.algorithm, given, expected));
  Pipeline(std::vector<Func>{f}).with(schedule).realize(RealizationArg(got), gpu_target());
  expect_equal(got, expected);
}

constexpr int Awkward[] = {1, 31, 33, 127, 257};

TEST(DefaultSchedule, PointwiseStagesAreVectorsOfRows) {
  Vars n;
  Func half("half"), f("f");
  const ImageParam in = random_image(Float(32), {257, 33});
  half(n.x, n.y) = in(n.x, n.y) * 0.5f;
  f(n.x, n.y) = half(n.x, n.y) + 1.0f;
  EXPECT_EQ(text_of(f),
            "f.split(x, x, xv, 4);\n"
            "f.vectorize(xv);\n"
            "f.tile(x, y, x, y, xi, yi, 32, 4);\n"
            "f.gpu_blocks(x, y);\n"
            "f.gpu_threads(xi, yi);\n");
  for (const int size : Awkward) expect_right(f, {size, std::min(size, 33)}, {in});
}

TEST(DefaultSchedule, SmallStagesHaveSmallBlocks) {
  Vars n;
  Func f("f"), one("one");
  f(n.x, n.y) = n.x + 2 * n.y;
  EXPECT_EQ(text_of(f, {.sizes = {{6, 3}}}),
            "f.split(x, x, xv, 4);\n"
            "f.vectorize(xv);\n"
            "f.reorder(xv, y, x);\n"
            "f.tile({x}, {x}, {xi}, {2});\n"
            "f.gpu_blocks(x);\n"
            "f.gpu_threads(xi);\n");
  expect_right(f, {6, 3});
  one() = 3;
  EXPECT_EQ(text_of(one), "one.gpu_single_thread();\n");
  expect_right(one, {});
}

TEST(DefaultSchedule, CheapStencilsAreInlinedAndShareRows) {
  Vars n;
  const ImageParam in = random_image(Float(32), {259, 35}, "in");
  Func a("a"), b("b");
  a(n.x, n.y) = in(n.x, n.y) + in(n.x + 1, n.y) + in(n.x + 2, n.y);
  b(n.x, n.y) = a(n.x, n.y) + a(n.x, n.y + 1) + a(n.x, n.y + 2);
  EXPECT_EQ(text_of(b),
            "b.split(y, y, yr, 4);\n"
            "b.unroll(yr);\n"
            "b.reorder(yr, x, y);\n"
            "b.tile(x, y, x, y, xi, yi, 32, 4);\n"
            "b.gpu_blocks(x, y);\n"
            "b.gpu_threads(xi, yi);\n");
  for (const int size : Awkward) expect_right(b, {size, std::min(size, 33)}, {in});
}

TEST(DefaultSchedule, ExpensiveStencilsAreComputedAtRoot) {
  Vars n;
  const ImageParam in = random_image(UInt(8), {67, 41, 3}, "in");
  Func gray("g"), vertical("v"), f("h");
  const Func clamped = BoundaryConditions::repeat_edge(in);
  gray(n.x, n.y) = 0.3f * f32(clamped(n.x, n.y, 0)) + 0.6f * f32(clamped(n.x, n.y, 1)) +
                   0.1f * f32(clamped(n.x, n.y, 2));
  Expr sum = gray(n.x, n.y);
  for (int d = 1; d < 4; ++d) sum = sum + gray(n.x, n.y - d) + gray(n.x, n.y + d);
  vertical(n.x, n.y) = sum;
  sum = vertical(n.x, n.y);
  for (int d = 1; d < 4; ++d) sum = sum + vertical(n.x - d, n.y) + vertical(n.x + d, n.y);
  f(n.x, n.y) = sum;
  EXPECT_EQ(text_of(f),
            "h.tile(x, y, x, y, xi, yi, 32, 4);\n"
            "h.gpu_blocks(x, y);\n"
            "h.gpu_threads(xi, yi);\n"
            "v.compute_root();\n"
            "v.split(x, x, xv, 4);\n"
            "v.vectorize(xv);\n"
            "v.split(y, y, yr, 4);\n"
            "v.unroll(yr);\n"
            "v.reorder(xv, yr, x, y);\n"
            "v.tile(x, y, x, y, xi, yi, 32, 4);\n"
            "v.gpu_blocks(x, y);\n"
            "v.gpu_threads(xi, yi);\n"
            "g.compute_root();\n"
            "g.tile(x, y, x, y, xi, yi, 32, 4);\n"
            "g.gpu_blocks(x, y);\n"
            "g.gpu_threads(xi, yi);\n");
  expect_right(f, {67, 41}, {in});
}

TEST(DefaultSchedule, ReductionsOfColumnsAreAThreadEach) {
  Vars n;
  const ImageParam in = random_image(Float(32), {257, 37}, "in");
  const RDom r(0, in.dim(1).extent(), "r");
  Func s("s");
  s(n.x) = 0.0f;
  s(n.x) += in(n.x, r);
  EXPECT_EQ(text_of(s),
            "s.split(x, x, xv, 4);\n"
            "s.vectorize(xv);\n"
            "s.tile({x}, {x}, {xi}, {128});\n"
            "s.gpu_blocks(x);\n"
            "s.gpu_threads(xi);\n"
            "s.update(0).unroll(r.x, 8);\n"
            "s.update(0).tile({x}, {x}, {xi}, {128});\n"
            "s.update(0).gpu_blocks(x);\n"
            "s.update(0).gpu_threads(xi);\n");
  for (const int size : Awkward) expect_right(s, {size}, {in});
  const ImageParam weight = random_image(Float(32), {37}, "weight");
  Func t("t");
  t(n.x) = 0.0f;
  t(n.x) += in(n.x, r) * weight(r);
  EXPECT_EQ(text_of(t, {.allow_rewrites = true}).find("reduce_across"), std::string::npos);
  expect_right(t, {257}, {in, weight});
}

TEST(DefaultSchedule, SumsOfRowsKeepTheirOrderUnlessRewritesAreAllowed) {
  Vars n;
  const ImageParam in = random_image(Float(32), {1031, 33}, "in");
  const RDom r(0, in.dim(0).extent(), "r");
  Func s("s");
  s(n.y) = 0.0f;
  s(n.y) += in(r, n.y);
  EXPECT_EQ(text_of(s),
            "s.split(y, y, yv, 4);\n"
            "s.vectorize(yv);\n"
            "s.tile({y}, {y}, {yi}, {128});\n"
            "s.gpu_blocks(y);\n"
            "s.gpu_threads(yi);\n"
            "s.update(0).unroll(r.x, 8);\n"
            "s.update(0).tile({y}, {y}, {yi}, {128});\n"
            "s.update(0).gpu_blocks(y);\n"
            "s.update(0).gpu_threads(yi);\n");
  for (const int size : {1, 31, 33}) expect_right(s, {size}, {in});
  EXPECT_EQ(text_of(s, {.allow_rewrites = true}),
            "s.split(y, y, yv, 4);\n"
            "s.vectorize(yv);\n"
            "s.tile({y}, {y}, {yi}, {128});\n"
            "s.gpu_blocks(y);\n"
            "s.gpu_threads(yi);\n"
            "s.update(0).reduce_across(r.x, {4, 32, 8});\n"
            "s.update(0).gpu_blocks(y);\n"
            "s.reduce_across(r.x).compute_at(s.update(0), y);\n"
            "s.reduce_across(r.x).store_in(MemoryType::Register);\n"
            "s.reduce_across(r.x).gpu_lanes(i1);\n"
            "s.reduce_across(r.x).gpu_warps(i2);\n"
            "s.reduce_across(r.x).update(0).gpu_lanes(i1);\n"
            "s.reduce_across(r.x).update(0).gpu_warps(i2);\n"
            "s.reduce_across(r.x).update(0).unroll(i0);\n"
            "s.reduce_across(r.x).tree_level(1, 1).compute_at(s.update(0), y);\n"
            "s.reduce_across(r.x).tree_level(1, 1).store_in(MemoryType::GPUShared);\n"
            "s.reduce_across(r.x).tree_level(1, 1).gpu_warps(i2);\n");
  expect_right_rewritten(s, {33}, in);
}

TEST(DefaultSchedule, RowsOfExactReductionsAreABlockEach) {
  Vars n;
  const ImageParam in = random_image(Float(32), {1031, 5}, "in");
  const RDom r(0, in.dim(0).extent(), "r");
  Func s("s"), f("f");
  s(n.y) = 0.0f;
  s(n.y) = max(s(n.y), in(r, n.y));
  f(n.x, n.y) = in(n.x, n.y) - s(n.y);
  EXPECT_EQ(text_of(f),
            "f.split(x, x, xv, 4);\n"
            "f.vectorize(xv);\n"
            "f.split(x, x, xi, 256);\n"
            "f.gpu_blocks(y);\n"
            "f.gpu_threads(xi);\n"
            "s.update(0).reduce_across(r.x, {4, 32, 8});\n"
            "s.reduce_across(r.x).compute_at(f, y);\n"
            "s.reduce_across(r.x).store_in(MemoryType::Register);\n"
            "s.reduce_across(r.x).gpu_lanes(i1);\n"
            "s.reduce_across(r.x).gpu_warps(i2);\n"
            "s.reduce_across(r.x).update(0).gpu_lanes(i1);\n"
            "s.reduce_across(r.x).update(0).gpu_warps(i2);\n"
            "s.reduce_across(r.x).update(0).unroll(i0);\n"
            "s.reduce_across(r.x).tree_level(1, 1).compute_at(f, y);\n"
            "s.reduce_across(r.x).tree_level(1, 1).store_in(MemoryType::GPUShared);\n"
            "s.reduce_across(r.x).tree_level(1, 1).gpu_warps(i2);\n"
            "s.compute_at(f, y);\n"
            "s.store_in(MemoryType::Register);\n");
  for (const int size : {1, 257, 1031}) expect_right(f, {size, 5}, {in});
}

/// One value of all: lanes, warps, and 256 blocks.
const char* const SumByAGrid =
    "s.gpu_single_thread();\n"
    "s.update(0).reduce_across(r.x, {16, 32, 8, 256});\n"
    "s.reduce_across(r.x).tree_level(2, 1).compute_root();\n"
    "s.reduce_across(r.x).tree_level(2, 1).gpu_blocks(i3);\n"
    "s.reduce_across(r.x).compute_at(s.reduce_across(r.x).tree_level(2, 1), i3);\n"
    "s.reduce_across(r.x).store_in(MemoryType::Register);\n"
    "s.reduce_across(r.x).gpu_lanes(i1);\n"
    "s.reduce_across(r.x).gpu_warps(i2);\n"
    "s.reduce_across(r.x).update(0).gpu_lanes(i1);\n"
    "s.reduce_across(r.x).update(0).gpu_warps(i2);\n"
    "s.reduce_across(r.x).update(0).unroll(i0);\n"
    "s.reduce_across(r.x).tree_level(1, 1).compute_at(s.reduce_across(r.x).tree_level(2, 1), i3);\n"
    "s.reduce_across(r.x).tree_level(1, 1).store_in(MemoryType::GPUShared);\n"
    "s.reduce_across(r.x).tree_level(1, 1).gpu_warps(i2);\n"
    "s.update(0).gpu_single_thread();\n";

TEST(DefaultSchedule, OneValueOfAllIsReducedByAGrid) {
  const ImageParam in = random_image(Int(32), {9001}, "ints");
  const RDom r(0, in.dim(0).extent(), "r");
  Func s("s");
  s() = 0;
  s() += in(r);
  EXPECT_EQ(text_of(s), SumByAGrid);
  expect_right(s, {}, {in});
}

TEST(DefaultSchedule, OneValueOfAMatrixIsReducedByRowsFirst) {
  const ImageParam in = random_image(UInt(8), {301, 67}, "bytes");
  const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent(), "r");
  Func s("s");
  s() = 0;
  s() = max(s(), i32(in(r.x, r.y)) * (r.x + r.y));
  const std::string text = text_of(s);
  EXPECT_NE(text.find("s.update(0).reduce_across(r.x, {16, 32, 8});"), std::string::npos) << text;
  EXPECT_NE(text.find("s.update(0).reduce_across(r.y, {16, 32, 8, 256});"), std::string::npos)
      << text;
  expect_right(s, {}, {in});
}

TEST(DefaultSchedule, AFloatSumOfAllStaysOnTheHostUnlessRewritesAreAllowed) {
  const ImageParam in = random_image(Float(32), {9001}, "in");
  const RDom r(0, in.dim(0).extent(), "r");
  Func s("s");
  s() = 0.0f;
  s() += in(r);
  EXPECT_EQ(text_of(s), "");
  EXPECT_EQ(notice_of(s),
            "'s' runs on the host: an order of float additions is part of the algorithm, and so "
            "many steps in a row are the host's; write reduce_across on it, which makes another "
            "algorithm (allow_rewrites)");
  expect_right(s, {}, {in});
  EXPECT_EQ(text_of(s, {.allow_rewrites = true}), SumByAGrid);
  expect_right_rewritten(s, {}, in);
}

TEST(DefaultSchedule, TransposedStagesAreTurnedInSharedMemory) {
  Vars n;
  const ImageParam in = random_image(Float(32), {127, 257}, "in");
  Func t("t"), f("f"), both("both");
  t(n.x, n.y) = in(n.x, n.y) * 2.0f;
  f(n.x, n.y) = t(n.y, n.x);
  EXPECT_EQ(text_of(f),
            "f.tile(x, y, x, y, xi, yi, 64, 64);\n"
            "f.split(xi, xi, xv, 4);\n"
            "f.vectorize(xv);\n"
            "f.reorder(xv, xi, yi, x, y);\n"
            "f.gpu_blocks(x, y);\n"
            "f.gpu_threads(xi, yi);\n"
            "t.compute_at(f, x);\n"
            "t.store_in(MemoryType::GPUShared);\n"
            "t.split(x, x, xv, 4);\n"
            "t.vectorize(xv);\n"
            "t.gpu_threads(x, y);\n");
  for (const int size : Awkward) expect_right(f, {size, std::min(size, 127)}, {in});
  EXPECT_EQ(text_of(f, {.sizes = {{16, 100}}}).find("GPUShared"), std::string::npos);
}

TEST(DefaultSchedule, AStageWithOtherReadersIsTurnedAsACopy) {
  Vars n;
  const ImageParam in = random_image(Float(32), {71, 71}, "in");
  Func t("t"), u("u"), f("f");
  t(n.x, n.y) = exp(in(n.x, n.y)) + in(n.y, n.x);
  u(n.x, n.y) = t(n.x, n.y) * 2.0f;
  f(n.x, n.y) = t(n.y, n.x) + u(n.x, n.y);
  const std::string text = text_of(f);
  EXPECT_NE(text.find("t.in(f).compute_at(f, x);\nt.in(f).store_in(MemoryType::GPUShared);"),
            std::string::npos)
      << text;
  for (const int size : {1, 33, 67}) expect_right(f, {size, size}, {in});
}

TEST(DefaultSchedule, ManyElementsAreNotFew) {
  // 2^66 elements, each its own sum: no need to share one among threads.
  Vars n;
  const RDom r(0, 100, "r");
  Func s("s");
  s(n.x, n.y, n.z) = 0;
  s(n.x, n.y, n.z) += r * n.x;
  constexpr int Long = 1 << 22;
  EXPECT_EQ(text_of(s, {.sizes = {{Long, Long, Long}}}).find("atomic"), std::string::npos);
  EXPECT_NE(text_of(s, {.sizes = {{8, 8, 8}}}).find("atomic"), std::string::npos);
}

TEST(DefaultSchedule, CountsAreAtomic) {
  Vars n;
  const ImageParam in = random_image(UInt(8), {67, 41}, "bytes");
  const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent(), "r");
  Func s("s");
  s(n.x) = 0;
  s(i32(in(r.x, r.y))) += 1;
  EXPECT_EQ(text_of(s),
            "s.split(x, x, xv, 4);\n"
            "s.vectorize(xv);\n"
            "s.tile({x}, {x}, {xi}, {128});\n"
            "s.gpu_blocks(x);\n"
            "s.gpu_threads(xi);\n"
            "s.update(0).atomic();\n"
            "s.update(0).tile(r.x, r.y, r.x, r.y, r.xi, r.yi, 32, 4);\n"
            "s.update(0).gpu_blocks(r.x, r.y);\n"
            "s.update(0).gpu_threads(r.xi, r.yi);\n");
  expect_right(s, {256}, {in});
}

TEST(DefaultSchedule, FewStepsInOrderRunOnOneThreadAndManyOnTheHost) {
  Vars n;
  const ImageParam in = random_image(Int(32), {128}, "ints");
  const RDom few(1, 100, "r"), many(1, in.dim(0).extent() - 1, "r");
  Func s("s"), t("t");
  s(n.x) = in(n.x);
  s(few) = s(few - 1) + s(few);
  EXPECT_EQ(text_of(s),
            "s.split(x, x, xv, 4);\n"
            "s.vectorize(xv);\n"
            "s.tile({x}, {x}, {xi}, {128});\n"
            "s.gpu_blocks(x);\n"
            "s.gpu_threads(xi);\n"
            "s.update(0).gpu_single_thread();\n");
  expect_right(s, {128}, {in});
  t(n.x) = in(n.x);
  t(many) = t(many - 1) + t(many);
  EXPECT_EQ(text_of(t), "");
  EXPECT_EQ(notice_of(t),
            "'t' runs on the host: its steps depend on each other, and there may be many; say with "
            "constants how few they are, or schedule it by hand");
  expect_right(t, {128}, {in});
}

TEST(DefaultSchedule, AReductionForOneReaderIsComputedInItsThreads) {
  Vars n;
  const ImageParam in = random_image(Float(32), {270, 33}, "in");
  const RDom r(0, 9, "r");
  Func s("s"), f("f");
  s(n.x, n.y) = 0.0f;
  s(n.x, n.y) += in(n.x + r, n.y);
  f(n.x, n.y) = s(n.x, n.y) / 9.0f;
  EXPECT_EQ(text_of(f),
            "f.tile(x, y, x, y, xi, yi, 32, 4);\n"
            "f.gpu_blocks(x, y);\n"
            "f.gpu_threads(xi, yi);\n"
            "s.compute_at(f, xi);\n");
  for (const int size : Awkward) expect_right(f, {size, std::min(size, 33)}, {in});
}

TEST(DefaultSchedule, AGridHasThreeDimensionsAndOneLongOne) {
  Vars n;
  const ImageParam in = random_image(Int(32), {35, 6, 8, 7}, "in");
  const RDom r(0, 2, "r");
  Func s("s"), f("f");
  s(n.x, n.y, n.z, n.w) = 0;
  s(n.x, n.y, n.z, n.w) += in(n.x + r, n.y + r, n.z + r, n.w + r);
  f(n.x, n.y, n.z, n.w) = s(n.x, n.y, n.z, n.w) * 3;
  EXPECT_EQ(text_of(f),
            "f.reorder(w, x, y, z);\n"
            "f.tile(x, y, x, y, xi, yi, 32, 4);\n"
            "f.gpu_blocks(x, y, z);\n"
            "f.gpu_threads(xi, yi);\n"
            "s.compute_at(f, w);\n");
  expect_right(f, {33, 5, 7, 6}, {in});
  Func g("g");
  g(n.x, n.y) = n.x + n.y;
  EXPECT_EQ(text_of(g, {.sizes = {{64, 300000}}}),
            "g.split(x, x, xv, 4);\n"
            "g.vectorize(xv);\n"
            "g.split(y, y, ys, 8);\n"
            "g.reorder(xv, ys, x, y);\n"
            "g.tile(x, y, x, y, xi, yi, 16, 8);\n"
            "g.gpu_blocks(x, y);\n"
            "g.gpu_threads(xi, yi);\n");
  expect_right(g, {3, 70000});
}

TEST(DefaultSchedule, WhatAKernelCannotDoRunsOnTheHost) {
  Vars n;
  const ImageParam in = random_image(UInt(8), {40}, "in");
  Func checked("checked"), f("f"), g("g");
  checked(n.x) = require(in(n.x) < u8(255), i32(in(n.x)), "small");
  f(n.x) = checked(n.x) * 2;
  g(n.x) = f(n.x) + f(n.x + 1) + f(n.x + 2);
  EXPECT_NE(notice_of(g).find("runs on the host: require() cannot stop a kernel"),
            std::string::npos);
}

TEST(DefaultSchedule, ADirectiveIsASchedule) {
  Vars n;
  Func f("f"), g("g");
  f(n.x) = n.x * n.x;
  g(n.x) = f(n.x) + f(n.x + 1);
  f.compute_root();
  const auto of = [&](const Schedule& s) { return driver::is_unscheduled(s); };
  EXPECT_FALSE(of(Schedule::of({g})));
  g.set_estimate(n.x, 0, 100);
  EXPECT_FALSE(of(Schedule::of({g})));
  Func h("h");
  h(n.x) = n.x;
  h.set_estimate(n.x, 0, 100);
  EXPECT_TRUE(of(Schedule::of({h})));
  EXPECT_TRUE(default_schedule({h}, Target()).schedule.to_string({h}).empty());
}

TEST(DefaultSchedule, ItCanBeSavedEditedAndReadAgain) {
  Vars n;
  Func f("f");
  f(n.x, n.y) = n.x * 3 + n.y;
  std::string text =
      default_schedule({f}, gpu_target(), {.sizes = {{100, 20}}}).schedule.to_string({f});
  EXPECT_EQ(Schedule::parse(text, {f}).to_string({f}), text);
  text.replace(text.find("32, 4"), 5, "16, 8");
  Buffer<int> result =
      Pipeline(f).with(Schedule::parse(text, {f})).realize({100, 20}, gpu_target());
  EXPECT_EQ(result(99, 19), 99 * 3 + 19);
}

}  // namespace
}  // namespace sinter::test
