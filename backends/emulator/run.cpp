// A launch: blocks come and go, and a seeded scheduler picks which warp runs how far.

#include <algorithm>
#include <deque>
#include <numeric>
#include <stdexcept>

#include "backends/emulator/block.h"
#include "backends/emulator/launch.h"
#include "backends/emulator/ptx/program.h"
#include "backends/emulator/ptx/warp.h"

namespace sinter::emulator {

namespace {

constexpr std::uint64_t MaxThreads = 1024;
/// So many strong reads of each running warp, with nothing changing, are polling without end.
constexpr std::uint64_t PollLimit = 2000;

const ptx::Function& find_kernel(const ptx::Module& module, const std::string& name) {
  for (const ptx::Function& function : module.functions) {
    if (function.kernel && function.name == name) return function;
  }
  throw std::invalid_argument("the module has no kernel '" + name + "'");
}

void check_launch(const ptx::Function& kernel, const Launch& launch) {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument("kernel '" + launch.kernel + "': " + what);
  };
  const KernelInfo& info = kernel.info;
  if (launch.parameters.size() != info.parameter_bytes) {
    refuse("takes " + std::to_string(info.parameter_bytes) + " bytes of parameters, got " +
           std::to_string(launch.parameters.size()));
  }
  const std::uint64_t threads = launch.block.volume();
  if (threads == 0 || launch.grid.volume() == 0) refuse("an empty grid or block");
  if (threads > MaxThreads || launch.block.z > 64) {
    refuse(std::to_string(threads) + " threads in a block; the most is 1024");
  }
  if (info.max_threads && threads > info.max_threads) {
    refuse(std::to_string(threads) + " threads in a block; the kernel was compiled for " +
           std::to_string(info.max_threads));
  }
  if (launch.grid.x > 0x7fffffff || launch.grid.y > 65535 || launch.grid.z > 65535) {
    refuse("the grid is too large");
  }
  if (info.static_shared + launch.dynamic_shared > launch.most_shared) {
    refuse(std::to_string(info.static_shared + launch.dynamic_shared) +
           " bytes of shared memory; the most is " + std::to_string(launch.most_shared));
  }
  if (launch.grid.volume() * ((threads + Lanes - 1) / Lanes) > 0x7fffffff) {
    refuse("more warps than the emulator numbers");
  }
}

// Variables of the module live in the memory: allocated and filled at their first launch there.
std::vector<std::uint64_t> place_variables(const std::shared_ptr<const ptx::Module>& module,
                                           Memory& memory) {
  auto& placed = memory.variables_of(module);
  const bool first = placed.empty();
  for (const ptx::Variable& variable : module->variables) {
    if (!placed.count(variable.name)) {
      placed[variable.name] = memory.allocate(variable.size, variable.name);
    }
  }
  std::vector<std::uint64_t> result;
  for (const ptx::Variable& variable : module->variables) {
    const std::uint64_t address = placed[variable.name];
    result.push_back(address);
    if (!first) continue;
    // What has no initial value is zero, as the driver loads it.
    std::vector<std::byte> bytes = variable.initial;
    bytes.resize(variable.size);
    for (const ptx::Variable::Address& other : variable.addresses) {
      const auto at = placed.find(other.name);
      if (at == placed.end()) {
        throw std::invalid_argument("'" + variable.name + "' holds the address of '" + other.name +
                                    "', which is no variable of the module");
      }
      const std::uint64_t value = at->second + static_cast<std::uint64_t>(other.addend);
      std::memcpy(bytes.data() + other.offset, &value, sizeof value);
    }
    memory.write(address, bytes);
    if (Allocation* allocation = memory.find(address)) {
      allocation->read_only = variable.space == ptx::Space::Constant;
    }
  }
  return result;
}

class Scheduler {
 public:
  Scheduler(const ptx::Module& module, const ptx::Function& kernel, LaunchState& state,
            std::vector<std::uint64_t> variables)
      : module_(module), kernel_(kernel), state_(state), variables_(std::move(variables)) {
    waiting_blocks_.resize(state.launch.grid.volume());
    std::iota(waiting_blocks_.begin(), waiting_blocks_.end(), 0u);
    if (!state.launch.cooperative) {
      for (std::size_t i = waiting_blocks_.size(); i > 1; --i) {
        std::swap(waiting_blocks_[i - 1],
                  waiting_blocks_[state_.random.below(static_cast<std::uint32_t>(i))]);
      }
    }
  }

  /// True when every thread ended.
  bool run() {
    start_blocks();
    while (!runnable_.empty() && !state_.faults.stopped()) {
      const std::uint32_t at = state_.random.below(static_cast<std::uint32_t>(runnable_.size()));
      Running& chosen = runnable_[at];
      const Agent::State after = agent(chosen).run(budget());
      if (after == Agent::State::Ready) {
        if (state_.counts.instructions > state_.launch.instruction_limit) return limit_reached();
        if (++turns_ % 64 == 0 && only_polling()) return deadlock();
        continue;
      }
      const Running done = chosen;
      runnable_[at] = runnable_.back();
      runnable_.pop_back();
      if (after == Agent::State::Waiting) sleeping_.push_back(done);
      else if (--live_agents_[done.block] == 0) finish_block(done.block);
      wake();
    }
    if (state_.faults.stopped()) return false;
    if (!sleeping_.empty()) return deadlock();
    return true;
  }

