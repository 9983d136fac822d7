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

std::string hex(std::uint32_t value) {
  static const char digits[] = "0123456789abcdef";
  std::string result = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) result += digits[value >> shift & 15];
  return result;
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
    if (block_.state().launch.checks) clock_.synchronise(members == alive ? lanes_ : members);
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

// ---- control

void Warp::branch(std::size_t index, LaneMask taken, std::uint32_t target) {
  Fragment& f = fragments_[index];
  if (taken == f.mask) {
    f.pc = target;
    return;
  }
  Fragment other = f;
  other.mask = taken;
  other.pc = target;
  f.mask &= ~taken;
  ++f.pc;
  fragments_.push_back(std::move(other));
}

void Warp::leave(std::size_t index, LaneMask lanes) {
  for (AsyncCopy& copy : copies_) {
    if (lanes >> copy.lane & 1) finish_copy(copy);
  }
  std::erase_if(copies_, [&](const AsyncCopy& copy) { return lanes >> copy.lane & 1; });
  fragments_[index].mask &= ~lanes;
  if (!fragments_[index].mask) {
    fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(index));
  } else {
    ++fragments_[index].pc;
  }
  block_.exit(static_cast<std::uint32_t>(std::popcount(lanes)));
}

// True when a *.sync instruction may execute: all living members stand in this fragment.
bool Warp::exchange_ready(Fragment& f, const Instruction& instruction, LaneMask members,
                          bool value) {
  if (f.mask & ~members) {
    fault(FaultKind::InvalidSync, instruction,
          static_cast<unsigned>(std::countr_zero(f.mask & ~members)),
          "lanes " + hex(f.mask) + " execute it, but its member mask is " + hex(members));
  }
  const LaneMask needed = members & (fragments_.size() > 1 ? live() : f.mask);
  if ((needed & ~f.mask) == 0) {
    if (!value && block_.state().launch.checks) {
      clock_.synchronise(f.mask == live() ? lanes_ : f.mask);
    }
    return true;
  }
  f.wait = Wait::Members;
  return false;
}

void Warp::arrive(std::size_t index, const Instruction& instruction) {
  const BarrierOperation& b = module_.barriers[instruction.detail];
  Fragment& f = fragments_[index];
  const auto first = static_cast<unsigned>(std::countr_zero(f.mask));
  const std::uint32_t id = lanes_of<std::uint32_t>(registers_, b.identifier)[first];
  std::uint32_t expected = 0;
  const auto threads = static_cast<std::uint32_t>(std::popcount(f.mask));
  std::uint32_t counted = threads;
  if (b.count != NoSlot) {
    expected = lanes_of<std::uint32_t>(registers_, b.count)[first];
    if (b.aligned) counted = Lanes;
    if (expected == 0 || expected % Lanes) {
      fault(FaultKind::InvalidOperand, instruction, first,
            "a barrier for " + std::to_string(expected) + " threads; it must be a multiple of 32");
      block_.state().faults.stop();
      return;
    }
  }
  if (id >= BarriersOfBlock) {
    fault(FaultKind::InvalidOperand, instruction, first,
          "barrier " + std::to_string(id) + " does not exist; there are 16");
    block_.state().faults.stop();
    return;
  }
  BarrierResult brought;
  if (b.predicate != NoSlot) {
    check_defined(instruction, b.predicate, f.mask, "a barrier's reduction");
    std::uint32_t bits = *lanes_of<std::uint32_t>(registers_, b.predicate);
    if (b.negated) bits = ~bits;
    brought.count = static_cast<std::uint32_t>(std::popcount(bits & f.mask));
    brought.any = brought.count != 0;
    brought.all = brought.count == threads;
  }
  VectorClock known;
  if (block_.state().launch.checks) known = clock_.publish(f.mask == live() ? lanes_ : f.mask);
  if (b.arrive_only) {
    ++f.pc;
  } else {
    f.wait = Wait::Barrier;
    f.barrier = id;
  }
  if (!block_.arrive(id, number_, counted, expected, !b.arrive_only, known, brought)) {
    fault(FaultKind::BarrierDivergence, instruction, first,
          "others arrived at barrier " + std::to_string(id) + " for another number of threads");
    block_.state().faults.stop();
  }
}

