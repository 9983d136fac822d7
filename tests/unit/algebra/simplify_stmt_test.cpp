// Statements: what loops, lets and conditions tell about the expressions inside.

#include "support.h"

#include <ctime>

namespace sinter::algebra::testing {
namespace {

using ir::LoopKind;
using ir::Op;
using ir::Stmt;

const Symbol x = Symbol::named("x"), y = Symbol::named("y"), n = Symbol::named("n"),
             buffer = Symbol::named("buffer");

Expr coordinate(const std::string& text) { return parsed(text); }
/// buffer[index] = index, as text: the index shows.
Stmt store_at(const std::string& index) {
  return ir::store(buffer, simplify(ir::cast_to(Int(32), coordinate(index))), coordinate(index));
}
Stmt loop(const Symbol& variable, const std::string& min, const std::string& extent,
          const Stmt& body) {
  return ir::for_loop(variable, coordinate(min), coordinate(extent), LoopKind::Serial, body);
}
void expect_becomes(const Stmt& before, const Stmt& after) {
  const Stmt result = simplify(before);
  EXPECT_EQ(ir::print(result), ir::print(after));
  EXPECT_EQ(ir::print(simplify(result)), ir::print(result));
}
const Stmt nothing = ir::block({});

TEST(SimplifyStmt, LoopsTellTheirRange) {
  expect_becomes(loop(x, "0", "8", store_at("min(x, 7)/8 + x")), loop(x, "0", "8", store_at("x")));
  expect_becomes(loop(x, "0", "n", store_at("max(n, 1) + max(x, 0)")),
                 loop(x, "0", "n", store_at("n + x")));
  expect_becomes(loop(y, "0", "n", loop(x, "0", "8", store_at("(y*8 + x)/8"))),
                 loop(y, "0", "n", loop(x, "0", "8", store_at("y"))));
}

TEST(SimplifyStmt, LoopsOfOneAndNoneGo) {
  expect_becomes(loop(x, "n", "1", store_at("x + 1")), store_at("n + 1"));
  expect_becomes(loop(x, "0", "n - n", store_at("x")), nothing);
  expect_becomes(loop(x, "0", "n", nothing), nothing);
}

TEST(SimplifyStmt, LetsOfConstantsSymbolsAndUnusedValuesGo) {
  expect_becomes(ir::let(x, coordinate("2 + 3"), store_at("x + 1")), store_at("6"));
  expect_becomes(ir::let(x, coordinate("n + 0"), store_at("x + 1")), store_at("n + 1"));
  expect_becomes(ir::let(y, coordinate("n/3"), ir::let(x, coordinate("y*y"), store_at("n"))),
                 store_at("n"));
  expect_becomes(ir::let(x, coordinate("n % 8"), store_at("x/8 + x")),
                 ir::let(x, coordinate("n % 8"), store_at("x")));
}

TEST(SimplifyStmt, ConditionsAreKnownInTheirBranches) {
  expect_becomes(ir::if_then(coordinate("1 < 2"), store_at("x"), store_at("y")), store_at("x"));
  const Expr condition = coordinate("x < n");
  expect_becomes(ir::if_then(condition, ir::if_then(condition, store_at("x")),
                             ir::if_then(condition, store_at("y"))),
                 ir::if_then(condition, store_at("x")));
  expect_becomes(ir::if_then(coordinate("0 <= x && x < 8"), store_at("x % 8")),
                 ir::if_then(coordinate("0 <= x && x < 8"), store_at("x")));
  expect_becomes(ir::if_then(condition, nothing, store_at("y")),
                 ir::if_then(coordinate("n <= x"), store_at("y")));
}

TEST(SimplifyStmt, ConditionsThatReadMemoryAreNotRemembered) {
  const Expr condition =
      ir::binary(Op::Less, ir::load(Int(32), buffer, coordinate("x")), ir::literal(Int(32), 3));
  const Stmt s =
      ir::if_then(condition, ir::block({store_at("x"), ir::if_then(condition, store_at("y"))}));
  expect_becomes(s, s);
}

TEST(SimplifyStmt, RangesEndWithTheirLoops) {
  const Stmt small = loop(x, "0", "8", store_at("x/8")),
             large = loop(x, "0", "16", store_at("x/8"));
  expect_becomes(ir::block({small, large, store_at("x/8")}),
                 ir::block({loop(x, "0", "8", store_at("0")), large, store_at("x/8")}));
}

TEST(SimplifyStmt, TrivialPredicatesAndAssertionsGo) {
  const Expr value = ir::literal(Int(32), 1);
  expect_becomes(ir::store(buffer, value, coordinate("x"), coordinate("0 < 1")),
                 ir::store(buffer, value, coordinate("x")));
  expect_becomes(ir::store(buffer, value, coordinate("x"), coordinate("1 < 0")), nothing);
  expect_becomes(ir::assert_that(coordinate("x < x + 1"), "never"), nothing);
}

TEST(SimplifyStmt, LongProgramsTakeLinearTime) {
  const auto seconds_for = [](int stages) {
    Stmt body = store_at("x");
    for (int i = 0; i < stages; ++i) {
      const Symbol outer = Symbol::fresh("o"), inner = Symbol::fresh("i"),
                   stage = Symbol::fresh("stage");
      const Expr o = ir::index_symbol(outer), in = ir::index_symbol(inner);
      const Expr at = ir::binary(Op::Add, ir::binary(Op::Mul, o, ir::index_literal(8)), in);
      const Expr clamped =
          ir::binary(Op::Max, ir::binary(Op::Min, at, coordinate("n - 1")), ir::index_literal(0));
      const Stmt write = ir::store(stage, ir::cast_to(Int(32), clamped),
                                   ir::binary(Op::Sub, clamped, coordinate("m")));
      const Stmt inside = ir::if_then(ir::binary(Op::Less, at, coordinate("n")), write);
      const Stmt nest =
          ir::for_loop(outer, ir::index_literal(0), coordinate("(n + 7)/8"), LoopKind::Serial,
                       ir::for_loop(inner, ir::index_literal(0), ir::index_literal(8),
                                    LoopKind::Serial, inside));
      body = ir::allocate(stage, Int(32), coordinate("max(n, 1)"), ir::MemoryKind::Heap,
                          ir::block({nest, body}));
    }
    const std::clock_t start = std::clock();
    simplify(body);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double short_one = seconds_for(100), long_one = seconds_for(400);
  std::printf("100 stages: %.1f ms, 400 stages: %.1f ms\n", short_one * 1e3, long_one * 1e3);
  EXPECT_LT(long_one, 0.5);
}

}  // namespace
}  // namespace sinter::algebra::testing
