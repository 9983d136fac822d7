#include "backends/emulator/emulated_machine.h"

#include <mutex>

#include <sinter/diagnostic.h>

#include "backends/emulator/launch.h"

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
};

class EmulatedStream : public Stream {
 public:
  void synchronize() override {}
};

class EmulatedKernels : public backends::GpuKernels {
 public:
  EmulatedKernels(const CompiledModule& module, std::shared_ptr<State> state)
      : calls_(module.kernel_calls),
        state_(std::move(state)),
        module_(PtxModule::parse(module.kernels.at(0).variants.at(0).bytes)) {}

  void launch(std::size_t kernel, const std::int64_t (&blocks)[3], std::int64_t threads,
              std::span<const std::uint64_t> parameters, Stream*) override {
    const backends::KernelCall& call = calls_.at(kernel);
    Launch launch;
    launch.kernel = call.name;
    launch.grid = {static_cast<unsigned>(blocks[0]), static_cast<unsigned>(blocks[1]),
                   static_cast<unsigned>(blocks[2])};
    launch.block = {static_cast<unsigned>(threads), 1, 1};
    launch.dynamic_shared = call.shared_bytes;
    for (const std::uint64_t p : parameters) append_parameter(launch.parameters, p);
    const std::lock_guard lock(state_->mutex);
    launch.seed = state_->seed++;
    const Report report = run(module_, launch, state_->memory);
    if (!report.clean())
      refuse("the kernel " + call.name + " is at fault:\n" + to_string(report),
             "report the schedule: no legal one may end here");
  }

 private:
  std::vector<backends::KernelCall> calls_;
  std::shared_ptr<State> state_;
  PtxModule module_;
};

class EmulatedMachine : public backends::GpuMachine {
 public:
  EmulatedMachine(std::string architecture, std::uint64_t seed)
      : architecture_(std::move(architecture)) {
    state_->seed = seed;
  }
  std::string describe() const override { return "emulated " + architecture_; }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<EmulatedStream>(); }
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
  void upload(DeviceAddress to, const void* from, std::uint64_t bytes, Stream*) override {
    const std::lock_guard lock(state_->mutex);
    state_->memory.write(to, {static_cast<const std::byte*>(from), bytes});
  }
  void download(void* to, DeviceAddress from, std::uint64_t bytes, Stream*) override {
    const std::lock_guard lock(state_->mutex);
    const std::vector<Fault> faults =
        state_->memory.read(from, {static_cast<std::byte*>(to), bytes});
    if (!faults.empty())
      refuse("the host reads what no kernel defined: " + to_string(faults.front()),
             "report the schedule: no legal one may end here");
  }
  std::unique_ptr<backends::GpuKernels> load(const CompiledModule& module) override {
    return std::make_unique<EmulatedKernels>(module, state_);
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
