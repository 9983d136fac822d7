#include "tests/unit/lowering/harness.h"

namespace sinter::test {
namespace {

struct Blur {
  ImageParam in{UInt(16), 2, "in"};
  Var x{"x"}, y{"y"};
  Func blur_x{"blur_x"}, blur_y{"blur_y"};
  Blur() {
    blur_x(x, y) = (in(x - 1, y) + in(x, y) + in(x + 1, y)) / 3;
    blur_y(x, y) = (blur_x(x, y - 1) + blur_x(x, y) + blur_x(x, y + 1)) / 3;
  }
  Inputs inputs(int w, int h) { return {{{in, random_buffer(UInt(16), {w + 2, h + 2}, {-1, -1}, 1)}}}; }
};

TEST(Lower, BlurInlined) {
  Blur b;
  const auto scheduled = schedule::resolve(collect({b.blur_y}), {}, "blur");
  EXPECT_EQ(compare_all(scheduled, {b.blur_y}, {13, 9}, b.inputs(13, 9)), "");
}

TEST(Lower, BlurAtRoot) {
  Blur b;
  schedule::Schedule s;
  s.entries.push_back({{b.blur_x.contents()->definition.id, 0}, schedule::ComputeRoot{}, {}, {}});
  const auto scheduled = schedule::resolve(collect({b.blur_y}), s, "blur");
  EXPECT_EQ(compare_all(scheduled, {b.blur_y}, {13, 9}, b.inputs(13, 9)), "");
}

TEST(Lower, MatrixProductWithDefaultPlacement) {
  ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
  Var i("i"), j("j");
  RDom k(0, 7, "k");
  Func c("c"), d("d");
  c(j, i) += a(k, i) * b(j, k);
  d(j, i) = c(j, i) * 2.0f;
  Inputs inputs{{{a, random_buffer(Float(32), {7, 5}, {0, 0}, 1)}, {b, random_buffer(Float(32), {6, 7}, {0, 0}, 2)}}};
  const auto scheduled = schedule::resolve(collect({d}), {}, "product");
  EXPECT_EQ(compare_all(scheduled, {d}, {6, 5}, inputs), "");
}

}  // namespace
}  // namespace sinter::test
