#pragma once
// NVIDIA's driver, opened at run time: one binary works with and without a GPU. Only what is used
// is declared; types and values are those of the CUDA driver API's documentation.

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::backends {

using CudaResult = int;
using CudaDevice = int;
using CudaPointer = std::uint64_t;
struct CudaContextTag;
struct CudaStreamTag;
struct CudaModuleTag;
struct CudaFunctionTag;
struct CudaEventTag;
struct CudaGraphTag;
struct CudaGraphExecTag;
using CudaContext = CudaContextTag*;
using CudaStreamHandle = CudaStreamTag*;
using CudaModule = CudaModuleTag*;
using CudaFunction = CudaFunctionTag*;
using CudaEvent = CudaEventTag*;
using CudaGraph = CudaGraphTag*;
using CudaGraphExec = CudaGraphExecTag*;

/// CUdevice_attribute, CUfunction_attribute, CUpointer_attribute and CUmemorytype by number.
enum class CudaDeviceAttribute : int {
  MultiprocessorCount = 16,
  ComputeMajor = 75,
  ComputeMinor = 76,
  SharedMemoryPerBlockOptin = 97,
};
enum class CudaFunctionAttribute : int {
  MaxThreads = 0,
  SharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8
};
enum class CudaPointerAttribute : int {
  MemoryType = 2,
  DeviceOrdinal = 9,
  RangeStart = 11,
  RangeSize = 12
};
enum class CudaMemoryType : unsigned { Unknown = 0, Host = 1, Device = 2, Array = 3, Unified = 4 };

namespace cuda {
constexpr CudaResult OutOfMemory = 2, NoDevice = 100, InvalidImage = 200, NoBinaryForDevice = 209,
                     InvalidPtx = 218, UnsupportedPtx = 222, IllegalAddress = 700,
                     OutOfResources = 701, LaunchFailed = 719;
}

struct CudaDriver {
  CudaResult (*init)(unsigned);
  CudaResult (*driver_version)(int*);
  CudaResult (*error_name)(CudaResult, const char**);
  CudaResult (*error_string)(CudaResult, const char**);
  CudaResult (*device_count)(int*);
  CudaResult (*device_get)(CudaDevice*, int);
  CudaResult (*device_name)(char*, int, CudaDevice);
  CudaResult (*device_attribute)(int*, CudaDeviceAttribute, CudaDevice);
  CudaResult (*device_memory)(std::size_t*, CudaDevice);
  CudaResult (*context_retain)(CudaContext*, CudaDevice);
  CudaResult (*context_set)(CudaContext);
  CudaResult (*context_synchronize)();
  CudaResult (*allocate)(CudaPointer*, std::size_t);
  CudaResult (*release)(CudaPointer);
  CudaResult (*memory_info)(std::size_t* free, std::size_t* total);
  CudaResult (*pointer_attributes)(unsigned count, CudaPointerAttribute*, void** values,
                                   CudaPointer);
  CudaResult (*copy_in)(CudaPointer, const void*, std::size_t, CudaStreamHandle);
  CudaResult (*copy_out)(void*, CudaPointer, std::size_t, CudaStreamHandle);
  CudaResult (*host_allocate)(void**, std::size_t, unsigned);
  CudaResult (*host_release)(void*);
  CudaResult (*stream_create)(CudaStreamHandle*, unsigned);
  CudaResult (*stream_destroy)(CudaStreamHandle);
  CudaResult (*stream_context)(CudaStreamHandle, CudaContext*);
  CudaResult (*stream_synchronize)(CudaStreamHandle);
  CudaResult (*stream_wait)(CudaStreamHandle, CudaEvent, unsigned);
  CudaResult (*capture_begin)(CudaStreamHandle, int mode);
  CudaResult (*capture_end)(CudaStreamHandle, CudaGraph*);
  CudaResult (*graph_instantiate)(CudaGraphExec*, CudaGraph, unsigned long long flags);
  CudaResult (*graph_launch)(CudaGraphExec, CudaStreamHandle);
  CudaResult (*graph_exec_destroy)(CudaGraphExec);
  CudaResult (*graph_destroy)(CudaGraph);
  CudaResult (*module_load)(CudaModule*, const void*, unsigned, int*, void**);
  CudaResult (*module_unload)(CudaModule);
  CudaResult (*module_function)(CudaFunction*, CudaModule, const char*);
  CudaResult (*function_attribute)(int*, CudaFunctionAttribute, CudaFunction);
  CudaResult (*function_set)(CudaFunction, CudaFunctionAttribute, int);
  CudaResult (*launch)(CudaFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       unsigned, CudaStreamHandle, void**, void**);
  CudaResult (*event_create)(CudaEvent*, unsigned);
  CudaResult (*event_record)(CudaEvent, CudaStreamHandle);
  CudaResult (*event_synchronize)(CudaEvent);
  CudaResult (*event_elapsed)(float*, CudaEvent, CudaEvent);
  CudaResult (*event_destroy)(CudaEvent);

  /// Throws DeviceError naming `what` when the result is an error.
  void check(CudaResult result, const char* what) const {
    if (result != 0) fail(result, what);
  }
  [[noreturn]] void fail(CudaResult, const std::string& what) const;
  int version() const;  // 12040: 12.4
};

/// The driver in `library`, initialised. Throws DeviceError that says what is missing.
CudaDriver open_cuda_driver(const std::string& library);
/// That of this machine, or the library that SINTER_CUDA_DRIVER names.
const CudaDriver& cuda_driver();

}  // namespace sinter::backends
