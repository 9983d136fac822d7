#include "backends/host/gpu_device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <optional>

#include <sinter/diagnostic.h>

#include "backends/host/object_loader.h"
#include "backends/runtime/call.h"
#include "backends/runtime/call_checks.h"
#include "backends/runtime/parallel.h"
#include "dsl/ir/node.h"

namespace sinter::backends {

namespace {

using ir::TransferKind;

[[noreturn]] void refuse(std::string_view stage, const std::string& reason,
                         const std::string& remedy) {
  throw DeviceError(Diagnostic{std::string(stage), "", reason, remedy, {}, 0});
}

/// Elements with an address that stays; the first ones cost no allocation.
template <typename T, std::size_t Few>
class Stable {
 public:
  T& add() { return count_ < Few ? few_[count_++].emplace() : (++count_, many_.emplace_back()); }
  T& operator[](std::size_t i) {
    return i < Few ? *few_[i] : *std::next(many_.begin(), static_cast<std::ptrdiff_t>(i - Few));
  }
  std::size_t size() const { return count_; }
  template <typename F>
  void each(const F& f) {
    for (std::size_t i = 0; i < std::min(count_, Few); ++i) f(*few_[i]);
    for (T& t : many_) f(t);
  }

 private:
  std::array<std::optional<T>, Few> few_;  // most calls make one or two
  std::list<T> many_;
  std::size_t count_ = 0;
};

/// A buffer of a call, here and on the device. `memory`: the device's side is that of the Buffers
/// that share it; else it lives as long as the call.
struct Instance {
  std::string_view name;
  BufferMemory* memory = nullptr;
  GpuMemory* side = nullptr;  // of `memory`, once this call's stream has waited for it
  bool is_output = false;
  std::byte* host = nullptr;         // element 0
  std::unique_ptr<std::byte[]> own;  // of a stage that both sides use
  std::int64_t low = 0, high = 0;    // bytes from element 0 that the view spans
  std::int64_t element = 1;          // bytes
  std::span<const ir::BufferView::Dimension> dimensions;  // none: dense
  DeviceAddress device = 0;                               // of byte `low`
  bool on_device = false;
  bool host_newer = true, device_newer = false;

  std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(high - low, 1));
  }
  DeviceAddress address() const {
    return memory ? side->address() + static_cast<DeviceAddress>(host - memory->low)
                  : device - static_cast<DeviceAddress>(low);
  }
  /// Every byte of `memory` belongs to an element of the view.
  bool covers_memory() const {
    std::int64_t elements = 1;
    for (const auto& d : dimensions) elements *= std::max<std::int64_t>(d.extent, 0);
    return static_cast<std::size_t>(elements * element) == memory->bytes;
  }

  /// f(byte offset, bytes) for runs of the view's elements that lie side by side.
  void for_each_run(const std::function<void(std::int64_t, std::int64_t)>& f) const {
    if (dimensions.empty()) return f(low, high - low);
    std::vector<ir::BufferView::Dimension> order;
    for (const auto& d : dimensions) {
      if (d.extent <= 0) return;
      if (d.extent > 1) order.push_back(d);
    }
    std::sort(order.begin(), order.end(),
              [](const auto& a, const auto& b) { return std::abs(a.stride) < std::abs(b.stride); });
    std::int64_t run = 1, start = 0;  // elements
    std::size_t next = 0;
    for (; next < order.size() && std::abs(order[next].stride) == run; ++next) {
      if (order[next].stride < 0) start += order[next].stride * (order[next].extent - 1);
      run *= order[next].extent;
    }
    visit(order, next, start, run, f);
  }

 private:
  void visit(const std::vector<ir::BufferView::Dimension>& order, std::size_t next, std::int64_t at,
             std::int64_t run, const std::function<void(std::int64_t, std::int64_t)>& f) const {
    if (next == order.size()) return f(at * element, run * element);
    for (std::int64_t i = 0; i < order[next].extent; ++i)
      visit(order, next + 1, at + i * order[next].stride, run, f);
  }
};

/// Memory of stages that a recorded call keeps.
struct Reserved {
  DeviceAddress address;
  std::uint64_t bytes;
};
void give_back(Gpu& gpu, const std::vector<Reserved>& memory, Stream& stream) {
  for (const Reserved& r : memory) gpu.pool.give(r.address, r.bytes, stream);
}

