// Divergence, and what the lanes of a warp exchange.

#include <bit>

#include <gtest/gtest.h>

#include "backends/emulator/random.h"
#include "tests/unit/emulator/harness.h"

namespace sinter::emulator::tests {
namespace {

const std::string Places = R"(
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    add.s64 %rd2, %rd101, %rd1;
    add.s64 %rd1, %rd100, %rd1;
    ld.global.u32 %r2, [%rd2];
)";

/// Runs `body` on inputs in %r2; it leaves its result in %r3.
std::vector<unsigned> outputs(const std::string& body, const std::vector<unsigned>& in,
                              std::uint64_t seed = 1, bool clean = true) {
  Device device;
  const std::uint64_t out = device.upload(std::vector<unsigned>(in.size()), "out");
  const Report report =
      device.launch(kernel_text(2, Places + body + "\nst.global.u32 [%rd1], %r3;\n"), {1},
                    {static_cast<unsigned>(in.size())}, {out, device.upload(in, "in")}, seed);
  EXPECT_EQ(report.clean(), clean) << to_string(report);
  return device.download<unsigned>(out, in.size());
}

std::vector<unsigned> random_words(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<unsigned> result(count);
  for (unsigned& value : result) value = static_cast<unsigned>(random.next());
  return result;
}

TEST(Control, LoopsOfDifferentLength) {
  // Collatz steps, at most 200.
  const auto in = random_words(96, 1);
  const auto result = outputs(R"(
    and.b32 %r2, %r2, 1023;
    add.s32 %r2, %r2, 1;
    mov.u32 %r3, 0;
LOOP:
    setp.eq.s32 %p1, %r2, 1;
    setp.gt.or.s32 %p1, %r3, 199, %p1;
    @%p1 bra DONE;
    add.s32 %r3, %r3, 1;
    and.b32 %r4, %r2, 1;
    setp.eq.s32 %p2, %r4, 0;
    @%p2 bra EVEN;
    mad.lo.s32 %r2, %r2, 3, 1;
    bra LOOP;
EVEN:
    shr.u32 %r2, %r2, 1;
    bra LOOP;
DONE:
)",
                              in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    unsigned n = (in[i] & 1023) + 1, steps = 0;
    for (; n != 1 && steps < 200; ++steps) n = n & 1 ? 3 * n + 1 : n / 2;
    EXPECT_EQ(result[i], steps);
  }
}

TEST(Control, UnstructuredJumpsAndTables) {
  const auto in = random_words(64, 2);
  const auto result = outputs(R"(
    mov.u32 %r3, 0;
    and.b32 %r4, %r2, 3;
T:  .branchtargets A, B, C, D;
    brx.idx %r4, T;
A:
    add.s32 %r3, %r3, 1;
    shr.u32 %r2, %r2, 2;
    and.b32 %r4, %r2, 1;
    setp.eq.s32 %p1, %r4, 0;
    @%p1 bra C;      // into the middle of what others run
B:
    add.s32 %r3, %r3, 10;
C:
    add.s32 %r3, %r3, 100;
    and.b32 %r4, %r3, 1;
    setp.eq.s32 %p1, %r4, 1;
    @!%p1 bra END;
D:
    add.s32 %r3, %r3, 1001;
    bra END;
END:
)",
                              in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    unsigned r = 0, v = in[i];
    bool d = (v & 3) == 3;
    if (!d) {
      bool b = (v & 3) == 1;
      if ((v & 3) == 0) {
        r = 1;
        b = ((v >> 2) & 1) != 0;
      }
      if (b) r += 10;
      r += 100;
      d = r & 1;
    }
    if (d) r += 1001;
    EXPECT_EQ(result[i], r);
  }
}

TEST(Control, LanesThatWaitForOneAnotherInMemory) {
  // Lane i waits for lane i + 1: no order of fragments may starve one.
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Device device;
    const std::uint64_t out = device.upload(std::vector<unsigned>(33), "out");
    const Report report = device.launch(kernel_text(1, R"(
      mov.u32 %r1, %tid.x;
      mul.wide.u32 %rd1, %r1, 4;
      add.s64 %rd1, %rd100, %rd1;
      setp.eq.s32 %p1, %r1, 31;
      @%p1 bra FIRST;
    SPIN:
      ld.acquire.gpu.global.u32 %r2, [%rd1+4];
      setp.eq.s32 %p2, %r2, 0;
      @%p2 bra SPIN;
    FIRST:
      mov.u32 %r3, 1;
      st.release.gpu.global.u32 [%rd1], %r3;
    )"),
                                        {1}, {32}, {out}, seed);
    EXPECT_TRUE(report.clean()) << to_string(report);
    EXPECT_EQ(device.download<unsigned>(out, 32), std::vector<unsigned>(32, 1));
  }
}

