// Schedules with blocks and threads, on the GPU against the oracle.
#include <limits>

#include <sinter/boundary_conditions.h>
#include <sinter/reduction.h>

#include "tests/gpu/gpu_test.h"

namespace sinter::test {
namespace {

struct Vars {
  Var x{"x"}, y{"y"}, z{"z"}, xo{"xo"}, yo{"yo"}, zo{"zo"}, xi{"xi"}, yi{"yi"}, zi{"zi"}, v{"v"};
};

TEST(Gpu, OneDimensionWithATail) {
  Vars n;
  const ImageParam in = random_image(Float(32), {1000});
  Func f("f");
  f(n.x) = in(n.x) * 2.0f + 1.0f;
  f.gpu_tile(n.x, n.xo, n.xi, 128);
  expect_right_on_gpu({f}, {1000}, {in});
}

TEST(Gpu, TilesOfTwoAndThreeDimensions) {
  Vars n;
  Func f("f"), g("g");
  f(n.x, n.y) = n.x * 3 + n.y * n.y;
  f.gpu_tile(n.x, n.y, n.xo, n.yo, n.xi, n.yi, 16, 4);
  expect_right_on_gpu({f}, {37, 11});
  expect_right_on_gpu({f}, {32, 8}, {}, -5);
  g(n.x, n.y, n.z) = n.x + n.y * 100 - n.z * n.x;
  g.gpu_tile(n.x, n.y, n.z, n.xi, n.yi, n.zi, 8, 4, 2);
  expect_right_on_gpu({g}, {9, 10, 5});
}

TEST(Gpu, ElementTypes) {
  for (const Type t : {UInt(8), Int(8), UInt(16), Int(16), Int(32), UInt(32), Int(64), UInt(64),
                       Float(16), BFloat(16), Float(32), Float(64)}) {
    SCOPED_TRACE(to_string(t));
    Vars n;
    const ImageParam a = random_image(t, {300}, "a"), b = random_image(t, {300}, "b");
    Func f("f"), g("g");
    f(n.x) = cast(t, a(n.x) + b(n.x) * b(n.x));
    f.gpu_tile(n.x, n.xi, 64);
    g(n.x) = select(min(a(n.x), b(n.x)) < a(299 - n.x), a(n.x) / b(n.x), max(a(n.x), b(n.x)));
    g.gpu_tile(n.x, n.xi, 64);
    if (!t.is_float()) expect_right_on_gpu({f}, {300}, {a, b});
    if (!t.is_float()) expect_right_on_gpu({g}, {300}, {a, b});
  }
}

TEST(Gpu, FloatsRoundAsOnTheHost) {
  Vars n;
  const ImageParam a = random_image(Float(32), {300}, "a"), b = random_image(Float(32), {300}, "b");
  Func f("f"), g("g"), h("h");
  f(n.x) = Tuple(a(n.x) * b(n.x) + 1.0f, a(n.x) / b(n.x), sqrt(abs(a(n.x))), min(a(n.x), b(n.x)),
                 floor(a(n.x)) + round(b(n.x)));
  f.gpu_tile(n.x, n.xi, 64);
  expect_right_on_gpu({f}, {300}, {a, b});
  g(n.x) = Tuple(bf16(a(n.x) / 3.0f), f16(b(n.x) / 7.0f), i32(a(n.x)), u8(b(n.x)), f64(a(n.x)) / 3);
  g.gpu_tile(n.x, n.xi, 64);
  expect_right_on_gpu({g}, {300}, {a, b});
  h(n.x) = Tuple(exp(a(n.x) / 16.0f), sin(a(n.x)), tanh(b(n.x) / 32.0f), pow(abs(a(n.x)), 0.3f),
                 erf(b(n.x) / 40.0f));
  h.gpu_tile(n.x, n.xi, 64);
  expect_right_on_gpu({h}, {300}, {a, b});
}

TEST(Gpu, AStageInSharedMemory) {
  Vars n;
  const ImageParam in = random_image(Float(32), {70, 40});
  Func clamped("clamped"), bx("bx"), by("by");
  clamped = BoundaryConditions::repeat_edge(in);
  bx(n.x, n.y) = (clamped(n.x - 1, n.y) + clamped(n.x, n.y) + clamped(n.x + 1, n.y)) / 3;
  by(n.x, n.y) = (bx(n.x, n.y - 1) + bx(n.x, n.y) + bx(n.x, n.y + 1)) / 3;
  by.gpu_tile(n.x, n.y, n.xo, n.yo, n.xi, n.yi, 32, 8);
  bx.compute_at(by, n.xo).store_in(MemoryType::GPUShared).gpu_threads(n.x, n.y);
  expect_right_on_gpu({by}, {70, 40}, {in});
  EXPECT_EQ(count_lines({by}, "barrier"), 1);
  EXPECT_EQ(count_lines({by}, "in shared"), 1);
}

TEST(Gpu, AStageOfEachThread) {
  Vars n;
  const ImageParam in = random_image(Int(32), {66});
  Func f("f"), g("g");
  f(n.x) = in(n.x) * 3;
  g(n.x) = f(n.x) + f(n.x + 1) + f(n.x + 2);
  g.gpu_tile(n.x, n.xo, n.xi, 32);
  f.compute_at(g, n.xi);
  expect_right_on_gpu({g}, {64}, {in});
  EXPECT_EQ(count_lines({g}, "barrier"), 0);
}

TEST(Gpu, AChainOfSharedStagesHasABarrierForEach) {
  Vars n;
  const ImageParam in = random_image(Int(32), {140});
  Func a("a"), b("b"), c("c");
  a(n.x) = in(n.x) + 1;
  b(n.x) = a(n.x) * a(n.x + 3);
  c(n.x) = b(n.x) + b(n.x + 5);
  c.gpu_tile(n.x, n.xo, n.xi, 64);
  b.compute_at(c, n.xo).gpu_threads(n.x);
  a.compute_at(c, n.xo).gpu_threads(n.x);
  expect_right_on_gpu({c}, {128}, {in});
  EXPECT_EQ(count_lines({c}, "barrier"), 2);
}

TEST(Gpu, RootStagesStayOnTheDevice) {
  Vars n;
  const ImageParam in = random_image(UInt(16), {50, 60});
  Func f("f"), g("g");
  f(n.x, n.y) = in(n.x, n.y) + cast(UInt(16), n.x);
  g(n.x, n.y) = f(n.x, n.y) + f(n.y, n.x);
  f.compute_root().gpu_tile(n.x, n.y, n.xi, n.yi, 16, 16);
  g.gpu_tile(n.x, n.y, n.xi, n.yi, 16, 16);
  expect_right_on_gpu({g}, {50, 50}, {in});
  EXPECT_EQ(count_lines({g}, "in device"), 1);
}

TEST(Gpu, HostAndDeviceTakeTurns) {
  Vars n;
  const ImageParam in = random_image(Int(32), {100});
  Func f("f"), g("g"), h("h");
  f(n.x) = in(n.x) + 7;
  g(n.x) = f(n.x) * 2 + f(99 - n.x);
  h(n.x) = g(n.x) - f(n.x);
  f.compute_root().gpu_tile(n.x, n.xi, 32);
  g.compute_root();
  h.gpu_tile(n.x, n.xi, 32);
  expect_right_on_gpu({h}, {100}, {in});
}

TEST(Gpu, UpdatesAndReductions) {
  Vars n;
  const ImageParam in = random_image(Float(32), {64, 40});
  RDom r(0, 64, "r");
  Func sum("sum");
  sum(n.y) = 0.0f;
  sum(n.y) += in(r, n.y);
  sum.gpu_tile(n.y, n.yi, 16);
  sum.update().gpu_tile(n.y, n.yi, 16);
  expect_right_on_gpu({sum}, {40}, {in});
}

TEST(Gpu, AtomicsOnGlobalAndSharedMemory) {
  Vars n;
  const ImageParam in = random_image(UInt(8), {500});
  RDom r(0, 500, "r");
  Func hist("hist");
  hist(n.x) = 0;
  hist(i32(in(r))) += 1;
  RVar ro("ro"), ri("ri");
  hist.gpu_tile(n.x, n.xi, 64);
  hist.update().split(r, ro, ri, 64).gpu_blocks(ro).gpu_threads(ri).atomic();
  expect_right_on_gpu({hist}, {256}, {in});
}

TEST(Gpu, LanesAndWarps) {
  Vars n;
  Func f("f");
  f(n.x, n.y, n.z) = n.x + 100 * n.y - n.z;
  f.bound_extent(n.x, 32).bound_extent(n.y, 4).gpu_lanes(n.x).gpu_warps(n.y).gpu_blocks(n.z);
  expect_right_on_gpu({f}, {32, 4, 3});
  Func g("g");
  g(n.x, n.y, n.z) = n.x + 100 * n.y - n.z;
  g.bound_extent(n.x, 8).bound_extent(n.y, 4).gpu_lanes(n.x).gpu_warps(n.y).gpu_blocks(n.z);
  expect_right_on_gpu({g}, {8, 4, 3});
}

TEST(Gpu, OneThread) {
  Vars n;
  Func f("f"), g("g");
  f(n.x) = n.x * n.x;
  f.gpu_single_thread();
  expect_right_on_gpu({f}, {20});
  g() = 42;
  g.gpu_single_thread();
  expect_right_on_gpu({g}, {});
}

TEST(Gpu, VectorsAndUnrolledLoops) {
  Vars n;
  const ImageParam in = random_image(Float(32), {1024});
  Func f("f"), g("g");
  f(n.x) = in(n.x) * 0.5f + in(1023 - n.x);
  f.split(n.x, n.x, n.v, 4).vectorize(n.v).gpu_tile(n.x, n.xi, 32);
  expect_right_on_gpu({f}, {1024}, {in});
  g(n.x) = in(n.x) * 0.5f;
  g.split(n.x, n.x, n.v, 4).unroll(n.v).gpu_tile(n.x, n.xi, 32);
  expect_right_on_gpu({g}, {1001}, {in});
}

// What bounds a divisor spares the subroutine of the division; special values take the same way.
TEST(Gpu, InversesInRangeAndBoundsAreSingleInstructions) {
  using Limits = std::numeric_limits<float>;
  Vars n;
  const ImageParam a = random_image(Float(32), {512}, "a");
  const Expr special = select(n.x % 8 == 0, Limits::quiet_NaN(), n.x % 8 == 1, Limits::infinity(),
                              n.x % 8 == 2, -Limits::infinity(), n.x % 8 == 3, -0.0f, a(n.x));
  const auto scheduled = [&](Func f) {
    return f.split(n.x, n.x, n.v, 4).vectorize(n.v).gpu_tile(n.x, n.xi, 32);
  };
  Func sigmoid("sigmoid"), functions("functions"), inverse("inverse");
  sigmoid(n.x) = 1.0f / (1.0f + exp(-max(special * 100.0f, -0.3f)));
  functions(n.x) =
      Tuple(tanh(special), exp(special * 100.0f), exp2(special * 150.0f), erf(special));
  inverse(n.x) = 1.0f / special;
  for (Func* f : {&sigmoid, &functions, &inverse}) {
    scheduled(*f);
    expect_right_on_gpu({*f}, {512}, {a});
  }
  EXPECT_GT(count_ptx({sigmoid}, "rcp\\.approx\\.ftz"), 0);
  EXPECT_EQ(count_ptx({sigmoid}, "(div|rcp)\\.rn"), 0);
  EXPECT_EQ(count_ptx({functions}, "(div|rcp)\\.rn"), 0);
  EXPECT_GT(count_ptx({functions}, "min\\.NaN"), 0);
  EXPECT_EQ(count_ptx({inverse}, "rcp\\.approx"), 0);
}

TEST(Gpu, WholeVectorsAreOneAccess) {
  Vars n;
  const ImageParam a = random_image(BFloat(16), {1024, 6}, "a"),
                   b = random_image(BFloat(16), {1024, 6}, "b");
  Func f("f");
  f(n.x, n.y) = bf16(f32(a(n.x, n.y)) * 0.5f + f32(b(n.x, n.y)));
  f.split(n.x, n.x, n.v, 8)
      .vectorize(n.v)
      .split(n.x, n.xo, n.xi, 64)
      .gpu_blocks(n.xo, n.y)
      .gpu_threads(n.xi);
  expect_right_on_gpu({f}, {1024, 6}, {a, b}, 0, 16);
  expect_right_on_gpu({f}, {1021, 6}, {a, b});
  EXPECT_EQ(count_ptx({f}, "ld\\.global\\.nc\\.v4\\.(u32|b32)", 16), 2);
  EXPECT_EQ(count_ptx({f}, "st\\.global\\.v4\\.(u32|b32)", 16), 1);
}

// Each thread adds up its elements, the lanes of a warp exchange theirs, the warps meet in shared
// memory.
TEST(Gpu, ARowIsReducedOverLanesAndWarps) {
  Vars n;
  const ImageParam in = random_image(Float(32), {1024, 5});
  RDom r(0, 1024, "r");
  Func sum("sum"), out("out");
  sum(n.y) = 0.0f;
  sum(n.y) += in(r, n.y);
  out(n.x, n.y) = in(n.x, n.y) - sum(n.y);
  out.split(n.x, n.xo, n.xi, 128).gpu_blocks(n.y).gpu_threads(n.xi);
  Func partial = sum.update().reduce_across(r, {4, 32, 4});
  const Var i1("i1"), i2("i2");
  const RVar t("t"), i0("i0");
  partial.compute_at(out, n.y).store_in(MemoryType::Register).gpu_lanes(i1).gpu_warps(i2);
  partial.update().gpu_lanes(i1).gpu_warps(i2).unroll(i0);
  partial.tree_level(1).compute_at(out, n.y).store_in(MemoryType::GPUShared).gpu_warps(i2);
  sum.compute_at(out, n.y).store_in(MemoryType::Register);
  expect_right_on_gpu({out}, {1024, 5}, {in});
  EXPECT_EQ(count_lines({out}, "barrier"), 1);
  EXPECT_EQ(count_ptx({out}, "shfl\\.sync"), 5);
  EXPECT_EQ(count_ptx({out}, "\\.local"), 0);
}

TEST(Gpu, RegistersHoldARowForTwoUses) {
  Vars n;
  const ImageParam in = random_image(Int(32), {512, 3});
  Func f("f"), g("g");
  f(n.x, n.y) = in(n.x, n.y) * 3;
  g(n.x, n.y) = f(n.x, n.y) + 1;
  g.bound_extent(n.x, 512)
      .split(n.x, n.xo, n.v, 4)
      .split(n.xo, n.xo, n.xi, 64)
      .vectorize(n.v)
      .unroll(n.xo)
      .gpu_threads(n.xi)
      .gpu_blocks(n.y);
  f.compute_at(g, n.y)
      .store_in(MemoryType::Register)
      .split(n.x, n.xo, n.v, 4)
      .split(n.xo, n.xo, n.xi, 64)
      .vectorize(n.v)
      .unroll(n.xo)
      .gpu_threads(n.xi);
  expect_right_on_gpu({g}, {512, 3}, {in}, 0, 16);
  EXPECT_EQ(count_lines({g}, "barrier"), 0);
  EXPECT_EQ(count_ptx({g}, "\\.local", 16), 0);
}

// A loop over rows that two stages share ends with the rows. Threads that store elements of their
// own wait for nobody within a row; rows lie as far apart as the caller says, so they wait there.
TEST(Gpu, RowsOfABlockOneAfterTheOther) {
  Vars n;
  const Var yo("yo"), yi("yi");
  const ImageParam in = random_image(Int(32), {256, 10});
  Func f("f"), g("g");
  f(n.x, n.y) = in(n.x, n.y) * 3;
  g(n.x, n.y) = f(n.x, n.y) + f(n.x, n.y) / 2;
  g.bound_extent(n.x, 256)
      .split(n.y, yo, yi, 4)
      .split(n.x, n.xo, n.xi, 64)
      .reorder(n.xi, n.xo, yi, yo)
      .unroll(n.xo)
      .gpu_threads(n.xi)
      .gpu_blocks(yo);
  f.compute_at(g, yi)
      .store_in(MemoryType::Register)
      .split(n.x, n.xo, n.xi, 64)
      .unroll(n.xo)
      .gpu_threads(n.xi);
  expect_right_on_gpu({g}, {256, 10}, {in});
  EXPECT_EQ(count_lines({g}, "barrier"), 1);
  EXPECT_EQ(count_lines({g}, "for "), 1);
  EXPECT_EQ(count_lines({g}, "if g."), 0);
}

TEST(Gpu, TooManyThreadsAreRefused) {
  Vars n;
  Func f("f"), g("g");
  f(n.x, n.y) = n.x + n.y;
  f.gpu_tile(n.x, n.y, n.xi, n.yi, 64, 32);
  EXPECT_EQ(gpu_refusal({f}), "f: gpu_threads: 2048 threads in a block; the most is 1024");
  g(n.x, n.y) = n.x + n.y;
  g.gpu_tile(n.x, n.y, n.xi, n.yi, 32, 32);
  expect_right_on_gpu({g}, {40, 40});
}

TEST(Gpu, SerialLoopsAroundThreads) {
  Vars n;
  const ImageParam in = random_image(Int(32), {70, 32});
  Func f("f"), g("g");
  RDom r(0, 32, "r");
  f(n.x, n.y) = in(n.x, n.y) * 2;
  g(n.x) = 0;
  g(n.x) += f(n.x, r) + f(n.x + 5, r);
  g.gpu_tile(n.x, n.xo, n.xi, 64);
  g.update().split(n.x, n.xo, n.xi, 64).reorder(n.xi, r, n.xo).gpu_blocks(n.xo).gpu_threads(n.xi);
  f.compute_at(g, r).gpu_threads(n.x);
  expect_right_on_gpu({g}, {64}, {in});
  EXPECT_EQ(count_lines({g}, "barrier"), 2);  // after the producer, and before its next run
}

}  // namespace
}  // namespace sinter::test