/// One call: transfers and launches on behalf of the host's code.
class GpuCall : public Call {
 public:
  GpuCall(const std::shared_ptr<Gpu>& gpu, GpuKernels& kernels, Stream& stream,
          const std::vector<KernelCall>& signatures)
      : gpu_(gpu),
        machine_(*gpu->machine),
        kernels_(kernels),
        stream_(stream),
        signatures_(signatures) {
    parallel_for = [](RuntimeContext* context, LoopBody body, std::int64_t min, std::int64_t extent,
                      void* closure) {
      static_cast<GpuCall*>(context)->parallel_ = true;
      return run_parallel_loop(body, min, extent, closure);
    };
    transfer = [](RuntimeContext* context, std::uint64_t buffer,
                  std::int32_t kind) -> std::uint64_t {
      auto& call = *static_cast<GpuCall*>(context);
      return call.guarded(
          [&] { return call.move(call.instance(buffer), static_cast<TransferKind>(kind)); });
    };
    allocate_device = [](RuntimeContext* context, std::uint64_t bytes, const char* name,
                         void** host) -> std::uint64_t {
      auto& call = *static_cast<GpuCall*>(context);
      return call.guarded([&] { return call.make(bytes, name, host); });
    };
    release_device = [](RuntimeContext* context, std::uint64_t buffer) {
      auto& call = *static_cast<GpuCall*>(context);
      const auto lock = call.alone();
      Instance& i = call.instance(buffer);
      call.drop(i);
      i = Instance{};
      call.free_stages_.push_back(&i);
    };
    launch = [](RuntimeContext* context, std::int32_t kernel, const std::uint64_t* parameters,
                const std::int64_t* blocks, std::int64_t threads) -> std::int32_t {
      auto& call = *static_cast<GpuCall*>(context);
      return call.guarded([&]() -> std::uint64_t {
        call.run(static_cast<std::size_t>(kernel), parameters, blocks, threads);
        return 1;
      }) == 0;
    };
  }
  ~GpuCall() {
    arguments_.each([&](Instance& i) { drop(i); });
    stages_.each([&](Instance& i) { drop(i); });
  }

  Instance& add_argument(const ir::Argument& argument, const CallArgument& given) {
    Instance& i = arguments_.add();
    i.name = argument.name;
    if (given.scalar) return i;
    i.is_output = argument.kind == ir::Argument::Kind::Output;
    i.host = static_cast<std::byte*>(given.host);
    i.element = given.type.bytes();
    i.dimensions = given.dimensions;
    i.high = i.element;
    for (const auto& d : given.dimensions) {
      if (d.extent <= 0) i.high = i.low = 0;
      const std::int64_t reach = (d.extent - 1) * d.stride * i.element;
      (reach < 0 ? i.low : i.high) += d.extent <= 0 ? 0 : reach;
    }
    return i;
  }

  /// Runs the host's code; rethrows what failed in it.
  void run_entry(EntryFunction entry, const std::uint64_t* slots) {
    if (entry(slots, this) == 0) return;
    if (thrown_) std::rethrow_exception(thrown_);
    throw RuntimeError(parse_diagnostic(failed ? message : "a parallel loop failed"));
  }

  /// What kernels wrote comes back to buffers that nobody keeps on the device. True: some did.
  bool finish() {
    bool copied = false;
    arguments_.each([&](Instance& i) {
      if (i.memory || !i.device_newer) return;
      fetch_runs(i);
      copied = true;
    });
    return copied;
  }

  /// From here on nothing may leave the device, and stages' memory is kept in `reserved`.
  void capture(std::vector<Reserved>& reserved) { reserved_ = &reserved; }

  std::uint64_t move(Instance& i, TransferKind kind) {
    return i.memory ? move_shared(i, kind) : move_own(i, kind);
  }

 private:
  /// Iterations of a parallel loop may ask at the same time.
  std::unique_lock<std::mutex> alone() {
    return parallel_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }

  template <typename F>
  std::uint64_t guarded(const F& f) noexcept {
    const auto lock = alone();
    try {
      return f();
    } catch (...) {
      if (!thrown_) thrown_ = std::current_exception();
      failed = true;
    }
    return 0;
  }

  // Small numbers are positions of arguments, others addresses of stages' instances.
  Instance& instance(std::uint64_t buffer) {
    return buffer < arguments_.size() ? arguments_[buffer] : *reinterpret_cast<Instance*>(buffer);
  }

