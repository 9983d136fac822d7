// One refusal for each rule of the verifier, and acceptance of what is well formed.

#include <gtest/gtest.h>
#include <sinter/diagnostic.h>

#include "dsl/ir/module.h"

namespace sinter::ir {
namespace {

const Symbol f = Symbol::named("f"), g = Symbol::named("g"), x = Symbol::named("x"),
             b = Symbol::named("b");
const Expr zero = index_literal(0), one = index_literal(1);
const Expr byte = literal(UInt(8), 3), number = real_literal(Float(32), 1);

Expr raw(Op op, Type type, std::vector<Expr> args, std::int64_t count = 0) {
  return expr(op, type, std::move(args), {}, count);
}

Module module_of(const Stmt& body) {
  Module module;
  module.name = "m";
  module.arguments.push_back({Argument::Kind::Input,
                              f,
                              f,
                              "f",
                              UInt(8),
                              {{Symbol::named("fm"), Symbol::named("fe"), Symbol::named("fs")}}});
  module.arguments.push_back({Argument::Kind::Scalar, Symbol::named("n"), {}, "n", Int(32), {}});
  module.arguments.push_back({Argument::Kind::Output,
                              g,
                              g,
                              "g",
                              Float(32),
                              {{Symbol::named("gm"), Symbol::named("ge"), Symbol::named("gs")}}});
  module.body = body;
  return module;
}

void expect_refused(const Stmt& body, Level level, const std::string& rule) {
  const std::vector<std::string> problems = verify(module_of(body), level);
  ASSERT_FALSE(problems.empty()) << print(body);
  bool found = false;
  for (const std::string& p : problems) found = found || p.find(rule) == 0;
  EXPECT_TRUE(found) << "expected '" << rule << "', got '" << problems[0] << "'";
}
/// As a let, so that any type will do.
void expect_refused(const Expr& e, const std::string& rule, Level level = Level::Nested) {
  expect_refused(let(Symbol::named("t"), e, block({})), level, rule);
}
void expect_accepted(const Stmt& body, Level level) {
  for (const std::string& problem : verify(module_of(body), level)) ADD_FAILURE() << problem;
}
void expect_accepted(const Expr& e, Level level = Level::Nested) {
  expect_accepted(let(Symbol::named("t"), e, block({})), level);
}

TEST(Verify, AcceptsEachLevel) {
  const Expr at = index_symbol(x);
  const Stmt nested = for_loop(x, zero, one, LoopKind::Vectorized,
                               provide(g, {cast_to(Float(32), access(UInt(8), f, {at}))}, {at}));
  expect_accepted(nested, Level::Nested);
  const Expr lanes = ramp(zero, one, 8);
  const Stmt flat = allocate(
      b, Float(32), index_literal(8), MemoryKind::Stack,
      block({store(b, cast_to(Float(32, 8), load(UInt(8, 8), f, lanes, true_value(8))), lanes),
             atomic_store(Op::Add, g, load(Float(32), b, zero), zero), free_buffer(b)}));
  expect_accepted(flat, Level::Flat);
  expect_accepted(flat, Level::Machine);
}

TEST(Verify, ChecksTypesOfOperators) {
  expect_refused(raw(Op::Add, UInt(8), {byte, number}), "the operands have the type of the result");
  expect_refused(raw(Op::Add, Bool(), {true_value(), true_value()}), "arithmetic is on numbers");
  expect_refused(raw(Op::Mod, Float(32), {number, number}), "the remainder is on integers");
  expect_refused(raw(Op::Fma, UInt(8), {byte, byte, byte}), "fma is on f32 and f64");
  expect_refused(raw(Op::Abs, Int(8), {literal(Int(8), 1)}), "abs of an int is a uint");
  expect_refused(raw(Op::Less, UInt(8), {byte, byte}), "a comparison is a bool");
  expect_refused(raw(Op::Less, Bool(), {byte, number}),
                 "the operands of a comparison have one type");
  expect_refused(raw(Op::And, Bool(), {true_value(), byte}), "logic is on bools");
  expect_refused(raw(Op::Select, UInt(8), {byte, byte, byte}),
                 "the condition is a bool of as many lanes");
  expect_refused(raw(Op::Select, UInt(8), {true_value(), byte, number}),
                 "the operands have the type of the result");
  expect_refused(raw(Op::BitAnd, Float(32), {number, number}), "bit operations are on integers");
  expect_refused(raw(Op::BitAnd, Index(), {zero, zero}), "bit operations are on integers");
  expect_refused(raw(Op::ShiftLeft, UInt(8), {byte, literal(UInt(16), 1)}),
                 "a shift amount has the width");
  expect_refused(raw(Op::Cast, UInt(8, 4), {byte}), "a conversion keeps the lanes");
  expect_refused(raw(Op::Reinterpret, UInt(32), {byte}), "reinterpret keeps the bits");
  expect_refused(raw(Op::Floor, UInt(8), {byte}), "mathematics is on floats");
  expect_refused(raw(Op::Exp, Float(16), {real_literal(Float(16), 1)}),
                 "portable functions are on f32 and f64");
  expect_refused(raw(Op::Strict, Float(64), {number}), "the operands have the type of the result");
  expect_refused(raw(Op::Undef, Float(32), {}), "undef is for the front end only");
  expect_refused(raw(Op::Require, UInt(8), {byte, byte}), "the condition is a bool");
  expect_refused(raw(Op::Min, UInt(8), {byte}), "an operator has all its operands");
  expect_refused(raw(Op::Ramp, UInt(8, 4), {byte, literal(UInt(16), 1)}),
                 "base and stride have one type");
  expect_refused(raw(Op::Broadcast, UInt(8), {byte}), "a vector is made of scalars");
  expect_accepted(raw(Op::ShiftLeft, UInt(8), {byte, literal(Int(8), -1)}));
  expect_accepted(raw(Op::Min, Bool(), {true_value(), false_value()}));
}

TEST(Verify, ChecksSymbols) {
  expect_refused(index_symbol(x), "a symbol is bound before it is used");
  expect_refused(symbol(Int(64), Symbol::named("n")),
                 "a symbol is used with the type it is bound with");
  expect_accepted(symbol(Int(32), Symbol::named("n")));
  expect_accepted(index_symbol(Symbol::named("fe")));
  const Stmt inner = for_loop(x, zero, one, LoopKind::Serial, block({}));
  expect_refused(for_loop(x, zero, one, LoopKind::Serial, inner), Level::Nested,
                 "a symbol is bound once on a path");
  expect_refused(let(x, one, inner), Level::Nested, "a symbol is bound once on a path");
  expect_accepted(block({inner, for_loop(x, zero, one, LoopKind::Serial, block({}))}),
                  Level::Nested);
}

TEST(Verify, ChecksMemory) {
  expect_refused(access(UInt(8), b, {zero}), "memory is bound before it is used");
  expect_refused(access(Float(32), f, {zero}), "a read has the element type of its memory");
  expect_refused(access(UInt(8), f, {zero, zero}),
                 "an access has one coordinate for each dimension");
  expect_refused(access(UInt(8), f, {literal(Int(32), 0)}), "coordinates are of type index");
  expect_refused(access(UInt(8), f, {zero}, 1), "the component exists");
  expect_refused(load(UInt(8), f, literal(Int(32), 0)), "a flat index is of type index",
                 Level::Flat);
  expect_refused(load(UInt(8), f, zero, true_value(4)), "a predicate is a bool of as many lanes",
                 Level::Flat);
  expect_refused(provide(g, {byte}, {zero}), Level::Nested,
                 "a value has the element type of its memory");
  expect_refused(provide(g, {number, number}, {zero}), Level::Nested,
                 "a provide has one value for each component");
  expect_refused(provide(g, {number}, {}), Level::Nested,
                 "a provide has one coordinate for each dimension");
  expect_refused(store(g, byte, zero), Level::Flat, "a value has the element type of its memory");
  expect_refused(store(g, number, ramp(zero, one, 4)), Level::Flat,
                 "a flat index is of type index and agrees in lanes");
  expect_refused(atomic_store(Op::Select, g, number, zero), Level::Flat,
                 "an atomic update is a binary operator");
  expect_refused(free_buffer(g), Level::Flat, "only an allocation is freed");
  expect_refused(allocate(f, UInt(8), one, MemoryKind::Auto, block({})), Level::Flat,
                 "memory is bound once on a path");
  expect_refused(allocate(b, UInt(8), byte, MemoryKind::Auto, block({})), Level::Flat,
                 "sizes and bounds are of type index");
  expect_refused(allocate(b, UInt(8, 4), one, MemoryKind::Auto, block({})), Level::Flat,
                 "elements are scalars");
}

TEST(Verify, ChecksStatements) {
  expect_refused(for_loop(x, literal(Int(32), 0), one, LoopKind::Serial, block({})), Level::Nested,
                 "loops run over index");
  expect_refused(if_then(byte, block({})), Level::Nested, "a branch is decided by a scalar bool");
  expect_refused(if_then(true_value(4), block({})), Level::Nested,
                 "a branch is decided by a scalar bool");
  expect_refused(assert_that(byte, "m"), Level::Nested, "an assertion is a scalar bool");
  expect_refused(assert_that(true_value(), "{}", {ramp(zero, one, 4)}), Level::Nested,
                 "the values of an assertion are scalars");
  expect_refused(block({Stmt(byte.node())}), Level::Nested, "a value is no statement");
  expect_refused(Expr(block({}).node()), "a statement is no value");
}

TEST(Verify, ForbidsWhatAPassHasRemoved) {
  expect_refused(store(g, number, zero), Level::Nested, "flat memory has no place at level Nested");
  expect_refused(load(UInt(8), f, zero), "flat memory has no place at level Nested", Level::Nested);
  expect_refused(provide(g, {number}, {zero}), Level::Flat,
                 "multi-dimensional memory has no place after level Nested");
  expect_refused(access(UInt(8), f, {zero}),
                 "multi-dimensional memory has no place after level Nested", Level::Flat);
  expect_refused(realize(b, {UInt(8)}, {{zero, one}}, MemoryKind::Auto, block({})), Level::Flat,
                 "multi-dimensional memory");
  for (const LoopKind kind : {LoopKind::Vectorized, LoopKind::Unrolled}) {
    expect_refused(for_loop(x, zero, one, kind, block({})), Level::Machine,
                   "loops at level Machine are serial or, on the host, parallel");
  }
  expect_refused(raw(Op::Exp, Float(32), {number}),
                 "portable functions have no place at level Machine", Level::Machine);
  expect_refused(raw(Op::Strict, Float(32), {number}), "markers have no place at level Machine",
                 Level::Machine);
  expect_accepted(raw(Op::Exp, Float(32), {number}), Level::Flat);
}

TEST(Verify, TupleOutputsAreArgumentsOfTheirOwn) {
  Module module;
  for (const char* name : {"t.0", "t.1"}) {
    const Type type = module.arguments.empty() ? UInt(8) : Float(32);
    module.arguments.push_back({Argument::Kind::Output,
                                Symbol::named(name),
                                Symbol::named("t"),
                                name,
                                type,
                                {{Symbol::fresh("m"), Symbol::fresh("e"), Symbol::fresh("s")}}});
  }
  module.body = provide(Symbol::named("t"), {byte, number}, {zero});
  EXPECT_TRUE(verify(module, Level::Nested).empty());
}

TEST(Verify, DeepSharingTakesNoTime) {
  Expr e = number;
  for (int i = 0; i < 60; i++) e = binary(Op::Add, e, e);
  expect_accepted(e);
}

}  // namespace
}  // namespace sinter::ir
