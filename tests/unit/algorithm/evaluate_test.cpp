// The oracle on algorithms built by hand: nothing of the front end takes part.

#include "dsl/algorithm/evaluate.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <sinter/diagnostic.h>

namespace sinter {
namespace {

using ir::Op;
using Box = std::vector<ir::BufferView::Dimension>;

Expr variable(const char* name) { return ir::index_symbol(Symbol::named(name)); }
Expr index(std::int64_t v) { return ir::index_literal(v); }
Expr plus(const Expr& a, const Expr& b) { return ir::binary(Op::Add, a, b); }
Expr plus(const Expr& a, std::int64_t b) { return plus(a, ir::literal(a->type, b)); }
Expr times(const Expr& a, const Expr& b) { return ir::binary(Op::Mul, a, b); }
Expr value_of(const Expr& coordinate) { return ir::cast_to(Int(32), coordinate); }
Expr number(std::int64_t v) { return ir::literal(Int(32), v); }

/// An algorithm under construction with the memory of its inputs and outputs; all i32.
struct Program {
  Algorithm algorithm;
  ir::Arguments arguments;
  std::vector<std::vector<std::int32_t>> memory;

  Program() { memory.reserve(64); }

  StageDefinition& stage(const char* name, const std::vector<const char*>& variables,
                         std::vector<Expr> values, std::size_t components = 1) {
    StageDefinition s;
    s.id = Symbol::named(name);
    s.name = name;
    Definition pure;
    for (const char* v : variables) {
      s.variables.push_back(Symbol::named(v));
      pure.coordinates.push_back(variable(v));
    }
    s.types.assign(components, Int(32));
    pure.values = std::move(values);
    s.definitions.push_back(std::move(pure));
    algorithm.stages.push_back(std::move(s));
    return algorithm.stages.back();
  }

  static Definition& update(
      StageDefinition& s, std::vector<Expr> coordinates, std::vector<Expr> values,
      const std::vector<std::pair<const char*, std::pair<int, int>>>& domain = {}) {
    Definition d;
    d.coordinates = std::move(coordinates);
    d.values = std::move(values);
    for (const auto& [name, range] : domain) {
      d.domain.push_back({Symbol::named(name), index(range.first), index(range.second)});
    }
    s.definitions.push_back(std::move(d));
    return s.definitions.back();
  }

  ir::BufferView view(const Box& box) {
    ir::BufferView v;
    v.type = Int(32);
    v.dimensions = box;
    std::int64_t stride = 1;
    for (auto& d : v.dimensions) {
      d.stride = stride;
      stride *= d.extent;
    }
    memory.emplace_back(static_cast<std::size_t>(stride), -1);
    v.host = memory.back().data();
    return v;
  }

  std::vector<std::int32_t>& input(const char* name, const Box& box) {
    Image image;
    image.id = Symbol::named(name);
    image.name = name;
    image.type = Int(32);
    for (std::size_t d = 0; d < box.size(); ++d) {
      const std::string prefix = name + std::string(".") + std::to_string(d);
      image.fields.push_back({Symbol::named(prefix + ".min"), Symbol::named(prefix + ".extent"),
                              Symbol::named(prefix + ".stride")});
    }
    algorithm.images.push_back(image);
    arguments.buffers[image.id] = view(box);
    return memory.back();
  }

  /// The memory of component `c`.
  std::vector<std::int32_t>& output(const char* name, const Box& box, std::size_t c = 0) {
    const Symbol id = Symbol::named(name);
    if (c == 0) algorithm.outputs.push_back(id);
    for (const StageDefinition& s : algorithm.stages) {
      if (s.id == id) arguments.buffers[output_symbol(s, c)] = view(box);
    }
    return memory.back();
  }

  static Expr read(const char* name, std::vector<Expr> coordinates, int component = 0) {
    return ir::access(Int(32), Symbol::named(name), std::move(coordinates), component);
  }

