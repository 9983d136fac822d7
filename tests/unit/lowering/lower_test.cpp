#include "tests/unit/lowering/harness.h"

#include "dsl/schedule/fluent.h"

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
  Inputs inputs(int w, int h) {
    return {{{in, random_buffer(UInt(16), {w + 2, h + 2}, {-1, -1}, 1)}}};
  }
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
  Inputs inputs{{{a, random_buffer(Float(32), {7, 5}, {0, 0}, 1)},
                 {b, random_buffer(Float(32), {6, 7}, {0, 0}, 2)}}};
  const auto scheduled = schedule::resolve(collect({d}), {}, "product");
  EXPECT_EQ(compare_all(scheduled, {d}, {6, 5}, inputs), "");
}

TEST(Lower, CoordinatesThatReadTheTupleAreOfBeforeItIsWritten) {
  Var x("x"), y("y");
  RDom r(0, 11, "r");
  Func f("f"), g("g");
  f(x, y) = Tuple(y, y);
  const Expr at = f(x, r)[0] + f(x, clamp(f(x, r)[1], 0, 10))[1] - r;
  f(x, clamp(at, 0, 10)) = Tuple(f(x, r)[0] + 1, 100 + r);
  g(x, y) = f(x, y)[0] + 3 * f(x, y)[1];
  f.compute_root();
  for (const bool vectorized : {false, true}) {
    if (vectorized) f.update().vectorize(x, 4);
    EXPECT_EQ(compare_all(schedule::resolve(collect({g}), schedule::schedule_of({g}), "test"), {g},
                          {11, 11}),
              "");
  }
}

TEST(Lower, CoordinatesBeyondInt32AreRefusedWhereverTheStageIsComputed) {
  for (const bool at_root : {true, false}) {
    Var x("x"), y("y");
    Func f("far"), g("near");
    f(x, y) = x + y;
    g(x, y) = f(x + 2147483600, y) + 1;
    if (at_root) f.compute_root();
    else f.compute_at(g, x);
    const auto scheduled = schedule::resolve(collect({g}), schedule::schedule_of({g}), "far");
    EXPECT_EQ(compare_all(scheduled, {g}, {40, 2}), "");
    const std::string refusal = compare_all(scheduled, {g}, {60, 2});
    EXPECT_NE(refusal.find("stage 'far': the stage is needed"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("int32"), std::string::npos);
  }
}

TEST(Lower, InputsNameTheirReaders) {
  Blur b;
  const auto scheduled = schedule::resolve(collect({b.blur_y}), {}, "blur");
  const Inputs small{{{b.in, random_buffer(UInt(16), {14, 11}, {-1, -1}, 1)}}};
  const std::vector<Buffer<>> out = make_outputs({b.blur_y}, {13, 9});
  try {
    ir::interpret(lowering::lower(scheduled), bind(scheduled.algorithm, small, out));
    FAIL() << "the input is one column short";
  } catch (const RuntimeError& e) {
    EXPECT_EQ(e.diagnostic().reason,
              "input 'in': dimension 0 is read by blur_y in [-1, 13], but the buffer has [-1, 12]");
  }
}

}  // namespace
}  // namespace sinter::test
