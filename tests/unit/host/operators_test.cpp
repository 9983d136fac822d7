// Every operator on every type, scalar and vector, against the interpreter.
#include <cmath>

#include "tests/unit/host/harness.h"

namespace sinter::backends::testing {

using ir::Op;

namespace {

constexpr int Lanes = 8;

/// All pairs of edge values, then random pairs; the count a multiple of 16.
void operands(Type t, std::uint64_t seed, std::vector<ir::Scalar>& a, std::vector<ir::Scalar>& b) {
  std::mt19937_64 random(seed);
  const auto edges = edge_values(t);
  for (const auto& x : edges)
    for (const auto& y : edges) {
      a.push_back(x);
      b.push_back(y);
    }
  for (int i = 0; i < 256 || a.size() % 16 != 0; ++i) {
    a.push_back(random_value(t, random));
    b.push_back(random_value(t, random));
  }
}

/// One loop that stores `make(...)` of the elements of inputs a and b, for each expression made.
class Elementwise {
 public:
  Elementwise(Type t, int lanes, std::uint64_t seed) : type_(t), lanes_(lanes) {
    std::vector<ir::Scalar> x, y;
    operands(t, seed, x, y);
    count_ = x.size();
    a = load_at(t, program.input("a", memory_of(t, x)), loop_, lanes);
    b = load_at(t, program.input("b", memory_of(t, y)), loop_, lanes);
  }
  void add(const Expr& value) {
    const Symbol out =
        program.output("out" + std::to_string(stores_.size()), value->type.element(), count_);
    stores_.push_back(ir::store(out, value, lanes_at(loop_, lanes_)));
  }
  void check(const Target& target = {}) {
    const auto trips = static_cast<std::int64_t>(count_) / lanes_;
    program.body(ir::for_loop(loop_, ir::index_literal(0), ir::index_literal(trips),
                              ir::LoopKind::Serial, ir::block(stores_)));
    SCOPED_TRACE("type " + to_string(type_) + ", lanes " + std::to_string(lanes_));
    program.expect_same(1, target);
  }
  Program program;
  Expr a, b;

 private:
  Type type_;
  int lanes_;
  std::size_t count_ = 0;
  Symbol loop_ = Symbol::named("i");
  std::vector<ir::Stmt> stores_;
};

bool is_f32_or_f64(Type t) { return t.kind == TypeKind::Float && t.bits >= 32; }

void check_arithmetic(Type t, int lanes, const Target& target) {
  Elementwise loop(t, lanes, 11);
  for (const Op op : {Op::Equal, Op::NotEqual, Op::Less, Op::LessEqual})
    loop.add(ir::binary(op, loop.a, loop.b));
  if (t.is_bool()) {
    for (const Op op : {Op::And, Op::Or}) loop.add(ir::binary(op, loop.a, loop.b));
    loop.add(ir::unary(Op::Not, loop.a));
    loop.check(target);
    return;
  }
  for (const Op op : {Op::Add, Op::Sub, Op::Div, Op::Min, Op::Max})
    loop.add(ir::binary(op, loop.a, loop.b));
  if (t.is_float() || !t.is_index()) loop.add(ir::binary(Op::Mul, loop.a, loop.b));
  if (!t.is_float()) loop.add(ir::binary(Op::Mod, loop.a, loop.b));
  if (!t.is_index()) loop.add(ir::unary(Op::Abs, loop.a));
  loop.add(ir::select(ir::binary(Op::Less, loop.b, loop.a), loop.a, loop.b));
  if (t.is_float())
    for (const Op op : {Op::Floor, Op::Ceil, Op::Round, Op::Trunc, Op::Sqrt})
      loop.add(ir::unary(op, loop.a));
  if (is_f32_or_f64(t))
    loop.add(
        ir::expr(Op::Fma, loop.a->type, {loop.a, loop.b, ir::binary(Op::Sub, loop.b, loop.a)}));
  loop.check(target);
}

void check_casts(Type from, int lanes, const Target& target) {
  Elementwise loop(from, lanes, 14);
  for (const Type to : AllTypes) {
    const Expr converted = ir::cast_to(to.with_lanes(lanes), loop.a);
    if (to != from) loop.add(converted);
    if (to != from && to.bits == from.bits && !to.is_bool() && !to.is_index() && !from.is_index())
      loop.add(ir::expr(Op::Reinterpret, to.with_lanes(lanes), {loop.a}));
  }
  loop.check(target);
}

}  // namespace

class Operators : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Lanes, Operators, ::testing::Values(1, Lanes, 16));

