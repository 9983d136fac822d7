// The oracle on algorithms written with the front end, against plain C++ loops.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include "dsl/algorithm/buffer_access.h"
#include "dsl/algorithm/collect.h"
#include "dsl/algorithm/evaluate.h"

namespace sinter {
namespace {

/// Evaluates `f` over the box of `out`; images and parameters have their values already.
void fill(const Func& f, const std::vector<BufferBase>& out) {
  const Collection c = collect_all({f});
  ir::Arguments arguments;
  for (std::size_t i = 0; i < c.images.size(); ++i)
    arguments.buffers[c.images[i]->id] = view_of(c.images[i]->buffer);
  for (const auto& p : c.parameters) {
    if (p->value) arguments.scalars[p->id] = *p->value;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    arguments.buffers[output_symbol(c.algorithm.stage(c.algorithm.outputs[0]), i)] =
        view_of(out[i]);
  }
  evaluate(c.algorithm, arguments);
}

Buffer<std::uint8_t> noise(int width, int height) {
  Buffer<std::uint8_t> b(width, height);
  std::uint32_t state = 1;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      b(x, y) = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  }
  return b;
}

const Var x("x"), y("y"), i("i");

TEST(EvaluateFrontEnd, BlursWithAClampedEdge) {
  const Buffer<std::uint8_t> in = noise(64, 64);
  Func padded("padded"), blur_x("blur_x"), blur_y("blur_y");
  padded(x, y) = u16(in(clamp(x, 0, 63), clamp(y, 0, 63)));
  blur_x(x, y) = padded(x - 1, y) + padded(x, y) + padded(x + 1, y);
  blur_y(x, y) = u8((blur_x(x, y - 1) + blur_x(x, y) + blur_x(x, y + 1)) / u16(9));
  Buffer<std::uint8_t> out(64, 64);
  fill(blur_y, {out});
  for (int v = 0; v < 64; ++v) {
    for (int u = 0; u < 64; ++u) {
      int sum = 0;
      for (int dv = -1; dv <= 1; ++dv)
        for (int du = -1; du <= 1; ++du)
          sum += in(std::clamp(u + du, 0, 63), std::clamp(v + dv, 0, 63));
      ASSERT_EQ(out(u, v), sum / 9) << u << ", " << v;
    }
  }
}

TEST(EvaluateFrontEnd, AHistogramAndItsRunningSum) {
  const Buffer<std::uint8_t> in = noise(40, 30);
  RDom r(0, 40, 0, 30, "r"), s(1, 255, "s");
  Func histogram("histogram"), sum("sum");
  histogram(i) = 0;
  histogram(i32(in(r.x, r.y))) += 1;
  sum(i) = histogram(i);
  sum(s) += sum(s - 1);
  Buffer<std::int32_t> out(256);
  fill(sum, {out});
  std::vector<int> expected(256, 0);
  for (int v = 0; v < 30; ++v)
    for (int u = 0; u < 40; ++u) ++expected[in(u, v)];
  for (std::size_t k = 0; k < 256; ++k) {
    if (k > 0) expected[k] += expected[k - 1];
    ASSERT_EQ(out(static_cast<int>(k)), expected[k]) << k;
  }
}

TEST(EvaluateFrontEnd, AFloatMatrixProductAddsInOrderWithOneRoundingEach) {
  Buffer<float> a(7, 5), b(6, 7);
  for (int v = 0; v < 5; ++v)
    for (int k = 0; k < 7; ++k) a(k, v) = static_cast<float>(std::sin(v * 7 + k));
  for (int k = 0; k < 7; ++k)
    for (int u = 0; u < 6; ++u) b(u, k) = static_cast<float>(std::cos(k * 6 + u));
  RDom k(0, 7, "k");
  Func c("c");
  c(x, y) = 0.0f;
  c(x, y) += a(k, y) * b(x, k);
  Buffer<float> out(6, 5);
  fill(c, {out});
  for (int v = 0; v < 5; ++v) {
    for (int u = 0; u < 6; ++u) {
      float sum = 0;
      for (int n = 0; n < 7; ++n) sum = std::fma(a(n, v), b(u, n), sum);
      ASSERT_EQ(out(u, v), sum);
    }
  }
}

TEST(EvaluateFrontEnd, ADomainWithAPredicateIsATriangle) {
  RDom r(0, 8, 0, 8, "r");
  r.where(r.x <= r.y);
  r.where(r.y < 6);
  Func count("count");
  count() = 0;
  count() += select(r.x >= 0, 1, 0);
  Buffer<std::int32_t> out = Buffer<std::int32_t>::make_scalar();
  fill(count, {out});
  EXPECT_EQ(out(), 21);
}

TEST(EvaluateFrontEnd, ATupleKeepsTheLargestAndItsPlace) {
  const Buffer<std::uint8_t> in = noise(50, 1);
  RDom r(0, 50, "r");
  Func best("best");
  best() = Tuple(0, u8(0));
  const Expr larger = in(r, 0) > best()[1];
  best() = Tuple(select(larger, r, best()[0]), select(larger, in(r, 0), best()[1]));
  Buffer<std::int32_t> place = Buffer<std::int32_t>::make_scalar();
  Buffer<std::uint8_t> value = Buffer<std::uint8_t>::make_scalar();
  fill(best, {place, value});
  int expected = 0;
  for (int k = 1; k < 50; ++k)
    if (in(k, 0) > in(expected, 0)) expected = k;
  EXPECT_EQ(place(), expected);
  EXPECT_EQ(value(), in(expected, 0));
}

TEST(EvaluateFrontEnd, ARecursiveFilterRunsBothWaysInEachDimension) {
  const Buffer<std::uint8_t> in = noise(12, 10);
  RDom rx(1, 11, "rx"), ry(1, 9, "ry");
  Func f("f");
  f(x, y) = f32(in(x, y));
  f(rx, y) += f(rx - 1, y) * 0.5f;
  f(11 - rx, y) += f(12 - rx, y) * 0.5f;
  f(x, ry) += f(x, ry - 1) * 0.25f;
  f(x, 9 - ry) += f(x, 10 - ry) * 0.25f;
  Buffer<float> out(12, 10);
  fill(f, {out});
  float e[10][12];
  for (int v = 0; v < 10; ++v)
    for (int u = 0; u < 12; ++u) e[v][u] = in(u, v);
  for (int v = 0; v < 10; ++v)
    for (int u = 1; u < 12; ++u) e[v][u] = std::fma(e[v][u - 1], 0.5f, e[v][u]);
  for (int v = 0; v < 10; ++v)
    for (int u = 10; u >= 0; --u) e[v][u] = std::fma(e[v][u + 1], 0.5f, e[v][u]);
  for (int u = 0; u < 12; ++u)
    for (int v = 1; v < 10; ++v) e[v][u] = std::fma(e[v - 1][u], 0.25f, e[v][u]);
  for (int u = 0; u < 12; ++u)
    for (int v = 8; v >= 0; --v) e[v][u] = std::fma(e[v + 1][u], 0.25f, e[v][u]);
  for (int v = 0; v < 10; ++v)
    for (int u = 0; u < 12; ++u) ASSERT_EQ(out(u, v), e[v][u]) << u << ", " << v;
}

TEST(EvaluateFrontEnd, ASoftmaxUsesThePortableExponential) {
  Buffer<float> in(16, 4);
  for (int v = 0; v < 4; ++v)
    for (int u = 0; u < 16; ++u) in(u, v) = static_cast<float>(std::sin(u * 3 + v) * 5);
  RDom r(0, 16, "r");
  Func largest("largest"), e("e"), sum("sum"), softmax("softmax");
  largest(y) = -INFINITY;
  largest(y) = max(largest(y), in(r, y));
  e(x, y) = exp(in(x, y) - largest(y));
  sum(y) = 0.0f;
  sum(y) += e(r, y);
  softmax(x, y) = e(x, y) / sum(y);
  Buffer<float> out(16, 4);
  fill(softmax, {out});
  for (int v = 0; v < 4; ++v) {
    double total = 0, expected = 0;
    for (int u = 0; u < 16; ++u) expected += std::exp(static_cast<double>(in(u, v)));
    for (int u = 0; u < 16; ++u) {
      total += static_cast<double>(out(u, v));
      EXPECT_NEAR(out(u, v), std::exp(static_cast<double>(in(u, v))) / expected, 1e-6);
    }
    EXPECT_NEAR(total, 1, 1e-6);
  }
}

TEST(EvaluateFrontEnd, AReadOutsideANamedInputSaysWhereTheReaderIsWritten) {
  ImageParam in(UInt(8), 1, "in");
  in.set(Buffer<std::uint8_t>(8));
  Func f("f");
  const unsigned line = __LINE__ + 1;
  f(x) = in(x + 1);
  Buffer<std::uint8_t> out(8);
  try {
    fill(f, {out});
    FAIL() << "not refused";
  } catch (const RuntimeError& error) {
    EXPECT_EQ(error.diagnostic().stage, "f");
    EXPECT_EQ(error.diagnostic().line, line);
    EXPECT_NE(error.diagnostic().reason.find("in(8)"), std::string::npos)
        << error.diagnostic().reason;
  }
}

}  // namespace
}  // namespace sinter
