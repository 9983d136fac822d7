// Allocations, atomics, asynchronous copies, generic addresses, and what is counted.

#include <bit>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/unit/emulator/harness.h"

namespace sinter::emulator::tests {
namespace {

TEST(Memory, KnowsItsAllocations) {
  Memory memory;
  const std::uint64_t a = memory.allocate(100, "a"), b = memory.allocate(50, "b");
  EXPECT_EQ(a % 256, 0u);
  EXPECT_EQ(memory.find(a + 99)->name, "a");
  EXPECT_EQ(memory.find(a + 100), nullptr);
  EXPECT_EQ(memory.describe_outside(a + 103), "3 bytes past the end of 'a' (100 bytes)");
  EXPECT_EQ(memory.describe_outside(b - 8), "8 bytes before 'b' (50 bytes)");
  memory.free(a);
  EXPECT_EQ(memory.find(a), nullptr);
  EXPECT_EQ(memory.describe_outside(a + 4), "byte 4 of 'a' (100 bytes), which was freed");
  EXPECT_THROW(memory.free(a), std::invalid_argument);
  EXPECT_THROW(memory.free(b + 1), std::invalid_argument);
  std::vector<std::byte> data(60);
  EXPECT_THROW(memory.write(b, data), std::out_of_range);
  EXPECT_THROW((void)memory.read(a, data), std::out_of_range);
  const std::vector<Fault> faults = memory.read(b, std::span(data).first(50));
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(
      to_string(faults[0]),
      "uninitialised: the host reads byte 0 of 'b', which nobody wrote (50 such bytes in all)");
}

template <class T>
struct AtomicCase {
  std::string operation;
  T start, operand, end;
};

template <class T>
void check_atomics(const std::vector<AtomicCase<T>>& cases) {
  for (const std::string space : {"global", "shared", ""}) {
    for (const AtomicCase<T>& one : cases) {
      // 64 threads apply the operation to one place.
      const bool wide = sizeof(T) == 8;
      const std::string value = wide ? "%rd3" : "%r3", old = wide ? "%rd4" : "%r4";
      const std::string bits = wide ? "b64" : "b32";
      std::string body = "ld.global." + bits + " " + value + ", [%rd101];\nmov.u32 %r1, %tid.x;\n";
      std::string place = "[%rd100]";
      if (space == "shared") {
        body += "ld.global." + bits + " " + old +
                ", [%rd100];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared." + bits + " [tile], " +
                old + ";\nbar.sync 0;\n";
        place = "[tile]";
      }
      const std::string dot = space.empty() ? "" : "." + space;
      body += "atom" + dot + "." + one.operation + " " + old + ", " + place + ", " + value + ";\n";
      body += "red" + dot + "." + one.operation + " " + place + ", " + value + ";\n";
      if (space == "shared") {
        body += "bar.sync 0;\n@%p1 ld.shared." + bits + " " + old + ", [tile];\n@%p1 st.global." +
                bits + " [%rd100], " + old + ";\n";
      }
      Device device;
      const std::uint64_t at = device.upload(std::vector<T>{one.start}, "place");
      const Report report =
          device.launch(kernel_text(2, body, ".shared .align 8 .b8 tile[8];"), {1}, {64},
                        {at, device.upload(std::vector<T>{one.operand}, "operand")});
      EXPECT_TRUE(report.clean()) << one.operation << to_string(report);
      EXPECT_EQ(device.download<T>(at, 1)[0], one.end) << one.operation << " in " << space;
    }
  }
}

TEST(Memory, AtomicsOfAllKinds) {
  check_atomics<unsigned>({{"add.u32", 5, 3, 5 + 128 * 3},
                           {"inc.u32", 0, 9, 128 % 10},
                           {"dec.u32", 3, 9, (3 + 10 * 13 - 128) % 10},
                           {"min.u32", 7, 3, 3},
                           {"max.u32", 7, ~0u, ~0u},
                           {"min.s32", 7, ~0u, ~0u},
                           {"max.s32", 7, ~0u, 7},
                           {"and.b32", 0xff, 0x3c, 0x3c},
                           {"or.b32", 0xf0, 0x0f, 0xff},
                           {"xor.b32", 0x11, 0x33, 0x11}});
  check_atomics<std::uint64_t>({{"add.u64", 5, ~std::uint64_t{0}, std::uint64_t(5 - 128)},
                                {"min.s64", 5, ~std::uint64_t{0}, ~std::uint64_t{0}}});
  check_atomics<float>({{"add.f32", 0.5f, 0.25f, 32.5f}});
  check_atomics<double>({{"add.f64", 0.5, 0.25, 32.5}});
}

TEST(Memory, CompareAndSwapLoops) {
  Device device;
  const std::uint64_t at = device.upload(std::vector<float>{0}, "sum");
  const Report report = device.launch(kernel_text(1, R"(
    ld.relaxed.gpu.global.u32 %r1, [%rd100];
  AGAIN:
    mov.b32 %f1, %r1;
    add.f32 %f1, %f1, 0f3F800000;
    mov.b32 %r2, %f1;
    atom.relaxed.gpu.global.cas.b32 %r3, [%rd100], %r1, %r2;
    setp.ne.u32 %p1, %r3, %r1;
    mov.u32 %r1, %r3;
    @%p1 bra AGAIN;
  )"),
                                      {3}, {64}, {at});
  EXPECT_TRUE(report.clean()) << to_string(report);
  EXPECT_EQ(device.download<float>(at, 1)[0], 192.f);
}

TEST(Memory, AsynchronousCopiesFillWithZero) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Device device;
    std::vector<unsigned> in(128);
    for (unsigned i = 0; i < 128; ++i) in[i] = i + 1;
    const std::uint64_t out = device.memory.allocate(512, "out");
    // Each thread copies 16 bytes, thread 31 only 8 of them, in two groups; a ring in small.
    const Report report = device.launch(kernel_text(2, R"(
      mov.u32 %r1, %tid.x;
      shl.b32 %r2, %r1, 4;
      mov.u32 %r3, tile;
      add.s32 %r3, %r3, %r2;
      cvt.u64.u32 %rd1, %r2;
      add.s64 %rd2, %rd101, %rd1;
      add.s64 %rd3, %rd100, %rd1;
      setp.eq.u32 %p1, %r1, 31;
      selp.u32 %r4, 8, 16, %p1;
      cp.async.cg.shared.global [%r3], [%rd2], 16, %r4;
      cp.async.commit_group;
      cp.async.ca.shared.global [%r3+512], [%rd2], 8;
      cp.async.commit_group;
      cp.async.wait_group 1;
      ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r3];
      cp.async.wait_group 0;
      ld.shared.v2.u32 {%r9, %r10}, [%r3+512];
      add.s32 %r5, %r5, %r9;
      st.global.v4.u32 [%rd3], {%r5, %r6, %r7, %r8};
    )",
                                                    ".shared .align 16 .b8 tile[1024];"),
                                        {1}, {32}, {out, device.upload(in, "in")}, seed);
    EXPECT_TRUE(report.clean()) << to_string(report);
    EXPECT_EQ(report.counts.bank_conflicts, 4u);  // of 8 bytes in each 16
    const auto result = device.download<unsigned>(out, 128);
    for (unsigned i = 0; i < 128; ++i) {
      EXPECT_EQ(result[i], i >= 126 ? 0 : i % 4 == 0 ? 2 * in[i] : in[i]);
    }
  }
}

