// Facts about simplified expressions, as text.

#include "support.h"

namespace sinter::algebra::testing {
namespace {

TEST(Simplify, SumsCancelAndCombine) {
  EXPECT_EQ(simplified("(x + 1) - x"), "1");
  EXPECT_EQ(simplified("xo*8 + xi + 3"), "xo*8 + xi + 3");
  EXPECT_EQ(simplified("x + x"), "x*2");
  EXPECT_EQ(simplified("a - b"), "a - b");
  EXPECT_EQ(simplified("(a - b)*3 + b*3"), "a*3");
  EXPECT_EQ(simplified("3 - x - 3"), "x*-1");
  EXPECT_EQ(simplified("x*0"), "0");
}

TEST(Simplify, QuotientsSplitAlongMultiples) {
  const ConstantScope known{{Symbol::named("y"), from_to(0, 7)}};
  EXPECT_EQ(simplified("(x*8 + y)/8", known), "x");
  EXPECT_EQ(simplified("(x*8 + y) % 8", known), "y");
  EXPECT_EQ(simplified("(x*16 + y)/8", known), "x*2");
  EXPECT_EQ(simplified("(x*8 + z)/8"), "z/8 + x");
  EXPECT_EQ(simplified("(x*16 + w*8 + y)/32", known), "(x*2 + w)/4");
  EXPECT_EQ(simplified("x/4/8"), "x/32");
  EXPECT_EQ(simplified("(x/4 + 1)/8"), "(x + 4)/32");
  EXPECT_EQ(simplified("(x*4 + 2)/8"), "x/2");
  EXPECT_EQ(simplified("x/8*8 + x % 8"), "x");
  EXPECT_EQ(simplified("x - x/8*8"), "x % 8");
  EXPECT_EQ(simplified("(x % 16 + y) % 8"), "(x + y) % 8");
  EXPECT_EQ(simplified("x/0"), "0");
  EXPECT_EQ(simplified("x % 0"), "0");
}

TEST(Simplify, ExtremaDropOperandsThatNeverWin) {
  EXPECT_EQ(simplified("min(x + 1, x + 3)"), "x + 1");
  EXPECT_EQ(simplified("min(min(a, b), b + 1)"), "min(a, b)");
  EXPECT_EQ(simplified("max(x + a, x + b)"), "max(a, b) + x");
  EXPECT_EQ(simplified("min(max(a, b), a - 1)"), "a - 1");
  EXPECT_EQ(simplified("min(a, b) - a"), "min(b - a, 0)");
  EXPECT_EQ(simplified("min(x + 1, y + 3) - min(x, y + 2)"), "1");
  EXPECT_EQ(simplified("min(x, 7) - min(x, 7)"), "0");
}

TEST(Simplify, ComparisonsAreDecidedByDifferences) {
  const ConstantScope known{{Symbol::named("i"), from_to(0, 7)}};
  EXPECT_EQ(simplified("i < 8", known), "true");
  EXPECT_EQ(simplified("x*8 + i < x*8 + 8", known), "true");
  EXPECT_EQ(simplified("x + 1 <= x"), "false");
  EXPECT_EQ(simplified("x*8 < 16"), "x < 2");
  EXPECT_EQ(simplified("x*8 + 3 == y*4 + 6"), "false");
  EXPECT_EQ(simplified("x < 3 && x < 5"), "x < 3");
  EXPECT_EQ(simplified("x < 3 && 5 < x"), "false");
  EXPECT_EQ(simplified("x < 3 || 2 < x"), "true");
  EXPECT_EQ(simplified("!(x < y)"), "y <= x");
}

TEST(Simplify, ComparisonsDropDecidedAlternatives) {
  EXPECT_EQ(simplified("max(min(x, m + n - 1), m) < m + n"), "0 < n");
  EXPECT_EQ(simplified("min(x, y + 3) < y + 3"), "x < y + 3");
  EXPECT_EQ(simplified("y <= max(x, y - 1)"), "y <= x");
}

TEST(Simplify, RampsStayDense) {
  EXPECT_EQ(simplified("ramp(x, 1, 8) + broadcast(y, 8)"), "ramp(x + y, 1, 8)");
  EXPECT_EQ(simplified("ramp(x, 1, 8)*broadcast(3, 8)"), "ramp(x*3, 3, 8)");
  EXPECT_EQ(simplified("ramp(x*8, 1, 8)/broadcast(8, 8)"), "broadcast(x, 8)");
  EXPECT_EQ(simplified("ramp(x*8, 1, 8) % broadcast(8, 8)"), "ramp(0, 1, 8)");
  EXPECT_EQ(simplified("ramp(x, 1, 8) < broadcast(x + 8, 8)"), "broadcast(true, 8)");
  EXPECT_EQ(simplified("min(ramp(x, 1, 8), broadcast(x + 7, 8))"), "ramp(x, 1, 8)");
}

TEST(Simplify, SumsMeetWhatTheirTermsContain) {
  EXPECT_EQ(simplified("(y + 1)*s - y*s"), "s");
  EXPECT_EQ(simplified("(y - m)*s"), "(y - m)*s");
  EXPECT_EQ(simplified("select(p < 0, x + 3, 2) + select(p < 0, 1 - x, 2)"), "4");
  EXPECT_EQ(simplified("(x/8 + y)*8 - x"), "y*8 - x % 8");
  EXPECT_EQ(simplified("(b*4)*(a*2)"), "a*b*8");
}

TEST(Simplify, ChoicesOfMultiplesDivide) {
  EXPECT_EQ(simplified("min(x*8, n)/8"), "min(n/8, x)");
  EXPECT_EQ(simplified("max(x*4, y*4)"), "max(x, y)*4");
  EXPECT_EQ(simplified("max(min(x, 10), 20)"), "20");
  EXPECT_EQ(simplified("x/8 < 3"), "x < 24");
  EXPECT_EQ(simplified("select(x < y, x, y)"), "min(x, y)");
}

const std::unordered_map<std::string, Expr> typed{{"a", ir::symbol(Float(32), Symbol::named("a"))},
                                                  {"b", ir::symbol(Float(32), Symbol::named("b"))},
                                                  {"i", ir::symbol(Int(32), Symbol::named("i"))},
                                                  {"j", ir::symbol(Int(32), Symbol::named("j"))},
                                                  {"u", ir::symbol(UInt(8), Symbol::named("u"))},
                                                  {"p", ir::symbol(Bool(), Symbol::named("p"))},
                                                  {"f", ir::symbol(Float(32), Symbol::named("f"))}};
std::string typed_simplified(const std::string& text) {
  return ir::print(simplify(ir::parse_expr(text, typed)));
}

TEST(Simplify, FloatsKeepTheirRounding) {
  for (const char* text : {"a + 1f32 - 1f32", "a + 0f32", "a*0f32", "a - a", "a/b*b", "min(a, a)",
                           "!(a < b)", "select(a < b, a, b)"}) {
    EXPECT_EQ(typed_simplified(text), text);
  }
  EXPECT_EQ(typed_simplified("a*1f32"), "a");
  EXPECT_EQ(typed_simplified("1f32*a/1f32"), "a");
  EXPECT_EQ(typed_simplified("sqrt(4f32) + 0.5f32"), "2.5f32");
  EXPECT_EQ(typed_simplified("select(p, a, a)"), "a");
}

TEST(Simplify, IntegersWrap) {
  EXPECT_EQ(typed_simplified("u + 200u8 + 100u8"), "u + 44u8");
  EXPECT_EQ(typed_simplified("u + 1u8 < u"), "u + 1u8 < u");
  EXPECT_EQ(typed_simplified("i - (i - j)"), "j");
  EXPECT_EQ(typed_simplified("i32(u) < 256i32"), "true");
  EXPECT_EQ(typed_simplified("i32(u) % 256i32"), "i32(u)");
  EXPECT_EQ(typed_simplified("u8(i32(u))"), "u");
  EXPECT_EQ(typed_simplified("u8(i32(u) + i)"), "u8(i32(u) + i)");
  EXPECT_EQ(typed_simplified("f32(i32(u))"), "f32(u)");
  EXPECT_EQ(typed_simplified("i*0i32 + j*1i32"), "j");
}

TEST(Simplify, IndicesOfUniformVectorsAreScalar) {
  EXPECT_EQ(typed_simplified("load f(broadcast(x + 0, 4))"), "broadcast(load f(x), 4)");
  EXPECT_EQ(typed_simplified("broadcast(a, 4)*broadcast(b, 4)"), "broadcast(a*b, 4)");
  EXPECT_EQ(simplified("ramp(x, 1, 4) + ramp(y, 2, 4) - broadcast(x, 4)"), "ramp(y, 3, 4)");
  // Coordinates of fused dimensions.
  EXPECT_EQ(
      simplified("ramp(x, 1, 4)/broadcast(2, 4)*broadcast(2, 4) + ramp(x, 1, 4) % broadcast(2, "
                 "4) + broadcast(y, 4)"),
      "ramp(x + y, 1, 4)");
  EXPECT_EQ(simplified("ramp(x, 1, 4)/broadcast(3, 4)*broadcast(6, 4) + ramp(x, 1, 4) % "
                       "broadcast(3, 4)*broadcast(2, 4)"),
            "ramp(x*2, 2, 4)");
  const std::string other =
      "ramp(x, 1, 4)/broadcast(2, 4)*broadcast(3, 4) + ramp(x, 1, 4) % "
      "broadcast(2, 4)";
  EXPECT_EQ(simplified(other), other);
}

}  // namespace
}  // namespace sinter::algebra::testing
