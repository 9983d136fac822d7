// The interpreter: small modules in text, run on real memory.

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <sinter/diagnostic.h>

#include "dsl/ir/interpret.h"

namespace sinter::ir {
namespace {

using Dimensions = std::vector<BufferView::Dimension>;

const Argument& argument_named(const Module& module, const std::string& name) {
  for (const Argument& a : module.arguments) {
    if (a.name == name) return a;
  }
  throw InternalError("no argument " + name);
}

class Program {
 public:
  explicit Program(const std::string& text)
      : module_(parse_module("module \"test\" {" + text + "}")) {}
  template <typename T>
  Program& with(const std::string& name, std::vector<T>& data, Dimensions dimensions,
                std::size_t host = 0) {
    arguments_.buffers[argument_named(module_, name).symbol] = {data.data() + host, type_of<T>(),
                                                                std::move(dimensions)};
    return *this;
  }
  Program& with(const std::string& name, const Scalar& scalar) {
    arguments_.scalars[argument_named(module_, name).symbol] = scalar;
    return *this;
  }
  void run(std::uint64_t seed = 0) const { interpret(module_, arguments_, seed); }
  /// Runs and returns the message of the error E.
  template <typename E>
  std::string fails() const {
    try {
      run();
    } catch (const E& e) {
      return e.what();
    }
    return "nothing was thrown";
  }

