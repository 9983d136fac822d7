// What is written on an ImageParam: constraints on its buffers, and in().

#include <gtest/gtest.h>
#include <sinter/schedule.h>
#include <sinter/sinter.h>

#include "dsl/algorithm/collect.h"

namespace sinter::test {
namespace {

const Var x("x"), y("y"), c("c");

std::string refused(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const Error& e) {
    return e.diagnostic().reason;
  }
  return "accepted";
}

Buffer<int> counted(int width) {
  Buffer<int> b(width);
  b.for_each_element([&](int i) { b(i) = 10 * i; });
  return b;
}

TEST(ImageParam, ConstraintsAreCheckedAtEachCall) {
  ImageParam in(Int(32), 1, "in");
  Func f("f");
  f(x) = in(x) + in.width();
  in.dim(0).set_bounds(0, 8);
  in.set(counted(8));
  EXPECT_EQ(f.realize({4}).as<int>()(3), 38);
  in.set(counted(9));
  EXPECT_EQ(refused([&] { f.realize({4}); }),
            "input 'in': dimension 0 has extent 9, and the image is constrained to 8");
  in.dim(0).set_extent(9);  // compiled anew
  EXPECT_EQ(f.realize({4}).as<int>()(3), 39);
  Buffer<int> moved = counted(9);
  moved.set_min(-1);
  in.set(moved);
  EXPECT_EQ(refused([&] { f.realize({4}); }),
            "input 'in': dimension 0 has min -1, and the image is constrained to 0");
}

TEST(ImageParam, ConstraintsMayMentionParametersAndOtherImages) {
  ImageParam in(Int(32), 1, "in"), other(Int(32), 1, "other");
  Param<int> n("n", 8);
  Func f("f");
  f(x) = in(x);
  in.dim(0).set_extent(n).set_min(other.dim(0).min());
  in.set(counted(8));
  other.set(counted(3));
  EXPECT_EQ(f.realize({8}).as<int>()(7), 70);
  n.set(7);
  EXPECT_EQ(refused([&] { f.realize({4}); }),
            "input 'in': dimension 0 has extent 8, and the image is constrained to 7");
  n.set(8);
  Buffer<int> moved = counted(3);
  moved.set_min(1);
  other.set(moved);
  EXPECT_EQ(refused([&] { f.realize({4}); }),
            "input 'in': dimension 0 has min 0, and the image is constrained to 1");
  EXPECT_EQ(refused([&] { in.dim(0).set_extent(in(0)); }),
            "'in(0)' is not known before the pipeline runs");
  EXPECT_EQ(refused([&] { in.dim(0).set_extent(x); }), "'x' is not known before the pipeline runs");
  EXPECT_EQ(refused([&] { in.dim(1).set_extent(1); }), "it has 1 dimension");
}

TEST(ImageParam, AStrideOfInterleavedImages) {
  ImageParam in(UInt(8), 3, "in");
  Func f("f");
  f(x, y, c) = in(x, y, c);
  in.dim(0).set_stride(3);
  in.dim(2).set_stride(1).set_bounds(0, 3);
  const auto picture = Buffer<std::uint8_t>::make_interleaved(5, 4, 3);
  picture.for_each_element(
      [&](int i, int j, int k) { picture(i, j, k) = std::uint8_t(30 * i + 5 * j + k); });
  in.set(picture);
  const Buffer<std::uint8_t> result = f.realize({5, 4, 3});
  result.for_each_element(
      [&](int i, int j, int k) { EXPECT_EQ(result(i, j, k), picture(i, j, k)); });
  in.set(Buffer<std::uint8_t>(5, 4, 3));
  EXPECT_EQ(refused([&] { f.realize({5, 4, 3}); }),
            "input 'in': dimension 0 has stride 1, and the image is constrained to 3");
}

TEST(ImageParam, ConstraintsAreFactsAndPrint) {
  ImageParam in(Int(32), 1, "in");
  Func f("f");
  f(x) = in(clamp(x, 0, in.width() - 1));
  in.dim(0).set_bounds(0, 16);
  EXPECT_EQ(to_string(collect({f})),
            "image in: i32, 1-d, min(0) = 0, extent(0) = 16\n"
            "output f: i32\n"
            "  f(x) = in(max(min(x, 16 - 1), 0))\n");
}

TEST(ImageParam, ConstraintsHoldUnderAnotherSchedule) {
  ImageParam in(Int(32), 1, "in");
  Func f("f");
  f(x) = in(x);
  in.set(counted(8));
  Pipeline p = Pipeline(f).with(Schedule::parse("f.vectorize(x, 4);", {f}));
  EXPECT_EQ(p.realize({8}).as<int>()(7), 70);
  in.dim(0).set_extent(4);
  EXPECT_EQ(refused([&] { p.realize({8}); }),
            "input 'in': dimension 0 has extent 8, and the image is constrained to 4");
}

TEST(ImageParam, InferredBoundsKeepTheConstraints) {
  ImageParam in(Int(32), 1, "in");
  Func f("f");
  f(x) = in(x + 1);
  in.dim(0).set_bounds(0, 16);
  f.infer_input_bounds({8});
  EXPECT_EQ(in.get().min(0), 0);
  EXPECT_EQ(in.get().extent(0), 16);
}

TEST(ImageParam, InCopiesForAllCallers) {
  ImageParam in(Int(32), 1, "in");
  Func f("f"), g("g");
  f(x) = in(x) + in(x + 1);
  g(x) = f(x) + in(x);
  in.set(counted(9));
  in.in().compute_root();
  f.compute_root();
  const Buffer<int> result = g.realize({8});
  for (int i = 0; i < 8; ++i) EXPECT_EQ(result(i), 30 * i + 10);
  EXPECT_EQ(Schedule::of({g}).to_string({g}),
            "in_im.in();\nin_im.in().compute_root();\nf.compute_root();\n");
}

TEST(ImageParam, InCopiesForTheGivenCallers) {
  ImageParam in(Int(32), 2, "in");
  Func f("f"), g("g");
  f(x, y) = in(x, y) + in(y, x);
  g(x, y) = f(x, y) + in(x, y);
  Buffer<int> square(8, 8);
  square.for_each_element([&](int i, int j) { square(i, j) = 10 * i + j; });
  in.set(square);
  f.compute_root();
  in.in(f).compute_at(f, y).store_in(MemoryType::Stack);
  Var xi("xi"), xo("xo");
  in.in(f).split(Var("_0"), xo, xi, 4);
  const Buffer<int> result = g.realize({8, 8});
  result.for_each_element(
      [&](int i, int j) { EXPECT_EQ(result(i, j), 10 * i + j + 10 * j + i + 10 * i + j); });
  EXPECT_EQ(refused([&] {
              Func h("h");
              h(x) = x;
              in.in(h);
              g.realize({8, 8});
            }),
            "'h' does not call this stage");
}

TEST(ImageParam, InMadeAfterACallIsSeenByTheNextOne) {
  ImageParam in(Int(32), 1, "in");
  Func f("f");
  f(x) = in(x) * 2;
  in.set(counted(8));
  EXPECT_EQ(f.realize({8}).as<int>()(7), 140);
  in.in(f).compute_root();
  EXPECT_EQ(f.realize({8}).as<int>()(7), 140);
}

}  // namespace
}  // namespace sinter::test
