#include "backends/emulator/ptx/warp.h"

#include <algorithm>
#include <bit>

#include "backends/emulator/ptx/lanes.h"

namespace sinter::emulator::ptx {

namespace {

LaneMask first_lanes(std::uint32_t count) {
  return count >= Lanes ? ~LaneMask{0} : (LaneMask{1} << count) - 1;
}

template <class T>
void fill(std::byte* registers, Slot slot, T value) {
  auto* lanes = lanes_of<T>(registers, slot);
  for (unsigned lane = 0; lane < Lanes; ++lane) lanes[lane] = value;
}

void fill_width(std::byte* registers, Slot slot, unsigned width, std::uint64_t bits) {
  if (width == 8) {
    fill<std::uint64_t>(registers, slot, bits);
  } else if (width == 4) {
    fill<std::uint32_t>(registers, slot, static_cast<std::uint32_t>(bits));
  } else {
    fill<std::uint16_t>(registers, slot, static_cast<std::uint16_t>(bits));
  }
}

}  // namespace

Warp::Warp(const Module& module, const Function& kernel, Block& block, std::uint32_t number,
           const std::vector<std::uint64_t>& variables)
    : module_(module),
      kernel_(kernel),
      block_(block),
      number_(number),
      lanes_(first_lanes(block.threads() - number * Lanes)),
      storage_(std::make_unique<std::byte[]>(std::size_t{kernel.registers.units} * UnitBytes + 64)),
      undefined_(kernel.registers.undefined_at_start),
      local_(module.frame_bytes > LocalStart ? module.frame_bytes * Lanes : 0),
      local_undefined_(local_.size(), 0xff),
      clock_(block.first_warp() + number, block.number(), block.first_warp(),
             block.state().warps_per_block, lanes_),
      records_(block.state().launch.checks ? module.memory.size() : 0) {
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.get());
  registers_ = storage_.get() + ((64 - address % 64) % 64);
  for (const RegisterFile::Constant& c : kernel.registers.constants) {
    fill_width(registers_, c.slot, c.width, c.bits);
  }
  for (const RegisterFile::VariableAddress& v : kernel.registers.variable_addresses) {
    fill_width(registers_, v.slot, v.width, variables[v.variable] + v.offset);
  }
  for (const RegisterFile::ParameterValue& p : kernel.registers.parameters) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, block.state().parameters.bytes.data() + p.offset, p.bytes);
    const unsigned shift = 64 - p.bytes * 8;
    if (p.sign)
      bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
    fill_width(registers_, p.slot, p.width, bits);
  }
  const Launch& launch = block.state().launch;
  for (const RegisterFile::SpecialRegister& s : kernel.registers.specials) {
    auto* lanes = lanes_of<std::uint32_t>(registers_, s.slot);
    const bool position = s.special <= Special::TidZ;
    for (unsigned lane = 0; lane < Lanes; ++lane) {
      const Dim3 thread = position ? block.thread(number * Lanes + lane) : Dim3{};
      const LaneMask self = LaneMask{1} << lane;
      const auto value = [&]() -> std::uint64_t {
        switch (s.special) {
          case Special::TidX:
            return thread.x;
          case Special::TidY:
            return thread.y;
          case Special::TidZ:
            return thread.z;
          case Special::NtidX:
            return launch.block.x;
          case Special::NtidY:
            return launch.block.y;
          case Special::NtidZ:
            return launch.block.z;
          case Special::CtaidX:
            return block.index().x;
          case Special::CtaidY:
            return block.index().y;
          case Special::CtaidZ:
            return block.index().z;
          case Special::NctaidX:
            return launch.grid.x;
          case Special::NctaidY:
            return launch.grid.y;
          case Special::NctaidZ:
            return launch.grid.z;
          case Special::LaneId:
            return lane;
          case Special::WarpId:
            return number;
          case Special::NWarpId:
            return block.state().warps_per_block;
          case Special::SmId:
            return block.number() % 132;
          case Special::NSmId:
            return 132;
          case Special::GridId:
            return 1;
          case Special::LaneMaskEq:
            return self;
          case Special::LaneMaskLe:
            return self | (self - 1);
          case Special::LaneMaskLt:
            return self - 1;
          case Special::LaneMaskGe:
            return ~(self - 1);
          case Special::LaneMaskGt:
            return ~(self | (self - 1));
          case Special::DynamicSharedSize:
            return launch.dynamic_shared;
          case Special::TotalSharedSize:
            return block.shared().size;
        }
        return 0;
      }();
      lanes[lane] = static_cast<std::uint32_t>(value);
    }
  }
  fragments_.push_back({kernel.entry, lanes_, Wait::None, 0, {}});
}

LaneMask Warp::live() const {
  LaneMask result = 0;
  for (const Fragment& f : fragments_) result |= f.mask;
  return result;
}

// ---- choosing what runs

