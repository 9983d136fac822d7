// From a user's text to an Algorithm: names, orders, and the definitions it prints.

#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include "dsl/algorithm/collect.h"

namespace sinter {
namespace {

TEST(Collect, BlurHasItsProducersFirst) {
  ImageParam input(Float(32), 2, "input");
  Var x("x"), y("y");
  Func blur_x("blur_x"), blur_y("blur_y");
  Func clamped = BoundaryConditions::repeat_edge(input);
  blur_x(x, y) = (clamped(x - 1, y) + clamped(x, y) + clamped(x + 1, y)) / 3;
  blur_y(x, y) = (blur_x(x, y - 1) + blur_x(x, y) + blur_x(x, y + 1)) / 3;
  const Algorithm algorithm = collect({blur_y});
  EXPECT_EQ(
      to_string(algorithm),
      "image input: f32, 2-d\n"
      "stage repeat_edge: f32\n"
      "  repeat_edge(_0, _1) = input(max(min(_0, input.min(0) + input.extent(0) - 1), "
      "input.min(0)), "
      "max(min(_1, input.min(1) + input.extent(1) - 1), input.min(1)))\n"
      "stage blur_x: f32\n"
      "  blur_x(x, y) = (repeat_edge(x - 1, y) + repeat_edge(x, y) + repeat_edge(x + 1, y))/3.0f\n"
      "output blur_y: f32\n"
      "  blur_y(x, y) = (blur_x(x, y - 1) + blur_x(x, y) + blur_x(x, y + 1))/3.0f\n");
}

TEST(Collect, MatrixProductIsAnUpdateOverItsDomain) {
  ImageParam a(Float(32), 2, "A"), b(Float(32), 2, "B");
  Var i("i"), j("j");
  RDom k(0, a.width(), "k");
  Func c("C");
  c(j, i) += a(k, i) * b(k, j);
  EXPECT_EQ(to_string(collect({c})),
            "image A: f32, 2-d\n"
            "image B: f32, 2-d\n"
            "output C: f32\n"
            "  C(j, i) = 0.0f\n"
            "  C(j, i) = fma(A(k.x, i), B(k.x, j), C(j, i))\n"
            "    over k.x in [0, +A.extent(0))\n");
}

}  // namespace
}  // namespace sinter
