#pragma once
// What a warp knows of the past of all others: happens-before as vector clocks.
//
// A warp's clock ticks whenever it publishes something (barrier, release, fence). Knowledge is kept
// by warp; of single lanes only where lanes differ, after a release or a barrier by some of them.

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace sinter::emulator {

using WarpId = std::uint32_t;  ///< in the launch: number of the block * warps a block + warp
using LaneMask = std::uint32_t;
inline constexpr unsigned Lanes = 32;
inline constexpr unsigned SeveralLanes = 32;  ///< in place of a lane: more than one of them

template <class F>
void for_each_lane(LaneMask mask, F f) {
  for (; mask; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

/// Who may take part in a synchronisation; larger ones include the smaller.
enum class Scope : std::uint8_t { Block, Cluster, Device, System };

/// One instruction of one warp at one clock, as the shadow memory remembers it.
struct Record {
  WarpId warp = 0;
  std::uint32_t clock = 0;
  std::uint32_t instruction = 0;
  LaneMask lanes = 0;  ///< all that executed it at this clock
  bool write = false;
  bool strong = false;  ///< atomic, volatile or relaxed: does not race with its like in scope
  Scope scope = Scope::Block;
  bool read_only = false;  ///< ld.global.nc: what it reads may not be written in this launch
  bool pending = false;    ///< an asynchronous copy nobody waited for: ordered before nothing
};

class VectorClock {
 public:
  VectorClock() = default;
  /// Fast for the warps [first, first + count), those of one block.
  VectorClock(WarpId first, std::uint32_t count) : first_(first), near_(count, 0) {}

  /// All that `warp` did up to and including `clock`.
  void set(WarpId warp, std::uint32_t clock);
  void set_lane(WarpId warp, unsigned lane, std::uint32_t clock);
  void join(const VectorClock&);

  bool knows_warp(WarpId warp, std::uint32_t clock) const {
    const std::uint32_t index = warp - first_;
    if (index < near_.size()) return near_[index] >= clock;
    return !far_.empty() && find(key(warp, SeveralLanes)) >= clock;
  }
  bool knows(const Record&, unsigned lane) const;
  bool is_near(WarpId warp) const { return warp - first_ < near_.size(); }

 private:
  struct Entry {
    std::uint64_t key;
    std::uint32_t clock;
  };
  static std::uint64_t key(WarpId warp, unsigned lane) {
    return std::uint64_t{warp} * (Lanes + 1) + lane;
  }
  std::uint32_t find(std::uint64_t key) const;  ///< 0 when absent
  void raise(std::uint64_t key, std::uint32_t clock);

  WarpId first_ = 0;
  std::vector<std::uint32_t> near_;
  std::vector<Entry> far_;  ///< sorted: other blocks' warps, and single lanes of any
};

/// What was published at an address, and for whom.
struct Published {
  Scope scope;
  std::uint32_t block;
  std::shared_ptr<const VectorClock> clock;
};
/// A release of `scope` by one block reaches an acquire of another.
inline bool reaches(Scope release, std::uint32_t from, Scope acquire, std::uint32_t to) {
  return from == to || (release >= Scope::Device && acquire >= Scope::Device);
}

/// The history at one address that an acquire joins: a release and the read-modify-writes after it.
using SyncVariable = std::vector<Published>;

class WarpClock {
 public:
  WarpClock(WarpId warp, std::uint32_t block, WarpId first_of_block, std::uint32_t warps_of_block,
            LaneMask lanes)
      : warp_(warp), block_(block), lanes_(lanes), base_(first_of_block, warps_of_block) {}

  WarpId warp() const { return warp_; }
  std::uint32_t block() const { return block_; }
  std::uint32_t now() const { return now_; }
  bool same_block(WarpId other) const { return base_.is_near(other); }

  /// No lane knows more than the others.
  bool uniform() const { return knowing_ == 0; }
  /// Some relaxed write of this warp could publish what precedes a fence.
  bool has_fences() const { return fenced_; }
  /// Every lane knows it, from now on: knowledge only grows.
  bool all_lanes_know(const Record& record) const {
    return !record.pending && base_.knows_warp(record.warp, record.clock);
  }
  /// `record`, by `record_lane`, happened before what `lane` does now; or all of `lanes`, when that
  /// is SeveralLanes.
  bool ordered(const Record& record, unsigned record_lane, unsigned lane, LaneMask lanes) const;

  /// bar.warp.sync: the lanes of `mask` learn what each of them did and knows.
  void synchronise(LaneMask mask);
  /// What the lanes of `mask` know and did; later deeds are apart.
  VectorClock publish(LaneMask mask);
  void learn(LaneMask mask, const VectorClock&);

  /// A strong write by `lane`. A read-modify-write keeps what was published before it.
  void write(SyncVariable&, unsigned lane, bool release, Scope, bool keep);
  /// A strong read by `lane`.
  void read(const SyncVariable&, unsigned lane, bool acquire, Scope);
  void fence(LaneMask mask, Scope);

 private:
  struct LaneState {
    VectorClock known;                        ///< beyond base_
    std::vector<Published> seen;              ///< by relaxed reads; a fence acquires it
    std::shared_ptr<const Published> fenced;  ///< what relaxed writes after a fence release
  };
  LaneState& state_of(unsigned lane);

  WarpId warp_;
  std::uint32_t block_;
  LaneMask lanes_;  ///< at the start
  std::uint32_t now_ = 1;
  VectorClock base_;
  LaneMask special_ = 0;  ///< lanes with a state
  LaneMask knowing_ = 0;  ///< lanes that know more than base_
  bool fenced_ = false;
  std::array<std::unique_ptr<LaneState>, Lanes> states_;
};

}  // namespace sinter::emulator
