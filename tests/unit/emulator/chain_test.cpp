// Blocks that hand data on, one to the next, in every way that PTX orders memory, and in every way
// that almost does. A chain is clean exactly when all of its links hold.

#include <gtest/gtest.h>

#include "backends/emulator/random.h"
#include "tests/unit/emulator/harness.h"

namespace sinter::emulator::tests {
namespace {

struct Way {
  std::string text;
  bool holds;
};

// The flag is at [%rd3]; %r9 is 1.
const std::vector<Way> Publish{
    {"st.release.gpu.global.u32 [%rd3], %r9;", true},
    {"st.release.sys.global.u32 [%rd3], %r9;", true},
    {"fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [%rd3], %r9;", true},
    {"fence.sc.sys;\nst.relaxed.sys.global.u32 [%rd3], %r9;", true},
    {"membar.gl;\nst.volatile.global.u32 [%rd3], %r9;", true},
    {"red.release.gpu.global.add.u32 [%rd3], 1;", true},
    {"atom.acq_rel.gpu.global.exch.b32 %r8, [%rd3], %r9;", true},
    {"membar.gl;\natom.global.add.u32 %r8, [%rd3], 1;", true},
    {"fence.acq_rel.gpu;\nred.relaxed.gpu.global.max.u32 [%rd3], 1;", true},
    // a later relaxed read-modify-write continues the release
    {"st.release.gpu.global.u32 [%rd3], %r9;\nred.relaxed.gpu.global.max.u32 [%rd3], 1;", true},
    {"st.relaxed.gpu.global.u32 [%rd3], %r9;", false},
    {"st.volatile.global.u32 [%rd3], %r9;", false},
    {"st.release.cta.global.u32 [%rd3], %r9;", false},
    {"fence.acq_rel.cta;\nst.relaxed.gpu.global.u32 [%rd3], %r9;", false},
    {"st.relaxed.gpu.global.u32 [%rd3], %r9;\nfence.acq_rel.gpu;", false},
    {"red.relaxed.gpu.global.add.u32 [%rd3], 1;", false},
    {"atom.acquire.gpu.global.add.u32 %r8, [%rd3], 1;", false},
    // a later relaxed store does not
    {"st.release.gpu.global.u32 [%rd4], %r9;\nst.relaxed.gpu.global.u32 [%rd3], %r9;", false},
};
// Into %r7.
const std::vector<Way> Observe{
    {"ld.acquire.gpu.global.u32 %r7, [%rd2];", true},
    {"ld.acquire.sys.global.u32 %r7, [%rd2];", true},
    {"ld.relaxed.gpu.global.u32 %r7, [%rd2];\nfence.acq_rel.gpu;", true},
    {"ld.volatile.global.u32 %r7, [%rd2];\nmembar.gl;", true},
    {"atom.acquire.gpu.global.add.u32 %r7, [%rd2], 0;", true},
    {"atom.acq_rel.gpu.global.cas.b32 %r7, [%rd2], 0, 0;", true},
    {"ld.relaxed.gpu.global.u32 %r7, [%rd2];", false},
    {"ld.volatile.global.u32 %r7, [%rd2];", false},
    {"ld.acquire.cta.global.u32 %r7, [%rd2];", false},
    {"fence.acq_rel.gpu;\nld.relaxed.gpu.global.u32 %r7, [%rd2];", false},
    {"ld.relaxed.gpu.global.u32 %r7, [%rd2];\nfence.acq_rel.cta;", false},
    {"atom.release.gpu.global.add.u32 %r7, [%rd2], 0;", false},
};
const std::vector<Way> Join{{"bar.sync 0;", true}, {"", false}};

constexpr unsigned Blocks = 4, Threads = 64;

/// Each block has its own code. Every fourth way or so is one that does not hold.
std::string chain(Random& random, bool& holds) {
  const auto pick = [&](const std::vector<Way>& ways, bool broken) {
    std::vector<Way> fitting;
    for (const Way& way : ways) {
      if (way.holds != broken) fitting.push_back(way);
    }
    return fitting[random.below(static_cast<std::uint32_t>(fitting.size()))].text;
  };
  holds = true;
  const auto way = [&](const std::vector<Way>& ways) {
    const bool broken = random.below(16) == 0;
    holds = holds && !broken;
    return pick(ways, broken) + "\n";
  };
  std::string body = R"(
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r9, 1;
    setp.ne.u32 %p1, %r1, 0;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd101, %rd2;   // this block's flag
    add.s64 %rd2, %rd3, -4;       // the one before
    add.s64 %rd4, %rd3, 64;       // one that nobody reads
    mad.lo.u32 %r3, %r2, 64, %r1;
    mul.wide.u32 %rd5, %r3, 4;
    add.s64 %rd5, %rd100, %rd5;   // this thread's word
    xor.b32 %r4, %r1, 33;
    mad.lo.u32 %r4, %r2, 64, %r4;
    mul.wide.u32 %rd6, %r4, 4;
    add.s64 %rd6, %rd100, %rd6;   // another thread's word
T:  .branchtargets B0, B1, B2, B3;
    brx.idx %r2, T;
)";
  for (unsigned b = 0; b < Blocks; ++b) {
    const std::string n = std::to_string(b);
    body += "B" + n + ":\nmov.u32 %r6, 5;\n";
    if (b) {
      body += "@%p1 bra J" + n + ";\nS" + n + ":\n" + way(Observe) +
              "setp.eq.u32 %p2, %r7, 0;\n@%p2 bra S" + n + ";\nJ" + n + ":\n" + way(Join);
      body += "ld.global.u32 %r6, [%rd6+-256];\n";
      if (b > 1) body += "ld.global.u32 %r5, [%rd6+-512];\nadd.u32 %r6, %r6, %r5;\n";
    }
    body += "add.u32 %r6, %r6, 1;\nst.global.u32 [%rd5], %r6;\n";
    if (b + 1 < Blocks) {
      body += way(Join) + "@%p1 bra E;\n" + way(Publish);
    }
    body += "bra E;\n";
  }
  return kernel_text(2, body + "E:\n");
}

TEST(Chain, IsCleanExactlyWhenAllLinksHold) {
  Random random(99);
  unsigned clean = 0, broken = 0;
  for (int n = 0; n < 300; ++n) {
    bool holds = true;
    const std::string text = chain(random, holds);
    ++(holds ? clean : broken);
    const PtxModule module = PtxModule::parse(text);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Device device;
      Launch launch;
      launch.kernel = "k";
      launch.grid.x = Blocks;
      launch.block.x = Threads;
      launch.cooperative = true;
      launch.seed = seed;
      append_parameter(launch.parameters, device.memory.allocate(Blocks * Threads * 4, "data"));
      append_parameter(launch.parameters, device.upload(std::vector<unsigned>(64), "flags"));
      const Report report = run(module, launch, device.memory);
      ASSERT_EQ(has(report.faults, FaultKind::GlobalRace), !holds) << text << to_string(report);
      ASSERT_TRUE(!holds || report.clean()) << text << to_string(report);
    }
  }
  EXPECT_GT(clean, 60u);
  EXPECT_GT(broken, 60u);
}

}  // namespace
}  // namespace sinter::emulator::tests
