// How compile time grows with the program. Counts of IR nodes are asserted (they do not depend on
// the machine's mood); times are printed for people and measured by `sinter bench compile`.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include <sinter/sinter.h>

#include "backends/driver/compile_pipeline.h"

namespace sinter::test {
namespace {

/// A chain of stencils, each at root.
std::vector<Func> chain(int stages) {
  Var x("x"), y("y");
  Func previous("f0");
  previous(x, y) = x + y;
  previous.compute_root();
  for (int i = 1; i < stages; ++i) {
    Func next("f" + std::to_string(i));
    next(x, y) = previous(x - 1, y) + previous(x + 1, y) * 2;
    next.compute_root();
    previous = next;
  }
  return {previous};
}

/// Each look-up's coordinates are those before it.
std::vector<Func> gathers(int length) {
  Var x("x"), y("y");
  ImageParam in(Int(32), 2, "in");
  Func f("f");
  Expr v = in(x, y);
  for (int i = 0; i < length; ++i) v = in(clamp(v, 0, 100), clamp(v + i, 0, 90));
  f(x, y) = v;
  f.vectorize(x, 8);
  return {f};
}

std::size_t count(const ir::Stmt& s) {
  std::size_t n = 0;
  ir::for_each_node(s.node(), [&](const ir::Ref&) { return ++n, true; });
  return n;
}

TEST(Scaling, ChainsOfRootStagesGrowLinearly) {
  std::vector<double> sizes, nodes;
  for (const int stages : {50, 100, 200, 400}) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<Func> outputs = chain(stages);
    const driver::Compiled c = driver::compile_pipeline(
        driver::resolve_pipeline(outputs, Schedule::of(outputs)), Target());
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    std::printf("%d stages: %.0f ms in all; lower %.0f, optimise %.0f, generate %.0f, load %.1f\n",
                stages, ms, c.lower_ms, c.code.optimize_ms, c.code.codegen_ms, c.load_ms);
    sizes.push_back(std::log(stages));
    nodes.push_back(std::log(static_cast<double>(count(c.module.body))));
  }
  const double exponent = (nodes.back() - nodes.front()) / (sizes.back() - sizes.front());
  EXPECT_LE(exponent, 1.05);
}

TEST(Scaling, ChainsOfLookUpsAreSeenOnce) {
  for (const int length : {125, 250, 500}) {
    const std::vector<Func> outputs = gathers(length);
    const driver::Compiled c = driver::compile_pipeline(
        driver::resolve_pipeline(outputs, Schedule::of(outputs)), Target());
    std::printf("%d look-ups: lower %.0f ms\n", length, c.lower_ms);
    EXPECT_LT(count(c.module.body), static_cast<std::size_t>(60 * length));
  }
}

}  // namespace
}  // namespace sinter::test
