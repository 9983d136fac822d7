// Loads, stores, atomics and allocations of every shape against the interpreter.
#include "tests/unit/host/harness.h"

namespace sinter::backends::testing {

using ir::Op;

namespace {

Expr at(std::int64_t v) { return ir::index_literal(v); }

std::vector<ir::Scalar> random_values(Type t, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ir::Scalar> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(random_value(t, random));
  return values;
}

Expr every_third(int lanes) {
  const Expr lane = ir::ramp(at(0), at(1), lanes);
  return ir::binary(Op::NotEqual, ir::binary(Op::Mod, lane, ir::broadcast(at(3), lanes)),
                    ir::broadcast(at(1), lanes));
}

const std::vector<Type> SomeTypes = {Bool(),     UInt(8),   Int(16),   Float(16),
                                     BFloat(16), Float(32), Float(64), Int(64)};

}  // namespace

class Memory_ : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Lanes, Memory_, ::testing::Values(2, 3, 4, 8, 16, 32));

TEST_P(Memory_, StridedLoadsTouchExactlyTheirElements) {
  const int lanes = GetParam();
  for (const Type t : SomeTypes) {
    Program program;
    // The last element of the buffer is the last one of the longest stride.
    const std::int64_t count = 5 * (lanes - 1) + 1;
    const Symbol in =
        program.input("in", memory_of(t, random_values(t, static_cast<std::size_t>(count), 1)));
    std::vector<ir::Stmt> stores;
    for (const std::int64_t stride : {-5, -3, -2, -1, 0, 1, 2, 3, 4, 5}) {
      for (const bool masked : {false, true}) {
        const Expr base = at(stride < 0 ? count - 1 : 0);
        Expr value = ir::load(t.with_lanes(lanes), in, ir::ramp(base, at(stride), lanes),
                              masked ? every_third(lanes) : Expr());
        if (masked)
          value = ir::select(every_third(lanes), value,
                             ir::load(t.with_lanes(lanes), in, ir::ramp(at(0), at(1), lanes)));
        const Symbol out = program.output("out" + std::to_string(stores.size()), t,
                                          static_cast<std::size_t>(lanes));
        stores.push_back(ir::store(out, value, ir::ramp(at(0), at(1), lanes)));
      }
    }
    program.body(ir::block(stores));
    SCOPED_TRACE(to_string(t));
    program.expect_same();
  }
}

TEST_P(Memory_, StridedStoresTouchExactlyTheirElements) {
  const int lanes = GetParam();
  for (const Type t : SomeTypes) {
    Program program;
    const std::int64_t count = 5 * (lanes - 1) + 1;
    const Symbol in =
        program.input("in", memory_of(t, random_values(t, static_cast<std::size_t>(lanes), 2)));
    std::vector<ir::Stmt> stores;
    for (const std::int64_t stride : {-5, -2, -1, 0, 1, 2, 3, 5}) {
      for (const bool masked : {false, true}) {
        const Symbol out =
            program.output("out" + std::to_string(stores.size()),
                           memory_of(t, random_values(t, static_cast<std::size_t>(count), 3)));
        const Expr value = ir::load(t.with_lanes(lanes), in, ir::ramp(at(0), at(1), lanes));
        const Expr base = at(stride < 0 ? count - 1 : 0);
        stores.push_back(ir::store(out, value, ir::ramp(base, at(stride), lanes),
                                   masked ? every_third(lanes) : Expr()));
      }
    }
    program.body(ir::block(stores));
    SCOPED_TRACE(to_string(t));
    program.expect_same();
  }
}

