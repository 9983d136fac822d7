// Streaming accesses and limits of kernels, in the PTX and in what it computes.

#include "tests/gpu/gpu_test.h"

namespace sinter::test {
namespace {

/// out(x, y) = a(x, y) + b(x, y) on vectors of `lanes`, all of it streaming.
struct Add {
  Var x{"x"}, y{"y"}, v{"v"}, t{"t"};
  ImageParam a, b;
  Func out{"out"};
  Add(Type type, int lanes)
      : a(random_image(type, {256, 3}, "a")), b(random_image(type, {256, 3}, "b")) {
    out(x, y) = cast(type, a(x, y) + b(x, y));
    out.split(x, x, v, lanes).vectorize(v).split(x, x, t, 8).gpu_blocks(x, y).gpu_threads(t);
    out.stream_loads(a).stream_stores();
  }
};

TEST(Streams, OfEveryTypeAndWidth) {
  for (const Type type : {UInt(8), BFloat(16), Int(32), Float(32), Int(64)}) {
    for (const int lanes : {1, 3, 8}) {
      Add p(type, lanes);
      SCOPED_TRACE(to_string(type) + " x " + std::to_string(lanes));
      const int aligned = lanes == 8 ? 16 : 0;
      expect_right_on_gpu({p.out}, {256, 3}, {p.a, p.b}, 0, aligned);
      EXPECT_GT(count_ptx({p.out}, "ld.global.nc.L1::no_allocate", aligned), 0);
      EXPECT_EQ(count_ptx({p.out}, "st.global.", aligned),
                count_ptx({p.out}, "st.global.cs.", aligned));
    }
  }
}

TEST(Streams, AreOneInstructionOf16BytesWhereRowsAreAligned) {
  Add p(BFloat(16), 8);
  EXPECT_EQ(count_ptx({p.out}, "ld.global.nc.L1::no_allocate.v4.b32", 16), 1);
  EXPECT_EQ(count_ptx({p.out}, "st.global.cs.v4.b32", 16), 1);
  EXPECT_EQ(count_ptx({p.out}, "ld.global.nc.v4", 16), 1);  // b is no stream
  Add q(Int(64), 2);
  EXPECT_EQ(count_ptx({q.out}, "ld.global.nc.L1::no_allocate.v2.b64", 16), 1);
}

TEST(Streams, OfWhatTheKernelWritesAreNoConstants) {
  Var x("x"), t("t");
  Func f("f"), out("out");
  f(x) = x;
  f(x) = f(x) * 3;
  f(x) = f(x) + 1;
  out(x) = f(x) + 1;
  f.compute_root().stream_loads().stream_stores().gpu_tile(x, t, 32);
  for (const int update : {0, 1}) f.update(update).gpu_tile(x, t, 32);
  out.gpu_tile(x, t, 32).stream_loads();
  expect_right_on_gpu({out}, {100});
  EXPECT_GT(count_ptx({out}, "ld.global.cs"), 0);
}

/// Nothing in the loop changes a(x), but the condition alone says whether it may be read.
TEST(Streams, StayInTheirGuards) {
  Var x("x"), t("t");
  const ImageParam a = random_image(Float(32), {64}, "a");
  const ImageParam mask = random_image(UInt(8), {64, 40}, "mask");
  RDom r(0, mask.dim(1).extent(), "r");
  r.where(mask(x, r) > 100);
  Func out("out");
  out(x) = 0.0f;
  out(x) += a(x) * cast<float>(mask(x, r));
  out.gpu_tile(x, t, 32);
  out.update().gpu_tile(x, t, 32);
  out.stream_loads(a);
  expect_right_on_gpu({out}, {64}, {a, mask});
  EXPECT_GT(count_ptx({out}, "no_allocate"), 0);
  EXPECT_EQ(count_ptx({out}, "no_allocate[^}]*ld.global.nc.u8"), 0);
}

TEST(KernelLimits, AreInThePtx) {
  Add p(Int(32), 4);
  p.out.gpu_max_registers(40);
  EXPECT_EQ(count_ptx({p.out}, ".maxnreg 40"), 1);
  expect_right_on_gpu({p.out}, {256, 3}, {p.a, p.b});
  Add q(Int(32), 4);
  q.out.gpu_min_blocks(3);
  EXPECT_EQ(count_ptx({q.out}, ".minnctapersm 3"), 1);
  EXPECT_EQ(count_ptx({q.out}, ".maxnreg"), 0);
  expect_right_on_gpu({q.out}, {256, 3}, {q.a, q.b});
}

TEST(KernelLimits, OfMoreThreadsThanRunAtATimeAreRefused) {
  Var x("x"), t("t");
  Func out("out");
  out(x) = x;
  out.gpu_tile(x, t, 512).gpu_min_blocks(5);
  EXPECT_EQ(gpu_refusal({out}),
            "out: gpu_min_blocks(5): a block has 512 threads, and a multiprocessor runs at most "
            "2048 at a time");
}

}  // namespace
}  // namespace sinter::test
