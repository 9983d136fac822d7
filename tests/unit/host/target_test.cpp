#include <gtest/gtest.h>

#include <sinter/diagnostic.h>
#include <sinter/target.h>

#include "tests/unit/host/harness.h"

namespace sinter::backends::testing {

TEST(Target, TextFormsRoundTrip) {
  for (const char* text : {"host", "host-x86-64-v3", "nvptx-sm_90a", "nvptx-sm_75", "amdgcn-gfx942",
                           "amdgcn-gfx90a", "emulated-nvptx-sm_90a", "emulated-amdgcn-gfx1100"})
    EXPECT_EQ(Target(text).to_string(), text);
  EXPECT_EQ(Target().to_string(), "host");
  EXPECT_TRUE(Target("emulated-amdgcn-gfx942").is_emulated());
}

TEST(Target, OtherTextsAreRefused) {
  for (const char* text : {"", "hosts", "host-", "nvptx", "nvptx-sm_9", "nvptx-sm_90b",
                           "amdgcn-gfx", "emulated-host", "cuda"}) {
    try {
      const Target target(text);
      ADD_FAILURE() << text;
    } catch (const CompileError& error) {
      EXPECT_FALSE(error.diagnostic().remedy.empty());
    }
  }
}

TEST(Target, LanesAndVectorBitsAreThoseOfTheMachine) {
  EXPECT_EQ(Target("nvptx-sm_90a").lanes(), 32);
  EXPECT_EQ(Target("amdgcn-gfx942").lanes(), 64);
  EXPECT_EQ(Target("amdgcn-gfx1100").lanes(), 32);
  EXPECT_EQ(Target("host-x86-64-v3").vector_bits(), 256);
  EXPECT_EQ(Target("host-x86-64-v4").natural_vector_size(32), 16);
  EXPECT_GE(Target().vector_bits(), 128);
  EXPECT_EQ(Target().lanes(), 1);
}

TEST(Target, AnUnknownProcessorIsRefused) {
  Program program;
  program.body(
      ir::store(program.output("out", Int(32), 1), ir::literal(Int(32), 1), ir::index_literal(0)));
  EXPECT_THROW(program.compile(false, "host-x86-65"), CompileError);
  EXPECT_THROW(backend_for("amdgcn-gfx942"), CompileError);
}

}  // namespace sinter::backends::testing
