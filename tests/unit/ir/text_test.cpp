// Printing and parsing: the text of a module read back prints the same again.

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <sinter/diagnostic.h>

#include "dsl/ir/module.h"

namespace sinter::ir {
namespace {

using Names = std::unordered_map<std::string, Expr>;

const Names typed{
    {"i", symbol(Int(32), Symbol::named("i"))},   {"j", symbol(Int(32), Symbol::named("j"))},
    {"u", symbol(UInt(8), Symbol::named("u"))},   {"a", symbol(Float(32), Symbol::named("a"))},
    {"b", symbol(Float(32), Symbol::named("b"))}, {"p", symbol(Bool(), Symbol::named("p"))},
    {"q", symbol(Bool(), Symbol::named("q"))},    {"f", symbol(UInt(8), Symbol::named("f"))}};

void expect_same_text(const std::string& text) {
  const Expr parsed = parse_expr(text, typed);
  EXPECT_EQ(print(parsed), text);
  EXPECT_TRUE(equal(parse_expr(print(parsed), typed), parsed)) << text;
}

TEST(Text, ExpressionsReadBack) {
  for (const char* text : {"x*8 + xi",
                           "(x + 1)*8 % 3",
                           "x - (y - z)",
                           "x - y - z",
                           "x/(y*z)",
                           "min(x, max(y, 3))",
                           "-1 + x",
                           "x - -1",
                           "x < y && y <= 10 || !(x == y)",
                           "p && (q || p)",
                           "select(x < y, i, j)",
                           "u8(i + 3i32)",
                           "reinterpret(u32, a)",
                           "1.5f32*a + 0.1f32",
                           "-0f32",
                           "inf_f32",
                           "-inf_f64",
                           "nan_bf16",
                           "1e+30f32",
                           "1e-40f32",
                           "255u8",
                           "-128i8",
                           "18446744073709551615u64",
                           "-9223372036854775808i64",
                           "true",
                           "false",
                           "f[x, y + 1]",
                           "f[x].1",
                           "f[]",
                           "load f(x*2)",
                           "load f(ramp(x, 1, 8), broadcast(p, 8))",
                           "ramp(x, 2, 4)",
                           "broadcast(a, 4)",
                           "fma(a, b, a)",
                           "abs(i)",
                           "count_leading_zeros(u)",
                           "u & ~u | u ^ 3u8",
                           "u << 1u8 >> u",
                           "(i < j) == p",
                           "sqrt(exp(a))",
                           "pow(a, b)",
                           "strict(a*b) + a",
                           "promise_clamped(x, 0, 10)",
                           "require(p, a, \"say \\\"no\\\" to {}\\n\")",
                           "undef(f32)",
                           "(i & j) << 2i32",
                           "f32(f[x, y])*a",
                           "u8(ramp(x, 1, 4))"}) {
    expect_same_text(text);
  }
}

TEST(Text, UnknownNamesAreCoordinates) {
  const Expr e = parse_expr("x + y*2");
  EXPECT_EQ(e->type, Index());
  EXPECT_TRUE(
      equal(e, binary(Op::Add, index_symbol(Symbol::named("x")),
                      binary(Op::Mul, index_symbol(Symbol::named("y")), index_literal(2)))));
}

TEST(Text, GreaterIsLessTurnedAround) {
  EXPECT_EQ(print(parse_expr("x > y && y >= 3")), "y < x && 3 <= y");
}

TEST(Text, NamesAreMadeUniqueInOrder) {
  const Symbol first = Symbol::fresh("x"), second = Symbol::fresh("x"), odd = Symbol::fresh("a b!"),
               word = Symbol::fresh("load");
  const Expr sum = binary(Op::Add, binary(Op::Add, index_symbol(first), index_symbol(second)),
                          binary(Op::Add, index_symbol(odd), index_symbol(word)));
  EXPECT_EQ(print(sum), "x + x$1 + (a_b_ + load$1)");
  EXPECT_EQ(print(parse_expr(print(sum))), print(sum));
}

TEST(Text, SharedExpressionsArePrintedOnce) {
  const Expr a = symbol(Float(32), Symbol::named("a"));
  Expr e = a;
  for (int i = 0; i < 30; i++) e = binary(Op::Mul, e, e);
  const std::string text = print(e);
  EXPECT_LT(text.size(), 2000u);
  const Expr again = parse_expr(text, typed);
  EXPECT_EQ(print(again), text);
  EXPECT_TRUE(equal(again, e));
}

TEST(Text, BindingsStandBeforeTheStatement) {
  const Symbol f = Symbol::named("f"), x = Symbol::named("x");
  Expr e = index_symbol(x);
  for (int i = 0; i < 4; i++) e = binary(Op::Mul, e, binary(Op::Add, e, index_literal(1)));
  Module module;
  module.name = "shared";
  module.arguments.push_back(
      {Argument::Kind::Output,
       f,
       f,
       "f",
       Int(64),
       {{Symbol::named("f.min"), Symbol::named("f.extent"), Symbol::named("f.stride")}}});
  module.body = for_loop(x, index_literal(0), index_literal(4), LoopKind::Serial,
                         provide(f, {cast_to(Int(64), e)}, {index_symbol(x)}));
  const std::string text = print(module);
  EXPECT_EQ(text,
            "module \"shared\" {\n"
            "  output f: i64 [f.min, f.extent, f.stride]\n"
            "  for x in [0, 4) {\n"
            "    #1 = x*(x + 1)*(x*(x + 1) + 1)\n"
            "    #2 = #1*(#1 + 1)\n"
            "    provide f[x] = i64(#2*(#2 + 1))\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(print(parse_module(text)), text);
}

const char* const full_module = R"(module "full \"text\"" {
  input in "the input": u8 [in.min.0, in.extent.0, in.stride.0; in.min.1, in.extent.1, in.stride.1]
  input table: f32 []
  scalar gain: f32
  scalar n: i32
  input left as pair: u8 [left.min, left.extent, left.stride]
  input right as pair: f32 [right.min, right.extent, right.stride]
  output out: f32 [out.min.0, out.extent.0, out.stride.0]
  streaming f from in from table
  streaming out stores loads
  assert 0 < out.extent.0, "extent {} of {}", out.extent.0, gain
  let a = gain*2f32 {
    assert a < 3f32, "too much"
  }
  for y in [out.min.0, out.extent.0) parallel {
    realize f: u8, f32 [y, 4; 0, 2] in stack {
      produce f {
        for x in [y, 4) vectorized never_partition {
          for c in [0, 2) unrolled {
            provide f[x, c] = {in[x, c], f32(in[x, c])*gain}
          }
        }
      }
      let s = f[y, 0].1 + table[] + pair[y].1
      if s < 3f32 {
        provide out[y] = s
      } else {
        if n == 3i32 {
          atomic provide out[y] = f[y, 1].1
        }
      }
    }
    allocate b: i32 [8] in heap {
      let r = ramp(0, 1, 8)
      store b(r) = broadcast(n, 8)
      store b(r) = load streaming b(r) streaming
      store b(r, ramp(y, 1, 8) < broadcast(out.extent.0, 8)) = i32(r)
      atomic add b(0) = load b(y % 8)
      atomic min b(r, broadcast(true, 8)) = load b(r, broadcast(true, 8))
      free b
    }
    allocate t: bool [1] in register {
      store t(0) = true
    }
  }
}
)";

TEST(Text, ModulesReadBack) {
  const Module module = parse_module(full_module);
  EXPECT_EQ(print(module), full_module);
  EXPECT_EQ(module.name, "full \"text\"");
  EXPECT_EQ(module.arguments[0].name, "the input");
  EXPECT_EQ(print(parse_module(print(module))), full_module);
}

TEST(Text, EmptyBodiesReadBack) {
  const std::string text = "module \"m\" {\n  for i in [0, 1) {\n  }\n}\n";
  EXPECT_EQ(print(parse_module(text)), text);
  EXPECT_EQ(print(parse_module("module \"m\" {}")), "module \"m\" {\n}\n");
}

TEST(Text, CommentsAndSpacingDoNotMatter) {
  EXPECT_EQ(print(parse_expr("x*8 // eight\n  +xi%3")), "x*8 + xi % 3");
}

void expect_error(const std::string& text, const std::string& part) {
  try {
    parse_module(text);
    FAIL() << text;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(Text, ErrorsNameLineAndColumn) {
  expect_error("module \"m\" {\n  store b(0) = x\n}", "2:16: 'x' is not declared");
  expect_error("module \"m\" {\n  for i in [0, 1) {\n    assert i < 1i32, \"a\"\n  }\n}",
               "3:14: the operands of '<' have types index and i32");
  expect_error("module \"m\" {\n  jump\n}", "2:3: 'jump' does not begin a statement");
  expect_error("module \"m\" {\n  let x = 3q8\n}", "2:11: 'q8' is not the type of a literal");
  expect_error("module \"m\" {\n  let x = #1 + 1\n}", "#1 is not bound");
  expect_error("module \"m\" {\n  let x = \"a\n}", "this text has no end");
  expect_error("module \"m\" {\n", "a statement was expected");
  expect_error("module \"m\" {\n  let x = foo(3)\n}", "is not a function");
  expect_error("module \"m\" {\n  let x = f[3]\n}", "the element type of 'f' is not declared");
  expect_error("module \"m\" {} x", "the text should end here");
  expect_error("module \"m\" { @ }", "'@' has no meaning here");
  EXPECT_THROW(parse_expr("x +"), Error);
  EXPECT_THROW(parse_expr("min(x, 1i32)"), Error);
  EXPECT_THROW(parse_expr("min(x)"), Error);
  EXPECT_THROW(parse_expr("-x"), Error);
}

/// Random well-typed expressions with sharing: operands are drawn from everything made so far.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    for (const char* name : {"i", "j"}) integers_.push_back(typed.at(name));
    for (const char* name : {"a", "b"}) floats_.push_back(typed.at(name));
    for (const char* name : {"x", "y"}) indices_.push_back(index_symbol(Symbol::named(name)));
    bools_.push_back(typed.at("p"));
  }
  Expr draw(int steps) {
    Expr last = integers_[0];
    for (int s = 0; s < steps; s++) last = step();
    return last;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  const Expr& pick(const std::vector<Expr>& list) { return list[below(list.size())]; }
  Expr keep(std::vector<Expr>& list, const Expr& e) {
    list.push_back(e);
    return e;
  }
  Expr step() {
    static constexpr Op numbers[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min, Op::Max};
    static constexpr Op bit_ops[] = {Op::BitAnd,    Op::BitOr,      Op::BitXor,
                                     Op::ShiftLeft, Op::ShiftRight, Op::Mod};
    static constexpr Op comparisons[] = {Op::Equal, Op::NotEqual, Op::Less, Op::LessEqual};
    switch (below(12)) {
      case 0:
        return keep(integers_, binary(numbers[below(6)], pick(integers_), pick(integers_)));
      case 1:
        return keep(integers_, binary(bit_ops[below(6)], pick(integers_), pick(integers_)));
      case 2:
        return keep(floats_, binary(numbers[below(6)], pick(floats_), pick(floats_)));
      case 3:
        return keep(indices_, binary(numbers[below(6)], pick(indices_), pick(indices_)));
      case 4:
        return keep(bools_, binary(comparisons[below(4)], pick(floats_), pick(floats_)));
      case 5:
        return keep(bools_, binary(comparisons[below(4)], pick(indices_), pick(indices_)));
      case 6:
        return keep(bools_, below(2) == 0 ? unary(Op::Not, pick(bools_))
                                          : binary(below(2) == 0 ? Op::And : Op::Or, pick(bools_),
                                                   pick(bools_)));
      case 7:
        return keep(floats_, ir::select(pick(bools_), pick(floats_), pick(floats_)));
      case 8:
        return keep(integers_, below(2) == 0
                                   ? cast_to(Int(32), pick(floats_))
                                   : literal(Int(32), static_cast<std::int64_t>(random_())));
      case 9:
        return keep(
            floats_,
            below(2) == 0
                ? cast_to(Float(32), pick(integers_))
                : real_literal(Float(32), std::ldexp(static_cast<double>(random_() % 1000000) - 5e5,
                                                     static_cast<int>(below(200)) - 100)));
      case 10:
        return keep(indices_, below(2) == 0
                                  ? index_literal(static_cast<std::int64_t>(random_() % 100) - 50)
                                  : cast_to(Index(), pick(integers_)));
      default:
        return keep(integers_, cast_to(Int(32), access(UInt(8), Symbol::named("f"),
                                                       {pick(indices_), pick(indices_)})));
    }
  }

  std::mt19937_64 random_;
  std::vector<Expr> integers_, floats_, indices_, bools_;
};

TEST(Text, NestingIsBounded) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "1" + std::string(depth, ')');
  };
  EXPECT_EQ(print(parse_expr(nested(1000))), "1");
  for (const std::string& text : {nested(100000), std::string(100000, '!') + "p"}) {
    try {
      parse_expr(text);
      ADD_FAILURE() << "read";
    } catch (const Error& error) {
      EXPECT_NE(error.diagnostic().reason.find("nest more than 4000 deep"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Text, RandomExpressionsReadBack) {
  for (std::uint64_t seed = 0; seed < 2000; seed++) {
    const Expr e = Generator(seed).draw(1 + static_cast<int>(seed % 40));
    const std::string text = print(e);
    ASSERT_LT(text.size(), 20000u) << "seed " << seed;
    const Expr again = parse_expr(text, typed);
    ASSERT_TRUE(equal(again, e)) << "seed " << seed << ": " << text;
    ASSERT_EQ(print(again), text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace sinter::ir
