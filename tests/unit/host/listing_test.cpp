// Vector modules stay vector code: no lane is taken out of a register, nothing is called.
#include "tests/unit/host/harness.h"

namespace sinter::backends::testing {

using ir::Op;

namespace {

int occurrences(const std::string& text, const std::string& word) {
  int count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

/// out[i] = make(a[i], b[i]) with 16 lanes; the x86-64-v3 listings.
template <typename Make>
CompiledModule vector_module(Type t, Make make, const char* target = "host-x86-64-v3") {
  Program program;
  const Symbol i = Symbol::named("i");
  const std::size_t count = 256;
  const Expr a = load_at(
      t,
      program.input(
          "a", Memory{t, std::vector<std::uint8_t>(count * static_cast<std::size_t>(t.bytes()))}),
      i, 16);
  const Expr b = load_at(
      t,
      program.input(
          "b", Memory{t, std::vector<std::uint8_t>(count * static_cast<std::size_t>(t.bytes()))}),
      i, 16);
  const Expr value = make(a, b);
  const Symbol out = program.output("out", value->type.element(), count);
  program.body(ir::for_loop(i, ir::index_literal(0), ir::index_literal(16), ir::LoopKind::Serial,
                            ir::store(out, value, lanes_at(i, 16))));
  return program.compile(true, target);
}

void expect_vector_code(const CompiledModule& module, int longest_loop) {
  const std::string& assembly = module.listings.at("asm");
  EXPECT_EQ(occurrences(module.listings.at("llvm"), "extractelement"), 0);
  EXPECT_EQ(occurrences(assembly, "call"), 0) << assembly;
  for (const char* scalar : {"pextr", "pinsr", "cvttss", "cvttsd"})
    EXPECT_EQ(occurrences(assembly, scalar), 0) << scalar << "\n" << assembly;
  EXPECT_LT(occurrences(assembly, "\n"), longest_loop) << assembly;
}

}  // namespace

TEST(Listing, MinAndMaxStayVectors) {
  for (const Type t : {Float(32), Float(64), Float(16), BFloat(16)})
    for (const Op op : {Op::Min, Op::Max}) {
      SCOPED_TRACE(to_string(t));
      expect_vector_code(
          vector_module(t, [&](const Expr& a, const Expr& b) { return ir::binary(op, a, b); }),
          130);
    }
}

TEST(Listing, MaxWithAConstantIsOneInstruction) {
  const CompiledModule module = vector_module(Float(32), [](const Expr& a, const Expr&) {
    return ir::binary(Op::Max, a, ir::real_literal(Float(32, 16), 0));
  });
  EXPECT_EQ(occurrences(module.listings.at("asm"), "vmaxps"), 2);
  EXPECT_EQ(occurrences(module.listings.at("asm"), "vcmp"), 0);
}

TEST(Listing, SaturatingCastsStayVectors) {
  for (const Type from : {Float(32), BFloat(16), Float(16)})
    for (const Type to : {Int(32), UInt(8), Int(8), Int(16), UInt(16)}) {
      SCOPED_TRACE(to_string(from) + " to " + to_string(to));
      expect_vector_code(
          vector_module(
              from, [&](const Expr& a, const Expr&) { return ir::cast_to(to.with_lanes(16), a); }),
          140);
    }
}

TEST(Listing, RoundingToShortFloatsStaysVectors) {
  for (const Type to : {BFloat(16, 16), Float(16, 16)}) {
    SCOPED_TRACE(to_string(to));
    expect_vector_code(
        vector_module(Float(32), [&](const Expr& a, const Expr&) { return ir::cast_to(to, a); }),
        110);
  }
}

TEST(Listing, DivisionOfIntegersStaysVectors) {
  for (const Type t : {Int(32), Int(16), UInt(8), UInt(16)}) {
    SCOPED_TRACE(to_string(t));
    expect_vector_code(
        vector_module(t, [](const Expr& a, const Expr& b) { return ir::binary(Op::Div, a, b); }),
        200);
    expect_vector_code(vector_module(t,
                                     [&](const Expr& a, const Expr&) {
                                       return ir::binary(Op::Mod, a,
                                                         ir::literal(t.with_lanes(16), 10));
                                     }),
                       160);
  }
}

TEST(Listing, ProductsAreNotContracted) {
  const CompiledModule module = vector_module(Float(32), [](const Expr& a, const Expr& b) {
    return ir::binary(Op::Add, ir::binary(Op::Mul, a, b), b);
  });
  EXPECT_EQ(occurrences(module.listings.at("asm"), "vfmadd"), 0);
  const CompiledModule fused = vector_module(Float(32), [](const Expr& a, const Expr& b) {
    return ir::expr(Op::Fma, Float(32, 16), {a, b, b});
  });
  EXPECT_EQ(occurrences(fused.listings.at("asm"), "vfmadd"), 2);
}

TEST(Listing, CoordinatesAsDataUseNarrowLanes) {
  const CompiledModule module = vector_module(Int(32), [](const Expr& a, const Expr&) {
    const Expr x = ir::ramp(ir::index_symbol(Symbol::named("i")), ir::index_literal(3), 16);
    const Expr y = ir::binary(Op::Mul, x, ir::broadcast(ir::index_literal(5), 16));
    return ir::binary(Op::Add, a, ir::cast_to(Int(32, 16), y));
  });
  EXPECT_EQ(occurrences(module.listings.at("llvm"), "<16 x i64>"), 0) << module.listings.at("llvm");
}

TEST(Listing, StridedLoadsAreShuffles) {
  Program program;
  const Symbol in = program.input("in", Memory{Float(32), std::vector<std::uint8_t>(4096)});
  const Symbol out = program.output("out", Float(32), 16);
  const Expr value =
      ir::load(Float(32, 16), in, ir::ramp(ir::index_literal(1), ir::index_literal(2), 16));
  program.body(ir::store(out, value, ir::ramp(ir::index_literal(0), ir::index_literal(1), 16)));
  const CompiledModule module = program.compile(true, "host-x86-64-v3");
  EXPECT_EQ(occurrences(module.listings.at("asm"), "gather"), 0);
  EXPECT_EQ(occurrences(module.listings.at("llvm"), "load <16 x float>"), 2);
}

TEST(Listing, NeighboursAreGatheredTogether) {
  const int lanes = 8;
  Program program;
  const Symbol in = program.input("in", Memory{Float(32), std::vector<std::uint8_t>(4096)});
  const Symbol places = program.input("places", Memory{Int(32), std::vector<std::uint8_t>(4096)});
  const Symbol out = program.output("out", Float(32), lanes);
  const Symbol start = program.scalar("start", ir::Scalar::of_integer(Int(32), 5));
  const Expr dense = ir::ramp(ir::index_literal(0), ir::index_literal(1), lanes);
  const Expr index = ir::cast_to(Index(lanes), ir::load(Int(32, lanes), places, dense));
  const Expr base = ir::cast_to(Index(), ir::symbol(Int(32), start));
  const auto load = [&](std::int64_t distance) {
    const Expr scalar = ir::binary(Op::Add, base, ir::index_literal(distance));
    return ir::load(Float(32, lanes), in, ir::binary(Op::Add, index, ir::broadcast(scalar, lanes)));
  };
  program.body(ir::store(out, ir::binary(Op::Mul, load(1), load(0)), dense));
  const CompiledModule module = program.compile(true, "host-x86-64-v4");
  EXPECT_EQ(occurrences(module.listings.at("llvm"), "call <8 x i64> @llvm.masked.gather"), 1)
      << module.listings.at("llvm");
  EXPECT_EQ(occurrences(module.listings.at("llvm"), "call <8 x float> @llvm.masked.gather"), 0);
}

TEST(Listing, ClampedFloatsConvertInOneInstruction) {
  const CompiledModule module = vector_module(Float(32), [](const Expr& a, const Expr&) {
    const auto all = [](double value) {
      return ir::broadcast(ir::real_literal(Float(32), value), 16);
    };
    const Expr clamped = ir::binary(Op::Max, ir::binary(Op::Min, a, all(255)), all(0));
    return ir::cast_to(Float(32, 16), ir::cast_to(Int(32, 16), clamped));
  });
  for (const char* repair : {"vcmp", "vblend"})
    EXPECT_EQ(occurrences(module.listings.at("asm"), repair), 0) << module.listings.at("asm");
}

TEST(Listing, StackMemoryOfConstantAccessesLivesInRegisters) {
  Program program;
  const Symbol in = program.input("in", Memory{Float(32), std::vector<std::uint8_t>(4096)});
  const Symbol out = program.output("out", Float(32), 32);
  const Symbol sums = Symbol::fresh("sums"), k = Symbol::named("k");
  std::vector<ir::Stmt> start, step, finish;
  for (int tile = 0; tile < 4; ++tile) {
    const Expr place = ir::ramp(ir::index_literal(8 * tile), ir::index_literal(1), 8);
    const Expr base =
        ir::binary(Op::Add, ir::binary(Op::Mul, ir::index_symbol(k), ir::index_literal(32)),
                   ir::index_literal(8 * tile));
    start.push_back(ir::store(sums, ir::real_literal(Float(32, 8), 0), place));
    const Expr sum = ir::load(Float(32, 8), sums, place);
    step.push_back(
        ir::store(sums,
                  ir::binary(Op::Add, sum,
                             ir::load(Float(32, 8), in, ir::ramp(base, ir::index_literal(1), 8))),
                  place));
    finish.push_back(ir::store(out, sum, place));
  }
  const ir::Stmt loop = ir::for_loop(k, ir::index_literal(0), ir::index_literal(32),
                                     ir::LoopKind::Serial, ir::block(step));
  program.body(ir::allocate(sums, Float(32), ir::index_literal(32), ir::MemoryKind::Auto,
                            ir::block({ir::block(start), loop, ir::block(finish)})));
  const CompiledModule module = program.compile(true, "host-x86-64-v3");
  EXPECT_EQ(occurrences(module.listings.at("llvm"), "alloca"), 0) << module.listings.at("llvm");
}

}  // namespace sinter::backends::testing
