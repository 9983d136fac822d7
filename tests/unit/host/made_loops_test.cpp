// What loops made by fuse() and reduce_across() read of an image: exactly what they need.

#include <functional>

#include <gtest/gtest.h>

#include <sinter/sinter.h>

namespace sinter::test {
namespace {

TEST(MadeLoops, OfPureLoops) {
  Var x("x"), y("y"), z("z"), w("w"), t("t"), xo("xo"), xi("xi");
  Buffer<float> in(11, 7, 3, 5);
  in.for_each_element(
      [&](int i, int j, int k, int l) { in(i, j, k, l) = float(i + 3 * j + 100 * k + 1000 * l); });
  const auto expect_fits = [&](const std::function<void(Func&, Func&)>& schedule) {
    ImageParam image(Float(32), 4, "image");
    Func g("g"), f("f");
    g(x, y, z, w) = image(x, y, z, w) * 2.0f;
    f(x, y, z, w) = g(x, y, z, w) + g(x + 1, y, z, w);
    schedule(f, g);
    image.set(in);
    const Buffer<float> result = f.realize({10, 7, 3, 5});
    result.for_each_element([&](int i, int j, int k, int l) {
      ASSERT_EQ(result(i, j, k, l), 2 * in(i, j, k, l) + 2 * in(i + 1, j, k, l));
    });
  };
  expect_fits([&](Func& f, Func& g) {
    f.reorder(x, z, y, w).fuse(y, w, t);
    g.compute_at(f, x);
  });
  expect_fits([&](Func& f, Func& g) {
    f.reorder(x, z, y, w).fuse(y, w, t).parallel(t);
    g.compute_at(f, t);
  });
  expect_fits([&](Func& f, Func& g) {
    f.split(x, xo, xi, 4).reorder(xi, z, xo, y, w).fuse(y, w, t).fuse(xo, t, t).parallel(t);
    g.compute_at(f, t);
  });
  expect_fits([&](Func& f, Func& g) {
    f.fuse(x, y, t).fuse(t, z, t).fuse(t, w, t).parallel(t);
    g.compute_root();
  });
}

TEST(MadeLoops, OfReductionLoopsBeforeATree) {
  Var x("x");
  RVar t("t");
  Buffer<float> in(11, 7);
  in.for_each_element([&](int i, int j) { in(i, j) = float(i + 3 * j); });
  ImageParam image(Float(32), 2, "image");
  const RDom r(image, "r");
  Func f("f");
  f(x) = 0.0f;
  f(x) += image(r.x, r.y);
  f.update().fuse(r.x, r.y, t).reduce_across(t, {4, 8});
  image.set(in);
  float sum = 0;  // exact in any order
  in.for_each_element([&](int i, int j) { sum += in(i, j); });
  const Buffer<float> result = f.realize({2});
  EXPECT_EQ(result(1), sum);
}

// 2 * r of a tree whose r = 32 * t + 4 * i + j + 1 stays below 11 ends at 20, not with a whole
// step.
TEST(MadeLoops, OfATreeThatReadsEverySecondElement) {
  Var x("x");
  Buffer<int> in(21);
  in.for_each_element([&](int i) { in(i) = i * i; });
  ImageParam image(Int(32), 1, "image");
  const RDom r(1, 10, "r");
  Func f("f");
  f(x) = 0;
  f(x) += image(r * 2);
  f.update().reduce_across(r, {4, 8});
  image.set(in);
  int sum = 0;
  for (int i = 1; i <= 10; ++i) sum += in(2 * i);
  const Buffer<int> result = f.realize({1});
  EXPECT_EQ(result(0), sum);
}

}  // namespace
}  // namespace sinter::test
