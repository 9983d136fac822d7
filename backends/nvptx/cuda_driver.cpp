#include "backends/nvptx/cuda_driver.h"

#include <dlfcn.h>

#include <sinter/diagnostic.h>

namespace sinter::backends {

namespace {

constexpr int OldestDriver = 11080;  // loads PTX 7.8

[[noreturn]] void refuse(const std::string& reason, const std::string& remedy) {
  throw DeviceError(Diagnostic{"", "", reason, remedy, {}, 0});
}

constexpr const char* Emulate = "use a target such as emulated-nvptx-sm_90a on machines without a GPU";

CudaDriver open_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) refuse("there is no NVIDIA driver on this machine (libcuda.so.1)", std::string("install it, or ") + Emulate);
  CudaDriver d{};
  const auto find = [&](auto& pointer, const char* name) {
    void* found = dlsym(library, name);
    if (!found) refuse(std::string("the NVIDIA driver is too old: it has no ") + name, "install a newer driver");
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
  find(d.context_retain, "cuDevicePrimaryCtxRetain");
  find(d.context_set, "cuCtxSetCurrent");
  find(d.allocate, "cuMemAlloc_v2");
  find(d.release, "cuMemFree_v2");
  find(d.copy_in, "cuMemcpyHtoDAsync_v2");
  find(d.copy_out, "cuMemcpyDtoHAsync_v2");
  find(d.stream_create, "cuStreamCreate");
  find(d.stream_destroy, "cuStreamDestroy_v2");
  find(d.stream_synchronize, "cuStreamSynchronize");
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
    refuse(std::string("the NVIDIA driver does not start: ") + text, std::string("check nvidia-smi, or ") + Emulate);
  }
  int version = 0;
  d.driver_version(&version);
  if (version < OldestDriver) {
    refuse("the NVIDIA driver supports CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10) +
               "; 11.8 is needed", "install a newer driver");
  }
  return d;
}

}  // namespace

const CudaDriver& cuda_driver() {
  static const CudaDriver driver = open_driver();
  return driver;
}

void check_cuda(CudaResult result, const std::string& what) {
  if (result == 0) return;
  const char *name = "error", *text = "";
  cuda_driver().error_name(result, &name);
  cuda_driver().error_string(result, &text);
  constexpr CudaResult OutOfMemory = 2;
  refuse(what + ": " + name + " (" + text + ")",
         result == OutOfMemory ? "use smaller sizes, or free memory of other programs" : "run the schedule on an emulated target: it names the cause");
}

}  // namespace sinter::backends
