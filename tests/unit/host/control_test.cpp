// Loops, parallel loops, lets, conditions and failures against the interpreter.
#include <atomic>
#include <thread>

#include <sinter/diagnostic.h>
#include <sinter/runtime.h>

#include "tests/unit/host/harness.h"

namespace sinter::backends::testing {

using ir::LoopKind;
using ir::Op;

namespace {

Expr at(std::int64_t v) { return ir::index_literal(v); }
Expr as_i32(const Expr& e) { return ir::cast_to(Int(32), e); }

/// out[y * width + x] = x + 1000 y, the two loops as given.
void fill_grid(Program& program, std::int64_t width, std::int64_t height, LoopKind outer,
               LoopKind inner) {
  const Symbol out = program.output("out", Int(32), static_cast<std::size_t>(width * height));
  const Symbol x = Symbol::named("x"), y = Symbol::named("y"), row = Symbol::named("row");
  const Expr value =
      ir::binary(Op::Add, as_i32(ir::index_symbol(x)),
                 ir::binary(Op::Mul, as_i32(ir::index_symbol(y)), ir::literal(Int(32), 1000)));
  const ir::Stmt store =
      ir::store(out, value, ir::binary(Op::Add, ir::index_symbol(row), ir::index_symbol(x)));
  const ir::Stmt line = ir::let(row, ir::binary(Op::Mul, ir::index_symbol(y), at(width)),
                                ir::for_loop(x, at(0), at(width), inner, store));
  program.body(ir::for_loop(y, at(0), at(height), outer, line));
}

/// Fails at iteration `bad` of a parallel loop inside which memory is allocated.
void failing_loop(Program& program, std::int64_t count, std::int64_t bad) {
  const Symbol out = program.output("out", Float(32), static_cast<std::size_t>(count));
  const Symbol i = Symbol::named("i"), memory = Symbol::fresh("memory"),
               other = Symbol::fresh("other");
  const Expr x = ir::index_symbol(i);
  const ir::Stmt check =
      ir::assert_that(ir::binary(Op::NotEqual, x, at(bad)), "iteration {} of {} is {}, {} and {}",
                      {x, ir::literal(UInt(64), -1), ir::false_value(),
                       ir::real_literal(Float(32), 1.5), as_i32(x)});
  const ir::Stmt inner =
      ir::allocate(memory, Float(32), ir::binary(Op::Add, x, at(5000)), ir::MemoryKind::Heap,
                   ir::block({ir::store(memory, ir::real_literal(Float(32), 1), x), check,
                              ir::store(out, ir::load(Float(32), memory, x), x)}));
  program.body(ir::allocate(other, Int(32), at(100000), ir::MemoryKind::Auto,
                            ir::for_loop(i, at(0), at(count), LoopKind::Parallel, inner)));
}

/// `count` stages, each in memory of its own and a function of its own when there are many; what
/// they need is bound before the first of them. The last check fails when `fails`.
void many_stages(Program& program, int count, bool fails) {
  const Symbol out = program.output("out", Int(32), static_cast<std::size_t>(count) * 8);
  const Symbol n = program.scalar("n", ir::Scalar::of_integer(Int(16), 8));
  const Symbol flag = program.scalar("flag", ir::Scalar::of_integer(Bool(), 1));
  const Symbol real = program.scalar("real", ir::Scalar::of_real(Float(64), 2.5));
  const Symbol half = program.scalar("half", ir::Scalar::of_real(Float(16), 1.5));
  const Symbol extent = Symbol::named("extent"), truth = Symbol::named("truth"),
               narrow = Symbol::named("narrow"), once = Symbol::named("once");
  std::vector<Symbol> starts, memory;
  for (int s = 0; s < count; ++s) {
    starts.push_back(Symbol::named("start" + std::to_string(s)));
    memory.push_back(Symbol::named("memory" + std::to_string(s)));
  }
  const auto start = [&](int s) { return ir::index_symbol(starts[static_cast<std::size_t>(s)]); };
  ir::Stmt rest = ir::assert_that(fails ? ir::false_value() : ir::true_value(), "{}, {}, {} and {}",
                                  {start(count - 1), ir::symbol(Bool(), truth),
                                   ir::symbol(Float(64), real), ir::symbol(Float(16), half)});
  for (int s = count - 1; s >= 0; --s) {
    const Symbol i = Symbol::named("i" + std::to_string(s));
    const Symbol& own = memory[static_cast<std::size_t>(s)];
    const Expr x = ir::index_symbol(i);
    const Expr before = s == 0 ? ir::cast_to(Int(32), ir::symbol(Float(64), real))
                               : ir::load(Int(32), memory[static_cast<std::size_t>(s - 1)], x);
    const Expr value =
        ir::binary(Op::Add, before,
                   ir::select(ir::symbol(Bool(), truth),
                              as_i32(ir::binary(Op::Add, start(s), ir::symbol(Index(), once))),
                              ir::cast_to(Int(32), ir::symbol(Int(16), narrow))));
    const LoopKind kind = s % 3 == 1 ? LoopKind::Parallel : LoopKind::Serial;
    const ir::Stmt stage = ir::produce(
        own, ir::for_loop(i, at(0), ir::index_symbol(extent), kind, ir::store(own, value, x)));
    const Symbol j = Symbol::named("j" + std::to_string(s));
    const ir::Stmt copy =
        ir::for_loop(j, at(0), ir::index_symbol(extent), kind,
                     ir::store(out, ir::load(Int(32), own, ir::index_symbol(j)),
                               ir::binary(Op::Add, start(s), ir::index_symbol(j))));
    // A loop that runs once is none; one that runs twice holds its stage.
    const ir::Stmt around =
        ir::for_loop(once, at(s), at(s % 4 == 3 ? 2 : 1), LoopKind::Serial, stage);
    rest = ir::allocate(own, Int(32), ir::index_symbol(extent),
                        s % 2 == 0 ? ir::MemoryKind::Heap : ir::MemoryKind::Auto,
                        ir::block({around, copy, rest}));
  }
  for (int s = count - 1; s >= 0; --s) {
    const Expr value = s == 0 ? at(0) : ir::binary(Op::Add, start(s - 1), ir::index_symbol(extent));
    rest = ir::let(starts[static_cast<std::size_t>(s)], value, rest);
  }
  rest =
      ir::let(narrow, ir::binary(Op::Add, ir::symbol(Int(16), n), ir::literal(Int(16), 1)), rest);
  rest = ir::let(truth,
                 ir::binary(Op::And, ir::symbol(Bool(), flag),
                            ir::binary(Op::Less, at(3), ir::index_symbol(extent))),
                 rest);
  program.body(ir::let(extent, ir::cast_to(Index(), ir::symbol(Int(16), n)), rest));
}

struct Threads {
  explicit Threads(int n) { set_num_threads(n); }
  ~Threads() { set_num_threads(0); }
};

}  // namespace

TEST(Loops, SerialAndParallelLoopsNest) {
  const Threads four(4);
  for (const LoopKind outer : {LoopKind::Serial, LoopKind::Parallel})
    for (const LoopKind inner : {LoopKind::Serial, LoopKind::Parallel})
      for (const std::int64_t width : {1, 7, 100}) {
        Program program;
        fill_grid(program, width, 33, outer, inner);
        program.expect_same();
      }
}

TEST(Loops, EmptyAndNegativeExtentsRunNothing) {
  for (const LoopKind kind : {LoopKind::Serial, LoopKind::Parallel})
    for (const std::int64_t extent : {0, -5}) {
      Program program;
      const Symbol n = program.scalar("n", ir::Scalar::of_integer(Int(64), extent));
      const Symbol out = program.output("out", Int(32), 4);
      const Symbol i = Symbol::named("i");
      program.body(ir::for_loop(i, at(2), ir::cast_to(Index(), ir::symbol(Int(64), n)), kind,
                                ir::store(out, ir::literal(Int(32), 1), at(0))));
      program.expect_same();
    }
}

TEST(Loops, ScalarsOfEveryTypeArrive) {
  Program program;
  std::vector<ir::Stmt> stores;
  std::mt19937_64 random(21);
  for (const Type t : AllTypes) {
    const ir::Scalar value = random_value(t, random);
    const Symbol given = program.scalar("in_" + to_string(t), value);
    stores.push_back(
        ir::store(program.output("out_" + to_string(t), t, 1), ir::symbol(t, given), at(0)));
  }
  program.body(ir::block(stores));
  program.expect_same();
}

TEST(Loops, ConditionsChooseStatements) {
  Program program;
  const Symbol out = program.output("out", Int(32), 10);
  const Symbol i = Symbol::named("i");
  const Expr x = ir::index_symbol(i);
  const ir::Stmt then_case = ir::store(out, as_i32(x), x);
  const ir::Stmt else_case =
      ir::if_then(ir::binary(Op::Equal, x, at(3)), ir::store(out, ir::literal(Int(32), -7), x));
  program.body(ir::for_loop(i, at(0), at(10), LoopKind::Serial,
                            ir::if_then(ir::binary(Op::Less, at(4), x), then_case, else_case)));
  program.expect_same();
}

TEST(Loops, FewAndManyStagesFindWhatIsBound) {
  const Threads four(4);
  for (const int count : {2, 8, 9, 40}) {
    Program program;
    many_stages(program, count, false);
    program.expect_same();
    Program failing;
    many_stages(failing, count, true);
    EXPECT_EQ(failing.expect_same_failure(),
              std::to_string(8 * (count - 1)) + ", true, 2.5 and 1.5");
  }
}

TEST(Failures, AnAssertNamesItsValues) {
  Program program;
  failing_loop(program, 10, 6);
  EXPECT_EQ(program.expect_same_failure(),
            "iteration 6 of 18446744073709551615 is false, 1.5 and 6");
}

TEST(Failures, AFailureInANestedParallelLoopEndsTheCall) {
  const Threads four(4);
  Program program;
  const Symbol out = program.output("out", Int(32), 1);
  const Symbol i = Symbol::named("i"), j = Symbol::named("j");
  const ir::Stmt check =
      ir::assert_that(ir::binary(Op::NotEqual, ir::index_symbol(j), at(17)), "stopped");
  const ir::Stmt inner = ir::for_loop(j, at(0), at(100), LoopKind::Parallel, check);
  program.body(ir::block({ir::for_loop(i, at(0), at(100), LoopKind::Parallel, inner),
                          ir::store(out, ir::literal(Int(32), 1), at(0))}));
  EXPECT_EQ(program.expect_same_failure(), "stopped");
  EXPECT_EQ(program.memory(out).get(0).integer, 0);
}

TEST(Failures, MemoryThatCannotBeHadIsNamed) {
  Program program;
  const Symbol out = program.output("out", Int(32), 1);
  const Symbol memory = Symbol::named("huge");
  program.body(ir::allocate(
      memory, Float(64), at(std::int64_t{1} << 55), ir::MemoryKind::Heap,
      ir::block(
          {ir::store(memory, ir::real_literal(Float(64), 0), at(5)),
           ir::store(out, ir::cast_to(Int(32), ir::load(Float(64), memory, at(5))), at(0))})));
  try {
    load(program.compile())->launch(program.arguments(), nullptr);
    ADD_FAILURE() << "no failure";
  } catch (const RuntimeError& error) {
    EXPECT_EQ(error.diagnostic().stage, "huge");
    EXPECT_EQ(error.diagnostic().reason,
              "there is no memory for its " + std::to_string(std::int64_t{1} << 58) + " bytes");
    EXPECT_NE(error.diagnostic().remedy, "");
  }
}

TEST(Launch, SeveralThreadsMayCallOneExecutable) {
  const Threads three(3);
  Program program;
  fill_grid(program, 64, 64, LoopKind::Parallel, LoopKind::Serial);
  const std::unique_ptr<Executable> executable = load(program.compile());
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 200; ++repeat) {
        std::vector<std::int32_t> out(64 * 64);
        ir::Arguments arguments;
        arguments.buffers[Symbol::named("out")] = {out.data(), Int(32), {{0, 64 * 64, 1}}};
        executable->launch(arguments, nullptr);
        for (int i = 0; i < 64 * 64; ++i)
          if (out[static_cast<std::size_t>(i)] != i % 64 + 1000 * (i / 64)) ++wrong;
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Launch, AUsersFunctionMayRunTheLoops) {
  int loops = 0;
  set_parallel_for([&](std::int64_t min, std::int64_t extent, const ParallelBody& body) {
    ++loops;
    for (std::int64_t i = min + extent - 1; i >= min; --i)
      if (const int result = body(i, i + 1)) return result;
    return 0;
  });
  Program program;
  fill_grid(program, 8, 8, LoopKind::Parallel, LoopKind::Serial);
  program.expect_same();
  EXPECT_EQ(loops, 1);
  Program failing;
  failing_loop(failing, 10, 6);
  failing.expect_same_failure();
  set_parallel_for({});
  program.expect_same();
  EXPECT_EQ(loops, 2);
}

TEST(Launch, WrongArgumentsAreRefused) {
  Program program;
  const Symbol in = program.input("in", Memory{Int(32), std::vector<std::uint8_t>(40)});
  const Symbol out = program.output("out", Int(32), 10);
  program.scalar("n", ir::Scalar::of_integer(Int(32), 1));
  program.body(ir::store(out, ir::load(Int(32), in, at(0)), at(0)));
  const auto executable = load(program.compile());
  const auto reason = [&](auto&& change) -> std::string {
    ir::Arguments arguments = program.arguments();
    change(arguments);
    try {
      executable->launch(arguments, nullptr);
    } catch (const RuntimeError& error) {
      EXPECT_FALSE(error.diagnostic().remedy.empty());
      return error.diagnostic().reason;
    }
    return "";
  };
  EXPECT_EQ(reason([](ir::Arguments&) {}), "");
  EXPECT_EQ(reason([&](ir::Arguments& a) { a.buffers.erase(in); }), "no buffer was given");
  EXPECT_EQ(reason([&](ir::Arguments& a) { a.buffers[in].type = Float(32); }),
            "elements are f32, not i32");
  EXPECT_EQ(reason([&](ir::Arguments& a) { a.buffers[in].dimensions.clear(); }),
            "the buffer has 0 dimensions, not 1");
  EXPECT_EQ(reason([&](ir::Arguments& a) { a.buffers[in].host = nullptr; }),
            "the buffer has no memory");
  EXPECT_EQ(reason([&](ir::Arguments& a) { a.scalars.clear(); }), "the parameter has no value");
  EXPECT_EQ(reason([&](ir::Arguments& a) { a.buffers[in].host = a.buffers[out].host; }),
            "shares elements with 'in', and is written");
}

}  // namespace sinter::backends::testing