  void run() { evaluate(algorithm, arguments); }
};

const Expr x = variable("x"), y = variable("y"), r = variable("r"), k = variable("k");

TEST(Evaluate, FillsTheBoxOfTheOutputFromItsMinimum) {
  Program p;
  p.stage("f", {"x", "y"}, {plus(times(value_of(y), number(10)), value_of(x))});
  auto& out = p.output("f", {{2, 3, 0}, {-1, 2, 0}});
  p.run();
  EXPECT_EQ(out, (std::vector<std::int32_t>{-8, -7, -6, 2, 3, 4}));
}

TEST(Evaluate, BlursInTwoStages) {
  Program p;
  auto& in = p.input("in", {{-1, 66, 0}, {-1, 66, 0}});
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int32_t>(i * 7919 % 1000);
  const auto sum = [](auto at) { return plus(plus(at(-1), at(0)), at(1)); };
  p.stage("blur_x", {"x", "y"}, {sum([](int d) { return Program::read("in", {plus(x, d), y}); })});
  p.stage("blur_y", {"x", "y"},
          {sum([](int d) { return Program::read("blur_x", {x, plus(y, d)}); })});
  auto& out = p.output("blur_y", {{0, 64, 0}, {0, 64, 0}});
  const auto start = std::chrono::steady_clock::now();
  p.run();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  for (std::size_t j = 0; j < 64; ++j) {
    for (std::size_t i = 0; i < 64; ++i) {
      std::int32_t expected = 0;
      for (std::size_t dj = 0; dj < 3; ++dj)
        for (std::size_t di = 0; di < 3; ++di) expected += in[(j + dj) * 66 + i + di];
      ASSERT_EQ(out[j * 64 + i], expected) << i << ", " << j;
    }
  }
}

TEST(Evaluate, MultipliesMatrices) {
  Program p;
  auto& a = p.input("a", {{0, 5, 0}, {0, 4, 0}});
  auto& b = p.input("b", {{0, 3, 0}, {0, 5, 0}});
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int32_t>(i + 1);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::int32_t>(i * i);
  auto& c = p.stage("c", {"x", "y"}, {number(0)});
  const Expr product = times(Program::read("a", {k, y}), Program::read("b", {x, k}));
  Program::update(c, {x, y}, {plus(Program::read("c", {x, y}), product)}, {{"k", {0, 5}}});
  auto& out = p.output("c", {{0, 3, 0}, {0, 4, 0}});
  p.run();
  for (std::size_t j = 0; j < 4; ++j) {
    for (std::size_t i = 0; i < 3; ++i) {
      std::int32_t expected = 0;
      for (std::size_t n = 0; n < 5; ++n) expected += a[j * 5 + n] * b[n * 3 + i];
      EXPECT_EQ(out[j * 3 + i], expected);
    }
  }
}

TEST(Evaluate, CountsAHistogramWhosePlaceIsData) {
  Program p;
  auto& in = p.input("in", {{0, 100, 0}});
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int32_t>(i * i % 7);
  auto& h = p.stage("h", {"x"}, {number(0)});
  const Expr bin = ir::cast_to(Index(), Program::read("in", {r}));
  Program::update(h, {bin}, {plus(Program::read("h", {bin}), 1)}, {{"r", {0, 100}}});
  auto& out = p.output("h", {{0, 8, 0}});
  p.run();
  std::vector<std::int32_t> expected(8, 0);
  for (std::int32_t v : in) ++expected[static_cast<std::size_t>(v)];
  EXPECT_EQ(out, expected);
}

TEST(Evaluate, ScansInTheOrderOfTheDomain) {
  Program p;
  auto& s = p.stage("s", {"x"}, {value_of(x)});
  Program::update(s, {r}, {plus(Program::read("s", {plus(r, -1)}), Program::read("s", {r}))},
                  {{"r", {1, 9}}});
  auto& out = p.output("s", {{0, 12, 0}});
  p.run();
  EXPECT_EQ(out, (std::vector<std::int32_t>{0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 10, 11}));
}

TEST(Evaluate, TheFirstReductionVariableIsTheInnermostLoop) {
  Program p;
  auto& f = p.stage("f", {}, {number(0)});
  const Expr digit = plus(times(value_of(variable("ry")), number(2)), value_of(variable("rx")));
  Program::update(f, {}, {plus(times(Program::read("f", {}), number(10)), plus(digit, 1))},
                  {{"rx", {0, 2}}, {"ry", {0, 2}}});
  auto& out = p.output("f", {});
  p.run();
  EXPECT_EQ(out[0], 1234);
}

TEST(Evaluate, ATupleComputesAllValuesBeforeItWritesAny) {
  Program p;
  auto& in = p.input("in", {{0, 6, 0}});
  in = {3, 9, 2, 9, 1, 4};
  auto& m = p.stage("m", {}, {number(-1), number(-100)}, 2);
  const Expr is_larger = ir::binary(Op::Less, Program::read("m", {}, 1), Program::read("in", {r}));
  Program::update(m, {},
                  {ir::select(is_larger, value_of(r), Program::read("m", {}, 0)),
                   ir::select(is_larger, Program::read("in", {r}), Program::read("m", {}, 1))},
                  {{"r", {0, 6}}});
  Program::update(m, {}, {Program::read("m", {}, 1), Program::read("m", {}, 0)});
  auto& largest = p.output("m", {}, 0);
  auto& place = p.output("m", {}, 1);
  p.run();
  EXPECT_EQ(largest[0], 9);
  EXPECT_EQ(place[0], 1);
}

/// f(x, y) = x + 10 y; then along x at each y; then along y at each x; compared with whole loops.
TEST(Evaluate, UpdatesPureInDifferentDimensionsEqualWholeLoops) {
  for (const bool is_output : {true, false}) {
    Program p;
    const auto f_at = [](const Expr& a, const Expr& b) { return Program::read("f", {a, b}); };
    auto& f = p.stage("f", {"x", "y"}, {plus(value_of(x), times(value_of(y), number(10)))});
    Program::update(f, {r, y}, {plus(f_at(r, y), times(f_at(plus(r, -1), y), number(3)))},
                    {{"r", {1, 7}}});
    Program::update(f, {x, r}, {plus(f_at(x, plus(r, -1)), times(f_at(x, r), number(5)))},
                    {{"r", {1, 7}}});
    Program::update(f, {x, x}, {plus(f_at(x, x), 1)});
    Program::update(f, {r, y}, {plus(f_at(plus(r, 1), y), f_at(r, y))}, {{"r", {0, 7}}});
    p.stage("g", {"x", "y"}, {f_at(plus(x, 0), y)});
    auto& out = p.output(is_output ? "f" : "g", {{0, 8, 0}, {0, 8, 0}});
    p.run();
    std::uint32_t e[8][8];
    for (std::uint32_t j = 0; j < 8; ++j)
      for (std::uint32_t i = 0; i < 8; ++i) e[j][i] = i + 10 * j;
    for (std::size_t j = 0; j < 8; ++j)
      for (std::size_t i = 1; i < 8; ++i) e[j][i] += 3 * e[j][i - 1];
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 1; j < 8; ++j) e[j][i] = e[j - 1][i] + 5 * e[j][i];
    for (std::size_t i = 0; i < 8; ++i) ++e[i][i];
    for (std::size_t j = 0; j < 8; ++j)
      for (std::size_t i = 0; i < 7; ++i) e[j][i] += e[j][i + 1];
    for (std::size_t i = 0; i < 64; ++i)
      ASSERT_EQ(static_cast<std::uint32_t>(out[i]), e[i / 8][i % 8]) << i;
  }
}

TEST(Evaluate, APredicateGuardsEachIteration) {
  Program p;
  auto& in = p.input("in", {{0, 5, 0}});
  in = {1, 2, 3, 4, 5};
  auto& f = p.stage("f", {}, {number(0)});
  // The guard also keeps in(r) inside: the value is not evaluated where it fails.
  Program::update(f, {}, {plus(Program::read("f", {}), Program::read("in", {r}))},
                  {{"r", {-3, 20}}})
      .predicate = ir::binary(Op::And, ir::binary(Op::LessEqual, index(1), r),
                              ir::binary(Op::Less, r, index(4)));
  auto& out = p.output("f", {});
  p.run();
  EXPECT_EQ(out[0], 9);
}

TEST(Evaluate, AReadOutsideAnImageNamesStageImageAndPlace) {
  Program p;
  p.input("in", {{0, 4, 0}});
  p.stage("f", {"x"}, {Program::read("in", {plus(x, 1)})});
  auto& out = p.output("f", {{0, 4, 0}});
  try {
    p.run();
    FAIL() << "not refused";
  } catch (const RuntimeError& e) {
    EXPECT_EQ(e.diagnostic().stage, "f");
    EXPECT_NE(e.diagnostic().reason.find("in(4)"), std::string::npos) << e.diagnostic().reason;
    EXPECT_NE(e.diagnostic().reason.find("[0, 3]"), std::string::npos) << e.diagnostic().reason;
  }
  EXPECT_EQ(out, std::vector<std::int32_t>(4, -1)) << "nothing is written by a call that fails";
}

TEST(Evaluate, AFailedRequireIsARuntimeErrorWithItsMessage) {
  Program p;
  const Expr small = ir::binary(Op::Less, x, index(3));
  p.stage("f", {"x"},
          {ir::expr(Op::Require, Int(32), {small, number(7)}, Symbol::named("x is too large"))});
  p.output("f", {{0, 3, 0}});
  EXPECT_NO_THROW(p.run());
  Program q;
  q.algorithm.stages = p.algorithm.stages;
  q.output("f", {{0, 4, 0}});
  try {
    q.run();
    FAIL() << "not refused";
  } catch (const RuntimeError& e) {
    EXPECT_EQ(e.diagnostic().reason, "x is too large");
  }
}

TEST(Evaluate, AnUndefinedOutputKeepsItsContentWhereNoUpdateWrites) {
  Program p;
  auto& f = p.stage("f", {"x"}, {});
  Program::update(f, {r}, {plus(Program::read("f", {plus(r, 1)}), 100)}, {{"r", {1, 2}}});
  auto& out = p.output("f", {{0, 5, 0}});
  out = {1, 2, 3, 4, 5};
  p.run();
  EXPECT_EQ(out, (std::vector<std::int32_t>{1, 103, 104, 4, 5}));
}

TEST(Evaluate, ScalarsAndFieldsOfImagesAreConstantsOfTheCall) {
  Program p;
  p.input("in", {{3, 4, 0}});
  ScalarParameter scale{Symbol::named("scale"), "scale", Int(32), {}, {}};
  p.algorithm.scalars.push_back(scale);
  p.arguments.scalars[scale.id] = ir::Scalar::of_integer(Int(32), 5);
  auto& f = p.stage("f", {}, {number(0)});
  Program::update(f, {}, {plus(Program::read("f", {}), ir::symbol(Int(32), scale.id))});
  f.definitions[1].domain.push_back({Symbol::named("r"),
                                     ir::index_symbol(Symbol::named("in.0.min")),
                                     ir::index_symbol(Symbol::named("in.0.extent"))});
  auto& out = p.output("f", {});
  p.run();
  EXPECT_EQ(out[0], 20);
}

TEST(Evaluate, LongChainsOfStagesAndLongRecursionsFit) {
  Program p;
  std::vector<std::string> names;
  for (int i = 0; i < 400; ++i) names.push_back("s" + std::to_string(i));
  p.stage("s0", {"x"}, {value_of(x)});
  for (std::size_t i = 1; i < names.size(); ++i) {
    p.stage(names[i].c_str(), {"x"}, {plus(Program::read(names[i - 1].c_str(), {plus(x, 1)}), 1)});
  }
  auto& out = p.output("s399", {{0, 4, 0}});
  p.run();
  EXPECT_EQ(out, (std::vector<std::int32_t>{798, 799, 800, 801}));

  // 2000 updates, each reading the element that the one before wrote.
  Program q;
  auto& f = q.stage("f", {"x"}, {number(1)});
  for (int i = 1; i <= 2000; ++i)
    Program::update(f, {index(i)}, {plus(Program::read("f", {index(i - 1)}), 1)});
  auto& last = q.output("f", {{2000, 1, 0}});
  q.run();
  EXPECT_EQ(last[0], 2001);
}

TEST(Evaluate, AnUpdateThatReadsAlongItsPureVariableIsRefused) {
  Program p;
  auto& f = p.stage("f", {"x"}, {value_of(x)});
  Program::update(f, {x}, {Program::read("f", {plus(x, -1)})});
  p.output("f", {{0, 4, 0}});
  EXPECT_THROW(p.run(), AlgorithmError);
}

TEST(Evaluate, MathematicsIsThePortableOne) {
  Program p;
  const Expr real = ir::cast_to(Float(32), x);
  p.stage("f", {"x"}, {ir::expr(Op::Reinterpret, Int(32), {ir::unary(Op::Exp, real)})});
  auto& out = p.output("f", {{-20, 41, 0}});
  p.run();
  for (int i = 0; i < 41; ++i) {
    const ir::Scalar argument = ir::Scalar::of_real(Float(32), i - 20);
    const float expected = static_cast<float>(ir::apply(Op::Exp, Float(32), &argument, 1).real);
    EXPECT_EQ(out[static_cast<std::size_t>(i)], std::bit_cast<std::int32_t>(expected));
    EXPECT_NEAR(expected, std::exp(i - 20), std::exp(i - 20) * 1e-7);
  }
}

}  // namespace
}  // namespace sinter