 private:
  struct Running {
    std::size_t block, agent;
  };

  // Mostly long, for speed; often short, so that any order is seen.
  unsigned budget() {
    const std::uint64_t bits = state_.random.next();
    return bits & 1 ? 1 + (bits >> 8 & 15) : 32 + (bits >> 8 & 511);
  }
  Agent& agent(const Running& r) { return *blocks_[r.block]->agents()[r.agent]; }

  void start_blocks() {
    const std::size_t resident = state_.launch.cooperative
                                     ? state_.launch.grid.volume()
                                     : std::max(1u, state_.launch.resident_blocks);
    while (resident_ < resident && next_block_ < waiting_blocks_.size()) {
      std::size_t slot = 0;
      while (slot < blocks_.size() && blocks_[slot]) ++slot;
      if (slot == blocks_.size()) {
        blocks_.emplace_back();
        live_agents_.emplace_back();
      }
      auto block = std::make_unique<Block>(state_, waiting_blocks_[next_block_++],
                                           kernel_.shared_end + state_.launch.dynamic_shared);
      for (std::uint32_t warp = 0; warp < state_.warps_per_block; ++warp) {
        block->add(std::make_unique<ptx::Warp>(module_, kernel_, *block, warp, variables_));
        runnable_.push_back({slot, warp});
      }
      live_agents_[slot] = state_.warps_per_block;
      blocks_[slot] = std::move(block);
      ++resident_;
    }
  }

  void finish_block(std::size_t slot) {
    blocks_[slot].reset();
    --resident_;
    ++state_.progress;
    start_blocks();
  }

  // A sleeping warp whose barrier completed runs again. Only the block that moved can have woken
  // some, but blocks are few.
  void wake() {
    for (std::size_t i = 0; i < sleeping_.size();) {
      if (agent(sleeping_[i]).ready()) {
        runnable_.push_back(sleeping_[i]);
        sleeping_[i] = sleeping_.back();
        sleeping_.pop_back();
      } else {
        ++i;
      }
    }
  }

  bool only_polling() {
    return std::all_of(runnable_.begin(), runnable_.end(),
                       [&](const Running& r) { return agent(r).polls() > PollLimit; });
  }

  bool deadlock() {
    std::string text = runnable_.empty() ? "nothing can run:" : "all that runs only polls memory:";
    const Running first = sleeping_.empty() ? runnable_.front() : sleeping_.front();
    std::size_t lines = 0;
    for (const auto* list : {&sleeping_, &runnable_}) {
      for (const Running& r : *list) {
        for (const std::string& line : agent(r).describe_waits()) {
          if (++lines <= 16) text += "\n  " + line;
        }
      }
    }
    if (lines > 16) text += "\n  and " + std::to_string(lines - 16) + " more";
    if (next_block_ < waiting_blocks_.size()) {
      text += "\n  " + std::to_string(waiting_blocks_.size() - next_block_) +
              " blocks have not started; a kernel whose blocks wait for one another needs a "
              "cooperative launch";
    }
    state_.faults.add(agent(first).fault_here(FaultKind::Deadlock, text));
    return false;
  }

  bool limit_reached() {
    state_.faults.add(
        agent(runnable_.front())
            .fault_here(FaultKind::LimitReached,
                        std::to_string(state_.launch.instruction_limit) + " warp instructions"));
    return false;
  }

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  LaunchState& state_;
  std::vector<std::uint64_t> variables_;
  std::vector<std::uint32_t> waiting_blocks_;
  std::size_t next_block_ = 0, resident_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::uint32_t> live_agents_;
  std::vector<Running> runnable_, sleeping_;
  std::uint64_t turns_ = 0;
};

}  // namespace

Report run(const PtxModule& ptx_module, const Launch& launch, Memory& memory) {
  const std::shared_ptr<const ptx::Module>& module = ptx_module.implementation();
  const ptx::Function& kernel = find_kernel(*module, launch.kernel);
  check_launch(kernel, launch);
  std::vector<std::uint64_t> variables = place_variables(module, memory);
  // Launches on one stream come after one another: no race crosses them.
  for (const auto& [address, allocation] : memory.allocations()) allocation->races.reset();

  Report report;
  LaunchState state{launch,
                    memory,
                    FaultLog(launch.fault_limit),
                    report.counts,
                    Random(launch.seed),
                    static_cast<std::uint32_t>((launch.block.volume() + Lanes - 1) / Lanes),
                    0,
                    Allocation(0, launch.parameters.size(), "parameters")};
  state.parameters.bytes = launch.parameters;
  std::fill(state.parameters.undefined.begin(), state.parameters.undefined.end(), std::uint8_t{0});
  state.parameters.read_only = true;

  report.completed = Scheduler(*module, kernel, state, std::move(variables)).run();
  report.faults = state.faults.take();
  return report;
}

}  // namespace sinter::emulator
