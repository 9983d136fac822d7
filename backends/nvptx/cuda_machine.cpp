#include "backends/nvptx/cuda_machine.h"

#include <map>
#include <mutex>
#include <vector>

#include <sinter/diagnostic.h>

#include "dsl/base/gpu_limits.h"

namespace sinter::backends {

namespace {

[[noreturn]] void refuse(const std::string& reason, const std::string& remedy) {
  throw DeviceError(Diagnostic{"", "", reason, remedy, {}, 0});
}

/// The primary context, which other libraries of the process share.
struct Context {
  explicit Context(const CudaDriver& d) : driver(d) {}
  const CudaDriver& driver;
  CudaDevice device = 0;
  CudaContext context = nullptr;
  /// Any thread may call: the driver keeps the current context per thread.
  void enter() const { driver.check(driver.context_set(context), "entering the device's context"); }
};
using SharedContext = std::shared_ptr<const Context>;

class CudaStream : public Stream {
 public:
  explicit CudaStream(SharedContext context) : context_(std::move(context)) {
    context_->enter();
    constexpr unsigned NonBlocking = 1;
    CudaStreamHandle made = nullptr;
    driver().check(driver().stream_create(&made, NonBlocking), "making a stream");
    handle_ = made;
  }
  CudaStream(SharedContext context, CudaStreamHandle callers, std::shared_ptr<Stream> main)
      : handle_(callers), context_(std::move(context)), main_(std::move(main)) {
    context_->enter();
    CudaContext of = nullptr;
    driver().check(driver().stream_context(callers, &of), "looking at the given stream");
    if (of != context_->context) {
      refuse("the given stream belongs to another context than the device's primary one",
             "make the stream on the target's device, in its primary context");
    }
  }
  ~CudaStream() override {
    driver().context_set(context_->context);
    if (event_) driver().event_destroy(event_);
    if (!main_) driver().stream_destroy(handle_);
  }
  void synchronize() override {
    context_->enter();
    driver().check(driver().stream_synchronize(stream()), "waiting for the device");
  }
  void wait_for(Stream& other) override {
    auto& first = static_cast<CudaStream&>(other);
    if (first.stream() == stream()) return;
    context_->enter();
    constexpr unsigned NoTiming = 2;
    std::call_once(first.once_, [&] {
      driver().check(driver().event_create(&first.event_, NoTiming), "making an event");
    });
    driver().check(driver().event_record(first.event_, first.stream()), "recording an event");
    driver().check(driver().stream_wait(stream(), first.event_, 0), "waiting for another stream");
  }
  void* handle() const override { return stream(); }
  /// The caller may destroy his stream now; the main one, which waits for it, stands for it.
  void retire() override {
    retired = true;
    if (main_) handle_ = static_cast<CudaStream&>(*main_).stream();
  }
  CudaStreamHandle stream() const { return handle_; }

 private:
  const CudaDriver& driver() const { return context_->driver; }
  std::atomic<CudaStreamHandle> handle_{nullptr};
  SharedContext context_;
  std::shared_ptr<Stream> main_;  // of the caller's streams
  std::once_flag once_;
  CudaEvent event_ = nullptr;
};

CudaStreamHandle handle_of(Stream& stream) { return static_cast<CudaStream&>(stream).stream(); }

class CudaKernels : public GpuKernels {
 public:
  CudaKernels(SharedContext context, const CompiledModule& module)
      : context_(std::move(context)), calls_(module.kernel_calls) {
    context_->enter();
    load(module);
    try {
      for (const KernelCall& call : calls_) functions_.push_back(prepared(call));
    } catch (...) {
      driver().module_unload(module_);
      throw;
    }
  }
  ~CudaKernels() override {
    driver().context_set(context_->context);
    driver().context_synchronize();  // some may still run
    driver().module_unload(module_);
  }

