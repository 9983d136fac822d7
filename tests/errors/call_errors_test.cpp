// Refusals of calls: what is only known when a pipeline is compiled for its inputs, or runs.

#include <limits>

#include <sinter/sinter.h>

#include "tests/errors/refusals.h"

namespace sinter::test {
namespace {

const Var x("x"), y("y");
const std::string LargerInput =
    "give a larger buffer, or read it through a function of BoundaryConditions";

TEST(CallErrors, InputSmallerThanNeeded) {
  ImageParam in(UInt(8), 2, "in");
  Func wide("wide"), blur("blur");
  wide(x, y) = u16(in(x, y));
  blur(x, y) = wide(x - 1, y) + wide(x, y) + wide(x + 1, y);
  wide.compute_root();
  in.set(Buffer<std::uint8_t>(16, 16));
  expect_refused<RuntimeError>(
      message(
          "wide", "",
          "input 'in': dimension 0 is read by wide <- blur in [-1, 16], but the buffer has [0, 15]",
          LargerInput),
      [&] {
        blur.realize({16, 16});  // refused
      });
}

TEST(CallErrors, CoordinateOfAnOutputBeyondInt32) {
  Func f("f");
  f(x) = x;
  Buffer<int> out(10);
  out.set_min(std::numeric_limits<int>::max() - 9);
  expect_refused<RuntimeError>(message("", "",
                                       "output 'f': dimension 0 has min 2147483638 and extent 10: "
                                       "coordinates must stay within int32",
                                       "move or shrink the buffer"),
                               [&] {
                                 f.realize(out);  // refused
                               });
}

TEST(CallErrors, CoordinateOfAStageBeyondInt32) {
  Func f("f"), g("g");
  f(x) = x;
  g(x) = f(x * 65536) + 1;
  f.compute_root();
  Buffer<int> out(10);
  out.set_min(40000);
  expect_refused<RuntimeError>(
      message("f", "",
              "the stage is needed in [2621440000, 2622029824]: coordinates must stay within int32",
              "compute a smaller region"),
      [&] {
        g.realize(out);  // refused
      });
}

TEST(CallErrors, BufferOfAnotherType) {
  Func f("f");
  f(x) = x;
  Buffer<float> out(4);
  expect_refused<RuntimeError>(
      message("f", "realize", "the output's elements are i32, the buffer's are f32",
              "give a Buffer of that element type, or cast in the algorithm"),
      [&] {
        f.realize(out);  // refused
      });
}

TEST(CallErrors, BufferOfAnotherRank) {
  Func f("f");
  f(x) = x;
  Buffer<int> out(4, 4);
  expect_refused<RuntimeError>(
      message("f", "realize", "the output has 1 dimension, the buffer has 2",
              "give a Buffer of that many dimensions"),
      [&] {
        f.realize(out);  // refused
      });
  expect_refused<RuntimeError>(
      message("f", "realize", "the output has 1 dimension, and 2 sizes are given",
              "give one size for each dimension"),
      [&] {
        f.realize({4, 4});  // refused
      });
}

TEST(CallErrors, BufferThatIsMissing) {
  Func f("f");
  f(x) = Tuple(x, x);
  Buffer<int> out(4);
  expect_refused<RuntimeError>(message("f", "realize", "no buffer was given for the output",
                                       "give one buffer for each component of each output"),
                               [&] {
                                 f.realize(out);  // refused
                               });
}

TEST(CallErrors, BufferWithoutMemory) {
  Func f("f");
  f(x) = x;
  Buffer<int> out;
  expect_refused<RuntimeError>(message("f", "realize", "the output's buffer has no memory",
                                       "allocate the buffer before the call"),
                               [&] {
                                 f.realize(out);  // refused
                               });
}

TEST(CallErrors, OutputWithoutDefinition) {
  Func f("f");
  expect_refused<RuntimeError>(
      message("f", "realize", "the output has no definition", "define it before the call"), [&] {
        f.realize({4});  // refused
      });
}

TEST(CallErrors, UnsetImage) {
  ImageParam in(UInt(8), 1, "in");
  Func f("f");
  f(x) = in(x);
  expect_refused<RuntimeError>(message("in", "realize", "no buffer was set for the input",
                                       "call set(buffer) on the ImageParam before realize()"),
                               [&] {
                                 f.realize({4});  // refused
                               });
}

TEST(CallErrors, UnsetParameter) {
  Param<float> p("p");
  Func f("f");
  f(x) = p * f32(x);
  expect_refused<RuntimeError>(message("", "realize", "no value was set for the parameter 'p'",
                                       "call set(value) on the Param before realize()"),
                               [&] {
                                 f.realize({4});  // refused
                               });
}

TEST(CallErrors, ParameterOutsideItsRange) {
  Param<int> p("p", 1, 0, 10);
  Func f("f");
  f(x) = p * x;
  p.set(20);
  expect_refused<RuntimeError>(
      message("", "realize", "the parameter 'p' is 20, above its range, which ends at 10",
              "set a value in its range, or widen set_range"),
      [&] {
        f.realize({4});  // refused
      });
}

TEST(CallErrors, RequireThatFails) {
  Param<int> p("p", 0);
  Func f("f");
  f(x) = require(p > 0, x / p, "p must be positive");
  try {
    f.realize({4});  // refused
    FAIL() << "accepted";
  } catch (const RuntimeError& e) {  // the remedy is the author's: what the message asks for
    EXPECT_EQ(e.diagnostic().stage, "f");
    EXPECT_EQ(e.diagnostic().directive, "require");
    EXPECT_EQ(e.diagnostic().reason, "p must be positive");
    EXPECT_NE(e.diagnostic().line, 0u);
  }
  p.set(2);
  EXPECT_EQ(Buffer<int>(f.realize({4}))(3), 1);
}

TEST(CallErrors, UnboundedCoordinateFromData) {
  const std::string remedy = "wrap that coordinate in clamp(value, low, high)";
  ImageParam in(Int(32), 1, "in"), table(Int(32), 1, "table");
  in.set(Buffer<int>(4));
  table.set(Buffer<int>(4));
  Func f("f");
  f(x) = table(in(x));  // refused
  expect_refused<CompileError>(message("table", "",
                                       "dimension 0 is read (by f) at a coordinate without a "
                                       "finite range: it depends on data or on a 32-bit value",
                                       remedy),
                               [&] { f.realize({4}); });

  Func g("g"), h("h");
  g(x) = x;  // refused
  h(x) = g(in(x));
  g.compute_root();
  expect_refused<CompileError>(message("g", "",
                                       "an unbounded region of dimension 0 (x) is needed: a "
                                       "coordinate of a call depends on data or on a 32-bit value",
                                       remedy),
                               [&] { h.realize({4}); });
}

TEST(CallErrors, RoundUpOfAnOutputOfAnotherExtent) {
  Func f("f");
  f(x) = x;
  f.vectorize(x, 8, TailStrategy::RoundUp);  // refused
  expect_refused<RuntimeError>(message("f", "TailStrategy::RoundUp",
                                       "the extent of dimension 0 (x) of the output must be a "
                                       "multiple of 8; the buffer has extent 10",
                                       "give such a buffer, or use TailStrategy::GuardWithIf"),
                               [&] { f.realize({10}); });
}

TEST(CallErrors, BoundOfAnOutput) {
  Func f("f");
  f(x) = x;
  f.bound(x, 0, 8);  // refused
  expect_refused<RuntimeError>(
      message("f", "bound(x, 0, 8)",
              "dimension 0 (x) of the output is bound to extent 8, the buffer has extent 10",
              "give a buffer of that box, or drop this directive"),
      [&] { f.realize({10}); });
}

TEST(CallErrors, BoundThatDoesNotCover) {
  Func f("f"), g("g");
  f(x) = x;
  g(x) = f(x + 1);
  f.compute_root();
  f.bound(x, 0, 8);  // refused
  expect_refused<RuntimeError>(
      message("f", "bound(x, 0, 8)",
              "dimension 0 (x) is needed in [1, 10], but the bound covers [0, 7]",
              "widen the bound, or drop it"),
      [&] { g.realize({10}); });
}

TEST(CallErrors, AlignedBoundsOfAnOutput) {
  Func f("f");
  f(x) = x;
  f.align_bounds(x, 4);  // refused
  expect_refused<RuntimeError>(message("f", "align_bounds(x, 4, 0)",
                                       "dimension 0 (x) of the output must start at a multiple of "
                                       "4 plus 0 and have an extent that is a multiple; "
                                       "the buffer has min 0, extent 10",
                                       "give a buffer of that box, or drop this directive"),
                               [&] { f.realize({10}); });
}

TEST(CallErrors, OverlappingOutputAndInput) {
  ImageParam in(Int(32), 1, "in");
  Func f("f");
  f(x) = in(x + 1);
  Buffer<int> memory(10);
  in.set(memory);
  expect_refused<RuntimeError>(message("f", "", "shares elements with 'in', and is written",
                                       "pass buffers that do not overlap"),
                               [&] {
                                 f.realize(memory.cropped(0, 0, 9));  // refused
                               });
}

TEST(CallErrors, OutputThatOverlapsItself) {
  Func f("f");
  f(x) = x;
  int element = 0;
  const Buffer<int> repeated(&element, {BufferDimension{0, 9, 0}});
  expect_refused<RuntimeError>(
      message("f", "", "elements of the output share memory with each other",
              "pass a buffer whose strides keep its elements apart"),
      [&] {
        f.realize(repeated);  // refused
      });
}

TEST(CallErrors, NoBranchForTheCall) {
  Param<int> p("p", 3);
  Func f("f");
  f(x) = x * p;
  f.specialize(p == 1).vectorize(x, 4);
  f.specialize_fail("p must be 1");  // refused
  expect_refused<RuntimeError>(
      message("f", "specialize_fail()", "no condition of its branches holds: p must be 1",
              "call with parameters and buffers that one of them is for, or drop this directive"),
      [&] { f.realize({10}); });
}

TEST(CallErrors, NoBranchInsideABranch) {
  Param<int> p("p"), q("q");
  Func f("f");
  f(x) = x * p + q;
  Stage inside = f.specialize(p == 1);
  inside.specialize(q > 0).vectorize(x, 4);
  inside.specialize_fail("q must be positive");  // refused
  for (const auto& [a, b] : {std::pair(1, 5), std::pair(2, -5), std::pair(2, 5)}) {
    p.set(a);
    q.set(b);
    const Buffer<int> out = f.realize({10});
    EXPECT_EQ(out(9), 9 * a + b);
  }
  p.set(1);
  q.set(0);
  expect_refused<RuntimeError>(
      message("f", "specialize_fail()", "no condition of its branches holds: q must be positive",
              "call with parameters and buffers that one of them is for, or drop this directive"),
      [&] { f.realize({10}); });
}

// 2^21 * 2^21 * 2^22 elements are none in 64 bits.
TEST(CallErrors, StorageBeyond64Bits) {
  Var z("z");
  Func f("f"), g("g");
  f(x, y, z) = x + y + z;
  g(x) = f(x, x, 2 * x) + f(x, x, 2 * x + 1);
  f.compute_root();
  expect_refused<RuntimeError>(
      message("f", "", "there is no memory for its 9223372036854775804 bytes",
              "compute it at a loop of its consumer, or give smaller sizes"),
      [&] {
        g.realize({1 << 21});  // refused
      });
}

TEST(CallErrors, NegativeSize) {
  Func f("f");
  f(x) = x;
  expect_refused<RuntimeError>(
      message("", "Buffer", "extent -4 of dimension 0 is negative", "give an extent of at least 0"),
      [&] {
        f.realize({-4});  // refused
      });
}

TEST(CallErrors, UnknownTarget) {
  expect_refused<CompileError>(
      message("", "", "'abacus' is not a target",
              "write host, host-<cpu> (host-x86-64-v3), [emulated-]nvptx-sm_<n>[a] or "
              "[emulated-]amdgcn-gfx<n>"),
      [&] { Target("abacus"); }, false);
}

TEST(CallErrors, TargetWithoutBackend) {
  Func f("f");
  f(x) = x;
  expect_refused<CompileError>(
      message("", "", "this build has no backend for the target 'amdgcn-gfx942'",
              "use the target host or nvptx-sm_<n>"),
      [&] {
        f.realize({4}, Target("amdgcn-gfx942"));  // refused
      });
}

TEST(CallErrors, InlinedStagesThatMultiply) {
  std::vector<Func> chain(1, Func("g0"));
  chain[0](x) = x;
  for (int i = 1; i < 40; ++i) {
    Func g("g" + std::to_string(i));
    g(x) = chain.back()(2 * x) + chain.back()(2 * x + 1);
    chain.push_back(g);
  }
  Func f("f");
  f(x) = chain.back()(x);  // refused
  expect_refused<CompileError>(
      message("g5", "",
              "inlined into 'f', it and the stages it calls are more than 131072 operations",
              "compute_root() or compute_at() for 'g5' or another stage of this chain, in a long "
              "one for several"),
      [&] { f.realize({4}); });
}

TEST(CallErrors, InlinedStagesThatNestTooDeep) {
  Func last("g0");
  last(x) = x;
  for (int i = 1; i < 4002; ++i) {
    Func g("g" + std::to_string(i));
    g(x) = last(x) * 2;
    last = g;
  }
  Func f("f");
  f(x) = last(x);  // refused
  expect_refused<CompileError>(
      message("g1", "",
              "inlined into 'f', it and the stages it calls nest more than 4000 operations deep",
              "compute_root() or compute_at() for 'g1' or another stage of this chain, in a long "
              "one for several"),
      [&] { f.realize({4}); });
}

// What is fine is not refused.

TEST(CallErrors, InlinedStagesThatMeetAreFine) {
  // 2^40 ways lead to 41 elements of the first stage.
  Func last("g0");
  last(x) = select(x == 0, 1.0, 0.0);
  for (int i = 1; i <= 40; ++i) {
    Func g("g" + std::to_string(i));
    g(x) = last(x - 1) + last(x + 1);
    last = g;
  }
  Buffer<double> row = last.realize({41}).as<double>();
  EXPECT_EQ(row(0), 137846528820.0);  // 40 over 20
  EXPECT_EQ(row(1), 0.0);
  EXPECT_EQ(row(40), 1.0);
}

TEST(CallErrors, EmptyOutputsAreFineAndNothingIsDone) {
  ImageParam in(Int(32), 2, "in");
  Func f("f"), g("g");
  f(x, y) = in(x, y) + 1;
  g(x, y) = f(x, y) + f(x + 1, y);
  f.compute_root();
  g.vectorize(x, 4).parallel(y);
  in.set(Buffer<int>(0, 0));
  EXPECT_EQ(g.realize({0, 5}).number_of_elements(), 0u);
  EXPECT_EQ(g.realize({5, 0}).number_of_elements(), 0u);
}

TEST(CallErrors, InputAndOutputSideBySideInOneMemory) {
  ImageParam in(Int(32), 2, "in");
  Func f("f");
  f(x, y) = 10 * in(x, y);
  Buffer<int> memory(8, 4);
  memory.fill(3);
  in.set(memory.cropped(0, 0, 4));
  Buffer<int> right = memory.cropped(0, 4, 4).translated(0, -4);
  f.realize(right);
  EXPECT_EQ(memory(3, 3), 3);
  EXPECT_EQ(memory(4, 3), 30);
}

}  // namespace
}  // namespace sinter::test
