// Faults planted in small kernels, each with a clean twin. Every fault is caught with each of
// twenty seeds by its own detector, and the twins are reported by none.

#include <gtest/gtest.h>

#include "tests/unit/emulator/harness.h"

namespace sinter::emulator::tests {
namespace {

struct Planted {
  std::string name;
  FaultKind detector;
  std::string faulty, clean;
  unsigned blocks = 1, threads = 64;
  bool found_by_host = false;  ///< by the host's read, not by the launch
};

const std::string Shared =
    ".shared .align 16 .b8 tile[1024];\n.global .align 4 .u32 flag = 0;\n"
    ".global .align 4 .u32 data = 0;\n.global .align 4 .u32 count = 0;\n";

// %r1 = tid.x, %rd1 = out + 4 * tid, %r2 = tile + 4 * tid
const std::string Places = R"(
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    add.s64 %rd1, %rd100, %rd1;
    mov.u32 %r2, tile;
    shl.b32 %r3, %r1, 2;
    add.s32 %r2, %r2, %r3;
    mov.u32 %r9, %ctaid.x;
)";

// Thread 0 of block 0 writes data and raises the flag; thread 0 of block 1 waits and reads.
std::string message(const std::string& publish, const std::string& observe) {
  return R"(
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra DONE;
    setp.ne.s32 %p2, %r9, 0;
    @%p2 bra CONSUMER;
    st.global.u32 [data], 42;
)" + publish +
         R"(
    bra DONE;
CONSUMER:
)" + observe +
         R"(
    setp.eq.s32 %p3, %r4, 0;
    @%p3 bra CONSUMER;
    ld.global.u32 %r5, [data];
    st.global.u32 [%rd100], %r5;
DONE:
)";
}

// All threads write a tile; then thread 0 publishes for its block, thread 0 of the other reads.
std::string block_message(const std::string& before_release) {
  return R"(
    setp.ne.s32 %p2, %r9, 0;
    @%p2 bra CONSUMER;
    st.global.u32 [%rd1], %r1;
)" + before_release +
         R"(
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra DONE;
    st.release.gpu.global.u32 [flag], 1;
    bra DONE;
CONSUMER:
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra DONE;
SPIN:
    ld.acquire.gpu.global.u32 %r4, [flag];
    setp.eq.s32 %p3, %r4, 0;
    @%p3 bra SPIN;
    ld.global.u32 %r5, [%rd100+252];
    st.global.u32 [%rd100+256], %r5;
DONE:
)";
}

const std::string Neighbour = R"(
    xor.b32 %r4, %r3, 128;   // the same lane of the other warp
    mov.u32 %r5, tile;
    add.s32 %r4, %r5, %r4;
    ld.shared.u32 %r6, [%r4];
    st.global.u32 [%rd1], %r6;
)";
const std::string NextLane = R"(
    xor.b32 %r4, %r3, 4;     // another lane of this warp
    mov.u32 %r5, tile;
    add.s32 %r4, %r5, %r4;
    ld.shared.u32 %r6, [%r4];
    st.global.u32 [%rd1], %r6;
)";