TEST_P(Memory_, GathersAndScattersFollowTheirIndex) {
  const int lanes = GetParam();
  for (const Type t : SomeTypes) {
    Program program;
    const std::size_t count = 100;
    std::mt19937_64 random(4);
    std::vector<ir::Scalar> where, duplicates;
    for (int i = 0; i < lanes; ++i) {
      where.push_back(ir::Scalar::of_integer(Int(32), static_cast<std::int64_t>(random() % count)));
      duplicates.push_back(
          ir::Scalar::of_integer(Int(32), static_cast<std::int64_t>(random() % 3)));
    }
    const Symbol in = program.input("in", memory_of(t, random_values(t, count, 5)));
    const Symbol places = program.input("places", memory_of(Int(32), where));
    const Symbol few = program.input("few", memory_of(Int(32), duplicates));
    const Expr dense = ir::ramp(at(0), at(1), lanes);
    const Expr index = ir::cast_to(Index(lanes), ir::load(Int(32, lanes), places, dense));
    const Expr repeated =
        ir::binary(Op::Add, ir::cast_to(Index(lanes), ir::load(Int(32, lanes), few, dense)),
                   ir::broadcast(at(1), lanes));
    const Type v = t.with_lanes(lanes);
    const auto output = [&](const std::string& name) {
      return program.output(name, memory_of(t, random_values(t, count, 6)));
    };
    std::vector<ir::Stmt> stores;
    stores.push_back(ir::store(output("gathered"), ir::load(v, in, index), dense));
    const Expr masked = ir::select(every_third(lanes), ir::load(v, in, index, every_third(lanes)),
                                   ir::load(v, in, dense));
    stores.push_back(ir::store(output("some"), masked, dense));
    stores.push_back(
        ir::store(output("scattered"), ir::load(v, in, dense), repeated));  // the last lane wins
    stores.push_back(
        ir::store(output("masked"), ir::load(v, in, dense), repeated, every_third(lanes)));
    program.body(ir::block(stores));
    SCOPED_TRACE(to_string(t));
    program.expect_same();
  }
}

// Two of each three become one gather of pairs.
TEST_P(Memory_, GathersOfNeighboursFollowTheirIndex) {
  const int lanes = GetParam();
  for (const Type t : SomeTypes) {
    Program program;
    const std::size_t count = 100;
    std::mt19937_64 random(8);
    std::vector<ir::Scalar> where;
    for (int i = 0; i < lanes; ++i)
      where.push_back(
          ir::Scalar::of_integer(Int(32), static_cast<std::int64_t>(random() % (count - 4))));
    where.back() = ir::Scalar::of_integer(Int(32), static_cast<std::int64_t>(count - 5));
    const Symbol in = program.input("in", memory_of(t, random_values(t, count, 5)));
    const Symbol places = program.input("places", memory_of(Int(32), where));
    const Symbol i = Symbol::named("i");
    const Expr dense = ir::ramp(at(0), at(1), lanes);
    const Expr index = ir::cast_to(Index(lanes), ir::load(Int(32, lanes), places, dense));
    const Type v = t.with_lanes(lanes);
    const Symbol out = program.output("out", memory_of(t, random_values(t, 4 * 64, 6)));
    for (const bool masked : {false, true}) {
      const auto load = [&](std::int64_t distance) {
        const Expr scalar = ir::binary(Op::Add, ir::index_symbol(i), at(distance));
        const Expr here = ir::binary(Op::Add, index, ir::broadcast(scalar, lanes));
        return masked ? ir::select(every_third(lanes), ir::load(v, in, here, every_third(lanes)),
                                   ir::load(v, in, dense))
                      : ir::load(v, in, here);
      };
      // Which is which must show: later ones win where they are the larger.
      const auto larger = [&](const Expr& a, const Expr& b) {
        return t.is_bool() ? ir::select(a, b, a) : ir::select(ir::binary(Op::Less, a, b), b, a);
      };
      const Expr place =
          ir::ramp(ir::binary(Op::Mul, ir::index_symbol(i), at(lanes)), at(1), lanes);
      program.body(ir::for_loop(
          i, at(0), at(2), ir::LoopKind::Serial,
          ir::block(
              {ir::store(out, larger(load(2), larger(load(0), load(1))), place),
               ir::store(out, load(1), ir::ramp(at(2 * lanes), at(1), lanes)),
               ir::store(out, larger(load(1), load(0)), ir::ramp(at(3 * lanes), at(1), lanes))})));
      SCOPED_TRACE(to_string(t));
      program.expect_same();
    }
  }
}

