#include "backends/emulator/block.h"

namespace sinter::emulator {

Block::Block(LaunchState& state, std::uint32_t number, std::uint64_t shared_bytes)
    : state_(state),
      number_(number),
      index_{number % state.launch.grid.x, number / state.launch.grid.x % state.launch.grid.y,
             number / state.launch.grid.x / state.launch.grid.y},
      threads_(static_cast<std::uint32_t>(state.launch.block.volume())),
      running_(threads_),
      shared_(0, shared_bytes, "shared memory") {
  if (state.launch.checks) shared_.races = std::make_unique<RaceTable>(shared_bytes);
}

Dim3 Block::thread(std::uint32_t linear) const {
  const Dim3& shape = state_.launch.block;
  if (linear < shape.x) return {linear, 0, 0};
  return {linear % shape.x, linear / shape.x % shape.y, linear / shape.x / shape.y};
}

bool Block::arrive(unsigned number, std::size_t agent, std::uint32_t threads,
                   std::uint32_t expected, bool waits, const VectorClock& clock,
                   const BarrierResult& brought) {
  Barrier& barrier = barriers_[number];
  const bool agrees = barrier.arrived == 0 || barrier.expected == expected;
  if (barrier.arrived == 0) {
    barrier.expected = expected;
    barrier.clock = clock;
  } else {
    barrier.clock.join(clock);
  }
  barrier.arrived += threads;
  barrier.result.count += brought.count;
  barrier.result.all = barrier.result.all && brought.all;
  barrier.result.any = barrier.result.any || brought.any;
  if (waits) barrier.waiting.push_back(agent);
  complete_if_full(number);
  return agrees;
}

void Block::exit(std::uint32_t threads) {
  running_ -= threads;
  ++state_.progress;
  for (unsigned i = 0; i < BarriersOfBlock; ++i) {
    if (barriers_[i].arrived && barriers_[i].expected == 0) complete_if_full(i);
  }
}

void Block::complete_if_full(unsigned number) {
  Barrier& barrier = barriers_[number];
  const std::uint32_t expected = barrier.expected ? barrier.expected : running_;
  if (barrier.arrived < expected) return;
  if (barrier.expected == 0 && running_ < threads_ && !barrier.waiting.empty()) {
    state_.faults.add(agents_[barrier.waiting.front()]->fault_here(
        FaultKind::BarrierDivergence,
        std::to_string(threads_ - running_) + " of the block's " + std::to_string(threads_) +
            " threads had ended when the others met at barrier " + std::to_string(number)));
  }
  const Barrier done = std::move(barrier);
  barrier = Barrier{};
  ++state_.counts.barriers;
  for (const std::size_t agent : done.waiting) {
    agents_[agent]->release(number, done.clock, done.result);
  }
}

}  // namespace sinter::emulator