std::vector<Planted> table() {
  const std::string fill = "st.shared.u32 [%r2], %r1;\n";
  std::vector<Planted> t;
  t.push_back({"OutOfBoundsGlobal", FaultKind::OutOfBounds, "st.global.u32 [%rd1+4096], %r1;",
               "st.global.u32 [%rd1+512], %r1;"});
  t.push_back({"OutOfBoundsBefore", FaultKind::OutOfBounds, "ld.global.u32 %r4, [%rd1+-4];",
               "ld.global.u32 %r4, [%rd102];"});
  t.push_back({"OutOfBoundsShared", FaultKind::OutOfBounds, "st.shared.u32 [%r2+800], %r1;",
               "st.shared.u32 [%r2+512], %r1;"});
  t.push_back({"OutOfBoundsGeneric", FaultKind::OutOfBounds,
               "cvt.u64.u32 %rd2, %r2;\ncvta.shared.u64 %rd2, %rd2;\nst.u32 [%rd2+1024], %r1;",
               "cvt.u64.u32 %rd2, %r2;\ncvta.shared.u64 %rd2, %rd2;\nst.u32 [%rd2], %r1;"});
  t.push_back({"OutOfBoundsFreed", FaultKind::OutOfBounds, "ld.global.u32 %r4, [%rd101];",
               "ld.global.u32 %r4, [%rd102];"});
  t.push_back({"Misaligned", FaultKind::Misaligned, "ld.global.u32 %r4, [%rd102+2];",
               "ld.global.u16 %h4, [%rd102+2];"});
  t.push_back({"MisalignedVector", FaultKind::Misaligned,
               "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd102+8];",
               "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd102+16];"});
  t.push_back({"UninitialisedBranch", FaultKind::Uninitialised,
               "ld.shared.u32 %r4, [%r2];\nsetp.eq.s32 %p1, %r4, 0;\n@%p1 bra L;\nL:",
               fill + "ld.shared.u32 %r4, [%r2];\nsetp.eq.s32 %p1, %r4, 0;\n@%p1 bra L;\nL:"});
  t.push_back({"UninitialisedAddress", FaultKind::Uninitialised,
               "and.b32 %r5, %r8, 12;\ncvt.u64.u32 %rd2, %r5;\nadd.s64 %rd2, %rd102, %rd2;\n"
               "ld.global.u32 %r4, [%rd2];",
               "mov.u32 %r8, 8;\nand.b32 %r5, %r8, 12;\ncvt.u64.u32 %rd2, %r5;\n"
               "add.s64 %rd2, %rd102, %rd2;\nld.global.u32 %r4, [%rd2];"});
  t.push_back({"UninitialisedOutput", FaultKind::Uninitialised,
               "add.s32 %r5, %r8, 1;\nst.global.u32 [%rd1], %r5;",
               "mov.u32 %r8, 1;\nadd.s32 %r5, %r8, 1;\nst.global.u32 [%rd1], %r5;", 1, 64, true});
  t.push_back({"UninitialisedByte", FaultKind::Uninitialised,
               "st.shared.u8 [%r2], 1;\nld.shared.u32 %r4, [%r2];\nshr.u32 %r4, %r4, 8;\n"
               "st.global.u32 [%rd1], %r4;",
               "st.shared.u8 [%r2], 1;\nld.shared.u32 %r4, [%r2];\nand.b32 %r4, %r4, 255;\n"
               "st.global.u32 [%rd1], %r4;",
               1, 64, true});
  t.push_back({"SharedRaceReadAfterWrite", FaultKind::SharedRace, fill + Neighbour,
               fill + "bar.sync 0;\n" + Neighbour});
  t.push_back({"SharedRaceWriteAfterRead", FaultKind::SharedRace,
               fill + "bar.sync 0;\n" + Neighbour + fill,
               fill + "bar.sync 0;\n" + Neighbour + "bar.sync 0;\n" + fill});
  t.push_back({"SharedRaceLanes", FaultKind::SharedRace, fill + NextLane,
               fill + "bar.warp.sync -1;\n" + NextLane});
  t.push_back({"SharedRaceOneInstruction", FaultKind::SharedRace, "st.shared.u32 [tile], %r1;",
               "mov.u32 %r4, 7;\nst.shared.u32 [tile], %r4;", 1, 32});
  t.push_back({"SharedRaceNamedBarrier", FaultKind::SharedRace,
               // each warp meets itself only
               fill + "shr.u32 %r8, %r1, 5;\nadd.s32 %r8, %r8, 1;\nbar.sync %r8, 32;\n" + Neighbour,
               fill + "bar.sync 3, 64;\n" + Neighbour});
  t.push_back(
      {"SharedRaceAtomicAndPlain", FaultKind::SharedRace,
       "mov.u32 %r4, 0;\nst.shared.u32 [tile], %r4;\nred.shared.add.u32 [tile], 1;",
       "setp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\nmov.u32 %r4, 0;\nst.shared.u32 [tile], %r4;\n"
       "L:\nbar.sync 0;\nred.shared.add.u32 [tile], 1;\nbar.sync 0;\n"
       "ld.shared.u32 %r4, [tile];"});
  t.push_back({"SharedRaceCopyNotWaited", FaultKind::SharedRace,
               "cp.async.ca.shared.global [%r2], [%rd102], 4;\ncp.async.commit_group;\n"
               "ld.shared.u32 %r4, [%r2];",
               "cp.async.ca.shared.global [%r2], [%rd102], 4;\ncp.async.commit_group;\n"
               "cp.async.wait_group 0;\nld.shared.u32 %r4, [%r2];"});
  t.push_back({"SharedRaceCopyWrongGroup", FaultKind::SharedRace,
               "cp.async.ca.shared.global [%r2], [%rd102], 4;\ncp.async.commit_group;\n"
               "cp.async.ca.shared.global [%r2+256], [%rd102], 4;\ncp.async.commit_group;\n"
               "cp.async.wait_group 1;\nld.shared.u32 %r4, [%r2+256];",
               "cp.async.ca.shared.global [%r2], [%rd102], 4;\ncp.async.commit_group;\n"
               "cp.async.ca.shared.global [%r2+256], [%rd102], 4;\ncp.async.commit_group;\n"
               "cp.async.wait_group 1;\nld.shared.u32 %r4, [%r2];"});
  t.push_back({"SharedRaceCopyNoBarrier", FaultKind::SharedRace,
               "cp.async.ca.shared.global [%r2], [%rd102], 4;\ncp.async.commit_group;\n"
               "cp.async.wait_all;\n" +
                   Neighbour,
               "cp.async.ca.shared.global [%r2], [%rd102], 4;\ncp.async.commit_group;\n"
               "cp.async.wait_all;\nbar.sync 0;\n" +
                   Neighbour});
  t.push_back(
      {"GlobalRaceBlocks", FaultKind::GlobalRace, "st.global.u32 [%rd1], %r9;",
       "mul.wide.u32 %rd2, %r9, 256;\nadd.s64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %r9;", 3});
  t.push_back({"GlobalRaceBytes", FaultKind::GlobalRace,
               "add.s32 %r4, %r1, 1;\nshr.u32 %r4, %r4, 1;\ncvt.u64.u32 %rd2, %r4;\n"
               "add.s64 %rd2, %rd100, %rd2;\nst.global.u8 [%rd2], %r1;",
               "cvt.u64.u32 %rd2, %r1;\nadd.s64 %rd2, %rd100, %rd2;\nst.global.u8 [%rd2], %r1;"});
  t.push_back({"GlobalRaceReaders", FaultKind::GlobalRace,
               "ld.global.u32 %r4, [%rd102];\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\n"
               "st.global.u32 [%rd102], %r1;\nL:",
               "ld.global.u32 %r4, [%rd102];\nbar.sync 0;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra L;\n"
               "st.global.u32 [%rd102], %r1;\nL:"});
  t.push_back({"GlobalRaceReadOnlyPath", FaultKind::GlobalRace,
               "st.global.u32 [%rd1], %r1;\nbar.sync 0;\nld.global.nc.u32 %r4, [%rd100];",
               "st.global.u32 [%rd1], %r1;\nbar.sync 0;\nld.global.u32 %r4, [%rd100];\n"
               "ld.global.nc.u32 %r5, [%rd102];"});
  t.push_back({"GlobalRaceReadOnlyPathLater", FaultKind::GlobalRace,
               "ld.global.nc.u32 %r4, [%rd1];\nbar.sync 0;\nst.global.u32 [%rd1], %r1;",
               "ld.global.u32 %r4, [%rd1];\nbar.sync 0;\nst.global.u32 [%rd1], %r1;"});
  t.push_back(
      {"MissingRelease", FaultKind::GlobalRace,
       message("st.relaxed.gpu.global.u32 [flag], 1;", "ld.acquire.gpu.global.u32 %r4, [flag];"),
       message("st.release.gpu.global.u32 [flag], 1;", "ld.acquire.gpu.global.u32 %r4, [flag];"),
       2});
  t.push_back(
      {"MissingAcquire", FaultKind::GlobalRace,
       message("st.release.gpu.global.u32 [flag], 1;", "ld.relaxed.gpu.global.u32 %r4, [flag];"),
       message("st.release.gpu.global.u32 [flag], 1;",
               "ld.relaxed.gpu.global.u32 %r4, [flag];\nfence.acq_rel.gpu;"),
       2});
  t.push_back({"MissingFence", FaultKind::GlobalRace,
               message("atom.global.exch.b32 %r7, [flag], 1;",
                       "ld.volatile.global.u32 %r4, [flag];\nmembar.gl;"),
               message("membar.gl;\natom.global.exch.b32 %r7, [flag], 1;",
                       "ld.volatile.global.u32 %r4, [flag];\nmembar.gl;"),
               2});
  t.push_back(
      {"ScopeTooNarrow", FaultKind::GlobalRace,
       message("st.release.cta.global.u32 [flag], 1;", "ld.acquire.gpu.global.u32 %r4, [flag];"),
       message("red.release.gpu.global.add.u32 [flag], 1;",
               "ld.acquire.sys.global.u32 %r4, [flag];"),
       2});
  t.push_back({"FlagNotAtomic", FaultKind::GlobalRace,
               message("fence.acq_rel.gpu;\nst.global.u32 [flag], 1;",
                       "ld.acquire.gpu.global.u32 %r4, [flag];"),
               message("fence.acq_rel.gpu;\nst.volatile.global.u32 [flag], 1;",
                       "ld.acquire.gpu.global.u32 %r4, [flag];"),
               2});
  t.push_back({"ReleaseWithoutBarrier", FaultKind::GlobalRace, block_message(""),
               block_message("bar.sync 0;\n"), 2});
  t.push_back({"DivergentBarrier", FaultKind::BarrierDivergence,
               "setp.lt.s32 %p1, %r1, 16;\n@%p1 bra L;\nbar.sync 0;\nbra M;\nL:\nbar.sync 0;\nM:",
               "setp.lt.s32 %p1, %r1, 32;\n@%p1 bra L;\nbar.sync 0;\nbra M;\nL:\nbar.sync 0;\nM:"});
  t.push_back({"DivergentGuard", FaultKind::BarrierDivergence,
               "setp.lt.s32 %p1, %r1, 40;\n@%p1 bar.sync 0;\nbar.sync 0;",
               "setp.lt.s32 %p1, %r1, 64;\n@%p1 bar.sync 0;\nbar.sync 0;"});
  t.push_back({"EndedBeforeBarrier", FaultKind::BarrierDivergence,
               "setp.lt.s32 %p1, %r1, 32;\n@%p1 ret;\nbar.sync 0;",
               "bar.sync 0;\nsetp.lt.s32 %p1, %r1, 32;\n@%p1 ret;"});
  t.push_back(
      {"DeadlockBarriers", FaultKind::Deadlock,
       "setp.lt.s32 %p1, %r1, 32;\n@%p1 bra L;\nbar.sync 1, 64;\nbra M;\nL:\nbar.sync 2, 64;\nM:",
       "setp.lt.s32 %p1, %r1, 32;\n@%p1 bra L;\nbar.sync 1, 64;\nbra M;\nL:\nbar.sync 1, 64;\nM:"});
  t.push_back(
      {"DeadlockFlag", FaultKind::Deadlock,
       message("st.release.gpu.global.u32 [data], 43;", "ld.acquire.gpu.global.u32 %r4, [flag];"),
       message("st.release.gpu.global.u32 [flag], 43;", "ld.acquire.gpu.global.u32 %r4, [flag];"),
       2});
  t.push_back({"DeadlockLanes", FaultKind::Deadlock,
               "setp.lt.s32 %p1, %r1, 16;\n@%p1 bra L;\nL2:\nld.volatile.shared.u32 %r4, [tile];\n"
               "setp.eq.s32 %p2, %r4, %r4;\n@%p2 bra L2;\nL:\nbar.warp.sync -1;",
               "setp.lt.s32 %p1, %r1, 16;\n@%p1 bra L;\nmov.u32 %r4, 1;\nL:\nbar.warp.sync -1;", 1,
               32});
  t.push_back({"InvalidSyncMask", FaultKind::InvalidSync,
               "shfl.sync.idx.b32 %r4, %r1, 0, 31, 0xffff;",
               "shfl.sync.idx.b32 %r4, %r1, 0, 31, -1;"});
  t.push_back(
      {"InvalidBarrierCount", FaultKind::InvalidOperand, "bar.sync 1, 40;", "bar.sync 1, 64;"});
  t.push_back({"Trap", FaultKind::Trap, "setp.eq.s32 %p1, %r1, 5;\n@%p1 trap;",
               "setp.eq.s32 %p1, %r1, 500;\n@%p1 trap;"});
  return t;
}

