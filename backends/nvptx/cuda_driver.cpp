#include "backends/nvptx/cuda_driver.h"

#include <cstdlib>

#include <dlfcn.h>

#include <sinter/diagnostic.h>

namespace sinter::backends {

namespace {

constexpr int OldestDriver = 11080;  // loads PTX 7.8

[[noreturn]] void refuse(const std::string& reason, const std::string& remedy) {
  throw DeviceError(Diagnostic{"", "", reason, remedy, {}, 0});
}

constexpr const char* Emulate =
    "use a target such as emulated-nvptx-sm_90a on machines without a GPU";

/// Errors of a kernel after which every call in the context fails.
bool loses_the_context(CudaResult r) {
  return r == cuda::IllegalAddress || r == 702 || r == 710 || (r >= 714 && r <= 719);
}

}  // namespace

CudaDriver open_cuda_driver(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    refuse("there is no NVIDIA driver on this machine (" + path + ")",
           std::string("install it, or ") + Emulate);
  CudaDriver d{};
  const auto find = [&](auto& pointer, const char* name) {
    void* found = dlsym(library, name);
    if (!found)
      refuse(std::string("the NVIDIA driver is too old: it has no ") + name,
             "install a driver for CUDA 11.8 or newer");
    pointer = reinterpret_cast<std::decay_t<decltype(pointer)>>(found);
  };
  find(d.init, "cuInit");
  find(d.driver_version, "cuDriverGetVersion");
  find(d.error_name, "cuGetErrorName");
  find(d.error_string, "cuGetErrorString");
  find(d.device_count, "cuDeviceGetCount");
  find(d.device_get, "cuDeviceGet");
  find(d.device_name, "cuDeviceGetName");
  find(d.device_attribute, "cuDeviceGetAttribute");
  find(d.device_memory, "cuDeviceTotalMem_v2");
  find(d.context_retain, "cuDevicePrimaryCtxRetain");
  find(d.context_set, "cuCtxSetCurrent");
  find(d.context_synchronize, "cuCtxSynchronize");
  find(d.allocate, "cuMemAlloc_v2");
  find(d.release, "cuMemFree_v2");
  find(d.memory_info, "cuMemGetInfo_v2");
  find(d.pointer_attributes, "cuPointerGetAttributes");
  find(d.copy_in, "cuMemcpyHtoDAsync_v2");
  find(d.copy_out, "cuMemcpyDtoHAsync_v2");
  find(d.host_allocate, "cuMemHostAlloc");
  find(d.host_release, "cuMemFreeHost");
  find(d.stream_create, "cuStreamCreate");
  find(d.stream_destroy, "cuStreamDestroy_v2");
  find(d.stream_context, "cuStreamGetCtx");
  find(d.stream_synchronize, "cuStreamSynchronize");
  find(d.stream_wait, "cuStreamWaitEvent");
  find(d.capture_begin, "cuStreamBeginCapture_v2");
  find(d.capture_end, "cuStreamEndCapture");
  find(d.graph_instantiate, "cuGraphInstantiateWithFlags");
  find(d.graph_launch, "cuGraphLaunch");
  find(d.graph_exec_destroy, "cuGraphExecDestroy");
  find(d.graph_destroy, "cuGraphDestroy");
  find(d.module_load, "cuModuleLoadDataEx");
  find(d.module_unload, "cuModuleUnload");
  find(d.module_function, "cuModuleGetFunction");
  find(d.function_attribute, "cuFuncGetAttribute");
  find(d.function_set, "cuFuncSetAttribute");
  find(d.launch, "cuLaunchKernel");
  find(d.event_create, "cuEventCreate");
  find(d.event_record, "cuEventRecord");
  find(d.event_synchronize, "cuEventSynchronize");
  find(d.event_elapsed, "cuEventElapsedTime");
  find(d.event_destroy, "cuEventDestroy_v2");
  if (const CudaResult r = d.init(0); r != 0) {
    const char* text = "unknown error";
    d.error_string(r, &text);
    if (r == cuda::NoDevice) refuse("the NVIDIA driver finds no GPU", Emulate);
    refuse(std::string("the NVIDIA driver does not start: ") + text,
           std::string("check nvidia-smi, or ") + Emulate);
  }
  const int version = d.version();
  if (version < OldestDriver) {
    refuse("the NVIDIA driver supports CUDA " + std::to_string(version / 1000) + "." +
               std::to_string(version % 1000 / 10) + "; 11.8 is needed",
           "install a newer driver");
  }
  return d;
}

int CudaDriver::version() const {
  int version = 0;
  driver_version(&version);
  return version;
}

const CudaDriver& cuda_driver() {
  static const CudaDriver driver = [] {
    const char* named = std::getenv("SINTER_CUDA_DRIVER");
    return open_cuda_driver(named ? named : "libcuda.so.1");
  }();
  return driver;
}

void CudaDriver::fail(CudaResult result, const std::string& what) const {
  const char *name = "error", *text = "";
  error_name(result, &name);
  error_string(result, &text);
  const std::string reason = what + ": " + name + " (" + text + ")";
  if (result == cuda::OutOfMemory) {
    std::size_t free = 0, total = 0;
    memory_info(&free, &total);
    refuse(reason + "; " + std::to_string(free >> 20) + " of " + std::to_string(total >> 20) +
               " MiB are free",
           "use smaller sizes, or free memory of other Buffers and programs");
  }
  if (loses_the_context(result)) {
    refuse(reason +
               ". A kernel faulted, and the device's context is lost: every further call of this "
               "process on the device fails, "
               "memory there is gone; other processes, and other devices, are not affected",
           "run the schedule on an emulated target, which names the cause, and start the process "
           "again");
  }
  if (result == cuda::OutOfResources)
    refuse(reason, "use fewer threads a block, or fewer values a thread");
  refuse(reason, "run the schedule on an emulated target: it names the cause");
}

}  // namespace sinter::backends