TEST(Control, ShufflesOfAllModes) {
  const auto in = random_words(64, 3);
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    for (const unsigned segment : {0u, 0x10u, 0x18u, 0x1cu}) {
      for (const unsigned b : {0u, 1u, 3u, 8u, 17u, 31u}) {
        const unsigned clamp = mode == "up" ? 0 : 31;
        const auto result = outputs(
            "shfl.sync." + mode + ".b32 %r3|%p1, %r2, " + std::to_string(b) + ", " +
                std::to_string(segment << 8 | clamp) + ", -1;\n@!%p1 add.s32 %r3, %r3, 1;\n",
            in);
        // Lanes of one segment have the same bits under its mask.
        for (int lane = 0; lane < 64; ++lane) {
          const int within = lane & 31, first = within & int(segment);
          const int last = first | (31 & ~int(segment));
          int from = within;
          bool valid = true;
          if (mode == "up") valid = (from = within - int(b)) >= first;
          if (mode == "down") valid = (from = within + int(b)) <= last;
          if (mode == "bfly") valid = (from = within ^ int(b)) <= last;
          if (mode == "idx") from = first | (int(b) & ~int(segment) & 31);
          if (!valid) from = within;
          const unsigned expected = in[std::size_t((lane & 32) + from)] + !valid;
          ASSERT_EQ(result[std::size_t(lane)], expected)
              << mode << " by " << b << " in " << segment << " at " << lane;
        }
      }
    }
  }
}

TEST(Control, ShufflesBetweenSomeLanes) {
  // The halves of the warp take different ways and shuffle among themselves.
  const auto in = random_words(32, 4);
  const auto result = outputs(R"(
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra LOW;
    shfl.sync.bfly.b32 %r3, %r2, 1, 31, 0xffff0000;
    bra DONE;
LOW:
    shfl.sync.bfly.b32 %r3, %r2, 2, 31, 0xffff;
DONE:
)",
                              in);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(result[i], in[i ^ (i < 16 ? 2u : 1u)]);
}

TEST(Control, VotesMatchesAndReductions) {
  auto in = random_words(32, 5);
  for (unsigned& value : in) value &= 0x7000000f;
  unsigned sum = 0, all_and = ~0u, all_or = 0, all_xor = 0, odd = 0;
  int least = INT32_MAX;
  unsigned most = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    sum += in[i];
    all_and &= in[i];
    all_or |= in[i];
    all_xor ^= in[i];
    odd |= (in[i] & 1) << i;
    least = std::min(least, int(in[i]) - 8);
    most = std::max(most, in[i]);
  }
  const auto every = [&](const std::string& body, unsigned expected) {
    EXPECT_EQ(outputs(body, in), std::vector<unsigned>(32, expected)) << body;
  };
  every("redux.sync.add.s32 %r3, %r2, -1;", sum);
  every("redux.sync.and.b32 %r3, %r2, -1;", all_and);
  every("redux.sync.or.b32 %r3, %r2, -1;", all_or);
  every("redux.sync.xor.b32 %r3, %r2, -1;", all_xor);
  every("redux.sync.max.u32 %r3, %r2, -1;", most);
  every("sub.s32 %r2, %r2, 8;\nredux.sync.min.s32 %r3, %r2, -1;", unsigned(least));
  const std::string test = "and.b32 %r4, %r2, 1;\nsetp.eq.s32 %p1, %r4, 1;\n";
  every(test + "vote.sync.ballot.b32 %r3, %p1, -1;", odd);
  every(test + "vote.sync.ballot.b32 %r3, !%p1, -1;", ~odd);
  every(test + "vote.sync.any.pred %p2, %p1, -1;\nselp.u32 %r3, 1, 0, %p2;", odd != 0);
  every(test + "vote.sync.all.pred %p2, %p1, -1;\nselp.u32 %r3, 1, 0, %p2;", odd == ~0u);
  every(test + "vote.sync.uni.pred %p2, %p1, -1;\nselp.u32 %r3, 1, 0, %p2;",
        odd == 0 || odd == ~0u);
  every("activemask.b32 %r3;", ~0u);
  every("match.all.sync.b32 %r3|%p1, %r2, -1;", 0);
  every("mov.u32 %r4, 7;\nmatch.all.sync.b32 %r3|%p1, %r4, -1;", ~0u);
  const auto match = outputs("match.any.sync.b32 %r3, %r2, -1;", in);
  const auto elected = outputs("elect.sync %r4|%p1, -1;\nselp.u32 %r3, 1, 0, %p1;", in);
  unsigned leaders = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    unsigned same = 0;
    for (std::size_t j = 0; j < 32; ++j) same |= unsigned(in[i] == in[j]) << j;
    EXPECT_EQ(match[i], same);
    leaders += elected[i];
  }
  EXPECT_EQ(leaders, 1u);
}