TEST_P(Operators, ArithmeticAndComparisonsEqualTheInterpreter) {
  for (const Type t : AllTypes) check_arithmetic(t, GetParam(), {});
}

TEST_P(Operators, BitsEqualTheInterpreter) {
  for (const Type t : AllTypes) {
    if (!t.is_integer()) continue;
    Elementwise loop(t, GetParam(), 12);
    for (const Op op : {Op::BitAnd, Op::BitOr, Op::BitXor, Op::ShiftLeft, Op::ShiftRight})
      loop.add(ir::binary(op, loop.a, loop.b));
    for (const Op op : {Op::BitNot, Op::CountLeadingZeros, Op::CountTrailingZeros, Op::PopCount})
      loop.add(ir::unary(op, loop.a));
    // Random amounts are mostly too large: some in range, of both signs.
    const Type amount = Int(t.bits, GetParam());
    const Expr width = ir::literal(amount, 2 * t.bits);
    const Expr small = ir::binary(Op::Sub, ir::binary(Op::Mod, ir::cast_to(amount, loop.b), width),
                                  ir::literal(amount, t.bits));
    for (const Op op : {Op::ShiftLeft, Op::ShiftRight})
      loop.add(ir::expr(op, loop.a->type, {loop.a, small}));
    loop.check();
  }
}

TEST_P(Operators, ConstantOperandsEqualTheInterpreter) {
  for (const Type t : AllTypes) {
    if (t.is_bool()) continue;
    Elementwise loop(t, GetParam(), 13);
    std::vector<ir::Scalar> constants;
    const std::vector<ir::Scalar> edges = edge_values(t);
    if (t.is_float()) {
      for (const double v : {0.0, -0.0, 2.5, HUGE_VAL, std::nan("")})
        constants.push_back(ir::Scalar::of_real(t, v));
    } else {
      for (const std::size_t i : {0u, 1u, 2u, 4u, 5u, 6u, 7u, 11u, 12u})
        constants.push_back(edges[i]);
    }
    for (const ir::Scalar& value : constants) {
      const Type v = t.with_lanes(GetParam());
      const Expr c = t.is_float() ? ir::real_literal(v, value.real) : ir::literal(v, value.integer);
      for (const Op op : {Op::Min, Op::Max}) loop.add(ir::binary(op, loop.a, c));
      loop.add(ir::binary(Op::Div, loop.a, c));
      if (t.is_float()) loop.add(ir::binary(Op::Min, c, loop.a));
      if (!t.is_float()) loop.add(ir::binary(Op::Mod, loop.a, c));
      if (t.bits == 64 && !t.is_float()) continue;
      if (t.is_integer())
        for (const Op op : {Op::ShiftLeft, Op::ShiftRight}) loop.add(ir::binary(op, loop.a, c));
    }
    loop.check();
  }
}

TEST_P(Operators, CastsEqualTheInterpreter) {
  for (const Type from : AllTypes) check_casts(from, GetParam(), {});
}

// Without F16C, FMA and AVX: slow, but the same bits.
TEST(OperatorsOnOldProcessors, EqualTheInterpreter) {
  for (const char* target : {"host-x86-64", "host-x86-64-v2", "host-x86-64-v3"})
    for (const int lanes : {1, Lanes})
      for (const Type t : {Float(16), BFloat(16), Float(32), Float(64), Int(32), UInt(64)}) {
        SCOPED_TRACE(target);
        check_arithmetic(t, lanes, target);
        check_casts(t, lanes, target);
      }
}

}  // namespace sinter::backends::testing
