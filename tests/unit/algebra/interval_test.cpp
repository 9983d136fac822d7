// Facts about symbolic and constant bounds.

#include "support.h"

#include <cstdio>
#include <ctime>

#include "dsl/algebra/linear_form.h"

namespace sinter::algebra::testing {
namespace {

using ir::Op;

Expr named(const char* name) { return ir::index_symbol(Symbol::named(name)); }
std::string bounds_text(const Expr& e, const Scope& scope) {
  const Interval i = bounds_of(e, scope);
  return "[" + (i.min.defined() ? ir::print(i.min) : "-inf") + ", " +
         (i.max.defined() ? ir::print(i.max) : "inf") + "]";
}
std::string text_bounds(const std::string& text, const Scope& scope) {
  return bounds_text(parsed(text), scope);
}
Interval range(const std::string& min, const std::string& max) {
  return {parsed(min), parsed(max)};
}
Scope scope_of(std::initializer_list<std::pair<const char*, Interval>> list) {
  Scope scope;
  for (const auto& [name, interval] : list) scope[Symbol::named(name)] = interval;
  return scope;
}

TEST(BoundsOf, LinearFormsAreExact) {
  const Scope scope = scope_of({{"xi", range("0", "7")}, {"x", range("lo", "lo + n - 1")}});
  EXPECT_EQ(text_bounds("xo*8 + xi", scope), "[xo*8, xo*8 + 7]");
  EXPECT_EQ(text_bounds("(x + 1) - x", scope), "[1, 1]");
  EXPECT_EQ(text_bounds("x + 1", scope), "[lo + 1, lo + n]");
  EXPECT_EQ(text_bounds("3 - xi*2", scope), "[-11, 3]");
  EXPECT_EQ(text_bounds("y", scope), "[y, y]");
}

TEST(BoundsOf, ClampsAndChoicesBound) {
  const Scope scope = scope_of({{"x", range("lo", "hi")}, {"u", Interval::everything()}});
  EXPECT_EQ(text_bounds("max(min(x, n - 1), 0)", scope),
            "[max(min(n - 1, lo), 0), max(min(n - 1, hi), 0)]");
  EXPECT_EQ(text_bounds("max(min(u, 7), 0)", scope), "[0, 7]");
  EXPECT_EQ(text_bounds("select(u < 3, x, x + 2)", scope), "[lo, hi + 2]");
  EXPECT_EQ(text_bounds("u % 8", scope), "[0, 7]");
  EXPECT_EQ(text_bounds("x/4", scope), "[lo/4, hi/4]");
  EXPECT_EQ(text_bounds("promise_clamped(u, 2, n)", scope), "[2, n]");
  EXPECT_EQ(text_bounds("u", scope), "[-inf, inf]");
  EXPECT_EQ(text_bounds("min(u, n)", scope), "[-inf, n]");
}

TEST(BoundsOf, RemaindersWithinOnePeriodAreExact) {
  const Scope scope = scope_of({{"xi", range("0", "3")}});
  EXPECT_EQ(text_bounds("(xo*8 + xi + 2) % 8", scope), "[2, 5]");
  EXPECT_EQ(text_bounds("(xo*8 + xi + 6) % 8", scope), "[0, 7]");
}

TEST(BoundsOf, DataCountsByItsTypeAndOps) {
  const Scope scope = scope_of({{"x", range("0", "9")}});
  const auto read = [&](Type t) { return ir::access(t, Symbol::named("f"), {named("x")}); };
  const auto coordinate = [&](const Expr& e) {
    return bounds_text(ir::cast_to(Index(), e), scope);
  };
  EXPECT_EQ(coordinate(read(UInt(8))), "[0, 255]");
  EXPECT_EQ(coordinate(read(Int(16))), "[-32768, 32767]");
  EXPECT_EQ(coordinate(read(Int(32))), "[-inf, inf]");
  EXPECT_EQ(coordinate(read(Bool())), "[0, 1]");
  const Expr wide = ir::cast_to(Int(32), read(UInt(8)));
  EXPECT_EQ(coordinate(ir::binary(Op::Add, wide, ir::literal(Int(32), 5))), "[5, 260]");
  EXPECT_EQ(coordinate(ir::binary(Op::Mod, read(Int(32)), ir::literal(Int(32), 10))), "[0, 9]");
  EXPECT_EQ(coordinate(ir::binary(Op::BitAnd, read(Int(32)), ir::literal(Int(32), 15))), "[0, 15]");
  // Eight bits wrap: nothing but the type is known.
  EXPECT_EQ(coordinate(ir::binary(Op::Add, read(UInt(8)), ir::literal(UInt(8), 5))), "[0, 255]");
  const Expr n = ir::symbol(Int(32), Symbol::named("n"));
  const Expr clamped =
      ir::binary(Op::Max, ir::binary(Op::Min, read(Int(32)), n), ir::literal(Int(32), 0));
  EXPECT_EQ(coordinate(clamped), "[0, max(index(n), 0)]");
  EXPECT_EQ(coordinate(n), "[index(n), index(n)]");
}

TEST(BoundsOf, DivisionByUnknownStaysNearTheDividend) {
  const Scope scope = scope_of({{"x", range("0", "9")}});
  EXPECT_EQ(text_bounds("x/n", scope), "[-9, 9]");
  EXPECT_EQ(text_bounds("x/max(n, 1)", scope), "[0, 9/max(n, 1)]");
}

TEST(Hull, UsesTheEndThatIsProvablyOuter) {
  const Interval h = hull(range("x - 1", "x + 3"), range("x", "x + 1"));
  EXPECT_EQ(ir::print(h.min), "x - 1");
  EXPECT_EQ(ir::print(h.max), "x + 3");
  EXPECT_FALSE(hull(range("x", "y"), Interval::everything()).min.defined());
}

TEST(ConstantBounds, SeeWhatTermsHaveInCommon) {
  const auto ends = [](const std::string& text) {
    const ConstantInterval i = constant_bounds(parsed(text), {});
    return (i.has_min ? std::to_string(i.min) : "-inf") + ".." +
           (i.has_max ? std::to_string(i.max) : "inf");
  };
  EXPECT_EQ(ends("min(xo*8 + 7, n) - xo*8"), "-inf..7");
  EXPECT_EQ(ends("min(x + 1, y) - min(x, y)"), "0..1");
  EXPECT_EQ(ends("max(min(x + 7, n), 0) - max(min(x, n), 0) + 1"), "1..8");
  EXPECT_EQ(ends("(x + 7)/8 - x/8"), "0..1");
  EXPECT_EQ(ends("x % 8 + 1"), "1..8");
  EXPECT_EQ(ends("(x + 7)/8*8 - x"), "0..7");
  EXPECT_EQ(ends("x - x/8*8"), "0..7");
  EXPECT_EQ(ends("((y + 1)*s + 3) - y*s - s"), "3..3");
}

TEST(LinearForm, KeepsCastsAndProductsAsAtoms) {
  EXPECT_EQ(ir::print(linear_form(parsed("(x + y*2)*4 - x"))->to_expr()), "y*8 + x*3");
  const auto in = linear_in(parsed("y*stride + x*8 + z"), Symbol::named("x"));
  ASSERT_TRUE(in.has_value());
  EXPECT_EQ(in->coefficient, 8);
  EXPECT_EQ(ir::print(in->rest), "y*stride + z");
  EXPECT_FALSE(linear_in(parsed("x % 3 + x"), Symbol::named("x")).has_value());
  EXPECT_EQ(linear_form(parsed("x*4611686018427387904*4")), std::nullopt);
}

bool operator==(const Congruence& a, const Congruence& b) {
  return a.modulus == b.modulus && a.remainder == b.remainder;
}

TEST(CongruenceOf, FollowsSumsAndProducts) {
  EXPECT_TRUE((congruence_of(parsed("x*8 + 3")) == Congruence{8, 3}));
  EXPECT_TRUE((congruence_of(parsed("x*8 + y*12 + 2")) == Congruence{4, 2}));
  EXPECT_TRUE((congruence_of(parsed("min(x*8 + 1, y*8 + 5)")) == Congruence{4, 1}));
  EXPECT_TRUE((congruence_of(parsed("(x*8 + 5) % 4")) == Congruence{4, 1}));
  EXPECT_TRUE((congruence_of(parsed("x*8/4")) == Congruence{2, 0}));
  EXPECT_TRUE((congruence_of(parsed("7")) == Congruence{0, 7}));
}

/// A chain that names the previous value several times: 2^depth nodes when written out.
Expr tower(int kind, int depth) {
  Expr e = named("x");
  for (int i = 0; i < depth; ++i) {
    const Expr other = named(("v" + std::to_string(i)).c_str()),
               step = ir::index_literal(i % 5 + 1);
    const Expr moved = ir::binary(Op::Add, e, step);
    if (kind == 0) e = ir::select(ir::binary(Op::Less, e, other), moved, e);
    if (kind == 1) e = ir::binary(Op::Min, ir::binary(Op::Max, e, other), moved);
    if (kind == 2)
      e = ir::binary(Op::Add, ir::binary(Op::Mod, e, ir::index_literal(7)),
                     ir::binary(Op::Div, moved, ir::index_literal(3)));
    if (kind == 3)
      e = ir::cast_to(Index(),
                      ir::binary(Op::Add, ir::cast_to(Int(32), e), ir::cast_to(Int(32), moved)));
    if (kind == 4) e = ir::binary(Op::Mul, e, ir::binary(Op::Sub, e, other));
    if (kind == 5) e = ir::binary(Op::Add, e, ir::binary(Op::Sub, e, other));
    if (kind == 6)
      e = ir::binary(Op::Max, ir::binary(Op::Min, ir::binary(Op::Sub, e, other), named("n")),
                     ir::binary(Op::Sub, e, step));
    if (kind == 7)
      e = ir::select(ir::binary(Op::Less, other, step), ir::binary(Op::Min, e, moved),
                     ir::binary(Op::Mul, moved, step));
  }
  return e;
}

TEST(Speed, NestedChoicesAndCastsStayLinear) {
  const Scope scope = scope_of({{"x", range("lo", "lo + n")}, {"v3", range("0", "9")}});
  for (int kind = 0; kind < 8; ++kind) {
    // Processor time: the machine may be busy.
    const std::clock_t start = std::clock();
    const Expr e = tower(kind, 30);
    bounds_of(e, scope);
    const std::clock_t middle = std::clock();
    simplify(e);
    constant_bounds(e, {{Symbol::named("x"), from_to(0, 9)}});
    const std::clock_t end = std::clock();
    const double bounds_ms = 1e3 * static_cast<double>(middle - start) / CLOCKS_PER_SEC;
    const double simplify_ms = 1e3 * static_cast<double>(end - middle) / CLOCKS_PER_SEC;
    std::printf("kind %d: bounds %.2f ms, simplify %.2f ms\n", kind, bounds_ms, simplify_ms);
    // Thirty levels of anything exponential would take hours; the bound is far from the real
    // figures.
    EXPECT_LT(bounds_ms, 5000) << "kind " << kind;
    EXPECT_LT(simplify_ms, 5000) << "kind " << kind;
  }
}

}  // namespace
}  // namespace sinter::algebra::testing
