#include "backends/emulator/emulated_machine.h"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <sinter/diagnostic.h>

#include "backends/emulator/launch.h"
#include "dsl/base/gpu_limits.h"

namespace sinter::emulator {

namespace {

using backends::CompiledModule;
using backends::DeviceAddress;
using backends::Stream;

[[noreturn]] void refuse(const std::string& reason, const std::string& remedy) {
  throw DeviceError(Diagnostic{"", "", reason, remedy, {}, 0});
}

/// One thing at a time: an emulated machine has one stream.
struct State {
  std::mutex mutex;
  Memory memory;
  std::uint64_t seed = 0;
  std::vector<backends::KernelStatistics> statistics;

  void count(const std::string& kernel, const Counts& counts) {
    auto of = std::find_if(statistics.begin(), statistics.end(),
                           [&](const auto& s) { return s.kernel == kernel; });
    if (of == statistics.end()) {
      statistics.push_back({.kernel = kernel, .bank_conflicts_of = {}});
      of = statistics.end() - 1;
    }
    ++of->launches;
    of->instructions += counts.instructions;
    of->barriers += counts.barriers;
    of->bank_conflicts += counts.bank_conflicts;
    of->global_requests += counts.global_requests;
    of->global_sectors += counts.global_sectors;
    for (const auto& [stage, conflicts] : counts.bank_conflicts_of)
      of->bank_conflicts_of[stage] += conflicts;
  }
};

/// What is enqueued runs at once, unless it is being captured.
class EmulatedStream : public Stream {
 public:
  void synchronize() override {}
  void enqueue(std::function<void()> work) {
    if (capturing) captured.push_back(std::move(work));
    else work();
  }
  bool capturing = false;
  std::vector<std::function<void()>> captured;
};

class EmulatedGraph : public backends::GpuGraph {
 public:
  explicit EmulatedGraph(std::vector<std::function<void()>> work) : work_(std::move(work)) {}
  void launch(Stream& stream) override {
    for (const auto& work : work_) static_cast<EmulatedStream&>(stream).enqueue(work);
  }

 private:
  std::vector<std::function<void()>> work_;
};

class EmulatedKernels : public backends::GpuKernels {
 public:
  EmulatedKernels(const CompiledModule& module, const std::string& architecture,
                  std::shared_ptr<State> state)
      : calls_(module.kernel_calls),
        most_shared_(static_cast<std::uint64_t>(gpu_limits(architecture).shared_of_block)),
        state_(std::move(state)),
        module_(PtxModule::parse(module.kernels.at(0).variants.at(0).bytes)) {
    for (const auto& [symbol, source] : module.sources) {
      stages_.emplace(
          std::string(source.where.file_name()) + ":" + std::to_string(source.where.line()),
          source.name());
    }
  }

  void launch(std::size_t kernel, const std::int64_t (&blocks)[3], std::int64_t threads,
              std::span<const std::uint64_t> parameters, Stream& stream) override {
    const backends::KernelCall& call = calls_.at(kernel);
    Launch launch;
    launch.kernel = call.name;
    launch.grid = {static_cast<unsigned>(blocks[0]), static_cast<unsigned>(blocks[1]),
                   static_cast<unsigned>(blocks[2])};
    launch.block = {static_cast<unsigned>(threads), 1, 1};
    launch.dynamic_shared = call.shared_bytes;
    launch.most_shared = most_shared_;
    if (launch.dynamic_shared > most_shared_)
      refuse("the kernel " + call.name + " needs " + std::to_string(call.shared_bytes) +
                 " bytes of shared memory; the device has " + std::to_string(most_shared_) +
                 " for a block",
             "use smaller tiles, or fewer stages in GPUShared");
    for (const backends::SharedStage& s : call.shared_stages)
      launch.shared_parts.push_back({s.name, s.offset, s.bytes});
    for (const std::uint64_t p : parameters) append_parameter(launch.parameters, p);
    static_cast<EmulatedStream&>(stream).enqueue(
        [module = module_, stages = stages_, state = state_, launch]() mutable {
          const std::lock_guard lock(state->mutex);
          launch.seed = state->seed++;
          Report report = run(module, launch, state->memory);
          state->count(launch.kernel, report.counts);
          for (Fault& fault : report.faults) {
            if (const auto stage = stages.find(fault.source); stage != stages.end())
              fault.source = stage->second + ", " + fault.source;
          }
          if (!report.clean())
            refuse("the kernel " + launch.kernel + " is at fault:\n" + to_string(report),
                   "correct the unsafe_promise_clamped that does not hold; without one, report the "
                   "schedule: no legal one may end here");
        });
  }

