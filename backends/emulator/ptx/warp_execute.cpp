// What a warp's fragments execute: control here, the rest through handlers.

#include <algorithm>
#include <bit>
#include <cstring>

#include "backends/emulator/ptx/lanes.h"
#include "backends/emulator/ptx/warp.h"

namespace sinter::emulator::ptx {

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
      clock_.synchronise(f.mask);
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
  if (block_.state().launch.checks) known = clock_.publish(f.mask);
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
      clock_.learn(f.mask, clock);
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
          stop = std::min(stop, pc + 1);  // there they meet again
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

}  // namespace sinter::emulator::ptx