 private:
  Module module_;
  Arguments arguments_;
};

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

const std::string out_i32 = "output out: i32 [om, oe, os] ";

TEST(Interpret, DivisionIsEuclidean) {
  std::vector<std::int32_t> out(4);
  Program(out_i32 + R"(
    provide out[0] = 7i32 / -3i32
    provide out[1] = 7i32 % -3i32
    provide out[2] = -7i32 / -3i32
    provide out[3] = -7i32 % -3i32)")
      .with("out", out, {{0, 4, 1}})
      .run();
  EXPECT_EQ(out, (std::vector<std::int32_t>{-2, 1, 3, 2}));
}

TEST(Interpret, NestedStagesAndStrides) {
  std::vector<std::uint8_t> in(15);
  std::iota(in.begin(), in.end(), std::uint8_t{0});
  std::vector<std::int32_t> out(6, -1);
  // `in` is stored by columns and from its far end in x; `out` begins at coordinates (2, 1).
  Program(R"(
    input in: u8 [im0, ie0, is0; im1, ie1, is1]
    output out: i32 [om0, oe0, os0; om1, oe1, os1]
    for y in [om1, oe1) parallel {
      realize sum: i32 [om0, oe0] {
        produce sum {
          for x in [om0, oe0) vectorized {
            provide sum[x] = i32(in[x, y]) + i32(in[x + 1, y])
          }
        }
        for x in [om0, oe0) unrolled {
          provide out[x, y] = sum[x]*10i32
        }
      }
    })")
      .with("in", in, {{0, 5, -3}, {0, 3, 1}}, 12)
      .with("out", out, {{1, 3, 1}, {1, 2, 3}})
      .run(5);
  const auto at = [&](int x, int y) { return in[static_cast<std::size_t>(12 - 3 * x + y)]; };
  for (int y = 1; y < 3; y++) {
    for (int x = 1; x < 4; x++) {
      EXPECT_EQ(out[static_cast<std::size_t>(x - 1 + 3 * (y - 1))], 10 * (at(x, y) + at(x + 1, y)));
    }
  }
}

TEST(Interpret, NestedReadsOutsideAreFound) {
  std::vector<std::uint8_t> in(4);
  std::vector<std::int32_t> out(4);
  const std::string read = "input in: u8 [im, ie, is] " + out_i32 +
                           "for x in [0, 4) { provide out[x] = i32(in[x + 1]) }";
  const std::string message = Program(read)
                                  .with("in", in, {{0, 4, 1}})
                                  .with("out", out, {{0, 4, 1}})
                                  .fails<InternalError>();
  expect_contains(message, "coordinate 4 of dimension 0 is outside [0, 4)");
  expect_contains(message, "in[x + 1]");
  EXPECT_EQ(out[0], 0);
}

TEST(Interpret, BothArmsOfSelectAreInBounds) {
  std::vector<std::uint8_t> in(4);
  std::vector<std::int32_t> out(4);
  const std::string read =
      "input in: u8 [im, ie, is] " + out_i32 + "provide out[0] = select(0 < 1, 1i32, i32(in[9]))";
  expect_contains(Program(read)
                      .with("in", in, {{0, 4, 1}})
                      .with("out", out, {{0, 4, 1}})
                      .fails<InternalError>(),
                  "is outside");
}

TEST(Interpret, FlatVectorsAndMasks) {
  std::vector<float> in{1, 2, 3, 4, 5}, out(5);
  Program(R"(
    input in: f32 [im, ie, is]
    output out: f32 [om, oe, os]
    allocate b: f32 [8] in stack {
      let lanes = ramp(0, 1, 8)
      let inside = lanes < broadcast(ie, 8)
      store b(lanes, inside) = load in(lanes, inside)*broadcast(2f32, 8)
      store out(lanes, inside) = load b(lanes)
      free b
    })")
      .with("in", in, {{0, 5, 1}})
      .with("out", out, {{0, 5, 1}})
      .run();
  EXPECT_EQ(out, (std::vector<float>{2, 4, 6, 8, 10}));
}

TEST(Interpret, FlatIndicesCountFromTheMinimum) {
  std::vector<std::int32_t> out(8, -1);
  Program(out_i32 + "for i in [0, oe) { store out(i*os) = i32(om + i) }")
      .with("out", out, {{5, 4, -2}}, 6)
      .run();
  EXPECT_EQ(out, (std::vector<std::int32_t>{8, -1, 7, -1, 6, -1, 5, -1}));
}

TEST(Interpret, GapsBetweenRowsAreOutside) {
  std::vector<std::int32_t> out(12);
  const std::string text = "output out: i32 [m0, e0, s0; m1, e1, s1] store out(";
  const Dimensions box{{0, 3, 1}, {0, 3, 4}};
  EXPECT_NO_THROW(Program(text + "6) = 1i32").with("out", out, box).run());
  for (const char* index : {"3", "7", "11", "-1"}) {
    expect_contains(Program(text + index + ") = 1i32").with("out", out, box).fails<InternalError>(),
                    "is outside the buffer");
  }
}

TEST(Interpret, AllocationsAreChecked) {
  std::vector<std::int32_t> out(1);
  const auto fails = [&](const std::string& body) {
    return Program(out_i32 + "allocate b: i32 [4] {" + body + "}")
        .with("out", out, {{0, 1, 1}})
        .fails<InternalError>();
  };
  expect_contains(fails("store b(4) = 0i32"), "flat index 4 is outside the buffer");
  expect_contains(fails("store b(ramp(1, 1, 4)) = broadcast(0i32, 4)"),
                  "flat index 4 is outside the buffer");
  expect_contains(fails("store b(0) = 1i32 free b store out(0) = load b(0)"),
                  "the buffer was freed");
  expect_contains(fails("free b free b"), "freed twice");
  expect_contains(fails("atomic add b(0) = 1i32"), "an element never written is updated");
}

TEST(Interpret, UnwrittenElementsMayNotDecideAnything) {
  std::vector<std::int32_t> out(4);
  const auto fails = [&](const std::string& body) {
    const std::string text = out_i32 + "allocate b: i32 [4] { store b(0) = 1i32 " + body + "}";
    return Program(text).with("out", out, {{0, 4, 1}}).fails<InternalError>();
  };
  expect_contains(fails("store out(0) = load b(1) + 1i32"), "reaches an output");
  expect_contains(fails("store out(index(load b(1))) = 1i32"), "decides an address or a branch");
  expect_contains(fails("if load b(1) == 0i32 { store out(0) = 1i32 }"),
                  "decides an address or a branch");
  expect_contains(fails("store b(2) = load b(1) store out(0) = load b(2)"), "reaches an output");
  expect_contains(fails("for i in [0, index(load b(1))) { }"), "decides an address or a branch");
}

TEST(Interpret, UnwrittenElementsMayBeDropped) {
  std::vector<std::int32_t> out(2);
  Program(out_i32 + R"(allocate b: i32 [4] {
      store b(0) = 7i32
      store out(0) = select(0 < 1, load b(0), load b(1))
      store b(2) = load b(3) + 1i32
      store b(2) = 5i32
      if false && load b(3) == 0i32 { store out(0) = 9i32 }
      store out(1) = load b(2)
    })")
      .with("out", out, {{0, 2, 1}})
      .run();
  EXPECT_EQ(out, (std::vector<std::int32_t>{7, 5}));
}

TEST(Interpret, RealizationsStartUnwritten) {
  std::vector<std::int32_t> out(2);
  const std::string text = out_i32 + R"(for x in [0, 2) { realize f: i32 [x, 2] {
      if x == 0 { provide f[x] = 1i32 }
      provide out[x] = f[x] } })";
  expect_contains(Program(text).with("out", out, {{0, 2, 1}}).fails<InternalError>(),
                  "reaches an output");
  EXPECT_EQ(out[0], 1);
}

TEST(Interpret, TuplesAreComputedBeforeTheyAreWritten) {
  std::vector<std::int32_t> out(2);
  Program(out_i32 + R"(realize t: i32, i32 [0, 1] {
      provide t[0] = {1i32, 2i32}
      provide t[0] = {t[0].1, t[0]}
      provide out[0] = t[0]
      provide out[1] = t[0].1
    })")
      .with("out", out, {{0, 2, 1}})
      .run();
  EXPECT_EQ(out, (std::vector<std::int32_t>{2, 1}));
}