class PlantedFaults : public testing::TestWithParam<Planted> {};

TEST_P(PlantedFaults, IsCaughtAndItsTwinIsClean) {
  const Planted& planted = GetParam();
  for (const bool faulty : {true, false}) {
    const std::string text =
        kernel_text(3, Places + (faulty ? planted.faulty : planted.clean), Shared);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Device device;
      const std::uint64_t out = planted.name.starts_with("GlobalRaceReadOnly")
                                    ? device.upload(std::vector<unsigned>(256), "out")
                                    : device.memory.allocate(1024, "out");
      const std::uint64_t freed = device.memory.allocate(1024, "freed");
      device.memory.free(freed);
      const std::uint64_t in = device.upload(std::vector<unsigned>(64, 7), "in");
      const Report report =
          device.launch(text, {planted.blocks}, {planted.threads}, {out, freed, in}, seed);
      std::vector<Fault> faults = report.faults;
      if (planted.found_by_host) {
        EXPECT_TRUE(faults.empty()) << to_string(report);
        device.download<unsigned>(out, planted.threads);
        faults = device.read_faults;
      }
      if (faulty) {
        EXPECT_TRUE(has(faults, planted.detector)) << "seed " << seed << "\n" << to_string(report);
        for (const Fault& fault : faults) {
          EXPECT_EQ(fault.function, "k") << to_string(fault);
          EXPECT_GT(fault.line, 0u) << to_string(fault);
        }
      } else {
        EXPECT_TRUE(faults.empty() && report.completed) << "seed " << seed << "\n"
                                                        << to_string(report);
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, PlantedFaults, testing::ValuesIn(table()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace sinter::emulator::tests