void Warp::release(unsigned barrier, const VectorClock& clock, const BarrierResult& result) {
  for (Fragment& f : fragments_) {
    if (f.wait != Wait::Barrier || f.barrier != barrier) continue;
    const Instruction& instruction = module_.code[f.pc];
    const BarrierOperation& b = module_.barriers[instruction.detail];
    if (block_.state().launch.checks) {
      clock_.learn(f.mask == live() ? lanes_ : f.mask, clock);
      define(instruction.destination, f.mask);
    }
    using R = BarrierOperation::Reduction;
    if (b.reduction == R::Count) {
      auto* lanes = lanes_of<std::uint32_t>(registers_, instruction.destination);
      for (unsigned lane = 0; lane < Lanes; ++lane) {
        if (f.mask >> lane & 1) lanes[lane] = result.count;
      }
    } else if (b.reduction != R::None) {
      auto* bits = lanes_of<std::uint32_t>(registers_, instruction.destination);
      const bool value = b.reduction == R::And ? result.all : result.any;
      *bits = (*bits & ~f.mask) | (value ? f.mask : 0);
    }
    f.wait = Wait::None;
    ++f.pc;
  }
}

void Warp::trap(const Fragment& f) {
  fault(FaultKind::Trap, module_.code[f.pc], static_cast<unsigned>(std::countr_zero(f.mask)),
        "the kernel executed trap");
  block_.state().faults.stop();
}

