// Programs that a reader of the lowering thought up.
#include <sinter/reduction.h>

#include "tests/gpu/gpu_test.h"

namespace sinter::test {
namespace {

TEST(Read, ThreeThreadLoopsMayCrossAWarp) {
  Var c("c"), x("x"), y("y");
  const ImageParam in = random_image(Int(32), {3, 8, 4});
  Func s("s"), out("out");
  s(c, x, y) = in(c, x, y) * 2;
  out(c, x, y) = s(0, x, y) + s(c, x, y);
  out.bound(c, 0, 3).bound(x, 0, 8).bound(y, 0, 4);
  Var block("block");
  out.split(y, block, y, 4).gpu_blocks(block).gpu_threads(c, x, y);
  s.compute_at(out, block).store_in(MemoryType::Register).gpu_threads(c, x, y);
  EXPECT_NE(gpu_refusal({out}).find("another warp"),
            std::string::npos);  // thread 32 needs thread 30
}

TEST(Read, ThirdsOfADigitAreNoDigits) {
  Var x("x"), y("y"), block("block");
  const ImageParam in = random_image(Int(32), {4, 3});
  Func s("s"), out("out");
  s(x, y) = in(x, y) + 1;
  out(x, y) = s(x / 3, y);
  out.bound(x, 0, 10).bound(y, 0, 3).split(y, block, y, 3).gpu_blocks(block).gpu_threads(x, y);
  s.compute_at(out, block).store_in(MemoryType::Register).gpu_threads(x, y);
  expect_right_on_gpu({out}, {10, 3}, {in});
}

TEST(Read, ABarrierInALoopThatNeverRuns) {
  Var x("x"), xo("xo"), xi("xi");
  const ImageParam in = random_image(Int(32), {64});
  for (const int n : {0, 2}) {
    Param<int> count("count");
    count.set(n);
    RDom r(0, count, "r");
    Func s("s"), t("t"), out("out");
    s(x) = in(x) * 3;
    t(x) = 0;
    t(x) += s((x + r) % 64);
    out(x) = t(x) + s(63 - x);
    out.bound(x, 0, 64).split(x, xo, xi, 64).gpu_blocks(xo).gpu_threads(xi);
    s.bound(x, 0, 64).compute_at(out, xo).store_in(MemoryType::GPUShared).gpu_threads(x);
    t.bound(x, 0, 64)
        .compute_at(out, xo)
        .store_in(MemoryType::GPUShared)
        .gpu_threads(x)
        .update()
        .reorder(x, r)
        .gpu_threads(x);
    const Buffer<int> got(Pipeline(out).realize({64}, gpu_target()));  // the emulator reports races
    const Buffer<int> given(in.get());
    for (int i = 0; i < 64; ++i) {
      std::uint32_t wanted = 3U * static_cast<std::uint32_t>(given(63 - i));
      for (int k = 0; k < n; ++k) wanted += 3U * static_cast<std::uint32_t>(given((i + k) % 64));
      ASSERT_EQ(static_cast<std::uint32_t>(got(i)), wanted) << i;
    }
  }
}

}  // namespace
}  // namespace sinter::test
