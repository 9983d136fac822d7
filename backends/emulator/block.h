#pragma once
// A block in execution: its shared memory, its barriers and its agents.

#include <memory>
#include <vector>

#include "backends/emulator/agent.h"
#include "backends/emulator/barrier.h"
#include "backends/emulator/fault_log.h"
#include "backends/emulator/launch.h"
#include "backends/emulator/race_table.h"
#include "backends/emulator/random.h"

namespace sinter::emulator {

/// What all blocks of a launch share.
struct LaunchState {
  const Launch& launch;
  Memory& memory;
  FaultLog faults;
  Counts& counts;
  Random random;
  std::uint32_t warps_per_block;
  std::uint64_t progress = 0;  ///< counts what a poller could wait for: changed bytes and ends
  Allocation parameters;
};

class Block {
 public:
  Block(LaunchState&, std::uint32_t number, std::uint64_t shared_bytes);

  LaunchState& state() { return state_; }
  std::uint32_t number() const { return number_; }
  Dim3 index() const { return index_; }
  std::uint32_t threads() const { return threads_; }
  Allocation& shared() { return shared_; }
  WarpId first_warp() const { return number_ * state_.warps_per_block; }
  /// Index in the block of a thread.
  Dim3 thread(std::uint32_t linear) const;

  void add(std::unique_ptr<Agent> agent) { agents_.push_back(std::move(agent)); }
  std::vector<std::unique_ptr<Agent>>& agents() { return agents_; }

  /// `threads` of `agent` arrive; when that completes the barrier, release() is called on all that
  /// wait, perhaps the caller. `expected` 0 means every thread of the block that still runs.
  /// False when others arrived expecting another number.
  bool arrive(unsigned barrier, std::size_t agent, std::uint32_t threads, std::uint32_t expected,
              bool waits, const VectorClock&, const BarrierResult& brought);
  /// Threads ended: barriers stop waiting for them.
  void exit(std::uint32_t threads);
  const Barrier& barrier(unsigned number) const { return barriers_[number]; }
  std::uint32_t running_threads() const { return running_; }

 private:
  void complete_if_full(unsigned number);

  LaunchState& state_;
  std::uint32_t number_;
  Dim3 index_;
  std::uint32_t threads_, running_;
  Allocation shared_;
  std::array<Barrier, BarriersOfBlock> barriers_;
  std::vector<std::unique_ptr<Agent>> agents_;
};

}  // namespace sinter::emulator
