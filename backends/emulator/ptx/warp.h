#pragma once
// A warp that executes PTX: registers of 32 lanes, and fragments of lanes that stand at one place.
// Divergence splits a fragment; the one furthest behind runs first, and fragments that meet merge.

#include <algorithm>
#include <memory>
#include <vector>

#include "backends/emulator/agent.h"
#include "backends/emulator/block.h"
#include "backends/emulator/ptx/program.h"

namespace sinter::emulator::ptx {

std::string hex(std::uint64_t);

class Warp final : public Agent {
 public:
  Warp(const Module&, const Function& kernel, Block&, std::uint32_t number,
       const std::vector<std::uint64_t>& variables);

  State run(unsigned budget) override;
  void release(unsigned barrier, const VectorClock&, const BarrierResult&) override;
  std::vector<std::string> describe_waits() const override;
  Fault fault_here(FaultKind, std::string text) const override;
  bool ready() const override {
    return std::any_of(fragments_.begin(), fragments_.end(),
                       [](const Fragment& f) { return f.wait == Wait::None; });
  }
  std::uint64_t polls() const override {
    return polls_since_ == block_.state().progress ? polls_ : 0;
  }

 private:
  enum class Wait : std::uint8_t {
    None,
    Members,  ///< of a *.sync instruction, for the lanes it names
    Aligned,  ///< before an aligned barrier, for the rest of the warp
    Barrier,
  };
  struct Fragment {
    std::uint32_t pc = 0;
    LaneMask mask = 0;
    Wait wait = Wait::None;
    unsigned barrier = 0;
    std::vector<std::uint32_t> calls;  ///< where to return to
  };
  /// Bytes that some lanes of an access lie in.
  struct View {
    std::byte* bytes = nullptr;
    std::uint8_t* undefined = nullptr;
    Allocation* allocation = nullptr;  ///< null for local memory
    std::uint64_t base = 0, size = 0;
    std::size_t lane_stride = 0;
    bool shared = false;
  };
  struct AsyncCopy {
    unsigned lane;
    std::uint32_t group;
    std::uint64_t to;
    Allocation* from;  ///< null when no byte is read
    std::uint64_t from_offset;
    unsigned bytes, size;  ///< read, and written: the rest is zero
    std::uint32_t write_record, read_record;
    bool arrived = false;
  };
  using Addresses = std::array<std::uint64_t, Lanes>;
  /// Offsets in a view, and what all 32 lanes together look like.
  struct Places {
    Addresses offset;
    bool row = false;      ///< one after another
    bool uniform = false;  ///< all the same
  };
  struct RecordSlot {
    RaceTable* table = nullptr;
    std::uint32_t clock = 0, number = 0;
  };

  // warp.cpp: control
  template <bool Checks>
  void execute(std::size_t fragment, std::uint32_t stop, unsigned& budget);
  std::size_t pick();
  bool settle_waits();
  void merge();
  void branch(std::size_t fragment, LaneMask taken, std::uint32_t target);
  void leave(std::size_t fragment, LaneMask lanes);
  bool exchange_ready(Fragment&, const Instruction&, LaneMask members, bool value);
  void arrive(std::size_t fragment, const Instruction&);
  void trap(const Fragment&);
  LaneMask live() const;
  Wait waiting_kind(const Fragment&) const;

  // exchange.cpp
  void exchange(const Instruction&, LaneMask);

  // warp_memory.cpp
  template <bool Checks>
  void load(const Instruction&, LaneMask);
  template <bool Checks>
  void store(const Instruction&, LaneMask);
  template <bool Checks>
  void atomic(const Instruction&, LaneMask);
  template <class F>
  void resolve(const Instruction&, const MemoryOperation&, LaneMask, unsigned bytes, F process);
  bool find_view(const MemoryOperation&, std::uint64_t address, View&);
  void count_access(const Instruction&, const View&, const Places&, LaneMask, unsigned bytes);
  std::uint32_t record(const Instruction&, const MemoryOperation&, RaceTable&, LaneMask,
                       bool write);
  void note_poll(const MemoryOperation&, std::uint64_t found);
  void copy_async(const Instruction&, LaneMask);
  void copy_commit(LaneMask);
  void copy_wait(const Instruction&, LaneMask);
  void finish_copy(AsyncCopy&);
  RaceTable& races_of(Allocation&);
  void note_origin(Allocation&, std::uint64_t offset, const Instruction&, unsigned lane);

  // flow.cpp
  void propagate(const Instruction&, LaneMask);
  std::uint64_t undefined_bits(Slot, unsigned lane, unsigned width) const;
  void set_undefined_bits(Slot, unsigned lane, unsigned width, std::uint64_t bits);
  void define(Slot slot, LaneMask lanes) { undefined_[slot] &= ~lanes; }
  void check_defined(const Instruction&, Slot, LaneMask, const char* what);

  Fault make_fault(FaultKind, const Instruction&, unsigned lane, std::string text) const;
  void fault(FaultKind, const Instruction&, unsigned lane, std::string text,
             std::uint64_t partner = 0);
  void race(const Instruction&, const View&, std::uint64_t offset, unsigned bytes, unsigned lane,
            bool write, const Conflict&);
  std::string describe(const Conflict&) const;
  /// Of the launch's dynamic shared memory; null: none is named there.
  const SharedPart* shared_part(std::uint64_t offset) const;
  std::string describe_place(const View&, std::uint64_t offset) const;
  std::string place_of(std::uint32_t instruction) const;

  const Module& module_;
  const Function& kernel_;
  Block& block_;
  std::uint32_t number_;  ///< in the block
  LaneMask lanes_;        ///< that exist
  std::unique_ptr<std::byte[]> storage_;
  std::byte* registers_;
  std::vector<LaneMask> undefined_;      ///< by unit: lanes with some undefined bit
  std::unique_ptr<std::byte[]> shadow_;  ///< which bits, where undefined_ says so; made at need
  std::vector<std::byte> local_;         ///< frame after frame
  std::vector<std::uint8_t> local_undefined_;
  std::vector<Fragment> fragments_;
  WarpClock clock_;
  std::array<Allocation*, 8> last_found_{};  ///< by memory operation, modulo
  std::vector<RecordSlot> records_;          ///< by memory operation
  std::vector<AsyncCopy> copies_;
  std::array<std::uint32_t, Lanes> groups_{};
  std::uint64_t polls_ = 0, polls_since_ = 0;
  std::vector<std::uint64_t> seen_;  ///< by memory operation: a hash of what a strong read found
};

}  // namespace sinter::emulator::ptx
