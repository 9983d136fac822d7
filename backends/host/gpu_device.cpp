#include "backends/host/gpu_device.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>

#include <sinter/diagnostic.h>

#include "backends/host/object_loader.h"
#include "backends/runtime/call.h"
#include "backends/runtime/call_checks.h"
#include "dsl/ir/node.h"

namespace sinter::backends {

namespace {

/// A buffer with an instance here and, once it was transferred, one on the device.
struct Instance {
  std::string name;
  std::byte* host = nullptr;         // element 0
  std::unique_ptr<std::byte[]> own;  // of a stage that both sides use
  std::int64_t low = 0, high = 0;    // bytes from element 0 that the view spans
  std::int64_t element = 1;          // bytes
  std::span<const ir::BufferView::Dimension> dimensions;  // none: dense
  DeviceAddress device = 0;          // of byte `low`
  bool on_device = false;
  bool host_newer = true, device_newer = false;

  DeviceAddress address() const { return device - static_cast<DeviceAddress>(low); }

  /// f(byte offset, bytes) for runs of the view's elements that lie side by side.
  void for_each_run(const std::function<void(std::int64_t, std::int64_t)>& f) const {
    if (dimensions.empty()) return f(low, high - low);
    std::vector<ir::BufferView::Dimension> order;
    for (const auto& d : dimensions) {
      if (d.extent <= 0) return;
      if (d.extent > 1) order.push_back(d);
    }
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return std::abs(a.stride) < std::abs(b.stride); });
    std::int64_t run = 1, start = 0;  // elements
    std::size_t next = 0;
    for (; next < order.size() && std::abs(order[next].stride) == run; ++next) {
      if (order[next].stride < 0) start += order[next].stride * (order[next].extent - 1);
      run *= order[next].extent;
    }
    visit(order, next, start, run, f);
  }

 private:
  void visit(const std::vector<ir::BufferView::Dimension>& order, std::size_t next, std::int64_t at, std::int64_t run,
             const std::function<void(std::int64_t, std::int64_t)>& f) const {
    if (next == order.size()) return f(at * element, run * element);
    for (std::int64_t i = 0; i < order[next].extent; ++i) visit(order, next + 1, at + i * order[next].stride, run, f);
  }
};

/// One call: transfers and launches on behalf of the host's code.
class GpuCall : public Call {
 public:
  GpuCall(GpuMachine& machine, GpuKernels& kernels, Stream* stream, const std::vector<KernelCall>& signatures)
      : machine_(machine), kernels_(kernels), stream_(stream), signatures_(signatures) {
    transfer = [](RuntimeContext* context, std::uint64_t buffer, std::int32_t kind) -> std::uint64_t {
      auto& call = *static_cast<GpuCall*>(context);
      return call.guarded([&] { return call.move(call.instance(buffer), static_cast<ir::TransferKind>(kind)); });
    };
    allocate_device = [](RuntimeContext* context, std::uint64_t bytes, const char* name, void** host) -> std::uint64_t {
      auto& call = *static_cast<GpuCall*>(context);
      return call.guarded([&] { return call.make(bytes, name, host); });
    };
    release_device = [](RuntimeContext* context, std::uint64_t buffer) {
      auto& call = *static_cast<GpuCall*>(context);
      call.drop(call.instance(buffer));
    };
    launch = [](RuntimeContext* context, std::int32_t kernel, const std::uint64_t* parameters, const std::int64_t* blocks,
                std::int64_t threads) -> std::int32_t {
      auto& call = *static_cast<GpuCall*>(context);
      return call.guarded([&]() -> std::uint64_t {
        call.run(static_cast<std::size_t>(kernel), parameters, blocks, threads);
        return 1;
      }) == 0;
    };
  }
  ~GpuCall() {
    for (Instance& i : arguments_) drop(i);
    for (Instance& i : stages_) drop(i);
  }

  void add_argument(const std::string& name, const CallArgument& given) {
    Instance i;
    i.name = name;
    if (!given.scalar) {
      i.host = static_cast<std::byte*>(given.host);
      i.element = given.type.bytes();
      i.dimensions = given.dimensions;
      i.high = i.element;
      for (const auto& d : given.dimensions) {
        if (d.extent <= 0) i.high = i.low = 0;
        const std::int64_t reach = (d.extent - 1) * d.stride * i.element;
        (reach < 0 ? i.low : i.high) += d.extent <= 0 ? 0 : reach;
      }
    }
    arguments_.push_back(std::move(i));
  }

  /// What kernels wrote comes back to the caller.
  void finish() {
    for (Instance& i : arguments_) move(i, ir::TransferKind::ToHost);
  }

 private:
  template <typename F>
  std::uint64_t guarded(const F& f) noexcept {
    try {
      return f();
    } catch (const Error& e) {
      note(e.diagnostic().reason + (e.diagnostic().remedy.empty() ? "" : "\n  remedy: " + e.diagnostic().remedy));
    } catch (const std::exception& e) {
      note(e.what());
    }
    return 0;
  }