TEST(Control, BarrierReductions) {
  const auto in = random_words(96, 6);
  unsigned odd = 0;
  for (const unsigned value : in) odd += value & 1;
  const std::string test = "and.b32 %r4, %r2, 1;\nsetp.eq.s32 %p1, %r4, 1;\n";
  EXPECT_EQ(outputs(test + "bar.red.popc.u32 %r3, 0, %p1;", in), std::vector<unsigned>(96, odd));
  EXPECT_EQ(
      outputs(test + "barrier.cta.red.or.aligned.pred %p2, 0, !%p1;\nselp.u32 %r3, 1, 0, %p2;", in),
      std::vector<unsigned>(96, odd != 96));
}

TEST(Control, ProducersArriveAndConsumersWait) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Device device;
    const std::uint64_t out = device.upload(std::vector<unsigned>(64), "out");
    const Report report = device.launch(kernel_text(1, R"(
      mov.u32 %r1, %tid.x;
      mov.u32 %r2, tile;
      and.b32 %r3, %r1, 31;
      shl.b32 %r3, %r3, 2;
      add.s32 %r2, %r2, %r3;
      setp.ge.u32 %p1, %r1, 32;
      @%p1 bra CONSUMER;
      st.shared.u32 [%r2], %r1;
      barrier.cta.arrive.aligned 1, 64;
      bra DONE;
    CONSUMER:
      bar.sync 1, 64;
      ld.shared.u32 %r4, [%r2];
      mul.wide.u32 %rd1, %r1, 4;
      add.s64 %rd1, %rd100, %rd1;
      st.global.u32 [%rd1], %r4;
    DONE:
    )",
                                                    ".shared .align 4 .b8 tile[128];"),
                                        {1}, {64}, {out}, seed);
    EXPECT_TRUE(report.clean()) << to_string(report);
    for (unsigned i = 32; i < 64; ++i) EXPECT_EQ(device.download<unsigned>(out, 64)[i], i - 32);
  }
}

TEST(Control, GridBarrierNeedsACooperativeLaunch) {
  // Every block adds one and waits for all: twice, with data handed on in between.
  const std::string text = kernel_text(2, R"(
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %nctaid.x;
    mul.wide.u32 %rd1, %r2, 4;
    add.s64 %rd1, %rd100, %rd1;
    add.s32 %r4, %r2, 1;
    setp.ne.s32 %p1, %r1, 0;
    @!%p1 st.global.u32 [%rd1], %r4;
    bar.sync 0;
    @%p1 bra JOIN;
    atom.acq_rel.gpu.global.add.u32 %r5, [%rd101], 1;
SPIN:
    ld.acquire.gpu.global.u32 %r5, [%rd101];
    setp.lt.u32 %p2, %r5, %r3;
    @%p2 bra SPIN;
JOIN:
    bar.sync 0;
    mov.u32 %r6, 0;
    mov.u32 %r7, 0;
SUM:
    mul.wide.u32 %rd2, %r7, 4;
    add.s64 %rd2, %rd100, %rd2;
    ld.global.u32 %r8, [%rd2];
    add.s32 %r6, %r6, %r8;
    add.s32 %r7, %r7, 1;
    setp.lt.u32 %p3, %r7, %r3;
    @%p3 bra SUM;
    @%p1 bra END;
    st.global.u32 [%rd1+64], %r6;
END:
)");
  for (const bool cooperative : {true, false}) {
    Device device;
    const std::uint64_t out = device.memory.allocate(128, "out");
    const std::uint64_t counter = device.upload(std::vector<unsigned>(1), "counter");
    Launch launch;
    launch.kernel = "k";
    launch.grid.x = 10;
    launch.block.x = 64;
    launch.cooperative = cooperative;
    append_parameter(launch.parameters, out);
    append_parameter(launch.parameters, counter);
    const Report report = run(PtxModule::parse(text), launch, device.memory);
    if (!cooperative) {
      ASSERT_TRUE(has(report.faults, FaultKind::Deadlock)) << to_string(report);
      EXPECT_NE(report.faults.back().text.find("cooperative launch"), std::string::npos);
      continue;
    }
    EXPECT_TRUE(report.clean()) << to_string(report);
    std::vector<unsigned> sums(10);
    EXPECT_TRUE(device.memory.read(out + 64, std::as_writable_bytes(std::span(sums))).empty());
    EXPECT_EQ(sums, std::vector<unsigned>(10, 55));
  }
}

