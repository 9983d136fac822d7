// Boundary conditions and inline reductions: their values, by the oracle.

#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <limits>

#include "dsl/algorithm/buffer_access.h"
#include "dsl/algorithm/collect.h"
#include "dsl/algorithm/evaluate.h"

namespace sinter {
namespace {

namespace bc = BoundaryConditions;
const Var x("x"), y("y");

/// Values of component `component` of `f` over [min, min + extent) in its one dimension.
template <typename T>
std::vector<T> values(const Func& f, int min, int extent, std::size_t component = 0) {
  const Algorithm algorithm = collect({f});
  const StageDefinition& stage = algorithm.stage(algorithm.outputs[0]);
  ir::Arguments arguments;
  std::vector<Buffer<>> outputs;
  for (std::size_t i = 0; i < stage.types.size(); ++i) {
    outputs.emplace_back(stage.types[i], std::vector<int>{extent});
    outputs.back().set_min(min);
    arguments.buffers[output_symbol(stage, i)] = view_of(outputs.back());
  }
  for (const Image& image : algorithm.images) {
    if (image.bound) arguments.buffers[image.id] = *image.bound;
  }
  evaluate(algorithm, arguments);
  std::vector<T> result;
  outputs[component].as<T>().for_each_value([&](T v) { result.push_back(v); });
  return result;
}

Buffer<int> three() {
  Buffer<int> b(3);
  b.for_each_element([&](int i) { b(i) = 10 + i; });
  b.set_min(2);
  return b;  // 2, 3, 4 -> 10, 11, 12
}

TEST(BoundaryConditions, ContinueAnImageBeyondItsEdges) {
  using V = std::vector<int>;
  EXPECT_EQ(values<int>(bc::repeat_edge(three()), 0, 7), (V{10, 10, 10, 11, 12, 12, 12}));
  EXPECT_EQ(values<int>(bc::constant_exterior(three(), -1), 0, 7), (V{-1, -1, 10, 11, 12, -1, -1}));
  EXPECT_EQ(values<int>(bc::repeat_image(three()), -3, 10),
            (V{11, 12, 10, 11, 12, 10, 11, 12, 10, 11}));
  EXPECT_EQ(values<int>(bc::mirror_interior(three()), -2, 11),
            (V{10, 11, 12, 11, 10, 11, 12, 11, 10, 11, 12}));
}

TEST(BoundaryConditions, MirrorImageRepeatsTheEdge) {
  const std::vector<int> mirrored = values<int>(bc::mirror_image(three()), -4, 13);
  for (int i = -4; i < 9; ++i) {
    int p = ((i - 2) % 6 + 6) % 6;
    if (p >= 3) p = 5 - p;
    EXPECT_EQ(mirrored[static_cast<std::size_t>(i + 4)], 10 + p) << i;
  }
}

TEST(BoundaryConditions, OfOneElementAreConstant) {
  Buffer<int> one(1);
  one(0) = 5;
  for (const Func& f : {bc::repeat_edge(one), bc::repeat_image(one), bc::mirror_image(one),
                        bc::mirror_interior(one)}) {
    EXPECT_EQ(values<int>(f, -3, 7), std::vector<int>(7, 5));
  }
}

TEST(BoundaryConditions, TakeBoundsAsPairsOrOneAfterTheOther) {
  Func f("f");
  f(x) = x;
  EXPECT_EQ(values<int>(bc::repeat_edge(f, {{0, 3}}), -1, 5), (std::vector<int>{0, 0, 1, 2, 2}));
  EXPECT_EQ(values<int>(bc::repeat_edge(f, 0, 3), -1, 5), (std::vector<int>{0, 0, 1, 2, 2}));
  EXPECT_EQ(values<int>(bc::constant_exterior(f, 7, 0, 3), -1, 5),
            (std::vector<int>{7, 0, 1, 2, 7}));
  EXPECT_EQ(values<int>(bc::repeat_edge(f, {{Expr(), Expr()}}), -1, 3),
            (std::vector<int>{-1, 0, 1}));
  EXPECT_THROW(bc::repeat_edge(f), AlgorithmError);
  EXPECT_THROW(bc::repeat_edge(f, 0, 3, 0, 3), AlgorithmError);
}

TEST(InlineReductions, CaptureTheFreeVariables) {
  RDom r(0, 4);
  Func f("f");
  f(x) = sum(x * r) + product(r + 1) + maximum(x - r) + minimum(x - r);
  EXPECT_EQ(values<int>(f, 0, 3), (std::vector<int>{24 - 3, 6 + 24 + 1 - 2, 12 + 24 + 2 - 1}));
}

TEST(InlineReductions, FindTheFirstExtreme) {
  Buffer<int> b(6);
  const int content[] = {3, 1, 4, 1, 5, 5};
  b.for_each_element([&](int i) { b(i) = content[i]; });
  RDom r(b);
  Func low("low"), high("high");
  low(x) = argmin(b(r));
  high(x) = argmax(b(r));
  EXPECT_EQ(values<int>(low, 0, 1, 0), std::vector<int>{1});
  EXPECT_EQ(values<int>(low, 0, 1, 1), std::vector<int>{1});
  EXPECT_EQ(values<int>(high, 0, 1, 0), std::vector<int>{4});
  EXPECT_EQ(values<int>(high, 0, 1, 1), std::vector<int>{5});
}

TEST(InlineReductions, MayBeNestedAndNamed) {
  RDom outer(0, 3), inner(0, 4);
  Func f("f"), named("named");
  f(x) = sum(outer, outer * sum(inner, inner + outer, named));
  // sum over o of o * (6 + 4 o)
  EXPECT_EQ(values<int>(f, 0, 1), std::vector<int>{10 + 2 * 14});
  EXPECT_EQ(named.dimensions(), 1);
  EXPECT_EQ(named.num_update_definitions(), 1);
}

TEST(InlineReductions, OfNothingAreNeutral) {
  RDom r(0, 0);
  Func f("f");
  f(x) = select(x == 0, minimum(f32(r)), maximum(f32(r)));
  const std::vector<float> v = values<float>(f, 0, 2);
  EXPECT_EQ(v[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ(v[1], -std::numeric_limits<float>::infinity());
  EXPECT_THROW(sum(x + 1), AlgorithmError);
}

TEST(InlineReductions, OfHalvesStayHalves) {
  RDom r(0, 3);
  EXPECT_EQ(sum(bf16(f32(r))).type(), BFloat(16));
  EXPECT_EQ(maximum(f16(f32(r))).type(), Float(16));
}

}  // namespace
}  // namespace sinter