template <bool Checks>
void Warp::execute(std::size_t index, std::uint32_t stop, unsigned& budget) {
  const Instruction* code = module_.code.data();
  Counts& counts = block_.state().counts;
  std::uint32_t pc = fragments_[index].pc;
  LaneMask mask = fragments_[index].mask;
  const auto lane_count = [](LaneMask m) { return static_cast<std::uint64_t>(std::popcount(m)); };
  while (budget) {
    const Instruction& i = code[pc];
    --budget;
    ++counts.instructions;
    LaneMask active = mask;
    if (i.guard != NoSlot) {
      const std::uint32_t bits = *lanes_of<std::uint32_t>(registers_, i.guard);
      if constexpr (Checks) {
        if (undefined_[i.guard] & mask) {
          check_defined(i, i.guard, mask, i.kind == Kind::Branch ? "a branch" : "a predicate");
        }
      }
      active &= i.guard_negated ? ~bits : bits;
      if (!active) {
        if (++pc >= stop) break;
        continue;
      }
    }
    counts.lane_operations += lane_count(active);
    switch (i.kind) {
      case Kind::Compute:
        if constexpr (Checks) {
          const LaneMask undefined = undefined_[i.source[0]] | undefined_[i.source[1]] |
                                     undefined_[i.source[2]] | undefined_[i.source[3]];
          if (undefined & active) [[unlikely]] {
            propagate(i, active);
          } else {
            undefined_[i.destination] &= ~active;
            undefined_[i.destination2] &= ~active;
          }
        }
        i.handler(registers_, i, active);
        ++pc;
        break;
      case Kind::Load:
        load<Checks>(i, active);
        ++pc;
        break;
      case Kind::Store:
        store<Checks>(i, active);
        ++pc;
        break;
      case Kind::Atomic:
        atomic<Checks>(i, active);
        ++pc;
        break;
      case Kind::Prefetch:
        ++pc;
        break;
      case Kind::Clock: {
        const std::uint64_t now = counts.instructions >> i.immediate;
        for (unsigned lane = 0; lane < Lanes; ++lane) {
          if (!(active >> lane & 1)) continue;
          if (i.width == 8) {
            lanes_of<std::uint64_t>(registers_, i.destination)[lane] = now;
          } else {
            lanes_of<std::uint32_t>(registers_, i.destination)[lane] =
                static_cast<std::uint32_t>(now);
          }
        }
        define(i.destination, active);
        ++pc;
        break;
      }
      case Kind::Fence:
        if constexpr (Checks) clock_.fence(active, static_cast<Scope>(i.detail));
        ++pc;
        break;
      case Kind::CopyAsync:
        copy_async(i, active);
        ++pc;
        break;
      case Kind::CopyCommit:
        copy_commit(active);
        ++pc;
        break;
      case Kind::CopyWait:
        copy_wait(i, active);
        ++pc;
        break;
      case Kind::Branch:
        if (active == mask) {
          pc = i.detail;
          break;
        }
        fragments_[index].pc = pc;
        branch(index, active, i.detail);
        return;
      case Kind::BranchTable: {
        fragments_[index].pc = pc;
        if constexpr (Checks) check_defined(i, i.source[0], active, "a branch");
        const auto* choice = lanes_of<std::uint32_t>(registers_, i.source[0]);
        const auto& targets = module_.tables[i.detail];
        const auto lane = static_cast<unsigned>(std::countr_zero(active));
        if (choice[lane] >= targets.size()) {
          fault(FaultKind::InvalidOperand, i, lane,
                "entry " + std::to_string(choice[lane]) + " of a table of " +
                    std::to_string(targets.size()));
          block_.state().faults.stop();
          return;
        }
        LaneMask same = 0;
        for (unsigned l = 0; l < Lanes; ++l) {
          if ((active >> l & 1) && choice[l] == choice[lane]) same |= LaneMask{1} << l;
        }
        // The others come here again.
        Fragment rest = fragments_[index];
        rest.mask &= ~same;
        fragments_[index].mask = same;
        fragments_[index].pc = targets[choice[lane]];
        if (rest.mask) fragments_.push_back(std::move(rest));
        return;
      }
      case Kind::Call: {
        const Call& call = module_.calls[i.detail];
        fragments_[index].pc = pc;
        if (active != mask) branch(index, active, pc);
        Fragment& f = active != mask ? fragments_.back() : fragments_[index];
        for (const Copy& copy : call.arguments) {
          for (unsigned lane = 0; lane < Lanes; ++lane) {
            if (!(active >> lane & 1)) continue;
            const std::size_t frame = lane * module_.frame_bytes;
            std::memcpy(&local_[frame + copy.to], &local_[frame + copy.from], copy.bytes);
            std::memcpy(&local_undefined_[frame + copy.to], &local_undefined_[frame + copy.from],
                        copy.bytes);
          }
        }
        f.calls.push_back(pc + 1);
        f.pc = module_.functions[call.function].entry;
        return;
      }
      case Kind::Return: {
        fragments_[index].pc = pc;
        if (fragments_[index].calls.empty()) {
          leave(index, active);
          return;
        }
        if (active != mask) branch(index, active, pc);
        Fragment& f = active != mask ? fragments_.back() : fragments_[index];
        f.pc = f.calls.back();
        f.calls.pop_back();
        const Call& call = module_.calls[code[f.pc - 1].detail];
        for (const Copy& copy : call.results) {
          for (unsigned lane = 0; lane < Lanes; ++lane) {
            if (!(active >> lane & 1)) continue;
            const std::size_t frame = lane * module_.frame_bytes;
            std::memcpy(&local_[frame + copy.to], &local_[frame + copy.from], copy.bytes);
            std::memcpy(&local_undefined_[frame + copy.to], &local_undefined_[frame + copy.from],
                        copy.bytes);
          }
        }
        return;
      }
      case Kind::Exit:
        fragments_[index].pc = pc;
        leave(index, active);
        return;
      case Kind::Trap:
        fragments_[index].pc = pc;
        trap(fragments_[index]);
        return;
      case Kind::Exchange:
      case Kind::WarpBarrier:
      case Kind::Barrier: {
        fragments_[index].pc = pc;
        if (active != mask) {  // the lanes whose guard is false go on alone
          Fragment rest = fragments_[index];
          rest.mask = mask & ~active;
          ++rest.pc;
          fragments_[index].mask = mask = active;
          fragments_.push_back(std::move(rest));
        }
        Fragment& f = fragments_[index];
        if (i.kind == Kind::Barrier) {
          if (module_.barriers[i.detail].aligned && f.mask != live()) {
            f.wait = Wait::Aligned;
            return;
          }
          arrive(index, i);
          return;
        }
        const bool value = i.kind == Kind::Exchange;
        if (value && module_.exchanges[i.detail].operation == ExchangeOperation::ActiveMask) {
          exchange(i, active);
          ++pc;
          break;
        }
        const Slot slot = value ? module_.exchanges[i.detail].mask : i.source[0];
        const auto* members = lanes_of<std::uint32_t>(registers_, slot);
        const auto first = static_cast<unsigned>(std::countr_zero(active));
        for (unsigned lane = 0; lane < Lanes; ++lane) {
          if ((active >> lane & 1) && members[lane] != members[first]) {
            fault(FaultKind::InvalidSync, i, lane, "the lanes name different member masks");
          }
        }
        if (!exchange_ready(f, i, members[first], value)) return;
        if (value) exchange(i, active);
        ++pc;
        break;
      }
    }
    if (pc >= stop) break;
  }
  fragments_[index].pc = pc;
}