  void launch(std::size_t kernel, const std::int64_t (&blocks)[3], std::int64_t threads,
              std::span<const std::uint64_t> parameters, Stream& stream) override {
    constexpr std::size_t Few = 32;
    void* few[Few];
    std::vector<void*> many;
    void** pointers = few;
    if (parameters.size() > Few) {
      many.resize(parameters.size());
      pointers = many.data();
    }
    for (std::size_t i = 0; i < parameters.size(); ++i)
      pointers[i] = const_cast<std::uint64_t*>(&parameters[i]);
    const KernelCall& call = calls_.at(kernel);
    constexpr std::int64_t MostX = 0x7fffffff, MostYZ = 65535;
    if (blocks[0] > MostX || blocks[1] > MostYZ || blocks[2] > MostYZ) {
      refuse("the kernel " + call.name + " has " + std::to_string(blocks[0]) + " x " +
                 std::to_string(blocks[1]) + " x " + std::to_string(blocks[2]) +
                 " blocks; the device takes 2147483647 x 65535 x 65535",
             "use larger tiles, or gpu_blocks with the longest dimension first");
    }
    context_->enter();
    const CudaResult r = driver().launch(
        functions_[kernel], static_cast<unsigned>(blocks[0]), static_cast<unsigned>(blocks[1]),
        static_cast<unsigned>(blocks[2]), static_cast<unsigned>(threads), 1, 1,
        static_cast<unsigned>(call.shared_bytes), handle_of(stream), pointers, nullptr);
    if (r != 0) driver().fail(r, "launching " + call.name);
  }

  KernelResources resources(std::size_t kernel) const override {
    context_->enter();
    KernelResources found;
    const auto read = [&](int& value, CudaFunctionAttribute attribute) {
      driver().function_attribute(&value, attribute, functions_.at(kernel));
    };
    read(found.registers, CudaFunctionAttribute::Registers);
    read(found.stack, CudaFunctionAttribute::LocalBytes);
    read(found.shared, CudaFunctionAttribute::SharedBytes);
    return found;
  }

 private:
  const CudaDriver& driver() const { return context_->driver; }

  /// Machine code where it was made and the device takes it, else the PTX.
  void load(const CompiledModule& module) {
    for (auto v = module.kernels.at(0).variants.rbegin(); v != module.kernels.at(0).variants.rend();
         ++v) {
      std::vector<char> log(8192, '\0');
      constexpr int ErrorLog = 5, ErrorLogBytes = 6;  // CUjit_option
      int options[] = {ErrorLog, ErrorLogBytes};
      void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
      const CudaResult r = driver().module_load(&module_, v->bytes.c_str(), 2, options, values);
      if (r == 0) return;
      const bool another = std::next(v) != module.kernels.at(0).variants.rend();
      if (another && r != cuda::OutOfMemory)
        continue;  // of another assembler than the driver takes
      if (r == cuda::UnsupportedPtx) {
        refuse("the driver is too old for the PTX of '" + module.name + "'",
               "install a newer driver, or give ptxas in SINTER_PTXAS");
      }
      driver().fail(r, "the driver refuses the code of '" + module.name + "': " + log.data());
    }
  }

  CudaFunction prepared(const KernelCall& call) {
    CudaFunction function = nullptr;
    const CudaResult r = driver().module_function(&function, module_, call.name.c_str());
    if (r != 0) driver().fail(r, "finding the kernel " + call.name);
    int threads = 0;
    driver().function_attribute(&threads, CudaFunctionAttribute::MaxThreads, function);
    if (threads > 0 && call.threads > threads) {
      int registers = 0;
      driver().function_attribute(&registers, CudaFunctionAttribute::Registers, function);
      refuse("the kernel " + call.name + " has " + std::to_string(call.threads) +
                 " threads a block; with its " + std::to_string(registers) +
                 " registers the device takes " + std::to_string(threads),
             "use fewer threads a block, or smaller tiles of each thread");
    }
    if (call.shared_bytes > static_cast<std::uint64_t>(GpuLimits::SharedWithoutAsking)) {
      int most = 0;
      driver().device_attribute(&most, CudaDeviceAttribute::SharedMemoryPerBlockOptin,
                                context_->device);
      if (call.shared_bytes > static_cast<std::uint64_t>(most)) {
        refuse("the kernel " + call.name + " needs " + std::to_string(call.shared_bytes) +
                   " bytes of shared memory; the device has " + std::to_string(most) +
                   " for a block",
               "use smaller tiles, or fewer stages in GPUShared");
      }
      const CudaResult set =
          driver().function_set(function, CudaFunctionAttribute::MaxDynamicSharedBytes,
                                static_cast<int>(call.shared_bytes));
      if (set != 0) driver().fail(set, "asking for shared memory of " + call.name);
    }
    return function;
  }

