// Where the user wrote what a kernel computes: in refusals of lowering, and in the code.
#include "backends/driver/compile_pipeline.h"
#include "tests/gpu/gpu_test.h"

namespace sinter::test {
namespace {

Diagnostic refusal(const std::vector<Func>& outputs) {
  try {
    driver::compile_code(driver::resolve_pipeline(outputs, Schedule::of(outputs)),
                         Target("nvptx-sm_90a"));
  } catch (const CompileError& e) {
    return e.diagnostic();
  }
  return {};
}

TEST(Lines, TooManyThreadsNameTheDefinition) {
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func f("f");
  f(x, y) = 0;
  const unsigned line = __LINE__ + 1;
  f(x, y) += x;
  f.update().tile(x, y, xo, yo, xi, yi, 64, 32).gpu_blocks(xo, yo).gpu_threads(xi, yi);
  const Diagnostic d = refusal({f});
  EXPECT_EQ(d.stage, "f.update(0)");
  EXPECT_EQ(d.directive, "gpu_threads");
  EXPECT_EQ(d.line, line);
  EXPECT_NE(d.file.find("lines_test.cpp"), std::string::npos) << d.file;
}

TEST(Lines, WhatRegistersCannotHoldNamesItsStage) {
  ImageParam in = random_image(Int(32), {200, 4});
  Var x("x"), y("y"), xo("xo"), xi("xi");
  Func part("part"), out("out");
  const unsigned line = __LINE__ + 1;
  part(x, y) = in(x, y) * 2;
  out(x, y) = part(x, y) + part(x + 40, y);
  out.split(x, xo, xi, 64).gpu_blocks(xo, y).gpu_threads(xi);
  part.compute_at(out, xo).store_in(MemoryType::Register).gpu_threads(x);
  const Diagnostic d = refusal({out});
  EXPECT_EQ(d.stage, "part") << d.reason;
  EXPECT_EQ(d.directive, "store_in(MemoryType::Register)");
  EXPECT_EQ(d.line, line);
}

TEST(Lines, CodeNamesTheLineOfEachStage) {
  ImageParam in = random_image(Int(32), {70, 4});
  Var x("x"), y("y"), xo("xo"), xi("xi");
  Func part("part"), out("out");
  const unsigned line = __LINE__ + 1;
  part(x, y) = in(x, y) * 2;
  out(x, y) = part(x, y) + part(x + 3, y);
  out.split(x, xo, xi, 64).gpu_blocks(xo, y).gpu_threads(xi);
  part.compute_at(out, xo).store_in(MemoryType::GPUShared).gpu_threads(x);
  driver::CompileOptions options;
  options.listings = true;
  const auto compiled = driver::compile_code(driver::resolve_pipeline({out}, Schedule::of({out})),
                                             Target("emulated-nvptx-sm_90a"), options);
  const std::string& ptx = compiled.code.listings.at("asm");
  for (const unsigned wanted : {line, line + 1}) {
    EXPECT_NE(ptx.find("\t.loc\t1 " + std::to_string(wanted) + " "), std::string::npos) << ptx;
  }
  EXPECT_NE(ptx.find("lines_test.cpp\"\n"), std::string::npos) << ptx;
  ASSERT_EQ(compiled.code.kernel_calls.size(), 1u);
  ASSERT_TRUE(compiled.code.kernel_calls[0].source.has_value());
  EXPECT_EQ(compiled.code.kernel_calls[0].source->name(), "out");
}

}  // namespace
}  // namespace sinter::test