TEST(Memory, VariablesKeepTheirValuesBetweenLaunches) {
  const PtxModule module = PtxModule::parse(
      ".version 8.0\n.target sm_90a\n.address_size 64\n"
      ".global .align 4 .u32 count = 5;\n.const .align 4 .u32 table[3] = {7, 8, 9};\n"
      ".global .align 8 .u64 where[1] = {generic(count)};\n"
      ".visible .entry k(.param .u64 out, .param .align 4 .b8 pair[8])\n{\n.reg .b32 %r<9>;\n.reg "
      ".b64 %rd<5>;\n"
      "ld.param.u64 %rd1, [out];\nld.param.u32 %r5, [pair+4];\nld.global.u64 %rd2, [where];\n"
      "ld.u32 %r1, [%rd2];\nadd.u32 %r1, %r1, 1;\nst.u32 [%rd2], %r1;\n"
      "ld.const.u32 %r2, [table+8];\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r5;\n"
      "st.global.u32 [%rd1], %r1;\nret;\n}\n");
  EXPECT_EQ(module.kernels()[0].parameter_bytes, 16u);
  Device device;
  const std::uint64_t out = device.memory.allocate(4, "out");
  Launch launch;
  launch.kernel = "k";
  append_parameter(launch.parameters, out);
  append_parameter(launch.parameters, 0u);
  append_parameter(launch.parameters, 100u);
  for (unsigned n = 1; n <= 3; ++n) {
    const Report report = run(module, launch, device.memory);
    EXPECT_TRUE(report.clean()) << to_string(report);
    EXPECT_EQ(device.download<unsigned>(out, 1)[0], 5 + n + 9 + 100);
  }
}

