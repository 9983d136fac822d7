#include "backends/nvptx/cuda_machine.h"

#include <map>
#include <mutex>
#include <vector>

#include <sinter/diagnostic.h>

#include "backends/nvptx/cuda_driver.h"

namespace sinter::backends {

namespace {

[[noreturn]] void refuse(const std::string& reason, const std::string& remedy) {
  throw DeviceError(Diagnostic{"", "", reason, remedy, {}, 0});
}

/// The primary context, which other libraries of the process share.
struct Context {
  CudaDevice device = 0;
  CudaContext context = nullptr;
  /// Any thread may call: the driver keeps the current context per thread.
  void enter() const { check_cuda(cuda_driver().context_set(context), "entering the device's context"); }
};

class CudaStream : public Stream {
 public:
  explicit CudaStream(const Context& context) : context_(context) {
    context_.enter();
    constexpr unsigned NonBlocking = 1;
    check_cuda(cuda_driver().stream_create(&handle, NonBlocking), "making a stream");
  }
  ~CudaStream() override { cuda_driver().stream_destroy(handle); }
  void synchronize() override {
    context_.enter();
    check_cuda(cuda_driver().stream_synchronize(handle), "waiting for the stream");
  }
  CudaStreamHandle handle = nullptr;

 private:
  const Context& context_;
};

CudaStreamHandle handle_of(Stream* stream) { return stream ? static_cast<CudaStream*>(stream)->handle : nullptr; }

class CudaKernels : public GpuKernels {
 public:
  CudaKernels(const Context& context, const CompiledModule& module) : context_(context), calls_(module.kernel_calls) {
    context_.enter();
    const CudaDriver& d = cuda_driver();
    const std::string& text = module.kernels.at(0).variants.at(0).bytes;
    std::vector<char> log(8192, '\0');
    constexpr int ErrorLog = 5, ErrorLogBytes = 6;  // CUjit_option
    int options[] = {ErrorLog, ErrorLogBytes};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    if (const CudaResult r = d.module_load(&module_, text.c_str(), 2, options, values); r != 0) {
      check_cuda(r, "the driver refuses the PTX of '" + module.name + "': " + log.data());
    }
    for (const KernelCall& call : calls_) {
      CudaFunction function = nullptr;
      check_cuda(d.module_function(&function, module_, call.name.c_str()), "finding the kernel " + call.name);
      constexpr std::uint64_t WithoutAsking = 48 * 1024;
      if (call.shared_bytes > WithoutAsking) {
        int most = 0;
        d.device_attribute(&most, CudaDeviceAttribute::SharedMemoryPerBlockOptin, context_.device);
        if (call.shared_bytes > static_cast<std::uint64_t>(most)) {
          refuse("the kernel " + call.name + " needs " + std::to_string(call.shared_bytes) + " bytes of shared memory; the device has " +
                     std::to_string(most) + " for a block", "use smaller tiles, or fewer stages in GPUShared");
        }
        check_cuda(d.function_set(function, CudaFunctionAttribute::MaxDynamicSharedBytes, static_cast<int>(call.shared_bytes)),
                   "asking for shared memory of " + call.name);
      }
      functions_.push_back(function);
    }
  }
  ~CudaKernels() override {
    cuda_driver().context_set(context_.context);
    cuda_driver().module_unload(module_);
  }

  void launch(std::size_t kernel, const std::int64_t (&blocks)[3], std::int64_t threads, std::span<const std::uint64_t> parameters,
              Stream* stream) override {
    constexpr std::size_t Few = 32;
    void* few[Few];
    std::vector<void*> many;
    void** pointers = few;
    if (parameters.size() > Few) {
      many.resize(parameters.size());
      pointers = many.data();
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) pointers[i] = const_cast<std::uint64_t*>(&parameters[i]);
    const KernelCall& call = calls_.at(kernel);
    context_.enter();
    const CudaResult r = cuda_driver().launch(functions_[kernel], static_cast<unsigned>(blocks[0]), static_cast<unsigned>(blocks[1]),
                                              static_cast<unsigned>(blocks[2]), static_cast<unsigned>(threads), 1, 1,
                                              static_cast<unsigned>(call.shared_bytes), handle_of(stream), pointers, nullptr);
    if (r != 0) check_cuda(r, "launching " + call.name);
  }