  SharedContext context_;
  std::vector<KernelCall> calls_;
  CudaModule module_ = nullptr;
  std::vector<CudaFunction> functions_;
};

class CapturedGraph : public GpuGraph {
 public:
  CapturedGraph(SharedContext context, CudaGraph graph) : context_(std::move(context)) {
    const CudaResult r = context_->driver.graph_instantiate(&graph_, graph, 0);
    context_->driver.graph_destroy(graph);
    context_->driver.check(r, "making a graph of the recorded call");
  }
  ~CapturedGraph() override {
    context_->driver.context_set(context_->context);
    context_->driver.graph_exec_destroy(graph_);
  }
  void launch(Stream& stream) override {
    context_->enter();
    context_->driver.check(context_->driver.graph_launch(graph_, handle_of(stream)),
                           "launching a recorded call");
  }

 private:
  SharedContext context_;
  CudaGraphExec graph_ = nullptr;
};

std::string describe_device(const CudaDriver& d, CudaDevice device) {
  char name[256] = {};
  d.device_name(name, sizeof name, device);
  int major = 0, minor = 0, multiprocessors = 0;
  d.device_attribute(&major, CudaDeviceAttribute::ComputeMajor, device);
  d.device_attribute(&minor, CudaDeviceAttribute::ComputeMinor, device);
  d.device_attribute(&multiprocessors, CudaDeviceAttribute::MultiprocessorCount, device);
  std::size_t bytes = 0;
  d.device_memory(&bytes, device);
  return std::string(name) + ", sm_" + std::to_string(10 * major + minor) + ", " +
         std::to_string(multiprocessors) + " multiprocessors, " + std::to_string(bytes >> 20) +
         " MiB";
}

class CudaMachine : public GpuMachine {
 public:
  CudaMachine(const CudaDriver& d, int ordinal) : ordinal_(ordinal) {
    auto context = std::make_shared<Context>(d);
    int count = 0;
    d.check(d.device_count(&count), "counting devices");
    if (ordinal >= count)
      refuse("this machine has " + std::to_string(count) + " CUDA devices",
             "use an emulated target, such as emulated-nvptx-sm_90a");
    d.check(d.device_get(&context->device, ordinal), "opening the device");
    d.check(d.context_retain(&context->context, context->device), "making the device's context");
    d.device_attribute(&major_, CudaDeviceAttribute::ComputeMajor, context->device);
    d.device_attribute(&minor_, CudaDeviceAttribute::ComputeMinor, context->device);
    description_ = describe_device(d, context->device);
    context_ = std::move(context);
  }
  void require(const std::string& architecture) const {
    const int wanted = std::stoi(architecture.substr(3));
    const bool exact = architecture.back() == 'a';
    const int own = 10 * major_ + minor_;
    if (exact ? own == wanted : own >= wanted) return;
    refuse("the device is " + description_ + " and cannot run code for " + architecture,
           "use the target nvptx-sm_" + std::to_string(own));
  }