  std::uint64_t make(std::uint64_t bytes, const char* name, void** host) {
    Instance& i = free_stages_.empty() ? stages_.add() : *free_stages_.back();
    if (!free_stages_.empty()) free_stages_.pop_back();
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
    if (i.on_device && reserved_) reserved_->push_back({i.device, i.bytes()});
    else if (i.on_device) gpu_->pool.give(i.device, i.bytes(), stream_);
    i.on_device = false;
    i.own.reset();
  }

  [[noreturn]] void refuse_recording(const Instance& i) const {
    refuse(i.name, "a recorded call cannot copy between the host and the device",
           "run all stages on the device, on buffers that own their memory or are on the device");
  }

  std::uint64_t move_shared(Instance& i, TransferKind kind) {
    BufferMemory& memory = *i.memory;
    if (i.side && (kind == TransferKind::ToDevice || kind == TransferKind::OnDevice))
      return i.address();
    const std::lock_guard lock(memory.mutex);
    switch (kind) {
      case TransferKind::ToDevice:
      case TransferKind::OnDevice: {
        const bool needs_content = kind == TransferKind::ToDevice || !i.covers_memory();
        const bool current = (memory.state & BufferMemory::DeviceCurrent) != 0;
        if (reserved_ && needs_content && !current) refuse_recording(i);
        i.side = &side_on(gpu_, memory, i.name, needs_content, stream_);
        if (reserved_) return i.address();
        if (i.is_output) i.side->before_write(stream_);
        else i.side->before_read(stream_);
        return i.address();
      }
      case TransferKind::ToHost:
        if (memory.on_device_only)
          refuse(i.name, "a stage on the host reads a buffer that is on a device only",
                 "copy() the buffer");
        if (reserved_) refuse_recording(i);
        if (memory.state & BufferMemory::HostStale) memory.device->copy_out(memory.low);
        memory.state &= ~BufferMemory::HostStale;
        return 1;
      case TransferKind::Written:
        if (!reserved_) memory.state = BufferMemory::HostStale | BufferMemory::DeviceCurrent;
        return i.address();
      case TransferKind::HostWritten:
        if (reserved_) refuse_recording(i);
        memory.state = 0;
        i.side = nullptr;
        return 1;
    }
    return 0;
  }

  std::uint64_t move_own(Instance& i, TransferKind kind) {
    if ((kind == TransferKind::ToDevice || kind == TransferKind::OnDevice) && !i.on_device) {
      i.device = gpu_->pool.take(i.bytes(), i.name, stream_);
      i.on_device = true;
    }
    switch (kind) {
      case TransferKind::ToDevice:
        if (i.host_newer && i.host) {
          if (reserved_) refuse_recording(i);
          i.for_each_run([&](std::int64_t at, std::int64_t bytes) {
            if (bytes > 0)
              machine_.upload(i.address() + static_cast<DeviceAddress>(at), i.host + at,
                              static_cast<std::uint64_t>(bytes), stream_);
          });
        }
        i.host_newer = false;
        return i.address();
      case TransferKind::OnDevice:
        i.host_newer = false;
        return i.address();
      case TransferKind::ToHost:
        if (i.device_newer && i.host) {
          fetch_runs(i);
          stream_.synchronize();
        }
        i.device_newer = false;
        return 1;
      case TransferKind::Written:
        i.device_newer = true;
        i.host_newer = false;
        return i.address();
      case TransferKind::HostWritten:
        if (reserved_) refuse_recording(i);
        i.host_newer = true;
        i.device_newer = false;
        return 1;
    }
    return 0;
  }

  void fetch_runs(const Instance& i) {
    if (reserved_) refuse_recording(i);
    i.for_each_run([&](std::int64_t at, std::int64_t bytes) {
      if (bytes <= 0) return;
      const DeviceAddress from = i.address() + static_cast<DeviceAddress>(at);
      const auto count = static_cast<std::uint64_t>(bytes);
      if (i.own) machine_.download_stage(i.host + at, from, count, stream_);
      else machine_.download(i.host + at, from, count, stream_);
    });
  }

  void run(std::size_t kernel, const std::uint64_t* parameters, const std::int64_t* blocks,
           std::int64_t threads) {
    if (blocks[0] <= 0 || blocks[1] <= 0 || blocks[2] <= 0) return;
    kernels_.launch(kernel, {blocks[0], blocks[1], blocks[2]}, threads,
                    {parameters, signatures_.at(kernel).parameters}, stream_);
  }