TEST(Memory, CountsConflictsAndSectors) {
  const auto counts = [](const std::string& body) {
    Device device;
    const std::uint64_t out = device.upload(std::vector<unsigned>(4096), "out");
    const Report report =
        device.launch(kernel_text(1, "mov.u32 %r1, %tid.x;\nmov.u32 %r4, tile;\n" + body,
                                  ".shared .align 16 .b8 tile[8192];"),
                      {1}, {32}, {out});
    EXPECT_TRUE(report.clean()) << to_string(report);
    return report.counts;
  };
  const auto shared = [&](unsigned stride, const std::string& type, const std::string& values) {
    return counts("mad.lo.u32 %r2, %r1, " + std::to_string(stride) + ", %r4;\nst.shared." + type +
                  " [%r2], " + values + ";\n")
        .bank_conflicts;
  };
  EXPECT_EQ(shared(4, "u32", "%r1"), 0u);
  EXPECT_EQ(shared(8, "u32", "%r1"), 1u);
  EXPECT_EQ(shared(16, "u32", "%r1"), 3u);
  EXPECT_EQ(shared(128, "u32", "%r1"), 31u);
  EXPECT_EQ(shared(132, "u32", "%r1"), 0u);
  EXPECT_EQ(shared(2, "u16", "%h1"), 0u);
  EXPECT_EQ(shared(8, "v2.u32", "{%r1, %r1}"), 0u);
  EXPECT_EQ(shared(16, "v4.u32", "{%r1, %r1, %r1, %r1}"), 0u);
  EXPECT_EQ(shared(128, "v4.u32", "{%r1, %r1, %r1, %r1}"), 4u * 7);
  const auto global = [&](unsigned stride, const std::string& type) {
    return counts("mul.wide.u32 %rd1, %r1, " + std::to_string(stride) +
                  ";\nadd.s64 %rd1, %rd100, %rd1;\nld.global." + type + " %r2, [%rd1];\n")
        .global_sectors;
  };
  EXPECT_EQ(global(4, "u32"), 4u);
  EXPECT_EQ(global(1, "u8"), 1u);
  EXPECT_EQ(global(8, "u32"), 8u);
  EXPECT_EQ(global(64, "u32"), 32u);
  EXPECT_EQ(global(0, "u32"), 1u);
}

TEST(Memory, ReadOnlyMemoryIsNotWritten) {
  Device device;
  const Report report = device.launch(
      kernel_text(0, "mov.u32 %r1, 1;\nmov.u64 %rd1, table;\nst.global.u32 [%rd1], %r1;\n",
                  ".const .align 4 .u32 table[3] = {7, 8, 9};"),
      {1}, {1}, {});
  EXPECT_TRUE(has(report.faults, FaultKind::ReadOnlyWritten)) << to_string(report);
}

}  // namespace
}  // namespace sinter::emulator::tests
