// Random kernels whose races a brute-force reading of the rules knows: the detector finds exactly
// those, whatever the order in which the warps happened to run.

#include <gtest/gtest.h>

#include "backends/emulator/random.h"
#include "tests/unit/emulator/harness.h"

namespace sinter::emulator::tests {
namespace {

constexpr unsigned Threads = 64, Blocks = 2, Places = 6;

enum class Kind {
  Load,
  Store,
  StoreByte,
  Atomic,
  StrongStore,
  StrongLoad,
  BlockBarrier,
  WarpBarrier,
  HalfWarpBarrier,  ///< of lanes 0 to 15
  Exit
};
bool accesses(Kind kind) { return kind < Kind::BlockBarrier; }

/// What the threads with (tid & mask) == bits do at place (tid * factor + add) % Places.
struct Step {
  Kind kind;
  unsigned mask, bits, factor, add;
  bool global;
  bool runs(unsigned thread) const { return (thread & mask) == bits; }
  unsigned place(unsigned thread) const { return (thread * factor + add) % Places; }
};

std::vector<Step> random_steps(Random& random) {
  std::vector<Step> steps(3 + random.below(8));
  const bool atomics = random.below(2), barriers = random.below(4) != 0;
  for (Step& step : steps) {
    static const Kind plain[] = {Kind::Load, Kind::Load, Kind::Store, Kind::StoreByte};
    static const Kind strong[] = {Kind::Atomic, Kind::StrongStore, Kind::StrongLoad};
    step.kind = plain[random.below(4)];
    if (atomics && random.below(2)) step.kind = strong[random.below(3)];
    if (barriers && random.below(5) < 2) {
      static const Kind kinds[] = {Kind::BlockBarrier, Kind::WarpBarrier, Kind::HalfWarpBarrier};
      step.kind = kinds[random.below(3)];
    }
    if (random.below(16) == 0) step.kind = Kind::Exit;
    // Mostly few threads, so that programs without races come up too.
    static const unsigned masks[] = {127, 127, 127, 96, 31, 64, 0};
    step.mask = masks[random.below(7)];
    step.bits = random.below(128) & step.mask;
    step.factor = random.below(3) ? 0 : random.below(Places);
    step.add = random.below(Places);
    step.global = random.below(3) == 0;
  }
  return steps;
}

std::string text_of(const std::vector<Step>& steps) {
  std::string body = "mov.u32 %r1, %tid.x;\nmov.u32 %r9, 7;\n";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& s = steps[i];
    const auto number = [](unsigned n) { return std::to_string(n); };
    if (s.kind == Kind::BlockBarrier || s.kind == Kind::WarpBarrier) {
      body += s.kind == Kind::BlockBarrier ? "bar.sync 0;\n" : "bar.warp.sync -1;\n";
      continue;
    }
    if (s.kind == Kind::HalfWarpBarrier) {
      body += "and.b32 %r2, %r1, 16;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bar.warp.sync 0xffff;\n";
      continue;
    }
    body += "and.b32 %r2, %r1, " + number(s.mask) + ";\nsetp.eq.u32 %p1, %r2, " + number(s.bits) +
            ";\nmad.lo.u32 %r3, %r1, " + number(s.factor) + ", " + number(s.add) +
            ";\nrem.u32 %r3, %r3, " + number(Places) + ";\nshl.b32 %r3, %r3, 2;\n";
    std::string at;
    if (s.global) {
      body += "cvt.u64.u32 %rd1, %r3;\nadd.s64 %rd1, %rd100, %rd1;\n";
      at = "global";
    } else {
      body += "mov.u32 %r4, tile;\nadd.u32 %r3, %r3, %r4;\n";
      at = "shared";
    }
    const std::string place = s.global ? "[%rd1]" : "[%r3]";
    switch (s.kind) {
      case Kind::Load:
        body += "@%p1 ld." + at + ".u32 %r5, " + place + ";\n";
        break;
      case Kind::Store:
        body += "@%p1 st." + at + ".u32 " + place + ", %r9;\n";
        break;
      case Kind::StoreByte:
        body += "@%p1 st." + at + ".u8 " + place + ", %r9;\n";
        break;
      case Kind::Atomic:
        body += "@%p1 red." + at + ".add.u32 " + place + ", 1;\n";
        break;
      case Kind::StrongStore:
        body += "@%p1 st.relaxed.gpu." + at + ".u32 " + place + ", %r9;\n";
        break;
      case Kind::StrongLoad:
        body += "@%p1 ld.relaxed.gpu." + at + ".u32 %r5, " + place + ";\n";
        break;
      case Kind::Exit:
        body += "@%p1 ret;\n";
        break;
      case Kind::BlockBarrier:
      case Kind::WarpBarrier:
      case Kind::HalfWarpBarrier:
        break;
    }
  }
  return kernel_text(1, body, ".shared .align 4 .b8 tile[64];");
}

bool writes(Kind k) { return k != Kind::Load && k != Kind::StrongLoad; }
bool strong(Kind k) { return k == Kind::Atomic || k == Kind::StrongStore || k == Kind::StrongLoad; }

struct Races {
  bool shared = false, global = false;
};

// Step by step: what each thread knows of each other, as the number of its steps.
Races races_of(const std::vector<Step>& steps) {
  constexpr unsigned All = Threads * Blocks;
  Races result;
  std::vector<std::vector<unsigned>> knows(All, std::vector<unsigned>(All, 0));
  std::vector<bool> runs(All, true);
  std::vector<std::vector<bool>> ran;  // by step
  const auto meet = [&](unsigned begin, unsigned end, unsigned step) {
    std::vector<unsigned> joined(All, 0);
    for (unsigned x = begin; x < end; ++x) {
      if (!runs[x]) continue;
      for (unsigned y = 0; y < All; ++y) joined[y] = std::max(joined[y], knows[x][y]);
      joined[x] = step;
    }
    for (unsigned x = begin; x < end; ++x) {
      if (runs[x]) knows[x] = joined;
    }
  };
  for (unsigned j = 0; j < steps.size(); ++j) {
    const Step& b = steps[j];
    ran.emplace_back(All, false);
    if (b.kind == Kind::BlockBarrier) {
      for (unsigned x = 0; x < All; x += Threads) meet(x, x + Threads, j);
    } else if (b.kind == Kind::WarpBarrier) {
      for (unsigned x = 0; x < All; x += 32) meet(x, x + 32, j);
    } else if (b.kind == Kind::HalfWarpBarrier) {
      for (unsigned x = 0; x < All; x += 32) meet(x, x + 16, j);
    } else {
      for (unsigned x = 0; x < All; ++x) ran[j][x] = runs[x] && b.runs(x % Threads);
      if (b.kind == Kind::Exit) {
        for (unsigned x = 0; x < All; ++x) runs[x] = runs[x] && !ran[j][x];
        continue;
      }
      for (unsigned i = 0; i <= j; ++i) {
        const Step& a = steps[i];
        if (!accesses(a.kind) || a.global != b.global) continue;
        if ((!writes(a.kind) && !writes(b.kind)) || (strong(a.kind) && strong(b.kind))) continue;
        for (unsigned y = 0; y < All; ++y) {
          if (!ran[j][y]) continue;
          for (unsigned x = 0; x < All; ++x) {
            if (x == y || !ran[i][x] || a.place(x % Threads) != b.place(y % Threads)) continue;
            if (!a.global && x / Threads != y / Threads) continue;  // each block has its own
            if (knows[y][x] > i) continue;
            // One instruction storing one value is one write.
            if (i == j && x / 32 == y / 32) continue;
            (a.global ? result.global : result.shared) = true;
          }
        }
      }
    }
  }
  return result;
}

TEST(RaceOracle, FindsExactlyTheRaces) {
  Random random(12345);
  unsigned racy = 0, clean = 0;
  for (int n = 0; n < 1500; ++n) {
    const std::vector<Step> steps = random_steps(random);
    const Races expected = races_of(steps);
    const std::string text = text_of(steps);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Device device;
      const std::uint64_t out = device.upload(std::vector<unsigned>(16), "out");
      const Report report = device.launch(text, {Blocks}, {Threads}, {out}, seed);
      EXPECT_EQ(has(report.faults, FaultKind::SharedRace), expected.shared)
          << "program " << n << "\n"
          << text << to_string(report);
      EXPECT_EQ(has(report.faults, FaultKind::GlobalRace), expected.global)
          << "program " << n << "\n"
          << text << to_string(report);
      EXPECT_TRUE(report.completed);
      if (testing::Test::HasFailure()) return;
    }
    ++(expected.shared || expected.global ? racy : clean);
  }
  EXPECT_GT(racy, 80u);
  EXPECT_GT(clean, 80u);
}

}  // namespace
}  // namespace sinter::emulator::tests