TEST(Interpret, TupleOutputsAreArgumentsOfTheirOwn) {
  std::vector<std::int32_t> first(1);
  std::vector<float> second(1);
  Program(
      "output t.0 as t: i32 [m0, e0, s0] output t.1 as t: f32 [m1, e1, s1] provide t[0] = {3i32, "
      "4f32} provide t[0] = {i32(t[0].1), f32(t[0])}")
      .with("t.0", first, {{0, 1, 1}})
      .with("t.1", second, {{0, 1, 1}})
      .run();
  EXPECT_EQ(first[0], 4);
  EXPECT_EQ(second[0], 3);
}

TEST(Interpret, ParallelLoopsRunInAnOrderDrawnFromTheSeed) {
  const std::string text = out_i32 + R"(allocate n: i32 [1] {
      store n(0) = 0i32
      for i in [0, 20) parallel {
        store out(i) = load n(0)
        store n(0) = load n(0) + 1i32
      } })";
  const auto order = [&](std::uint64_t seed) {
    std::vector<std::int32_t> out(20);
    Program(text).with("out", out, {{0, 20, 1}}).run(seed);
    return out;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  std::vector<std::int32_t> sorted = order(3), all(20);
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
}

TEST(Interpret, AtomicStoresAddUp) {
  std::vector<std::int32_t> out(2);
  Program(out_i32 + R"(
    for i in [0, 10) parallel { atomic add out(i % 2) = i32(i) }
    atomic max out(broadcast(1, 4), ramp(0, 1, 4) < broadcast(3, 4)) = i32(ramp(30, 10, 4)))")
      .with("out", out, {{0, 2, 1}})
      .run();
  EXPECT_EQ(out, (std::vector<std::int32_t>{20, 50}));
}

TEST(Interpret, AssertionsFailTheCall) {
  std::vector<std::int32_t> out(4);
  Program program("scalar gain: f32 " + out_i32 + R"ir(
    assert oe <= 3, "extent {} with {} ({})", oe, gain, gain < 1f32
    store out(0) = 1i32)ir");
  program.with("out", out, {{0, 4, 1}}).with("gain", Scalar::of_real(Float(32), 1.5));
  EXPECT_EQ(program.fails<RuntimeError>(), "extent 4 with 1.5 (false)");
  EXPECT_EQ(out[0], 0);
}

TEST(Interpret, RequireFailsTheCall) {
  std::vector<std::int32_t> out(4);
  const auto program = [&](const char* condition) {
    Program result(out_i32 + "store out(0) = require(" + condition + ", 3i32, \"too wide\")");
    result.with("out", out, {{0, 4, 1}});
    return result;
  };
  EXPECT_EQ(program("oe < 4").fails<RuntimeError>(), "too wide");
  program("oe <= 4").run();
  EXPECT_EQ(out[0], 3);
}

TEST(Interpret, LetsEndWithTheirBody) {
  std::vector<std::int32_t> out(2);
  const std::string text =
      out_i32 + "let a = 3i32 { store out(0) = a } let c = 4i32 store out(1) = c";
  Program(text).with("out", out, {{0, 2, 1}}).run();
  EXPECT_EQ(out, (std::vector<std::int32_t>{3, 4}));
}

TEST(Interpret, SharedExpressionsAreEvaluatedOnce) {
  const Symbol out = Symbol::named("out");
  Expr e = load(UInt(32), out, index_literal(0));
  for (int i = 0; i < 60; i++) e = binary(Op::Add, e, e);
  Module module;
  module.arguments.push_back({Argument::Kind::Output,
                              out,
                              out,
                              "out",
                              UInt(32),
                              {{Symbol::named("m"), Symbol::named("e"), Symbol::named("s")}}});
  module.body = store(out, binary(Op::Add, e, literal(UInt(32), 1)), index_literal(0));
  std::uint32_t value = 3;
  Arguments arguments;
  arguments.buffers[out] = {&value, UInt(32), {{0, 1, 1}}};
  interpret(module, arguments);
  EXPECT_EQ(value, 1u);
}

TEST(Interpret, WrongArgumentsAreNamed) {
  std::vector<float> out(4);
  Program program(out_i32);
  expect_contains(program.fails<InternalError>(), "argument 'out' is not given");
  expect_contains(program.with("out", out, {{0, 4, 1}}).fails<InternalError>(),
                  "argument 'out' is of another type or rank");
}

TEST(Interpret, SixteenBitFloatsAreRoundedWhenStored) {
  std::vector<float16_t> out(1);
  Program("output out: f16 [m, e, s] store out(0) = f16(2049f32)")
      .with("out", out, {{0, 1, 1}})
      .run();
  EXPECT_EQ(static_cast<float>(out[0]), 2048.0f);
}

}  // namespace
}  // namespace sinter::ir