TEST(Control, PollingIsReadingTheSameAgain) {
  // One warp reads much through volatile loads while the other waits: work. Then it polls a word
  // that nobody writes, with a barrier in each turn: no work.
  const std::string read = R"(
    mov.u32 %r1, %tid.x;
    mov.u32 %r5, 0;
    mov.u32 %r2, 0;
    mov.u64 %rd1, %rd101;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra JOIN;
  LOOP:
    ld.volatile.global.u32 %r3, [%rd1];
    add.u32 %r5, %r5, %r3;
    add.s64 %rd1, %rd1, 4;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 20000;
    @%p2 bra LOOP;
  JOIN:
    bar.sync 0;
    st.global.u32 [%rd100], 1;
)";
  const std::string poll = R"(
  SPIN:
    ld.volatile.global.u32 %r3, [%rd101];
    bar.sync 0;
    setp.ne.u32 %p2, %r3, 77;
    @%p2 bra SPIN;
)";
  for (const bool polls : {false, true}) {
    Device device;
    const std::uint64_t out = device.upload(std::vector<unsigned>(1), "out");
    const std::uint64_t in = device.upload(std::vector<unsigned>(20000), "in");
    const Report report =
        device.launch(kernel_text(2, read + (polls ? poll : "")), {1}, {64}, {out, in});
    EXPECT_EQ(report.completed, !polls) << to_string(report);
    EXPECT_EQ(has(report.faults, FaultKind::Deadlock), polls) << to_string(report);
  }
}

TEST(Control, ASeedGivesTheSameRunAgain) {
  const std::string text = kernel_text(1, R"(
    mov.u32 %r1, %tid.x;
    atom.global.add.u32 %r2, [%rd100], 1;
    mul.wide.u32 %rd1, %r1, 4;
    add.s64 %rd1, %rd100, %rd1;
    st.global.u32 [%rd1+4], %r2;
)");
  std::vector<std::vector<unsigned>> results;
  for (const std::uint64_t seed : {1u, 2u, 1u}) {
    Device device;
    const std::uint64_t out = device.upload(std::vector<unsigned>(129), "out");
    const Report report = device.launch(text, {1}, {128}, {out}, seed);
    EXPECT_TRUE(report.clean()) << to_string(report);
    results.push_back(device.download<unsigned>(out, 129));
  }
  EXPECT_EQ(results[0], results[2]);
  EXPECT_NE(results[0], results[1]);
}

TEST(Control, LastBlockReducesWhatTheOthersLeft) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Device device;
    const std::uint64_t out = device.upload(std::vector<unsigned>(16), "out");
    const std::uint64_t counter = device.upload(std::vector<unsigned>(1), "counter");
    const Report report = device.launch(kernel_text(2, R"(
      mov.u32 %r1, %ctaid.x;
      mul.wide.u32 %rd1, %r1, 4;
      add.s64 %rd1, %rd100, %rd1;
      mov.u32 %r2, %tid.x;
      setp.ne.s32 %p1, %r2, 0;
      @%p1 ret;
      st.global.u32 [%rd1], %r1;
      membar.gl;
      atom.global.inc.u32 %r3, [%rd101], 9;
      membar.gl;
      setp.ne.s32 %p2, %r3, 9;
      @%p2 ret;
      ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd100];
      add.s32 %r4, %r4, %r5;
      add.s32 %r4, %r4, %r6;
      add.s32 %r4, %r4, %r7;
      st.global.u32 [%rd100+60], %r4;
    )"),
                                        {10}, {64}, {out, counter}, seed);
    EXPECT_TRUE(report.clean()) << to_string(report);
    EXPECT_EQ(device.download<unsigned>(out, 16)[15], 6u);
    EXPECT_EQ(device.download<unsigned>(counter, 1)[0], 0u);
  }
}

}  // namespace
}  // namespace sinter::emulator::tests
