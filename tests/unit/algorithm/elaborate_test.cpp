// Elaboration: which parts of a user's expression are coordinates, and which products are fused.

#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include "dsl/algorithm/elaborate.h"
#include "dsl/algorithm/print_expr.h"

namespace sinter {
namespace {

class Elaborate : public testing::Test {
 protected:
  const Var x{"x"}, y{"y"};
  const Param<int> n{"n"};
  const Param<float> scale{"scale"};
  const ImageParam bytes{UInt(8), 1, "bytes"};
  const ImageParam ints{Int(32), 1, "ints"};

  static std::string coordinate(const Expr& e) { return text(Elaborator().coordinate(e), Index()); }
  static std::string value(const Expr& e) { return text(Elaborator().value(e), e.type()); }
  static std::string condition(const Expr& e) { return text(Elaborator().condition(e), Bool()); }

 private:
  static std::string text(const Expr& e, Type wanted) {
    EXPECT_EQ(e.type(), wanted);
    ir::for_each_node(e.node(), [](const ir::Ref& n) {
      EXPECT_EQ(n->payload, nullptr);
      return true;
    });
    return print_expr(e);
  }
};

TEST_F(Elaborate, OperatorsOfCoordinatesAreOperatorsOnIntegers) {
  EXPECT_EQ(coordinate(x + 1), "x + 1");
  EXPECT_EQ(coordinate((x * 2 - y) / 3 % 4), "(x*2 - y)/3 % 4");
  EXPECT_EQ(coordinate(clamp(x, 0, y - 1)), "max(min(x, y - 1), 0)");
  EXPECT_EQ(coordinate(select(x < y, x, -y)), "select(x < y, x, 0 - y)");
  RDom r(0, 10, "r");
  EXPECT_EQ(coordinate(x + r), "x + r.x");
  EXPECT_EQ(coordinate(ints.dim(0).extent() - 1), "ints.extent.0 - 1");
}

TEST_F(Elaborate, ParametersOfCoordinatesAreConverted) {
  EXPECT_EQ(coordinate(x + n), "x + index(n)");
}

TEST_F(Elaborate, OtherTypesAndCallsAreLeavesOfACoordinate) {
  EXPECT_EQ(coordinate(ints(x + 1) + y), "index(ints(x + 1)) + y");
  EXPECT_EQ(coordinate(bytes(x) + 1), "index(bytes(x) + u8(1))");
  EXPECT_EQ(coordinate(i32(bytes(x)) + 1), "index(i32(bytes(x))) + 1");
  EXPECT_EQ(coordinate(i32(floor(scale * f32(x)))), "index(i32(floor(scale*f32(i32(x)))))");
  EXPECT_EQ(coordinate(cast<std::int64_t>(x) * 2), "index(i64(i32(x))*i64(2))");
}

TEST_F(Elaborate, ShiftsAndMasksByConstantsAreArithmetic) {
  EXPECT_EQ(coordinate(x >> 2), "x/4");
  EXPECT_EQ(coordinate(x << 3), "x*8");
  EXPECT_EQ(coordinate(x & 7), "x % 8");
  EXPECT_EQ(coordinate(x & 5), "index(i32(x) & 5)");
}

TEST_F(Elaborate, InAValueCoordinatesBecomeData) {
  EXPECT_EQ(value(x + 1), "i32(x) + 1");
  EXPECT_EQ(value(x + n), "i32(x) + n");
  EXPECT_EQ(value(ints(x + 1) + x), "ints(x + 1) + i32(x)");
  EXPECT_EQ(value(f32(x) * scale), "f32(i32(x))*scale");
  EXPECT_EQ(value(ints.dim(0).min() + 0), "i32(ints.min.0) + 0");
}

TEST_F(Elaborate, ComparisonsOfCoordinatesAreCoordinatesInsideValuesToo) {
  EXPECT_EQ(value(select(x < n - 1, ints(x), 0)), "select(x < index(n) - 1, ints(x), 0)");
  EXPECT_EQ(value(select(x < 3 && ints(x) < 3, 1, 0)), "select(x < 3 && ints(x) < 3, 1, 0)");
  EXPECT_EQ(value(select(x + ints(x) < 3, 1, 0)), "select(i32(x) + ints(x) < 3, 1, 0)");
  EXPECT_EQ(value(select(f32(x) < scale, 1, 0)), "select(f32(i32(x)) < scale, 1, 0)");
  EXPECT_EQ(value(select((x & 1) == 0, 1, 0)), "select(x % 2 == 0, 1, 0)");
}

TEST_F(Elaborate, ConditionsCompareCoordinatesWhateverTheOperandsAre) {
  EXPECT_EQ(condition(x + ints(x) < n || !(x == 3)), "x + index(ints(x)) < index(n) || !(x == 3)");
  EXPECT_EQ(condition(bytes(x) < 3), "bytes(x) < u8(3)");
}

TEST_F(Elaborate, SharedNodesStayShared) {
  Expr e = x + 1;
  for (int i = 0; i < 60; ++i) e = e * e;  // 2^60 nodes as a tree
  const Expr coordinate_expr = Elaborator().coordinate(e);
  const Expr value_expr = contract(Elaborator().value(e));
  std::size_t count = 0;
  ir::for_each_node(coordinate_expr.node(), [&](const ir::Ref&) { return ++count > 0; });
  ir::for_each_node(value_expr.node(), [&](const ir::Ref&) { return ++count > 0; });
  EXPECT_LT(count, 200u);
}

// --- contraction

class Contract : public testing::Test {
 protected:
  const Param<float> a{"a"}, b{"b"}, c{"c"}, d{"d"};
  const Param<double> wide{"wide"};
  const Param<int> n{"n"};
  static std::string contracted(const Expr& e) {
    return print_expr(contract(Elaborator().value(e)));
  }
};

TEST_F(Contract, AProductUnderASumIsFused) {
  EXPECT_EQ(contracted(a * b + c), "fma(a, b, c)");
  EXPECT_EQ(contracted(c + a * b), "fma(a, b, c)");
  EXPECT_EQ(contracted(a * b - c), "fma(a, b, -1.0f*c)");
  EXPECT_EQ(contracted(c - a * b), "fma(-1.0f*a, b, c)");
  EXPECT_EQ(contracted(a * b - 2.0f), "fma(a, b, -2.0f)");
  EXPECT_EQ(contracted(f64(wide) * wide + wide), "fma(wide, wide, wide)");
}

TEST_F(Contract, OfTwoProductsTheLeftIsFused) {
  EXPECT_EQ(contracted(a * b + c * d), "fma(a, b, c*d)");
  EXPECT_EQ(contracted(a * b - c * d), "fma(a, b, -1.0f*(c*d))");
}

TEST_F(Contract, GoesOnInsideTheOperands) {
  EXPECT_EQ(contracted(a * b + (c * d + a)), "fma(a, b, fma(c, d, a))");
  EXPECT_EQ(contracted((a * b + c) * d + a), "fma(fma(a, b, c), d, a)");
  EXPECT_EQ(contracted(sqrt(a * b + c)), "sqrt(fma(a, b, c))");
}

TEST_F(Contract, CastsAndOtherOperatorsStopIt) {
  EXPECT_EQ(contracted(f64(a * b) + wide), "f64(a*b) + wide");
  EXPECT_EQ(contracted(a * b / c + d), "a*b/c + d");
  EXPECT_EQ(contracted(-(a * b) + c), "-1.0f*(a*b) + c");
  EXPECT_EQ(contracted(-a + b * c), "fma(b, c, -1.0f*a)");
  EXPECT_EQ(contracted(n * n + n), "n*n + n");
}

TEST_F(Contract, StrictKeepsBothRoundings) {
  EXPECT_EQ(contracted(strict(a * b) + c), "a*b + c");
  EXPECT_EQ(contracted(strict(a * b) + c * d), "fma(c, d, a*b)");
  EXPECT_EQ(contracted(strict(a * b + c) + d), "a*b + c + d");
  EXPECT_EQ(contracted(strict(a * b + c) + a * b), "fma(a, b, a*b + c)");
}

TEST_F(Contract, HalvesAreFusedInSingle) {
  const ImageParam h(Float(16), 1, "h");
  const Var x("x");
  EXPECT_EQ(contracted(h(x) * h(x + 1) + h(x + 2)), "fma(f32(h(x)), f32(h(x + 1)), f32(h(x + 2)))");
}

}  // namespace
}  // namespace sinter
