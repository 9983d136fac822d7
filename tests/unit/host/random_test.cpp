// Random expressions over all types and lane counts against the interpreter, and the cost of long
// modules.
#include <ctime>
#include <iostream>

#include "tests/unit/host/harness.h"

namespace sinter::backends::testing {

using ir::LoopKind;
using ir::Op;

namespace {

constexpr int Trips = 6;

/// Grows a pool of values, each made of earlier ones, so that expressions share parts.
class RandomProgram {
 public:
  RandomProgram(std::uint64_t seed, int lanes) : random_(seed), lanes_(lanes) {
    for (const Type t : AllTypes) {
      if (t.is_index()) continue;
      std::vector<ir::Scalar> values;
      for (int i = 0; i < lanes * Trips; ++i) values.push_back(random_value(t, random_));
      pool_.push_back(
          load_at(t, program.input("in_" + to_string(t), memory_of(t, values)), loop_, lanes));
    }
    for (int i = 0; i < 60; ++i)
      if (const Expr e = next(); e.defined()) pool_.push_back(e);
    std::vector<ir::Stmt> stores;
    for (int i = 0; i < 12; ++i) {
      const Expr value = pool_[pool_.size() - 1 - random_() % 40];
      const Symbol out = program.output("out" + std::to_string(i), value->type.element(),
                                        static_cast<std::size_t>(lanes * Trips));
      stores.push_back(ir::store(out, value, lanes_at(loop_, lanes)));
    }
    const LoopKind kind = random_() % 2 ? LoopKind::Parallel : LoopKind::Serial;
    program.body(ir::for_loop(loop_, ir::index_literal(0), ir::index_literal(Trips), kind,
                              ir::block(stores)));
  }
  Program program;

 private:
  Expr any() { return pool_[random_() % pool_.size()]; }
  Expr of(Type t) {
    for (int tries = 0; tries < 200; ++tries)
      if (const Expr e = any(); e->type == t) return e;
    const ir::Scalar value = random_value(t.element(), random_);
    return t.is_float() ? ir::real_literal(t, value.real) : ir::literal(t, value.integer);
  }
  Expr condition() {
    const Expr a = any();
    static constexpr Op ops[] = {Op::Equal, Op::NotEqual, Op::Less, Op::LessEqual};
    return ir::binary(ops[random_() % 4], a, of(a->type));
  }
  Expr next() {
    const Expr a = any();
    const Type t = a->type;
    switch (random_() % 6) {
      case 0:
        return ir::select(condition(), a, of(t));
      case 1:
        return ir::cast_to(AllTypes[random_() % (AllTypes.size() - 1)].with_lanes(lanes_), a);
      case 2:
        return condition();
      default:
        break;
    }
    if (t.is_bool()) return ir::binary(random_() % 2 ? Op::And : Op::Or, a, of(t));
    if (t.is_float() && random_() % 3 == 0) {
      static constexpr Op ops[] = {Op::Floor, Op::Ceil, Op::Round, Op::Trunc, Op::Sqrt, Op::Abs};
      return ir::unary(ops[random_() % 6], a);
    }
    static constexpr Op numbers[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min, Op::Max};
    static constexpr Op bits[] = {Op::Mod,    Op::BitAnd,    Op::BitOr,
                                  Op::BitXor, Op::ShiftLeft, Op::ShiftRight};
    const bool use_bits = t.is_integer() && random_() % 2;
    return ir::binary(use_bits ? bits[random_() % 6] : numbers[random_() % 6], a, of(t));
  }

  std::mt19937_64 random_;
  int lanes_;
  Symbol loop_ = Symbol::named("i");
  std::vector<Expr> pool_;
};

double cpu_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// A chain of `stages` loops, each reading the one before, each in its own allocation, freed after
/// its last use.
double compile_chain(int stages) {
  Program program;
  const Symbol in = program.input("in", Memory{Float(32), std::vector<std::uint8_t>(4096)});
  const Symbol out = program.output("out", Float(32), 1024);
  std::vector<Symbol> buffers{in};
  std::vector<ir::Stmt> loops;
  for (int s = 0; s < stages; ++s) {
    const Symbol i = Symbol::fresh("i");
    const Expr from = load_at(Float(32), buffers.back(), i, 8);
    buffers.push_back(s + 1 == stages ? out : Symbol::fresh("stage"));
    const ir::Stmt loop =
        ir::for_loop(i, ir::index_literal(0), ir::index_literal(128), LoopKind::Serial,
                     ir::store(buffers.back(), ir::binary(Op::Add, from, from), lanes_at(i, 8)));
    loops.push_back(
        s == 0 ? loop : ir::block({loop, ir::free_buffer(buffers[static_cast<std::size_t>(s)])}));
  }
  ir::Stmt body = loops.back();
  for (int s = stages - 2; s >= 0; --s)
    body =
        ir::allocate(buffers[static_cast<std::size_t>(s) + 1], Float(32), ir::index_literal(1024),
                     ir::MemoryKind::Heap, ir::block({loops[static_cast<std::size_t>(s)], body}));
  program.body(body);
  const double start = cpu_milliseconds();
  program.compile();
  return cpu_milliseconds() - start;
}

}  // namespace

TEST(Random, ExpressionsEqualTheInterpreter) {
  const std::uint64_t seed = 20240601;
  std::cout << "seed " << seed << "\n";
  for (std::uint64_t round = 0; round < 40; ++round) {
    static constexpr int lanes[] = {1, 4, 8, 16, 3};
    RandomProgram random(seed + round, lanes[round % 5]);
    SCOPED_TRACE("round " + std::to_string(round));
    random.program.expect_same(round);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Random, CompileTimeGrowsLinearly) {
  compile_chain(4);
  const double few = std::min(compile_chain(40), compile_chain(40));
  const double many = compile_chain(160);
  RecordProperty("milliseconds_40", std::to_string(few));
  RecordProperty("milliseconds_160", std::to_string(many));
  EXPECT_LT(many, 8 * few) << few << " ms, then " << many << " ms";
}

}  // namespace sinter::backends::testing
