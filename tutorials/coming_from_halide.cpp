// The code of coming_from_halide.md, run. A program that includes <sinter/halide.h> may say
// Halide::.

#include <cmath>
#include <cstdio>

#include <sinter/halide.h>
#include <sinter/sinter.h>

using namespace Halide;

namespace {

bool good = true;

void report(const char* what, bool holds) {
  good = good && holds;
  std::printf("%-58s %s\n", what, holds ? "yes" : "NO");
}

template <typename T>
T one(const Expr& e) {
  Func f("f");
  f() = e;
  return Buffer<T>(f.realize())();
}

}  // namespace

int main() {
  Var x("x"), y("y"), xi("xi"), yi("yi"), u("u");

  // --- The same text.
  ImageParam input(UInt(16), 2, "input");
  Func blur_x("blur_x"), blur_y("blur_y");
  blur_x(x, y) = (input(x, y) + input(x + 1, y) + input(x + 2, y)) / 3;
  blur_y(x, y) = (blur_x(x, y) + blur_x(x, y + 1) + blur_x(x, y + 2)) / 3;
  blur_y.tile(x, y, xi, yi, 64, 8).vectorize(xi, 8).parallel(y);
  blur_x.compute_at(blur_y, x).vectorize(x, 8);
  Buffer<uint16_t> picture(80, 50);
  picture.fill(6);
  input.set(picture);
  Buffer<uint16_t> blurred = blur_y.realize({78, 48});
  report("the classic blur compiles and runs", blurred.all_equal(6));

  // --- Types of Funcs.
  Func a("a"), b("b"), s("s"), t("t");
  a(x) = bf16(f32(x) / 3.0f);
  b(x) = bf16(1.0f);
  s(x) = a(x) + b(x);
  t(x) = bf16(a(x) + b(x));
  report("the sum of two bf16 Funcs is an f32 Func",
         s.type() == Float(32) && t.type() == BFloat(16));

  // --- Contraction is part of the definition, not of the compiler's mood.
  Param<float> p("p", 1.0f + std::ldexp(1.0f, -12)), q("q", -1.0f);
  const float fused = one<float>(p * p + q);
  const float apart = one<float>(strict(p * p) + q);
  report("p * p + q is one fma, strict(p * p) + q is not",
         fused == std::fma(p.get(), p.get(), -1.0f) && apart != fused);

  // --- Integers.
  Param<int> minus_seven("minus_seven", -7), zero("zero", 0), many("many", 40);
  report("-7 / -2 = 4, -7 % -2 = 1: Euclidean",
         one<int>(minus_seven / -2) == 4 && one<int>(minus_seven % -2) == 1);
  report("x / 0 = 0 and x % 0 = 0",
         one<int>(minus_seven / zero) == 0 && one<int>(minus_seven % zero) == 0);
  report("shifts by the width give 0, or the sign",
         one<int>(Expr(1) << many) == 0 && one<int>(minus_seven >> many) == -1);
  report("negative shifts go the other way",
         one<int>(Expr(8) << minus_seven) == 0 && one<int>(Expr(1) >> Expr(-3)) == 8);

  // --- NaN.
  Param<float> nan("nan", std::nanf(""));
  report("min and max skip a NaN on either side",
         one<float>(max(nan, 2.0f)) == 2.0f && one<float>(min(2.0f, Expr(nan))) == 2.0f);
  report("NaN becomes the integer 0", one<int>(i32(nan)) == 0);

  // --- Law 1: a schedule never changes the result.
  RDom r(0, 64, "r");
  Func sum("sum");
  sum() = 0.0f;
  sum() += 1.0f / f32(r + 1);
  try {
    Func wrong("wrong");
    wrong() = 0.0f;
    wrong() += 1.0f / f32(r + 1);
    wrong.update().atomic().parallel(r);
    wrong.realize();
    report("a float reduction cannot be made parallel in place", false);
  } catch (const ScheduleError& error) {
    report("a float reduction cannot be made parallel in place", error.diagnostic().line != 0);
  }
  Func partial = sum.update().reduce_across(r, {1, 8});
  partial.compute_root();
  Buffer<float> tree = sum.realize();
  float lanes[8] = {};
  for (int i = 0; i < 64; ++i) lanes[i % 8] += 1.0f / float(i + 1);
  for (int step = 4; step >= 1; step /= 2) {
    for (int i = 0; i < step; ++i) lanes[i] += lanes[i + step];
  }
  report("reduce_across writes the tree into the algorithm", tree() == lanes[0]);

  // --- Schedules are values.
  Func ramp("ramp");
  ramp(x, y) = x + y;
  Schedule fast = Schedule::parse("ramp.vectorize(x, 8); ramp.parallel(y);", {ramp});
  Pipeline quick = Pipeline(ramp).with(fast);
  Buffer<int> one_way = Pipeline(ramp).realize({32, 4}), other_way = quick.realize({32, 4});
  report("one algorithm, two schedules in one process", one_way(31, 3) == other_way(31, 3));

  // --- Strides.
  Buffer<uint16_t> interleaved = Buffer<uint16_t>::make_interleaved(80, 50, 3);
  interleaved.fill(9);
  input.set(interleaved.sliced(2, 0));
  Buffer<uint16_t> again = blur_y.realize({78, 48});
  report("an input whose x is not dense needs no declaration", again.all_equal(9));
  return good ? 0 : 1;
}
