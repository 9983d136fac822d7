// Sources written for Halide compile with `namespace Halide = sinter`. Each name that
// include/sinter/ README.md calls present is used below; directives, which another library defines,
// only in requires().

#include <gtest/gtest.h>
#include <sinter/halide.h>

#include <concepts>
#include <fstream>
#include <regex>
#include <sstream>

#include "dsl/algorithm/collect.h"

namespace {

using namespace Halide;

/// As in Halide's tutorials and apps.
Func local_contrast(ImageParam input, Param<float> alpha) {
  Var x("x"), y("y"), c("c"), k("k");
  Func clamped = BoundaryConditions::repeat_edge(
      input, {{0, input.width()}, {0, input.height()}, {Expr(), Expr()}});
  Func floating("floating"), gray("gray"), remap("remap"), pyramid("pyramid"), color("color"),
      output("output");
  floating(x, y, c) = cast<float>(clamped(x, y, c)) / 65535.0f;
  gray(x, y) = 0.299f * floating(x, y, 0) + 0.587f * floating(x, y, 1) + 0.114f * floating(x, y, 2);
  Expr fx = cast<float>(x) / 256.0f;
  remap(x) = alpha * fx * exp(-fx * fx / 2.0f);
  const int levels = 8;
  Expr level = gray(x, y) * (cast<float>(levels - 1)) * 256.0f;
  Expr index = clamp(cast<int>(level), 0, (levels - 1) * 256);
  pyramid(x, y, k) = gray(x, y) + remap(index - 256 * k);
  Expr li = clamp(cast<int>(gray(x, y) * 3), 0, 2);
  color(x, y, c) = lerp(pyramid(x, y, li), pyramid(x, y, li + 1), gray(x, y) - cast<float>(li)) *
                   floating(x, y, c);
  output(x, y, c) = cast<uint16_t>(clamp(color(x, y, c), 0.0f, 1.0f) * 65535.0f);
  return output;
}

Func equalized(ImageParam input) {
  Var x, y, i;
  Func histogram("histogram"), cdf("cdf"), result("result");
  RDom r(0, input.width(), 0, input.height());
  histogram(i) = 0;
  histogram(cast<int>(input(r.x, r.y))) += 1;
  RDom b(1, 255);
  cdf(i) = histogram(i);
  cdf(b.x) = cdf(b.x - 1) + histogram(b.x);
  result(x, y) =
      cast<uint8_t>(cdf(cast<int>(input(x, y))) * 255 / max(input.width() * input.height(), 1));
  return result;
}

Func convolution(Buffer<float> weights, ImageParam input) {
  Var x, y, z, n;
  Func conv("conv"), relu("relu");
  RDom r(weights.dim(1).min(), weights.dim(1).extent(), 0, 3, 0, 3);
  conv(z, x, y, n) = 0.0f;
  conv(z, x, y, n) += weights(z, r.x, r.y, r.z) * input(r.x, x + r.y, y + r.z, n);
  relu(z, x, y, n) = max(0.0f, conv(z, x, y, n));
  return relu;
}

TEST(HalideNames, ItsPipelinesCompileAndElaborate) {
  const Algorithm contrast =
      collect({local_contrast(ImageParam(UInt(16), 3, "input"), Param<float>("alpha", 1.0f))});
  EXPECT_EQ(contrast.stages.size(), 7u);
  EXPECT_EQ(collect({equalized(ImageParam(UInt(8), 2))}).stages.size(), 3u);
  Buffer<float> weights(4, 8, 3, 3);
  EXPECT_EQ(collect({convolution(weights, ImageParam(Float(32), 4))}).images.size(), 2u);
}

TEST(HalideNames, ExpressionFunctions) {
  Var x, y;
  Param<uint8_t> p;
  Expr a = Expr(x), b = cast<uint8_t>(y), f = cast<float>(x), g = cast(Float(64), x);
  const std::vector<Expr> all = {a + b,
                                 a - b,
                                 a * b,
                                 a / b,
                                 a % b,
                                 -a,
                                 a & b,
                                 a | b,
                                 a ^ b,
                                 ~a,
                                 a << 2,
                                 a >> 2,
                                 a == b,
                                 a != b,
                                 a<b, a <= b, a>
                                     b,
                                 a >= b,
                                 a > 1 && a < 2,
                                 a > 1 || a < 2,
                                 !(a > 1),
                                 min(a, 3),
                                 max(a, 3, b, 4),
                                 clamp(a, 0, 7),
                                 abs(a),
                                 absd(a, 3),
                                 select(a > 1, b, 3),
                                 select(a > 1, 1, a > 2, 2, 3),
                                 mux(a, {1, 2, 3}),
                                 cast<int>(f),
                                 reinterpret(Int(32), f),
                                 saturating_cast<uint8_t>(a),
                                 strict(f),
                                 fma(f, f, f),
                                 floor(f),
                                 ceil(f),
                                 round(f),
                                 trunc(f),
                                 fract(f),
                                 is_nan(f),
                                 is_inf(f),
                                 is_finite(f),
                                 sqrt(f),
                                 exp(f),
                                 log(f),
                                 pow(f, 2.0f),
                                 sin(f),
                                 cos(f),
                                 tan(f),
                                 tanh(f),
                                 erf(g),
                                 fast_exp(f),
                                 fast_log(f),
                                 fast_sin(f),
                                 fast_cos(f),
                                 fast_tanh(f),
                                 fast_inverse(f),
                                 fast_inverse_sqrt(f),
                                 hypot(f, f),
                                 lerp(f, f, f),
                                 lerp(b, b, p),
                                 count_leading_zeros(a),
                                 count_trailing_zeros(a),
                                 popcount(a),
                                 promise_clamped(a, 0, 3),
                                 unsafe_promise_clamped(a, 0, 3),
                                 require(a > 0, a, "positive"),
                                 undef<float>(),
                                 undef(Int(32)),
                                 u8(a),
                                 u16(a),
                                 u32(a),
                                 u64(a),
                                 i8(a),
                                 i16(a),
                                 i32(a),
                                 i64(a),
                                 f16(f),
                                 bf16(f),
                                 f32(f),
                                 f64(f),
                                 u8_sat(a),
                                 u16_sat(a),
                                 u32_sat(g),
                                 i8_sat(a),
                                 i16_sat(a),
                                 i32_sat(g),
                                 widening_add(b, b),
                                 widening_sub(b, b),
                                 widening_mul(b, b),
                                 widening_shift_left(b, 2),
                                 saturating_add(b, b),
                                 saturating_sub(b, b),
                                 halving_add(b, b),
                                 halving_sub(b, b),
                                 rounding_halving_add(b, b),
                                 rounding_shift_right(b, 2),
                                 rounding_shift_left(b, 2),
                                 mul_shift_right(b, b, 3),
                                 rounding_mul_shift_right(b, b, 3)};
  for (const Expr& e : all) EXPECT_TRUE(e.defined());
  Expr sum_of = a;
  sum_of += 1;
  sum_of -= b;
  sum_of *= 2;
  sum_of /= 3;
  EXPECT_EQ(sum_of.type(), Int(32));
  EXPECT_EQ(select(a > 1, Tuple(a, f), Tuple(b, f)).size(), 2u);
}

TEST(HalideNames, FuncsAndFriends) {
  Var x("x"), y;
  RDom r(0, 10, 0, 10, "r"), s(Buffer<int>(3)), t(ImageParam(UInt(8), 2));
  r.where(r.x < r.y);
  EXPECT_EQ(s.dimensions() + t.dimensions(), 3);
  RVar rx = r.x, rz = r[1], named("named");
  Func f("f"), g(Float(32), 1, "g"), h = Func(Expr(3));
  f(x, y) = Tuple(x, 1.0f);
  f(rx, y) += Tuple(1, 2.0f);
  f(r.x, rz)[0] = 3;
  const FuncRef whole = f(_);
  EXPECT_EQ(whole.size(), 2u);
  g(_) = undef<float>();
  Func scalar_func;
  scalar_func() = 3;
  scalar_func() += scalar_func() * 2;
  EXPECT_EQ(f.name(), "f");
  EXPECT_TRUE(f.defined() && f.has_update_definition());
  EXPECT_EQ(f.dimensions(), 2);
  EXPECT_EQ(f.outputs(), 2u);
  EXPECT_EQ(f.types()[1], Float(32));
  EXPECT_EQ(g.type(), Float(32));
  EXPECT_EQ(f.args()[0].name(), "x");
  EXPECT_EQ(f.rvars(0).size(), 2u);
  EXPECT_EQ(f.num_update_definitions(), 2);
  EXPECT_EQ(f.update(1).name(), "f.update(1)");
  EXPECT_EQ(h.dimensions(), 0);
  EXPECT_EQ(Var::outermost().name(), Var::outermost().name());
  ImageParam in(UInt(8), 3, "in");
  for (const Expr& e :
       {in.width(), in.height(), in.channels(), in.left(), in.right(), in.top(), in.bottom(),
        in.dim(0).min(), in.dim(0).max(), in.dim(0).extent(), in.dim(0).stride()}) {
    EXPECT_EQ(e.type(), Int(32));
  }
  in.set(Buffer<uint8_t>(3, 4, 5));
  EXPECT_EQ(in.get().width(), 3);
  in.reset();
  Param<int> p("p", 3, 0, 10);
  p.set(4);
  p.set_range(0, 5);
  p.set_min_value(1);
  p.set_max_value(6);
  p.set_estimate(4);
  EXPECT_EQ(p.get(), 4);
  RDom q(0, 5);
  for (const Expr& e : {sum(f32(q)), product(f32(q)), minimum(f32(q)), maximum(f32(q)),
                        argmin(q, f32(q))[0], argmax(q, f32(q))[1]}) {
    EXPECT_TRUE(e.defined());
  }
  namespace bc = BoundaryConditions;
  for (const Func& each : {bc::constant_exterior(in, 0), bc::repeat_edge(in), bc::repeat_image(in),
                           bc::mirror_image(in), bc::mirror_interior(in)}) {
    EXPECT_EQ(each.dimensions(), 3);
  }
  Buffer<float> b = Buffer<float>::make_interleaved(4, 5, 3), scalar = Buffer<float>::make_scalar();
  b.set_min(0, 1);
  b.fill(1.0f);
  b.translate(0, 1);
  b.for_each_element([&](int i, int j, int k) { b(i, j, k) = 0; });
  b.for_each_value([](float& v) { v += 1; });
  EXPECT_TRUE(b.all_equal(1.0f));
  EXPECT_EQ(b.cropped(0, 2, 1)
                .sliced(1, 2)
                .transposed(0, 1)
                .embedded(0)
                .translated(0, 1)
                .copy()
                .dimensions(),
            3);
  EXPECT_NE(b.data(), nullptr);
  EXPECT_EQ(type_of<float>(), Float(32));
  EXPECT_EQ(BFloat(16).bits, 16);
}

// Directives: what a Halide schedule may say.
template <typename F>
concept HasLoops = requires(F f, Var x, Var y, Var xo, Var yo, Var xi, Var yi, RVar r, Expr e) {
  f.split(x, xo, xi, 8).split(x, xo, xi, 8, TailStrategy::GuardWithIf).fuse(x, y, xo);
  f.split(r, xo, xi, e, TailStrategy::RoundUp)
      .split(x, xo, xi, 4, TailStrategy::ShiftInwards)
      .split(x, xo, xi, 4, TailStrategy::Auto);
  f.tile(x, y, xo, yo, xi, yi, 8, 8).tile(x, y, xi, yi, 8, 8, TailStrategy::RoundUp);
  f.reorder(x, y, xo, r)
      .rename(x, y)
      .serial(x)
      .parallel(x)
      .parallel(x, 4)
      .vectorize(x)
      .vectorize(x, 8)
      .unroll(x)
      .unroll(x, 2);
  f.partition(x, Partition::Auto)
      .partition(x, Partition::Never)
      .partition(x, Partition::Always)
      .atomic();
  f.specialize(x > 3).vectorize(x, 8);
  f.specialize_fail("no");
};
static_assert(HasLoops<Func> && HasLoops<Stage>);
template <typename F>
concept HasGpuLoops = requires(F f, Var x, Var y, Var bx, Var by, Var tx, Var ty, RVar r) {
  f.gpu_blocks(x, y).gpu_threads(x, r).gpu_lanes(x).gpu_single_thread();
  f.gpu(bx, tx).gpu(bx, by, tx, ty);
  f.gpu_tile(x, bx, tx, 32).gpu_tile(x, tx, 32, TailStrategy::RoundUp);
  f.gpu_tile(x, y, bx, by, tx, ty, 16, 8).gpu_tile(x, y, tx, ty, 16, 8);
};
static_assert(HasGpuLoops<Func> && HasGpuLoops<Stage>);
static_assert(requires(Func f, Func g, Var x, RVar r, Expr e, Buffer<float> buffer, ImageParam in) {
  in.dim(0).set_min(0).set_extent(e).set_stride(3);
  in.dim(1).set_bounds(0, in.dim(0).extent() / 2 * 2);
  in.in().compute_root();
  in.in(f).compute_at(f, x);
  in.in(std::vector<Func>{f, g});
  f.compute_inline()
      .compute_root()
      .compute_at(g, x)
      .compute_at(LoopLevel(g, r))
      .compute_at(LoopLevel::root());
  f.compute_at(LoopLevel::inlined()).store_root().store_at(g, x).store_at(LoopLevel(g, x));
  f.store_in(MemoryType::Auto)
      .store_in(MemoryType::Heap)
      .store_in(MemoryType::Stack)
      .store_in(MemoryType::Register)
      .store_in(MemoryType::GPUShared);
  f.bound(x, 0, 10).bound_extent(x, e).align_bounds(x, 8).align_bounds(x, 8, 1).set_estimate(x, 0,
                                                                                             100);
  f.align_storage(x, 8).align_storage(x, 8, 1);
  f.set_estimates({{0, 100}, {0, 200}});
  f.in().compute_root();
  f.in(g).compute_root();
  f.in(std::vector<Func>{f, g});
  f.update().reorder(x, r).rfactor(r, x).compute_root();
  f.update(1).rfactor({{r, x}});
  f.print_loop_nest();
  f.compile_jit();
  f.realize({640, 480});
  f.realize(buffer);
  f.realize({4}, Target("host"));
  f.infer_input_bounds({3, 4});
  buffer = f.realize({640, 480});
  Pipeline(f).realize({640, 480});
  Pipeline({f, g}).realize(std::vector<Buffer<>>{buffer, buffer});
  Realization(f.realize({3}))[0];
});
static_assert(requires(Buffer<float> buffer, const Target& target) {
  buffer.copy_to_host();
  buffer.copy_to_device(target);
  buffer.set_host_dirty();
  buffer.set_device_dirty();
  { buffer.host_dirty() } -> std::same_as<bool>;
  { buffer.device_dirty() } -> std::same_as<bool>;
  { buffer.has_device_allocation() } -> std::same_as<bool>;
  buffer.device_sync();
  buffer.device_free();
});

TEST(HalideNames, TheTableListsOnlyWhatIsUsedHere) {
  const std::string root = SINTER_SOURCE_DIR;
  const auto read = [](const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  const std::string table = read(root + "/include/sinter/README.md");
  const std::string test = read(root + "/tests/unit/algorithm/halide_names_test.cpp");
  ASSERT_NE(table, "");
  std::istringstream lines(table);
  int names = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("| present") == std::string::npos) continue;
    const std::regex name("`([A-Za-z_0-9:]+)`");
    for (std::sregex_iterator it(line.begin(), line.end(), name), end; it != end; ++it) {
      const std::string word = (*it)[1];
      const std::string last =
          word.substr(word.rfind(':') == std::string::npos ? 0 : word.rfind(':') + 1);
      EXPECT_TRUE(std::regex_search(test, std::regex("\\b" + last + "\\b"))) << word;
      ++names;
    }
  }
  EXPECT_GT(names, 150);
}

}  // namespace
