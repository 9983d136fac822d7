// The smallest GPU schedules that random testing has shown to be wrong.
#include <sinter/reduction.h>

#include "tests/gpu/gpu_test.h"

namespace sinter::test {
namespace {

const Var x("x"), y("y"), xo("xo"), xi("xi");

TEST(GpuFound, LoopsOfGpuSingleThreadAreNotSplit) {
  Func f("f");
  f() = 3;
  std::string reason;
  try {
    f.gpu_single_thread().unroll(Var("thread"), 2);
  } catch (const ScheduleError& e) {
    reason = e.diagnostic().reason;
  }
  EXPECT_EQ(reason,
            "'thread' is the one thread or block of gpu_single_thread(): it has one iteration");
}

TEST(GpuFound, InlineStagesHaveNoThreads) {
  Func s("s"), f("f");
  const RDom r(0, 3, "r");
  s(x) = 0;
  s(x) += x + r;
  s.update().split(x, x, xi, 4).gpu_threads(xi);
  f(x) = s(x);
  f.gpu_tile(x, xo, xi, 8);
  std::string reason;
  try {
    reason = gpu_refusal({f});
  } catch (const Error& e) {
    reason = e.diagnostic().reason;
  }
  EXPECT_NE(
      reason.find("the stage is computed inline: its loops run inside each thread that uses it"),
      std::string::npos)
      << reason;
}

TEST(GpuFound, ParallelLoopsOfInlineStagesAreSerialInKernels) {
  Func s("s"), f("f");
  const RDom r(0, 3, "r");
  s(x) = 0;
  s(x) += x + r;
  s.update().parallel(x);
  f(x) = s(x);
  f.gpu_tile(x, xo, xi, 8);
  expect_right_on_gpu({f}, {20});
}

TEST(GpuFound, AtomicUpdatesOfAThreadsOwnStage) {
  const ImageParam in = random_image(Int(32), {40});
  for (const Type t : {Int(8), Int(32)}) {
    SCOPED_TRACE(to_string(t));
    Func s("s"), f("f");
    const RDom r(0, 5, "r");
    s(x) = cast(t, 0);
    s(x) += cast(t, in(x + r));
    f(x) = s(x) * cast(t, 2);
    f.gpu_tile(x, xo, xi, 8);
    s.compute_at(f, xi).update().atomic();
    expect_right_on_gpu({f}, {30}, {in});
  }
}

TEST(GpuFound, AtomicUpdatesOfSmallElementsAreRefused) {
  for (const Type t : {UInt(8), Int(16)}) {
    const ImageParam in = random_image(UInt(8), {64});
    Func hist("hist");
    const RDom r(0, 64, "r");
    const RVar ro("ro"), ri("ri");
    hist(x) = cast(t, 0);
    hist(i32(in(r))) += cast(t, 1);
    hist.gpu_tile(x, xi, 64);
    hist.update().atomic().split(r, ro, ri, 8).gpu_blocks(ro).gpu_threads(ri);
    const std::string reason = gpu_refusal({hist});
    EXPECT_NE(
        reason.find("an indivisible update of 'hist.0', whose elements are smaller than 4 bytes"),
        std::string::npos)
        << reason;
  }
}

// What stands between two loops over threads every thread computes for itself.
TEST(GpuFound, AStageBetweenLoopsOverThreads) {
  const Var yi("yi");
  Func s("s"), f("f");
  s(x) = x * 7;
  f(x, y) = s(x / 2) + s(y);
  f.gpu_tile(x, y, xi, yi, 8, 4);
  s.compute_at(f, yi);
  const std::string reason = gpu_refusal({f});
  EXPECT_NE(reason.find("the size of 's' inside the kernel is not a constant"), std::string::npos)
      << reason;
  Func t("t"), g("g");
  t(x) = x * 7;
  g(x, y) = t(y) + t(y + 1);
  g.gpu_tile(x, y, xi, yi, 8, 4);
  t.compute_at(g, yi);
  expect_right_on_gpu({g}, {21, 10});
}

// A row of one element is computed by the first thread alone.
TEST(GpuFound, RegistersThatOneThreadFillsAreNotAllThreads) {
  const ImageParam in = random_image(Int(16), {4});
  Func s("s"), f("f");
  s(x) = in(0) + cast(Int(16), x);
  f(x, y) = s(0);
  f.gpu_tile(x, y, xi, xo, 2, 8);
  s.compute_at(f, x).store_in(MemoryType::Register).split(x, x, Var("t"), 8).gpu_threads(Var("t"));
  const std::string reason = gpu_refusal({f});
  EXPECT_NE(reason.find("only some of the threads that hold an element compute it"),
            std::string::npos)
      << reason;
}

TEST(GpuFound, RegistersHoldWholePartsOfARow) {
  const ImageParam in = random_image(Int(16), {40});
  Func s("s"), f("f");
  s(x) = in(x);
  f(x, y) = s(x);
  f.gpu_tile(x, y, xi, xo, 2, 8);
  s.compute_at(f, x)
      .store_in(MemoryType::Register)
      .unroll(x, 3)
      .split(x, x, Var("t"), 8)
      .gpu_threads(Var("t"));
  const std::string reason = gpu_refusal({f});
  EXPECT_NE(reason.find("the lanes of a warp need different ones of another lane's elements"),
            std::string::npos)
      << reason;
  Func t("t"), g("g");
  t(x) = in(x);
  g(x) = t(x);
  g.bound_extent(x, 35)
      .split(x, xo, xi, 3)
      .unroll(xi)
      .split(xo, xo, Var("t"), 32)
      .gpu_threads(Var("t"))
      .gpu_blocks(xo);
  t.compute_at(g, xo)
      .store_in(MemoryType::Register)
      .split(x, xo, xi, 3)
      .unroll(xi)
      .split(xo, xo, Var("t"), 32)
      .gpu_threads(Var("t"));
  expect_right_on_gpu({g}, {35}, {in});
}

// A comparison of two halves in one instruction.
TEST(GpuFound, VectorsOfHalvesAreCompared) {
  const ImageParam a = random_image(Float(16), {64}, "a"), b = random_image(BFloat(16), {64}, "b");
  Func f("f");
  f(x) = Tuple(select(is_nan(a(x)), cast(Float(16), 1.0f), a(x)),
               select(b(x) < b(63 - x), b(x), cast(BFloat(16), 2.0f)), max(a(x), a(63 - x)),
               i32(a(x)));
  f.vectorize(x, 4).gpu_tile(x, xo, xi, 8);
  expect_right_on_gpu({f}, {64}, {a, b});
}

TEST(GpuFound, ThreadsDoNotRunInsideATileThatIsShifted) {
  Func f("f");
  f(x) = x * 3;
  f.split(x, x, xi, 2, TailStrategy::ShiftInwards)
      .reorder(x, xi)
      .split(xi, xo, xi, 2)
      .gpu_blocks(xo)
      .gpu_threads(xi);
  std::string reason;
  try {
    reason = gpu_refusal({f});
  } catch (const Error& e) {
    reason = e.diagnostic().reason;
  }
  EXPECT_NE(
      reason.find(
          "with TailStrategy::ShiftInwards two blocks or threads would write the same element"),
      std::string::npos)
      << reason;
}

// The other half of a splat is undefined until it is filled.
TEST(GpuFound, HalvesOfPairsAreDefinedApart) {
  Func s("s"), f("f");
  s() = Tuple(0, 5);
  f(x, y) = cast(Int(16), 0);
  f(x, y) = cast(Int(16), s()[0]) + cast(Int(16), 0 - x);
  f.update().vectorize(x, 4, TailStrategy::GuardWithIf).gpu_blocks(x);
  s.compute_root();
  expect_right_on_gpu({f}, {6, 2});
}

TEST(GpuFound, TheHostReadsPartOfAStageOfTheDevice) {
  Func s("s"), t("t"), f("f");
  s(x) = cast(Int(64), x);
  t(x, y) = Tuple(cast(Int(16), 0), f32(s(clamp(x, -1, 5))));
  f(x, y) = i32(t(x, 0)[1]);
  s.compute_root().gpu_tile(x, xi, 2, TailStrategy::GuardWithIf);
  expect_right_on_gpu({f}, {1, 1});
}

TEST(GpuFound, PairsOfSmallIntegers) {
  const ImageParam a = random_image(Int(16), {64}, "a"), b = random_image(UInt(16), {64}, "b");
  Func f("f");
  f(x) = Tuple(min(a(x), a(63 - x)) + cast(Int(16), 3), max(b(x), b(63 - x)) + b(x));
  f.vectorize(x, 4).gpu_tile(x, xo, xi, 8);
  expect_right_on_gpu({f}, {64}, {a, b});
}

TEST(GpuFound, VectorsOfBytesAreMadeOfUndefinedOnes) {
  const ImageParam in = random_image(Float(32), {8, 8});
  Func s("s"), sum("sum"), f("f");
  const RDom r(-1, 4, "r");
  s() = 57354;
  s() = i32(in(0, 0));
  sum() = cast(Int(8), 0);
  sum() += cast(Int(8), s()) + cast(Int(8), i32(r));
  f(x, y) = Tuple(cast(UInt(32), 0), sum(), 0);
  f.vectorize(x, 4, TailStrategy::GuardWithIf).gpu_tile(x, xo, xi, 8);
  expect_right_on_gpu({f}, {12, 2}, {in});
}

TEST(GpuFound, DataDecidesWhetherSharedMemoryIsTouched) {
  const ImageParam in = random_image(Float(32), {8});
  Func s("s"), t("t"), f("f");
  s() = in(0);
  t(x) = 0.0f;
  RDom r(0, 8, "r");
  r.where(s() > -1.0f);
  t(r) += 1.0f;
  f(x) = t(x) + t(7 - x);
  s.compute_root();
  t.compute_at(f, xo).store_in(MemoryType::GPUShared);
  f.bound(x, 0, 8).gpu_tile(x, xo, xi, 8);
  expect_right_on_gpu({f}, {8}, {in});
}

}  // namespace
}  // namespace sinter::test
