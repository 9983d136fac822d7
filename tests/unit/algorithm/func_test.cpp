// Definitions: what f(x, y) = e means, and what it refuses.

#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include "dsl/algorithm/collect.h"
#include "dsl/algorithm/print_expr.h"

namespace sinter {
namespace {

/// Text of a Func's definitions, without its head line.
std::string definitions(const Func& f) {
  const std::string text = to_string(collect({f}));
  return text.substr(text.find('\n', text.find("output " + f.name())) + 1);
}

/// The refusal of `f`, complete but for the path: "line: stage 'f': definition: ...".
Diagnostic refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const AlgorithmError& e) {
    EXPECT_NE(e.diagnostic().reason, "");
    EXPECT_NE(e.diagnostic().remedy, "");
    return e.diagnostic();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

const Var x("x"), y("y");

TEST(Func, ADefinitionRecordsItsLine) {
  Func f("f");
  f(x, y) = x;
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(f.contents()->definition.definitions[0].where.line(), line);
  EXPECT_NE(
      std::string(f.contents()->definition.definitions[0].where.file_name()).find("func_test.cpp"),
      std::string::npos);
}

TEST(Func, ItsTypeIsThatOfItsFirstDefinition) {
  Func f("f"), g("g"), h("h");
  f(x) = u8(x);
  EXPECT_EQ(f.type(), UInt(8));
  EXPECT_EQ(f.dimensions(), 1);
  g(x) = Tuple(x, 1.0f);
  EXPECT_EQ(g.outputs(), 2u);
  EXPECT_EQ(g.types(), (std::vector<Type>{Int(32), Float(32)}));
  EXPECT_FALSE(h.defined());
}

TEST(Func, ADeclaredTypeRoundsEachDefinitionOnce) {
  Func f(BFloat(16), 1, "f");
  RDom r(0, 4, "r");
  f(x) = 0.5f;
  f(x) += f32(r) * 1.5f;
  EXPECT_EQ(definitions(f),
            "  f(x) = bf16(0.5)\n"
            "  f(x) = bf16(fma(f32(i32(r.x)), 1.5f, f32(f(x))))\n"
            "    over r.x in [0, +4)\n");
}

TEST(Func, AnUpdateOfAnUndefinedFuncDefinesIt) {
  Func count("count"), factor("factor");
  RDom r(0, 5, 0, 3, "r");
  const ImageParam in(UInt(8), 2, "in");
  count(in(r.x, r.y)) += 1;
  EXPECT_EQ(count.num_update_definitions(), 1);
  EXPECT_EQ(print_expr(count.contents()->definition.definitions[0].values[0]), "0");
  EXPECT_EQ(print_expr(count.contents()->definition.definitions[1].coordinates[0]),
            "index(in(r.x, r.y))");
  factor(x) *= f32(r.x) + f32(r.y);
  EXPECT_EQ(definitions(factor),
            "  factor(x) = 1.0f\n"
            "  factor(x) = factor(x)*(f32(i32(r.x)) + f32(i32(r.y)))\n"
            "    over r.x in [0, +5)\n"
            "    over r.y in [0, +3)\n");
}

TEST(Func, WhereIsAPredicateOfTheUpdate) {
  Func f("f");
  RDom r(0, 10, 0, 10, "r");
  r.where(r.x < r.y);
  r.where(r.x != 3);
  f(x) = 0;
  f(r.x) += r.y;
  EXPECT_EQ(definitions(f),
            "  f(x) = 0\n"
            "  f(r.x) = f(r.x) + i32(r.y)\n"
            "    over r.x in [0, +10)\n"
            "    over r.y in [0, +10)\n"
            "    where r.x < r.y && r.x != 3\n");
}

TEST(Func, TuplesAreUpdatedTogetherOrByComponent) {
  Func f("f");
  f(x) = Tuple(x, 0);
  f(x) = Tuple(f(x)[1], f(x)[0]);
  f(x)[1] += 3;
  f(x) += Tuple(1, 2);
  EXPECT_EQ(definitions(f),
            "  f(x) = (i32(x), 0)\n"
            "  f(x) = (f(x)[1], f(x))\n"
            "  f(x) = (f(x), f(x)[1] + 3)\n"
            "  f(x) = (f(x) + 1, f(x)[1] + 2)\n");
}

TEST(Func, ThePlaceholderStandsForTheOtherDimensions) {
  Func f("f"), g("g"), h("h");
  f(x, y) = x + y;
  g(_) = f(_) * 2;
  EXPECT_EQ(definitions(g), "  g(_0, _1) = f(_0, _1)*2\n");
  h(x, _) = f(_, x);
  EXPECT_EQ(definitions(h), "  h(x, _0) = f(_0, x)\n");
  Func k = f(_) + 1;
  EXPECT_EQ(k.dimensions(), 2);
}

TEST(Func, UndefLeavesTheFirstDefinitionOut) {
  Func f("f");
  f(x) = undef<float>();
  f(0) = 1.0f;
  EXPECT_EQ(f.type(), Float(32));
  EXPECT_EQ(definitions(f), "  f(x) = undef\n  f(0) = 1.0f\n");
  Func g("g");
  g(x) = Tuple(x, x);
  g(x) = Tuple(x + 1, undef<int>());
  EXPECT_EQ(definitions(g), "  g(x) = (i32(x), i32(x))\n  g(x) = (i32(x) + 1, g(x)[1])\n");
}

TEST(Func, ArgumentsMayBeAnythingThatIsAnExpr) {
  Func f("f"), g("g");
  f(x, y) = x + y;
  Param<int> p("p");
  RDom r(0, 3, "r");
  g(x) = f(x, p) + f(3, x) + f(x + 1, cast<std::uint8_t>(x)) + f(f(x, x), x);
  g(x) += f(r, x);
  EXPECT_EQ(g.num_update_definitions(), 1);
}

TEST(Func, IntegersWidenAndLiteralsAdaptToADeclaredType) {
  Func f(Int(32), 1, "f"), g(UInt(8), 1, "g"), h(Float(32), 1, "h");
  f(x) = u8(x);
  EXPECT_EQ(definitions(f), "  f(x) = i32(u8(i32(x)))\n");
  g(x) = 255;
  EXPECT_EQ(definitions(g), "  g(x) = u8(255)\n");
  h(x) = x;
  EXPECT_EQ(definitions(h), "  h(x) = f32(i32(x))\n");
}

// --- refusals

TEST(FuncRefusals, NameStageLineReasonAndRemedy) {
  Func f("f");
  const Diagnostic d = refusal([&] { f(x) = y; });
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(d.stage, "f");
  EXPECT_EQ(d.directive, "definition");
  EXPECT_EQ(d.line, line);
  EXPECT_EQ(d.reason, "the Var 'y' is not among its arguments");
  EXPECT_EQ(d.remedy, "add it to the left side, or use a reduction variable");
  EXPECT_FALSE(f.defined());
}

TEST(FuncRefusals, FirstDefinitionsNeedDistinctVars) {
  Func f("f");
  EXPECT_EQ(refusal([&] { f(x + 1) = 0; }).reason,
            "argument 0 is 'x + 1', and the first definition of a Func needs plain Vars");
  EXPECT_EQ(refusal([&] { f(x, x) = 0; }).reason, "the Var 'x' stands for two dimensions");
  RDom r(0, 3, "r");
  EXPECT_EQ(refusal([&] { f(x) = r + x; }).reason,
            "the first definition mentions the reduction variable 'r.x'");
}

TEST(FuncRefusals, ADefinitionIsFrozenAtItsFirstUse) {
  Func f("f"), g("g");
  f(x) = x;
  g(x) = f(x);
  const Diagnostic d = refusal([&] { f(x) += 1; });
  EXPECT_EQ(d.reason,
            "it has been used by another Func or a pipeline already, and a definition is frozen at "
            "its first use");
  EXPECT_EQ(d.stage, "f.update(0)");
  collect({g});
  EXPECT_EQ(refusal([&] { g(x) += 1; }).stage, "g.update(0)");
}

TEST(FuncRefusals, UpdatesReadThemselvesAtTheSameVars) {
  Func f("f");
  f(x, y) = 0;
  EXPECT_EQ(refusal([&] { f(x, y) = f(x - 1, y) + 1; }).reason,
            "it reads itself at 'x - 1' in dimension 0, where the left side has the Var 'x'");
  RDom r(1, 9, "r");
  f(r, y) = f(r - 1, y) + 1;
  EXPECT_EQ(refusal([&] { f(y, x) = 1; }).reason,
            "the Var 'y' is not a pure variable of this update");
  EXPECT_EQ(refusal([&] { f(x + 1, y) = 1; }).reason,
            "the Var 'x' is not a pure variable of this update");
}

TEST(FuncRefusals, CountsMustAgree) {
  Func f("f"), g(Int(32), 1, "g"), undefined("undefined");
  f(x, y) = x;
  EXPECT_EQ(refusal([&] { Expr e = f(x); }).reason,
            "it has 2 dimensions and is called with 1 coordinate");
  EXPECT_EQ(refusal([&] { g(x, y) = 1; }).reason,
            "it has 1 dimension and is defined with 2 arguments");
  EXPECT_EQ(refusal([&] { f(x, y) = Tuple(1, 2); }).reason,
            "it has 1 component and is given 2 values");
  EXPECT_EQ(refusal([&] { Expr e = undefined(x); }).reason, "it is called before it is defined");
  EXPECT_EQ(refusal([&] { undefined(x) = g(x); }).reason,
            "it calls 'g', which is declared but not defined");
  Func pair("pair");
  pair(x) = Tuple(1, 2);
  EXPECT_EQ(refusal([&] { Expr e = pair(x) + 1; }).reason,
            "it has 2 components, where one value is wanted");
  EXPECT_EQ(refusal([&] { Expr e = pair(x)[2]; }).reason,
            "it has 2 components, and component 2 is asked for");
  const ImageParam in(UInt(8), 2, "in");
  EXPECT_EQ(refusal([&] { in(x); }).reason, "it has 2 dimensions and is called with 1 coordinate");
  EXPECT_EQ(refusal([&] { f.update(0); }).reason, "the Func has 0 update definitions");
  EXPECT_EQ(refusal([&] { collect({undefined}); }).reason, "it is an output and is not defined");
}

TEST(FuncRefusals, ValuesThatWouldLoseBitsAreNotConvertedInSilence) {
  Func f(UInt(8), 1, "f");
  EXPECT_EQ(refusal([&] { f(x) = x; }).reason, "its value is i32, and the Func is u8");
  EXPECT_EQ(refusal([&] { f(x) = 1.5f; }).reason, "its value is f32, and the Func is u8");
  EXPECT_EQ(refusal([&] { f(x) = 256; }).reason,
            "the literal 256 is not representable in the other operand's type, u8");
  EXPECT_EQ(refusal([&] { f(x) = 256; }).stage, "f");
}

TEST(FuncRefusals, CoordinatesAreIntegers) {
  Func f("f");
  f(x) = x;
  EXPECT_EQ(refusal([&] { Expr e = f(1.5f); }).reason, "coordinate 0 is f32, not an integer");
  EXPECT_NE(refusal([&] { Expr e = f(1.5f); }).line, 0u);
}

TEST(FuncRefusals, DomainsAreKnownBeforeThePipelineRuns) {
  Func f("f"), g("g"), h("h");
  f(x) = x;
  g(x) = 0;
  RDom data(0, f(3), "data"), variable(0, x, "variable"), one(0, 2, "one"), two(0, 2, "two");
  EXPECT_EQ(
      refusal([&] { g(x) += data; }).reason,
      "the bound 'f(3)' of the reduction variable 'data.x' is not known before the pipeline runs");
  EXPECT_EQ(
      refusal([&] { g(x) += variable; }).reason,
      "the bound 'x' of the reduction variable 'variable.x' is not known before the pipeline runs");
  EXPECT_EQ(refusal([&] { g(x) += one + two; }).reason,
            "it mentions two reduction domains, 'one.x' and 'two.x'");
  EXPECT_EQ(refusal([] { RDom r(0, 1, 2); }).reason, "it is given 3 bounds");
  EXPECT_EQ(refusal([] { RDom r(0, 1.5f); }).reason, "a bound is f32");
  EXPECT_EQ(refusal([] { Expr e = RVar("loose"); }).reason,
            "it does not belong to a reduction domain, so it has no values");
}

TEST(FuncRefusals, UndefIsAWholeValue) {
  Func f("f");
  EXPECT_EQ(refusal([&] { f(x) = undef<int>() + 1; }).reason,
            "undef is only a definition's whole value");
  EXPECT_EQ(refusal([&] { f(x) = Expr(); }).reason, "a value is an undefined Expr");
}

// --- names

TEST(Names, AreUniqueInOrderOfFirstUse) {
  Func a("same"), b("same"), unnamed, other;
  a(x) = x;
  b(x) = a(x) + 1;
  unnamed(x) = b(x);
  other(x) = unnamed(x) + a(x);
  const Algorithm algorithm = collect({other});
  std::vector<std::string> names;
  for (const StageDefinition& s : algorithm.stages) names.push_back(s.name);
  EXPECT_EQ(names, (std::vector<std::string>{"same_1", "same", "f1", "f0"}));
}

TEST(Names, ParametersKeepTheirRange) {
  Param<float> p("p", 1.0f, 0.0f, 2.0f);
  Func f("f");
  f(x) = p * 2;
  EXPECT_EQ(p.get(), 1.0f);
  const Algorithm algorithm = collect({f});
  ASSERT_EQ(algorithm.scalars.size(), 1u);
  EXPECT_EQ(algorithm.scalars[0].minimum->real, 0.0);
  EXPECT_EQ(algorithm.scalars[0].maximum->real, 2.0);
}

TEST(Names, ABufferInAnExpressionIsABoundImage) {
  Buffer<int> table({4}, "table");
  table.fill(7);
  Func f("f");
  f(x) = table(x) + table(0) + table(clamp(x, 0, 3));
  const Algorithm algorithm = collect({f});
  ASSERT_EQ(algorithm.images.size(), 1u);
  EXPECT_EQ(algorithm.images[0].name, "table");
  ASSERT_NE(algorithm.images[0].bound, nullptr);
  EXPECT_EQ(algorithm.images[0].bound->host, table.data());
}

}  // namespace
}  // namespace sinter