TEST(Memory, MaskedLanesMayLieOutsideTheBuffer) {
  Program program;
  const int lanes = 8;
  const Symbol in = program.input("in", memory_of(Float(32), random_values(Float(32), 11, 7)));
  const Symbol out = program.output("out", Float(32), 11);
  const Symbol i = Symbol::named("i");
  const Expr here = lanes_at(i, lanes);
  for (const bool less : {true, false}) {
    const Expr inside = less ? ir::binary(Op::Less, here, ir::broadcast(at(11), lanes))
                             : ir::binary(Op::LessEqual, here, ir::broadcast(at(10), lanes));
    const Expr value = ir::load(Float(32, lanes), in, here, inside);
    program.body(
        ir::for_loop(i, at(0), at(2), ir::LoopKind::Serial, ir::store(out, value, here, inside)));
    program.expect_same();
  }
}

TEST(Memory, ComparisonsOfRampsAreExact) {
  for (const int lanes : {2, 8, 16}) {
    Program program;
    const Symbol i = Symbol::named("i");
    const Expr ramp = ir::ramp(ir::index_symbol(i), at(1), lanes);
    std::vector<ir::Stmt> stores;
    for (const std::int64_t bound : {std::int64_t{-40}, std::int64_t{0}, std::int64_t{3},
                                     std::int64_t{1} << 40, -(std::int64_t{1} << 40)})
      for (const Op op : {Op::Less, Op::LessEqual, Op::Equal, Op::NotEqual})
        for (const bool swapped : {false, true}) {
          const Expr other = ir::broadcast(at(bound), lanes);
          const Expr value = swapped ? ir::binary(op, other, ramp) : ir::binary(op, ramp, other);
          const Symbol out = program.output("out" + std::to_string(stores.size()), Bool(),
                                            static_cast<std::size_t>(60 * lanes));
          const Expr place =
              ir::binary(Op::Mul, ir::binary(Op::Add, ir::index_symbol(i), at(30)), at(lanes));
          stores.push_back(ir::store(out, value, ir::ramp(place, at(1), lanes)));
        }
    program.body(ir::for_loop(i, at(-30), at(60), ir::LoopKind::Serial, ir::block(stores)));
    program.expect_same();
  }
}

TEST(Memory, CoordinatesAsDataKeepTheirBits) {
  for (const int lanes : {1, 8}) {
    Program program;
    const Symbol i = Symbol::named("i"),
                 offset = program.scalar("offset", ir::Scalar::of_integer(Int(32), 1 << 30));
    const Expr x = lanes_at(i, lanes);
    const Expr far = ir::broadcast(ir::cast_to(Index(), ir::symbol(Int(32), offset)), lanes);
    const Expr sum =
        ir::binary(Op::Add, ir::binary(Op::Mul, x, ir::broadcast(at(1 << 20), lanes)), far);
    const Expr mixed = ir::select(ir::binary(Op::Less, x, ir::broadcast(at(40), lanes)), sum,
                                  ir::binary(Op::Div, sum, ir::broadcast(at(7), lanes)));
    std::vector<ir::Stmt> stores;
    for (const Type t : {Int(32), UInt(8), Int(16), Int(64), UInt(64), Float(32), Float(16)}) {
      const Symbol out = program.output("out" + std::to_string(stores.size()), t, 96);
      stores.push_back(ir::store(out, ir::cast_to(t.with_lanes(lanes), mixed), x));
    }
    program.body(ir::for_loop(i, at(0), at(96 / lanes), ir::LoopKind::Serial, ir::block(stores)));
    program.expect_same();
  }
}

