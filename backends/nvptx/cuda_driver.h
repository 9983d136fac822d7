#pragma once
// NVIDIA's driver, opened at run time: one binary works with and without a GPU. Only what is used is
// declared; types and values are those of the CUDA driver API's documentation.

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::backends {

using CudaResult = int;
using CudaDevice = int;
using CudaPointer = std::uint64_t;
struct CudaContextTag; struct CudaStreamTag; struct CudaModuleTag; struct CudaFunctionTag; struct CudaEventTag;
using CudaContext = CudaContextTag*;
using CudaStreamHandle = CudaStreamTag*;
using CudaModule = CudaModuleTag*;
using CudaFunction = CudaFunctionTag*;
using CudaEvent = CudaEventTag*;

/// CUdevice_attribute and CUfunction_attribute by number.
enum class CudaDeviceAttribute : int {
  MultiprocessorCount = 16, ComputeMajor = 75, ComputeMinor = 76, SharedMemoryPerBlockOptin = 97,
};
enum class CudaFunctionAttribute : int { SharedBytes = 1, LocalBytes = 3, Registers = 4, MaxDynamicSharedBytes = 8 };

struct CudaDriver {
  CudaResult (*init)(unsigned);
  CudaResult (*driver_version)(int*);
  CudaResult (*error_name)(CudaResult, const char**);
  CudaResult (*error_string)(CudaResult, const char**);
  CudaResult (*device_count)(int*);
  CudaResult (*device_get)(CudaDevice*, int);
  CudaResult (*device_name)(char*, int, CudaDevice);
  CudaResult (*device_attribute)(int*, CudaDeviceAttribute, CudaDevice);
  CudaResult (*context_retain)(CudaContext*, CudaDevice);
  CudaResult (*context_set)(CudaContext);
  CudaResult (*allocate)(CudaPointer*, std::size_t);
  CudaResult (*release)(CudaPointer);
  CudaResult (*copy_in)(CudaPointer, const void*, std::size_t, CudaStreamHandle);
  CudaResult (*copy_out)(void*, CudaPointer, std::size_t, CudaStreamHandle);
  CudaResult (*stream_create)(CudaStreamHandle*, unsigned);
  CudaResult (*stream_destroy)(CudaStreamHandle);
  CudaResult (*stream_synchronize)(CudaStreamHandle);
  CudaResult (*module_load)(CudaModule*, const void*, unsigned, int*, void**);
  CudaResult (*module_unload)(CudaModule);
  CudaResult (*module_function)(CudaFunction*, CudaModule, const char*);
  CudaResult (*function_attribute)(int*, CudaFunctionAttribute, CudaFunction);
  CudaResult (*function_set)(CudaFunction, CudaFunctionAttribute, int);
  CudaResult (*launch)(CudaFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CudaStreamHandle,
                       void**, void**);
  CudaResult (*event_create)(CudaEvent*, unsigned);
  CudaResult (*event_record)(CudaEvent, CudaStreamHandle);
  CudaResult (*event_synchronize)(CudaEvent);
  CudaResult (*event_elapsed)(float*, CudaEvent, CudaEvent);
  CudaResult (*event_destroy)(CudaEvent);
};

/// The driver of this machine, initialised. Throws DeviceError that says what is missing.
const CudaDriver& cuda_driver();
/// Throws DeviceError naming `what` when the result is an error.
void check_cuda(CudaResult, const std::string& what);

}  // namespace sinter::backends
