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

TEST(Simplify, RampsStayDense) {
  EXPECT_EQ(simplified("ramp(x, 1, 8) + broadcast(y, 8)"), "ramp(x + y, 1, 8)");
  EXPECT_EQ(simplified("ramp(x, 1, 8)*broadcast(3, 8)"), "ramp(x*3, 3, 8)");
  EXPECT_EQ(simplified("ramp(x*8, 1, 8)/broadcast(8, 8)"), "broadcast(x, 8)");
  EXPECT_EQ(simplified("ramp(x*8, 1, 8) % broadcast(8, 8)"), "ramp(0, 1, 8)");
  EXPECT_EQ(simplified("ramp(x, 1, 8) < broadcast(x + 8, 8)"), "broadcast(true, 8)");
  EXPECT_EQ(simplified("min(ramp(x, 1, 8), broadcast(x + 7, 8))"), "ramp(x, 1, 8)");
}

}  // namespace
}  // namespace sinter::algebra::testing
