// Lesson 7: boundary conditions, and what numbers mean. The page beside this file explains it.

#include <cmath>
#include <cstdio>

#include <sinter/sinter.h>

using namespace sinter;

namespace {

bool good = true;

void expect(bool condition, const char* what) {
  good = good && condition;
  if (!condition) std::printf("not as expected: %s\n", what);
}

template <typename T>
T one(const Expr& e) {
  Func f("f");
  f() = e;
  Buffer<T> result = f.realize();
  return result();
}

}  // namespace

int main() {
  Var x("x");

  // --- Boundary conditions: a row of four samples, asked for from -3 to 6.
  Buffer<int> row(4);
  for (int i = 0; i < 4; ++i) row(i) = i + 1;
  const auto print = [](const char* name, Func f) {
    Buffer<int> around(10);
    around.set_min(-3);
    f.realize(around);
    std::printf("%-18s", name);
    around.for_each_value([](int v) { std::printf(" %d", v); });
    std::printf("\n");
  };
  print("constant_exterior", BoundaryConditions::constant_exterior(row, 0));
  print("repeat_edge", BoundaryConditions::repeat_edge(row));
  print("repeat_image", BoundaryConditions::repeat_image(row));
  print("mirror_image", BoundaryConditions::mirror_image(row));
  print("mirror_interior", BoundaryConditions::mirror_interior(row));

  // --- Integers wrap in their type; division rounds down, so that remainders are not negative.
  std::printf("u8(200) + u8(100) = %d\n", one<std::uint8_t>(u8(200) + u8(100)));
  std::printf("-7 / 2 = %d, -7 %% 2 = %d\n", one<int>(Expr(-7) / 2), one<int>(Expr(-7) % 2));
  std::printf("u8_sat(300) = %d\n", one<std::uint8_t>(u8_sat(Expr(300))));
  expect(one<std::uint8_t>(u8(200) + u8(100)) == 44, "wrapping");
  expect(one<int>(Expr(-7) / 2) == -4 && one<int>(Expr(-7) % 2) == 1, "division");

  // --- A coordinate is a number of Z and never wraps; the same text as data is a wrapping i32.
  Func data("data");
  data(x) = x * 65536;
  Buffer<int> far(1);
  far.set_min(40000);
  data.realize(far);
  std::printf("x * 65536 as data at x = 40000: %d\n", far(40000));

  // --- A definition's product that is added is rounded once, with the sum: an fma. strict keeps
  // both.
  const float a = 1.0f + std::ldexp(1.0f, -12);
  Param<float> p("p", a), q("q", -1.0f);
  const float contracted = one<float>(p * p + q), two_roundings = one<float>(strict(p * p) + q);
  std::printf("p * p - 1: one rounding %.10g, two roundings %.10g\n", double(contracted),
              double(two_roundings));
  expect(contracted == std::fma(a, a, -1.0f), "contraction");
  expect(two_roundings == a * a - 1.0f, "strict");

  // --- Halves: arithmetic is done in f32. Rounding happens where a definition says so.
  Func half("half"), sum("sum"), rounded("rounded");
  half(x) = bf16(1.0f / 256.0f);
  sum(x) = half(x) + f32(1);
  rounded(x) = bf16(half(x) + f32(1));
  std::printf("half is %s, half + 1 is %s\n", to_string(half.type()).c_str(),
              to_string(sum.type()).c_str());
  Buffer<float> exact = sum.realize({1});
  Buffer<bfloat16_t> coarse = rounded.realize({1});
  std::printf("as f32: %.8f, as bf16: %.8f\n", double(exact(0)), double(float(coarse(0))));
  expect(exact(0) == 1.00390625f && float(coarse(0)) == 1.0f, "bf16");

  // --- Float to integer truncates and saturates; NaN gives 0; min and max skip a NaN.
  Param<float> nan("nan", std::nanf(""));
  std::printf("u8(300.7f) = %d, i32(nan) = %d, max(nan, 2) = %g\n",
              one<std::uint8_t>(u8(Expr(300.7f))), one<int>(i32(nan)),
              double(one<float>(max(Expr(nan), 2.0f))));
  return good ? 0 : 1;
}