  const std::shared_ptr<Gpu>& gpu_;
  GpuMachine& machine_;
  GpuKernels& kernels_;
  Stream& stream_;
  const std::vector<KernelCall>& signatures_;
  std::atomic<bool> parallel_{false};  // since the first parallel loop
  std::mutex mutex_;
  std::exception_ptr thrown_;
  std::vector<Reserved>* reserved_ = nullptr;  // not null: the call is being recorded
  Stable<Instance, 8> arguments_;
  Stable<Instance, 8> stages_;
  std::vector<Instance*>
      free_stages_;  // of `stages_`: a loop of the host allocates again and again
};

/// Slots of a call without allocation where they are few.
class Slots {
 public:
  explicit Slots(std::size_t count)
      : many_(count > Few ? count : 0), data_(many_.empty() ? few_.data() : many_.data()) {}
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  std::uint64_t* data() { return data_; }

 private:
  static constexpr std::size_t Few = 96;
  std::array<std::uint64_t, Few> few_;  // not initialised: packing writes all that is used
  std::vector<std::uint64_t> many_;
  std::uint64_t* data_;
};

class GpuRecording : public Recording {
 public:
  struct Use {
    std::string name;
    BufferMemory* memory;
    std::shared_ptr<DeviceSide> side;
    bool is_output, needs_content;
  };
  GpuRecording(std::shared_ptr<Gpu> gpu, std::shared_ptr<GpuKernels> kernels, std::vector<Use> uses,
               std::vector<Reserved> reserved, std::unique_ptr<GpuGraph> graph, Stream& stream)
      : gpu_(std::move(gpu)),
        kernels_(std::move(kernels)),
        uses_(std::move(uses)),
        reserved_(std::move(reserved)),
        graph_(std::move(graph)),
        last_(stream.shared_from_this()) {}
  ~GpuRecording() override {
    Stream& stream = last_->retired ? *gpu_->main : *last_;
    give_back(*gpu_, reserved_, stream);
  }

  void replay(Stream& stream) override {
    const std::lock_guard lock(mutex_);
    if (last_.get() != &stream) {  // the stages' memory serves one replay at a time
      if (!last_->retired) stream.wait_for(*last_);
      last_ = stream.shared_from_this();
    }
    for (const Use& use : uses_) {
      const std::lock_guard memory_lock(use.memory->mutex);
      if (use.memory->device != use.side) {
        refuse(use.name, "the buffer's memory on the device is not that of the recording",
               "record the call again after device_free() or a call on another device");
      }
      GpuMemory& side = side_on(gpu_, *use.memory, use.name, use.needs_content, stream);
      if (use.is_output) side.before_write(stream);
      else side.before_read(stream);
    }
    graph_->launch(stream);
    for (const Use& use : uses_) {
      if (!use.is_output) continue;
      const std::lock_guard memory_lock(use.memory->mutex);
      use.memory->state = BufferMemory::HostStale | BufferMemory::DeviceCurrent;
    }
  }

 private:
  std::shared_ptr<Gpu> gpu_;
  std::shared_ptr<GpuKernels> kernels_;
  std::vector<Use> uses_;
  std::vector<Reserved> reserved_;
  std::unique_ptr<GpuGraph> graph_;
  std::mutex mutex_;
  std::shared_ptr<Stream> last_;
};

class GpuExecutable : public Executable {
 public:
  GpuExecutable(const CompiledModule& module, std::shared_ptr<Gpu> gpu)
      : arguments_(module.arguments),
        used_by_host_(module.used_by_host),
        signatures_(module.kernel_calls),
        gpu_(std::move(gpu)),
        kernels_(gpu_->machine->load(module)),
        object_(module.host_object),
        entry_(reinterpret_cast<EntryFunction>(object_.address_of("sinter_entry"))) {
    for (const ir::Argument& argument : arguments_)
      slots_ += argument.is_buffer() ? 1 + 3 * argument.dimensions.size() : 1;
    used_by_host_.resize(arguments_.size(), false);
  }

  void launch(const ir::Arguments& given, Stream* stream) const override {
    call(arguments_, by_position(arguments_, given), stream);
  }