Agent::State Warp::run(unsigned budget) {
  while (budget && !fragments_.empty() && !block_.state().faults.stopped()) {
    const std::size_t chosen = pick();
    if (chosen == fragments_.size()) {
      if (settle_waits()) continue;
      return State::Waiting;
    }
    std::uint32_t stop = ~0u;
    for (std::size_t i = 0; i < fragments_.size(); ++i) {
      if (i != chosen && fragments_[i].pc > fragments_[chosen].pc) {
        stop = std::min(stop, fragments_[i].pc);
      }
    }
    unsigned slice = fragments_.size() > 1 ? std::min(budget, polls() > 4 ? 16u : 128u) : budget;
    budget -= slice;
    if (block_.state().launch.checks) {
      execute<true>(chosen, stop, slice);
    } else {
      execute<false>(chosen, stop, slice);
    }
    budget += slice;
    if (fragments_.size() > 1) merge();
  }
  return fragments_.empty() ? State::Done : State::Ready;
}

// The fragment furthest behind, so that branches meet again; now and then another, so that lanes
// which wait for one another in memory get on.
std::size_t Warp::pick() {
  if (fragments_.size() == 1) return fragments_[0].wait == Wait::None ? 0 : 1;
  std::size_t best = fragments_.size();
  std::size_t ready = 0;
  for (std::size_t i = 0; i < fragments_.size(); ++i) {
    if (fragments_[i].wait != Wait::None) continue;
    ++ready;
    if (best == fragments_.size() || fragments_[i].calls.size() > fragments_[best].calls.size() ||
        (fragments_[i].calls.size() == fragments_[best].calls.size() &&
         fragments_[i].pc < fragments_[best].pc)) {
      best = i;
    }
  }
  // A fragment that polls in vain gives way at once.
  if (ready > 1 && block_.state().random.below(polls() > 4 ? 2 : 16) == 0) {
    std::size_t other = block_.state().random.below(static_cast<std::uint32_t>(ready));
    for (std::size_t i = 0; i < fragments_.size(); ++i) {
      if (fragments_[i].wait == Wait::None && other-- == 0) return i;
    }
  }
  return best;
}

void Warp::merge() {
  for (std::size_t i = 0; i < fragments_.size(); ++i) {
    for (std::size_t j = fragments_.size(); j-- > i + 1;) {
      Fragment& a = fragments_[i];
      Fragment& b = fragments_[j];
      if (a.pc != b.pc || a.calls != b.calls || a.wait == Wait::Barrier ||
          b.wait == Wait::Barrier) {
        continue;
      }
      a.mask |= b.mask;
      a.wait = Wait::None;  // it looks again
      fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

// Every fragment waits. True when some may go on after all.
bool Warp::settle_waits() {
  merge();
  bool progress = false;
  bool only_lanes = true;  // nothing outside the warp can help
  const LaneMask alive = live();
  for (Fragment& f : fragments_) {
    if (f.wait == Wait::Aligned && f.mask == alive) f.wait = Wait::None;
    progress = progress || f.wait == Wait::None;
    if (f.wait == Wait::Barrier) only_lanes = false;
  }
  if (progress) return true;
  // bar.warp.sync: lanes may stand at different ones.
  for (std::size_t i = 0; i < fragments_.size(); ++i) {
    const Instruction& instruction = module_.code[fragments_[i].pc];
    if (fragments_[i].wait != Wait::Members) continue;
    const Slot slot = instruction.kind == Kind::WarpBarrier
                          ? instruction.source[0]
                          : module_.exchanges[instruction.detail].mask;
    const auto first = static_cast<unsigned>(std::countr_zero(fragments_[i].mask));
    const LaneMask members = lanes_of<std::uint32_t>(registers_, slot)[first] & alive;
    if (instruction.kind != Kind::WarpBarrier) {
      if ((members & ~fragments_[i].mask) == 0) {
        fragments_[i].wait = Wait::None;
        progress = true;
      }
      continue;
    }
    LaneMask here = 0;
    for (const Fragment& f : fragments_) {
      if (f.wait == Wait::Members && module_.code[f.pc].kind == Kind::WarpBarrier) here |= f.mask;
    }
    if (members & ~here) continue;
    if (block_.state().launch.checks) clock_.synchronise(members);
    for (Fragment& f : fragments_) {
      if (f.wait == Wait::Members && module_.code[f.pc].kind == Kind::WarpBarrier &&
          (f.mask & members)) {
        f.wait = Wait::None;
        ++f.pc;
      }
    }
    return true;
  }
  if (progress || !only_lanes) return progress;
  for (const Fragment& f : fragments_) {
    if (f.wait != Wait::Aligned) continue;
    LaneMask others = alive & ~f.mask;
    std::string where;
    for (const Fragment& g : fragments_) {
      if (g.mask & others) {
        where = place_of(g.pc);
        break;
      }
    }
    fault(FaultKind::BarrierDivergence, module_.code[f.pc],
          static_cast<unsigned>(std::countr_zero(f.mask)),
          "lanes " + hex(f.mask) + " of the warp wait here, lanes " + hex(others) + " at " + where +
              "; all threads of a warp must reach an aligned barrier together");
    block_.state().faults.stop();
    return false;
  }
  return false;
}

}  // namespace sinter::emulator::ptx
