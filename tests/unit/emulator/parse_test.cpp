// What the decoder refuses, and how it says so; what a launch refuses.

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/unit/emulator/harness.h"
#include "tests/unit/emulator/instruction_cases.h"

namespace sinter::emulator::tests {
namespace {

std::string refusal(const std::string& text) {
  try {
    PtxModule::parse(text);
  } catch (const PtxError& error) {
    return error.what();
  }
  return "accepted";
}
std::string body_refusal(const std::string& body) { return refusal(kernel_text(0, body)); }

TEST(Parse, NamesWhatItDoesNotKnow) {
  // The body's first line is line 13 of the text.
  EXPECT_EQ(body_refusal("frobnicate.u32 %r1, %r2;"),
            "PTX line 13: frobnicate.u32: unknown instruction 'frobnicate'");
  EXPECT_EQ(body_refusal("\nadd.u32.strange %r1, %r2, %r3;"),
            "PTX line 14: add.u32.strange: the modifier '.strange' is not supported here");
  EXPECT_EQ(
      body_refusal(
          "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f2};"),
      "PTX line 13: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32: unknown instruction 'mma'");
  EXPECT_EQ(body_refusal("add.u32 %r1, %rd2, %r3;"),
            "PTX line 13: add.u32: '%rd2' is .b64, the instruction takes .u32");
  EXPECT_EQ(body_refusal("add.u32 %r1, %x9, %r3;"), "PTX line 13: add.u32: unknown name '%x9'");
  EXPECT_EQ(body_refusal("add.u32 %r1, %r2;"), "PTX line 13: add.u32: has 2 operands, expected 3");
  EXPECT_EQ(body_refusal("mul.u32 %r1, %r2, %r3;"),
            "PTX line 13: mul.u32: needs .lo, .hi or .wide");
  EXPECT_EQ(body_refusal("bra NOWHERE;"), "PTX line 13: unknown label 'NOWHERE'");
  EXPECT_EQ(body_refusal("fence.proxy.async;"),
            "PTX line 13: fence.proxy.async: proxy fences are not supported yet");
  EXPECT_EQ(body_refusal("call.uni vprintf, ();"),
            "PTX line 13: call.uni: calls 'vprintf', which the module does not define");
  EXPECT_EQ(body_refusal("add.u32 %r1, %r2, 5 %r3;"), "PTX line 13: expected ';', found '%r3'");
  EXPECT_EQ(refusal(".version 8.0\n.texref t;\n"), "PTX line 2: unknown directive '.texref'");
  EXPECT_EQ(refusal(".version 8.0\n.func f() { call.uni f, (); ret; }\n"),
            "PTX line 2: 'f' calls itself; recursion is not supported");
  EXPECT_EQ(refusal(".visible .entry k() { ret;"), "PTX line 1: a function without end");
}

TEST(Parse, LaunchesThatADriverRefuses) {
  const PtxModule module = PtxModule::parse(
      ".version 8.0\n.shared .align 4 .b8 tile[1000];\n.visible .entry k(.param .u64 p)\n"
      ".maxntid 128, 1, 1\n.minnctapersm 2\n.maxnreg 64\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, "
      "tile;\nret;\n}\n");
  const KernelInfo info = module.kernels().at(0);
  EXPECT_EQ(info.max_threads, 128u);
  EXPECT_EQ(info.min_blocks, 2u);
  EXPECT_EQ(info.max_registers, 64u);
  EXPECT_EQ(info.static_shared, 1000u);
  const auto refused = [&](auto change) -> std::string {
    Memory memory;
    Launch launch;
    launch.kernel = "k";
    append_parameter(launch.parameters, std::uint64_t{0});
    change(launch);
    try {
      run(module, launch, memory);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "ran";
  };
  EXPECT_EQ(refused([](Launch&) {}), "ran");
  EXPECT_EQ(refused([](Launch& l) { l.kernel = "other"; }), "the module has no kernel 'other'");
  EXPECT_EQ(refused([](Launch& l) { l.parameters.clear(); }),
            "kernel 'k': takes 8 bytes of parameters, got 0");
  EXPECT_EQ(refused([](Launch& l) { l.block.x = 129; }),
            "kernel 'k': 129 threads in a block; the kernel was compiled for 128");
  EXPECT_EQ(refused([](Launch& l) { l.block = {64, 64, 1}; }),
            "kernel 'k': 4096 threads in a block; the most is 1024");
  EXPECT_EQ(refused([](Launch& l) { l.grid.y = 0; }), "kernel 'k': an empty grid or block");
  EXPECT_EQ(refused([](Launch& l) { l.dynamic_shared = 232000; }),
            "kernel 'k': 233000 bytes of shared memory; the most is 232448");
}

TEST(Parse, WhatIsTestedHereIsPtx) {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "ptxas is not on the path";
  }
  const std::string file = testing::TempDir() + "sinter_emulator_cases.ptx";
  {
    std::ofstream out(file);
    out << PtxHeader;
    for (std::size_t i = 0; i < instruction_cases().size(); ++i) {
      out << kernel_of(instruction_cases()[i], "k" + std::to_string(i));
    }
  }
  EXPECT_EQ(std::system(("ptxas -O0 -arch=sm_90a -o /dev/null " + file).c_str()), 0) << file;
  std::remove(file.c_str());
}

}  // namespace
}  // namespace sinter::emulator::tests