  // Small numbers are positions of arguments, others addresses of stages' instances.
  Instance& instance(std::uint64_t buffer) {
    return buffer < arguments_.size() ? arguments_[buffer] : *reinterpret_cast<Instance*>(buffer);
  }

  std::uint64_t make(std::uint64_t bytes, const char* name, void** host) {
    Instance& i = stages_.emplace_back();
    i.name = name;
    i.high = static_cast<std::int64_t>(bytes);
    if (host) {
      i.own = std::make_unique_for_overwrite<std::byte[]>(bytes);
      *host = i.host = i.own.get();
    }
    i.host_newer = false;
    return reinterpret_cast<std::uint64_t>(&i);
  }

  void drop(Instance& i) noexcept {
    if (i.on_device) machine_.release(i.device);
    i.on_device = false;
    i.own.reset();
  }

  std::uint64_t move(Instance& i, ir::TransferKind kind) {
    using ir::TransferKind;
    if ((kind == TransferKind::ToDevice || kind == TransferKind::OnDevice) && !i.on_device) {
      i.device = machine_.allocate(static_cast<std::uint64_t>(std::max<std::int64_t>(i.high - i.low, 1)), i.name);
      i.on_device = true;
    }
    switch (kind) {
      case TransferKind::ToDevice:
        if (i.host_newer && i.host) {
          i.for_each_run([&](std::int64_t at, std::int64_t bytes) {
            if (bytes > 0) machine_.upload(i.address() + static_cast<DeviceAddress>(at), i.host + at, static_cast<std::uint64_t>(bytes), stream_);
          });
        }
        i.host_newer = false;
        return i.address();
      case TransferKind::OnDevice:
        i.host_newer = false;
        return i.address();
      case TransferKind::ToHost:
        if (i.device_newer && i.host) {
          i.for_each_run([&](std::int64_t at, std::int64_t bytes) {
            if (bytes > 0) machine_.download(i.host + at, i.address() + static_cast<DeviceAddress>(at), static_cast<std::uint64_t>(bytes), stream_);
          });
        }
        i.device_newer = false;
        return 1;
      case TransferKind::Written:
        i.device_newer = true;
        i.host_newer = false;
        return i.address();
      case TransferKind::HostWritten:
        i.host_newer = true;
        i.device_newer = false;
        return 1;
    }
    return 0;
  }

  void run(std::size_t kernel, const std::uint64_t* parameters, const std::int64_t* blocks, std::int64_t threads) {
    if (blocks[0] <= 0 || blocks[1] <= 0 || blocks[2] <= 0) return;
    kernels_.launch(kernel, {blocks[0], blocks[1], blocks[2]}, threads, {parameters, signatures_.at(kernel).parameters}, stream_);
  }

  GpuMachine& machine_;
  GpuKernels& kernels_;
  Stream* stream_;
  const std::vector<KernelCall>& signatures_;
  std::vector<Instance> arguments_;
  std::deque<Instance> stages_;  // addresses stay
};

class GpuExecutable : public Executable {
 public:
  GpuExecutable(const CompiledModule& module, std::shared_ptr<GpuMachine> machine)
      : arguments_(module.arguments), signatures_(module.kernel_calls), machine_(std::move(machine)), kernels_(machine_->load(module)),
        object_(module.host_object), entry_(reinterpret_cast<EntryFunction>(object_.address_of("sinter_entry"))) {
    for (const ir::Argument& argument : arguments_) slots_ += argument.is_buffer() ? 1 + 3 * argument.dimensions.size() : 1;
  }

  void launch(const ir::Arguments& given, Stream* stream) const override {
    call(arguments_, by_position(arguments_, given), stream);
  }

  void call(const std::vector<ir::Argument>&, std::span<const CallArgument> given, Stream* stream) const override {
    std::vector<std::uint64_t> slots(slots_);
    pack_slots(arguments_, given, slots.data());
    GpuCall context(*machine_, *kernels_, stream, signatures_);
    for (std::size_t i = 0; i < given.size(); ++i) context.add_argument(arguments_[i].name, given[i]);
    if (entry_(slots.data(), &context) != 0) {
      throw RuntimeError(parse_diagnostic(context.failed ? context.message : "a parallel loop failed"));
    }
    context.finish();
  }

 private:
  std::vector<ir::Argument> arguments_;
  std::vector<KernelCall> signatures_;
  std::shared_ptr<GpuMachine> machine_;
  std::unique_ptr<GpuKernels> kernels_;
  LoadedObject object_;
  EntryFunction entry_;
  std::size_t slots_ = 0;
};

}  // namespace

std::unique_ptr<Executable> GpuDevice::load(const CompiledModule& module) {
  return std::make_unique<GpuExecutable>(module, machine_);
}

}  // namespace sinter::backends