template void Warp::execute<true>(std::size_t, std::uint32_t, unsigned&);
template void Warp::execute<false>(std::size_t, std::uint32_t, unsigned&);

// ---- what is said

Fault Warp::make_fault(FaultKind kind, const Instruction& instruction, unsigned lane,
                       std::string text) const {
  Fault result;
  result.kind = kind;
  result.block = block_.index();
  result.thread = block_.thread(number_ * Lanes + lane);
  result.line = instruction.line;
  const auto number = static_cast<std::uint32_t>(&instruction - module_.code.data());
  if (const Function* function = module_.function_at(number)) result.function = function->name;
  const Location& at = module_.locations[instruction.location];
  if (at.line) {
    const std::string& file = at.file < module_.files.size() ? module_.files[at.file] : "";
    result.source = file + ":" + std::to_string(at.line);
    if (!at.function.empty()) result.source += " in " + at.function;
  }
  result.text = std::move(text);
  return result;
}

void Warp::fault(FaultKind kind, const Instruction& instruction, unsigned lane, std::string text,
                 std::uint64_t partner) {
  block_.state().faults.add(make_fault(kind, instruction, lane, std::move(text)), partner);
}

Fault Warp::fault_here(FaultKind kind, std::string text) const {
  if (fragments_.empty()) {
    Fault result;
    result.kind = kind;
    result.text = std::move(text);
    return result;
  }
  const Fragment& f = fragments_.front();
  return make_fault(kind, module_.code[f.pc], static_cast<unsigned>(std::countr_zero(f.mask)),
                    std::move(text));
}

std::string Warp::place_of(std::uint32_t number) const {
  const Instruction& instruction = module_.code[number];
  std::string result = "PTX line " + std::to_string(instruction.line);
  const Location& at = module_.locations[instruction.location];
  if (at.line && at.file < module_.files.size()) {
    result += " (" + module_.files[at.file] + ":" + std::to_string(at.line) + ")";
  }
  return result;
}

std::vector<std::string> Warp::describe_waits() const {
  std::vector<std::string> result;
  const Dim3 b = block_.index();
  for (const Fragment& f : fragments_) {
    std::string text = "block (" + std::to_string(b.x) + "," + std::to_string(b.y) + "," +
                       std::to_string(b.z) + ") warp " + std::to_string(number_) + " lanes " +
                       hex(f.mask) + " ";
    switch (f.wait) {
      case Wait::None:
        text += "runs";
        break;
      case Wait::Members:
        text += "waits for the other lanes of a *.sync instruction";
        break;
      case Wait::Aligned:
        text += "waits for its warp before a barrier";
        break;
      case Wait::Barrier: {
        const Barrier& barrier = block_.barrier(f.barrier);
        text += "waits at barrier " + std::to_string(f.barrier) + ", where " +
                std::to_string(barrier.arrived) + " of " +
                std::to_string(barrier.expected ? barrier.expected : block_.running_threads()) +
                " threads arrived,";
        break;
      }
    }
    result.push_back(text + " at " + place_of(f.pc));
  }
  return result;
}

}  // namespace sinter::emulator::ptx