  std::string describe() const override { return description_; }
  int ordinal() const override { return ordinal_; }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<CudaStream>(context_); }
  std::unique_ptr<Stream> wrap_stream(void* handle, std::shared_ptr<Stream> main) override {
    return std::make_unique<CudaStream>(context_, static_cast<CudaStreamHandle>(handle),
                                        std::move(main));
  }
  DeviceAddress allocate(std::uint64_t bytes, const std::string& name) override {
    context_->enter();
    DeviceAddress address = 0;
    const CudaResult r = driver().allocate(&address, bytes);
    if (r != 0)
      driver().fail(r, "no memory on the device for the " + std::to_string(bytes) + " bytes of '" +
                           name + "'");
    return address;
  }
  void release(DeviceAddress address) noexcept override {
    driver().context_set(context_->context);
    driver().release(address);
  }
  std::shared_ptr<void> allocate_host(std::uint64_t bytes) override {
    context_->enter();
    void* memory = nullptr;
    constexpr unsigned Portable = 1;  // for all contexts
    const CudaResult r = driver().host_allocate(&memory, bytes, Portable);
    if (r != 0) driver().fail(r, "no pinned memory of " + std::to_string(bytes) + " bytes");
    return {memory, [context = context_](void* p) {
              context->driver.context_set(context->context);
              context->driver.context_synchronize();  // a copy may still use it
              context->driver.host_release(p);
            }};
  }
  void check_address(DeviceAddress address, std::uint64_t bytes, const std::string& name) override {
    context_->enter();
    CudaMemoryType type = CudaMemoryType::Unknown;
    int device = -1;
    CudaPointer start = 0;
    std::size_t size = 0;
    CudaPointerAttribute asked[] = {
        CudaPointerAttribute::MemoryType, CudaPointerAttribute::DeviceOrdinal,
        CudaPointerAttribute::RangeStart, CudaPointerAttribute::RangeSize};
    void* values[] = {&type, &device, &start, &size};
    driver().check(driver().pointer_attributes(4, asked, values, address),
                   "looking at the given address");
    const auto wrong = [&](const std::string& reason, const std::string& remedy) {
      throw RuntimeError(Diagnostic{name, "wrap_device", reason, remedy, {}, 0});
    };
    if (type == CudaMemoryType::Unknown || type == CudaMemoryType::Host) {
      wrong("the address is memory of the host, or of nobody",
            "give an address on the device; for memory here use Buffer(data, extents)");
    }
    if (device != ordinal_)
      wrong("the memory is on device " + std::to_string(device) + ", and the target's is device " +
                std::to_string(ordinal_),
            "copy it to the target's device");
    if (size > 0 && (address < start || bytes > size - (address - start))) {
      wrong("the buffer spans " + std::to_string(bytes) + " bytes, and the allocation ends after " +
                std::to_string(size - std::min<std::uint64_t>(size, address - start)),
            "give extents and strides that lie in the allocation");
    }
  }
  void upload(DeviceAddress to, const void* from, std::uint64_t bytes, Stream& stream) override {
    context_->enter();
    driver().check(driver().copy_in(to, from, bytes, handle_of(stream)), "copying to the device");
  }
  void download(void* to, DeviceAddress from, std::uint64_t bytes, Stream& stream) override {
    context_->enter();
    driver().check(driver().copy_out(to, from, bytes, handle_of(stream)),
                   "copying from the device");
  }
  std::unique_ptr<GpuKernels> load(const CompiledModule& module) override {
    return std::make_unique<CudaKernels>(context_, module);
  }

  void begin_capture(Stream& stream) override {
    context_->enter();
    constexpr int Relaxed = 2;  // other threads, and the pool, may allocate meanwhile
    driver().check(driver().capture_begin(handle_of(stream), Relaxed), "recording a call");
  }
  std::unique_ptr<GpuGraph> end_capture(Stream& stream) override {
    context_->enter();
    CudaGraph graph = nullptr;
    driver().check(driver().capture_end(handle_of(stream), &graph), "recording a call");
    return std::make_unique<CapturedGraph>(context_, graph);
  }

 private:
  const CudaDriver& driver() const { return context_->driver; }
  SharedContext context_;
  int ordinal_, major_ = 0, minor_ = 0;
  std::string description_;
};

}  // namespace

std::vector<std::string> cuda_devices(const CudaDriver& driver) {
  int count = 0;
  driver.check(driver.device_count(&count), "counting devices");
  std::vector<std::string> devices;
  for (int i = 0; i < count; ++i) {
    CudaDevice device = 0;
    driver.check(driver.device_get(&device, i), "opening the device");
    devices.push_back(describe_device(driver, device));
  }
  return devices;
}

std::shared_ptr<GpuMachine> make_cuda_machine(const CudaDriver& driver,
                                              const std::string& architecture, int ordinal) {
  auto machine = std::make_shared<CudaMachine>(driver, ordinal);
  machine->require(architecture);
  return machine;
}

std::shared_ptr<GpuMachine> cuda_machine(const std::string& architecture, int ordinal) {
  static std::mutex mutex;
  static auto* const machines =
      new std::map<int,
                   std::shared_ptr<CudaMachine>>;  // never torn down: buffers may outlive main()
  const std::lock_guard lock(mutex);
  auto& machine = (*machines)[ordinal];
  if (!machine) machine = std::make_shared<CudaMachine>(cuda_driver(), ordinal);
  machine->require(architecture);
  return machine;
}

}  // namespace sinter::backends
