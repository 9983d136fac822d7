#pragma once
// Tensors in and out by DLPack (https://dmlc.github.io/dlpack), the unversioned form
// DLManagedTensor that capsules named "dltensor" hold; its versioned successor is not read or
// written. The structures are declared here, laid out as DLPack's. A tensor's last dimension is the
// innermost, as in C; a Buffer's first one is: the order of the dimensions is reversed on the way.

#include <cstdint>

#include <sinter/buffer.h>
#include <sinter/target.h>

namespace sinter::dlpack {

enum class DeviceType : std::int32_t { Cpu = 1, Cuda = 2, CudaHost = 3 };
enum class TypeCode : std::uint8_t { Int = 0, UInt = 1, Float = 2, BFloat = 4, Bool = 6 };

struct Device {
  DeviceType type;
  std::int32_t id;
};
struct DataType {
  TypeCode code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // of elements; null: dense, the last dimension innermost
  std::uint64_t byte_offset;
};
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor*);
};

/// A tensor that shares the buffer's memory and keeps it alive: on the device when the newer side,
/// or the only one, is a CUDA device's (after the work in flight), else here. Whoever writes to it
/// says so: set_device_dirty(), for memory here nothing (from now on it counts as borrowed). The
/// receiver calls `deleter`.
ManagedTensor* export_buffer(const Buffer<>&);
/// A Buffer over the tensor's memory, which it keeps until its last view is gone. Takes the tensor
/// unless it throws. `target` says which device a CUDA tensor must be on.
Buffer<> import_tensor(ManagedTensor*, const Target& target = {}, const std::string& name = "");

}  // namespace sinter::dlpack