TEST(Memory, AtomicsUpdateEveryLane) {
  for (const Type t :
       {Int(32), UInt(8), Int(64), UInt(16), Float(32), Float(64), Float(16), BFloat(16)}) {
    for (const int lanes : {1, 4}) {
      Program program;
      const Symbol in = program.input("in", memory_of(t, random_values(t, 64, 8)));
      const Symbol i = Symbol::named("i");
      std::vector<ir::Stmt> updates;
      std::vector<Op> ops = {Op::Min, Op::Max};
      if (!t.is_float())
        ops = {Op::Add, Op::Sub, Op::Mul, Op::Min, Op::Max, Op::BitAnd, Op::BitOr, Op::BitXor};
      for (const Op op : ops) {
        const Symbol out = program.output("out" + std::to_string(updates.size()),
                                          memory_of(t, random_values(t, 8, 9)));
        const Expr here = lanes_at(i, lanes);
        const Expr bin =
            ir::binary(Op::Mod, here, lanes == 1 ? at(5) : ir::broadcast(at(5), lanes));
        if (op == Op::Sub || lanes == 1)
          updates.push_back(ir::atomic_store(op, out, load_at(t, in, i, lanes), bin));
        else
          updates.push_back(
              ir::atomic_store(op, out, load_at(t, in, i, lanes), bin, every_third(lanes)));
      }
      program.body(
          ir::for_loop(i, at(0), at(64 / lanes), ir::LoopKind::Parallel, ir::block(updates)));
      SCOPED_TRACE(to_string(t));
      program.expect_same();
    }
  }
}

TEST(Memory, AllocationsOfEveryKindHoldTheirValues) {
  for (const ir::MemoryKind kind : {ir::MemoryKind::Auto, ir::MemoryKind::Heap,
                                    ir::MemoryKind::Stack, ir::MemoryKind::Register}) {
    for (const std::int64_t size : {std::int64_t{16}, std::int64_t{100000}}) {
      for (const bool known : {true, false}) {
        Program program;
        const Symbol extent = program.scalar("extent", ir::Scalar::of_integer(Int(32), size));
        const Symbol in =
            program.input("in", memory_of(Float(32), random_values(Float(32), 16, 10)));
        const Symbol out = program.output("out", Float(32), 16);
        const Symbol buffer = Symbol::fresh("buffer"), i = Symbol::named("i"),
                     j = Symbol::named("j"), k = Symbol::named("k");
        const Expr elements = known ? at(size) : ir::cast_to(Index(), ir::symbol(Int(32), extent));
        const ir::Stmt fill = ir::for_loop(
            i, at(0), at(16), ir::LoopKind::Serial,
            ir::store(buffer, ir::load(Float(32), in, ir::index_symbol(i)), ir::index_symbol(i)));
        const Expr mirrored = ir::binary(Op::Sub, at(15), ir::index_symbol(j));
        const Expr value = ir::load(Float(32), buffer, mirrored);
        const ir::Stmt use =
            ir::for_loop(j, at(0), at(16), ir::LoopKind::Parallel,
                         ir::store(out, ir::binary(Op::Add, value, value), ir::index_symbol(j)));
        std::vector<ir::Stmt> parts = {fill, use};
        if (known) parts.push_back(ir::free_buffer(buffer));
        const ir::Stmt once = ir::allocate(buffer, Float(32), elements, kind, ir::block(parts));
        program.body(ir::for_loop(k, at(0), at(3), ir::LoopKind::Serial, once));
        program.expect_same();
      }
    }
  }
}

TEST(Memory, ScalarPredicatesGuardLoadsAndStores) {
  Program program;
  const Symbol in = program.input("in", memory_of(Int(32), random_values(Int(32), 10, 11)));
  const Symbol out = program.output("out", memory_of(Int(32), random_values(Int(32), 10, 12)));
  const Symbol i = Symbol::named("i");
  const Expr x = ir::index_symbol(i), beyond = ir::binary(Op::Add, x, at(5));
  const Expr inside = ir::binary(Op::Less, beyond, at(10));
  const Expr value =
      ir::select(inside, ir::load(Int(32), in, beyond, inside), ir::cast_to(Int(32), x));
  program.body(
      ir::for_loop(i, at(0), at(10), ir::LoopKind::Serial,
                   ir::block({ir::store(out, value, x), ir::store(out, value, beyond, inside)})));
  program.expect_same();
}

}  // namespace sinter::backends::testing