 private:
  std::vector<backends::KernelCall> calls_;
  std::uint64_t most_shared_;
  std::shared_ptr<State> state_;
  PtxModule module_;
  std::map<std::string, std::string> stages_;  // by "file:line"
};

class EmulatedMachine : public backends::GpuMachine {
 public:
  EmulatedMachine(std::string architecture, std::uint64_t seed)
      : architecture_(std::move(architecture)) {
    state_->seed = seed;
  }
  std::string describe() const override { return "emulated " + architecture_; }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<EmulatedStream>(); }
  std::unique_ptr<Stream> wrap_stream(void*, std::shared_ptr<Stream>) override {
    refuse("an emulated device has no streams of others", "make a Stream(target)");
  }
  std::shared_ptr<void> allocate_host(std::uint64_t bytes) override {
    return {::operator new(bytes), [](void* p) { ::operator delete(p); }};
  }
  bool may_reuse_memory() const override { return false; }
  void check_address(DeviceAddress address, std::uint64_t bytes, const std::string& name) override {
    const std::lock_guard lock(state_->mutex);
    const Allocation* found = state_->memory.find(address);
    if (found && bytes <= found->size - (address - found->address)) return;
    throw RuntimeError(
        Diagnostic{name,
                   "wrap_device",
                   found ? "the buffer ends outside of its allocation"
                         : "the address is not memory of the device",
                   "give memory of the target's device; for memory here use Buffer(data, extents)",
                   {},
                   0});
  }
  DeviceAddress allocate(std::uint64_t bytes, const std::string& name) override {
    const std::lock_guard lock(state_->mutex);
    return state_->memory.allocate(bytes, name);
  }
  void release(DeviceAddress address) noexcept override {
    const std::lock_guard lock(state_->mutex);
    try {
      state_->memory.free(address);
    } catch (const std::exception&) {  // its allocation failed
    }
  }
  void upload(DeviceAddress to, const void* from, std::uint64_t bytes, Stream&) override {
    const std::lock_guard lock(state_->mutex);
    state_->memory.write(to, {static_cast<const std::byte*>(from), bytes});
  }
  void download(void* to, DeviceAddress from, std::uint64_t bytes, Stream&) override {
    const std::lock_guard lock(state_->mutex);
    const std::vector<Fault> faults =
        state_->memory.read(from, {static_cast<std::byte*>(to), bytes});
    if (!faults.empty())
      refuse("the host reads what no kernel defined: " + to_string(faults.front()),
             "correct the unsafe_promise_clamped that does not hold; without one, report the "
             "schedule: no legal one may end here");
  }
  void download_stage(void* to, DeviceAddress from, std::uint64_t bytes, Stream&) override {
    const std::lock_guard lock(state_->mutex);
    static_cast<void>(state_->memory.read(from, {static_cast<std::byte*>(to), bytes}));
  }
  void begin_capture(Stream& stream) override {
    static_cast<EmulatedStream&>(stream).capturing = true;
  }
  std::unique_ptr<backends::GpuGraph> end_capture(Stream& stream) override {
    auto& emulated = static_cast<EmulatedStream&>(stream);
    emulated.capturing = false;
    return std::make_unique<EmulatedGraph>(std::exchange(emulated.captured, {}));
  }
  std::unique_ptr<backends::GpuKernels> load(const CompiledModule& module) override {
    return std::make_unique<EmulatedKernels>(module, architecture_, state_);
  }
  std::vector<backends::KernelStatistics> take_statistics() override {
    const std::lock_guard lock(state_->mutex);
    return std::exchange(state_->statistics, {});
  }

 private:
  std::string architecture_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace

std::shared_ptr<backends::GpuMachine> emulated_ptx_machine(const std::string& architecture,
                                                           std::uint64_t seed) {
  return std::make_shared<EmulatedMachine>(architecture, seed);
}

}  // namespace sinter::emulator