  void call(const std::vector<ir::Argument>&, std::span<const CallArgument> given,
            Stream* stream) const override {
    Slots slots(slots_);
    pack_slots(arguments_, given, slots.data());
    Stream& queue = stream ? *stream : *gpu_->main;
    GpuCall context(gpu_, *kernels_, queue, signatures_);
    bool divided = false;
    for (std::size_t i = 0; i < given.size(); ++i) {
      Instance& instance = context.add_argument(arguments_[i], given[i]);
      if (given[i].memory) divided = bind_memory(instance, given, i) || divided;
    }
    context.run_entry(entry_, slots.data());
    if (context.finish() && (!stream || divided)) queue.synchronize();
  }

  std::vector<KernelCall> kernels() const override {
    std::vector<KernelCall> calls = signatures_;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].resources.registers == 0) calls[i].resources = kernels_->resources(i);
    }
    return calls;
  }

  std::unique_ptr<Recording> record(std::span<const CallArgument> given,
                                    Stream& stream) const override {
    Slots slots(slots_);
    pack_slots(arguments_, given, slots.data());
    GpuMachine& machine = *gpu_->machine;
    std::vector<Reserved> reserved;
    std::vector<GpuRecording::Use> uses;
    std::unique_ptr<GpuGraph> graph;
    try {
      GpuCall context(gpu_, *kernels_, stream, signatures_);
      for (std::size_t i = 0; i < given.size(); ++i) {
        Instance& instance = context.add_argument(arguments_[i], given[i]);
        if (given[i].scalar) continue;
        if (used_by_host_[i])
          refuse(arguments_[i].name, "a stage on the host uses it, and a recorded call has none",
                 "run all stages on the device");
        if (!given[i].memory || (given[i].memory->borrowed && !given[i].memory->device)) {
          refuse(arguments_[i].name, "a recorded call cannot use memory that it borrows here",
                 "use a Buffer with its own memory, or call copy_to_device() on it first");
        }
        instance.memory = given[i].memory;
        const bool needs_content =
            !instance.is_output || arguments_[i].keeps_content || !instance.covers_memory();
        context.move(instance, needs_content ? TransferKind::ToDevice : TransferKind::OnDevice);
        uses.push_back({arguments_[i].name, instance.memory, instance.memory->device,
                        instance.is_output, needs_content});
      }
      context.capture(reserved);
      machine.begin_capture(stream);
      try {
        context.run_entry(entry_, slots.data());
      } catch (...) {
        try {
          machine.end_capture(stream);
        } catch (const Error&) {  // the first failure counts
        }
        throw;
      }
      graph = machine.end_capture(stream);
    } catch (...) {
      give_back(*gpu_, reserved, stream);
      throw;
    }
    return std::make_unique<GpuRecording>(gpu_, kernels_, std::move(uses), std::move(reserved),
                                          std::move(graph), stream);
  }

 private:
  /// The instance is that of the Buffer's memory where this can be. Memory that others use behind
  /// our back, and memory of which the host's code and kernels use different parts, is copied by
  /// each call instead; true in the latter case.
  bool bind_memory(Instance& instance, std::span<const CallArgument> given,
                   std::size_t position) const {
    BufferMemory& memory = *given[position].memory;
    const bool host = used_by_host_[position];
    if (memory.on_device_only && host) {
      refuse(instance.name, "a stage on the host uses a buffer that is on a device only",
             "copy() the buffer, or run all stages that use it on the device");
    }
    bool divided = false;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (i == position || given[i].memory != &memory) continue;
      divided =
          divided || ((host || used_by_host_[i]) &&
                      (instance.is_output || arguments_[i].kind == ir::Argument::Kind::Output));
    }
    const bool resident = !divided && !(memory.borrowed && !memory.device);
    if (resident) instance.memory = &memory;
    if (resident && !host) return false;
    const std::lock_guard lock(memory.mutex);
    if (memory.state & BufferMemory::HostStale) memory.device->copy_out(memory.low);
    memory.state = instance.is_output ? 0 : memory.state & ~BufferMemory::HostStale;
    return divided;
  }

  std::vector<ir::Argument> arguments_;
  std::vector<bool> used_by_host_;
  std::vector<KernelCall> signatures_;
  std::shared_ptr<Gpu> gpu_;
  std::shared_ptr<GpuKernels> kernels_;
  LoadedObject object_;
  EntryFunction entry_;
  std::size_t slots_ = 0;
};

}  // namespace

std::unique_ptr<Executable> GpuDevice::load(const CompiledModule& module) {
  return std::make_unique<GpuExecutable>(module, gpu_);
}

}  // namespace sinter::backends