 private:
  const Context& context_;
  std::vector<KernelCall> calls_;
  CudaModule module_ = nullptr;
  std::vector<CudaFunction> functions_;
};

class CudaMachine : public GpuMachine {
 public:
  explicit CudaMachine(int ordinal) {
    const CudaDriver& d = cuda_driver();
    int count = 0;
    check_cuda(d.device_count(&count), "counting devices");
    if (ordinal >= count) refuse("this machine has " + std::to_string(count) + " CUDA devices", "use an emulated target, such as emulated-nvptx-sm_90a");
    check_cuda(d.device_get(&context_.device, ordinal), "opening the device");
    check_cuda(d.context_retain(&context_.context, context_.device), "making the device's context");
    char name[256] = {};
    d.device_name(name, sizeof name, context_.device);
    d.device_attribute(&major_, CudaDeviceAttribute::ComputeMajor, context_.device);
    d.device_attribute(&minor_, CudaDeviceAttribute::ComputeMinor, context_.device);
    int multiprocessors = 0;
    d.device_attribute(&multiprocessors, CudaDeviceAttribute::MultiprocessorCount, context_.device);
    description_ = std::string(name) + ", sm_" + std::to_string(10 * major_ + minor_) + ", " + std::to_string(multiprocessors) + " multiprocessors";
  }
  void require(const std::string& architecture) const {
    const int wanted = std::stoi(architecture.substr(3));
    const bool exact = architecture.back() == 'a';
    const int own = 10 * major_ + minor_;
    if (exact ? own == wanted : own >= wanted) return;
    refuse("the device is " + description_ + " and cannot run code for " + architecture, "use the target nvptx-sm_" + std::to_string(own));
  }

  std::string describe() const override { return description_; }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<CudaStream>(context_); }
  DeviceAddress allocate(std::uint64_t bytes, const std::string& name) override {
    context_.enter();
    DeviceAddress address = 0;
    check_cuda(cuda_driver().allocate(&address, bytes), "no memory on the device for the " + std::to_string(bytes) + " bytes of '" + name + "'");
    return address;
  }
  void release(DeviceAddress address) noexcept override {
    cuda_driver().context_set(context_.context);
    cuda_driver().release(address);
  }
  void upload(DeviceAddress to, const void* from, std::uint64_t bytes, Stream* stream) override {
    context_.enter();
    check_cuda(cuda_driver().copy_in(to, from, bytes, handle_of(stream)), "copying to the device");
  }
  void download(void* to, DeviceAddress from, std::uint64_t bytes, Stream* stream) override {
    context_.enter();
    check_cuda(cuda_driver().copy_out(to, from, bytes, handle_of(stream)), "copying from the device");
    check_cuda(cuda_driver().stream_synchronize(handle_of(stream)), "waiting for the device");
  }
  std::unique_ptr<GpuKernels> load(const CompiledModule& module) override { return std::make_unique<CudaKernels>(context_, module); }

 private:
  Context context_;
  int major_ = 0, minor_ = 0;
  std::string description_;
};

}  // namespace

std::shared_ptr<GpuMachine> cuda_machine(const std::string& architecture, int ordinal) {
  // One for each device, for the life of the process: the context stays.
  static std::mutex mutex;
  static std::map<int, std::shared_ptr<CudaMachine>> machines;
  const std::lock_guard lock(mutex);
  auto& machine = machines[ordinal];
  if (!machine) machine = std::make_shared<CudaMachine>(ordinal);
  machine->require(architecture);
  return machine;
}

}  // namespace sinter::backends
