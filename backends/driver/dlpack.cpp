// Tensors in and out; see include/sinter/dlpack.h.
#include <sinter/dlpack.h>

#include <limits>
#include <vector>

#include <sinter/diagnostic.h>

#include "backends/driver/gpu_devices.h"
#include "dsl/algorithm/buffer_memory.h"
#include "dsl/algorithm/wording.h"

namespace sinter::dlpack {

namespace {

[[noreturn]] void refuse(const std::string& name, const char* what, const std::string& reason,
                         const std::string& remedy) {
  throw RuntimeError(make_diagnostic(name, what, reason, remedy));
}

DataType code_of(Type t) {
  if (t.is_bool()) return {TypeCode::Bool, 8, 1};
  const TypeCode code = t.kind == TypeKind::BFloat ? TypeCode::BFloat
                        : t.is_float()             ? TypeCode::Float
                        : t.is_uint()              ? TypeCode::UInt
                                                   : TypeCode::Int;
  return {code, t.bits, 1};
}

Type type_of_code(const DataType& d, const std::string& name) {
  for (const Type t : {UInt(8), UInt(16), UInt(32), UInt(64), Int(8), Int(16), Int(32), Int(64),
                       Float(16), BFloat(16), Float(32), Float(64), Bool()}) {
    const DataType code = code_of(t);
    if (code.code == d.code && code.bits == d.bits && d.lanes == 1) return t;
  }
  refuse(name, "import_tensor",
         "its elements have the DLPack type code " + std::to_string(static_cast<int>(d.code)) +
             ", " + std::to_string(d.bits) + " bits, " + std::to_string(d.lanes) + " lanes",
         "give integers or floats of 8 to 64 bits, bfloat16 or bool, of one lane");
}

/// What a tensor that was given out lives on.
struct Exported {
  ManagedTensor tensor{};
  std::vector<std::int64_t> shape, strides;
  std::shared_ptr<BufferContents> contents;
};

}  // namespace

ManagedTensor* export_buffer(const Buffer<>& buffer) {
  if (!buffer.defined()) {
    refuse("", "export_buffer", "the buffer was given no memory", "construct it with extents");
  }
  auto exported = std::make_unique<Exported>();
  exported->contents = buffer.contents();
  const BufferContents& contents = *exported->contents;
  BufferMemory& memory = *contents.memory;
  Tensor& t = exported->tensor.dl_tensor;
  t.dtype = code_of(contents.type);
  t.ndim = buffer.dimensions();
  for (auto d = contents.dimensions.rbegin(); d != contents.dimensions.rend(); ++d) {
    exported->shape.push_back(d->extent);
    exported->strides.push_back(d->stride);
  }
  t.shape = exported->shape.data();
  t.strides = exported->strides.data();
  t.data = contents.host;
  t.device = {DeviceType::Cpu, 0};
  {
    const std::lock_guard lock(memory.mutex);
    auto* side = static_cast<backends::GpuMemory*>(memory.device.get());
    const int ordinal = side ? side->gpu()->machine->ordinal() : -1;
    if (ordinal >= 0 && (memory.state & BufferMemory::HostStale)) {
      side->synchronize();
      const auto offset = static_cast<backends::DeviceAddress>(contents.host - memory.low);
      t.data = reinterpret_cast<void*>(side->address() + offset);
      t.device = {DeviceType::Cuda, ordinal};
    } else if (memory.on_device_only) {
      refuse(contents.name, "export_buffer", "the memory is on an emulated device",
             "copy() the buffer");
    } else {
      fetch(memory);
      memory.state = 0;
      memory.device.reset();
      memory.borrowed = true;  // the receiver writes when it likes
    }
  }
  exported->tensor.manager_ctx = exported.get();
  exported->tensor.deleter = [](ManagedTensor* tensor) {
    delete static_cast<Exported*>(tensor->manager_ctx);
  };
  return &exported.release()->tensor;
}

Buffer<> import_tensor(ManagedTensor* tensor, const Target& target, const std::string& name) {
  ensure(tensor != nullptr, "a tensor is given");
  const Tensor& t = tensor->dl_tensor;
  const Type type = type_of_code(t.dtype, name);
  std::vector<BufferDimension> dimensions;
  std::int64_t dense = 1;
  for (std::int32_t d = t.ndim - 1; d >= 0; --d) {
    if (t.shape[d] < 0 || t.shape[d] > std::numeric_limits<int>::max()) {
      refuse(name, "import_tensor",
             "dimension " + std::to_string(d) + " has extent " + std::to_string(t.shape[d]),
             "give extents that fit 32 bits");
    }
    dimensions.push_back({0, static_cast<int>(t.shape[d]), t.strides ? t.strides[d] : dense});
    dense *= t.shape[d];
  }
  std::byte* const data = static_cast<std::byte*>(t.data) + t.byte_offset;
  if (reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(type.bytes()) != 0) {
    refuse(name, "import_tensor", "its address is not a multiple of an element's size",
           "give an aligned tensor");
  }
  Buffer<> buffer;
  if (t.device.type == DeviceType::Cpu || t.device.type == DeviceType::CudaHost) {
    buffer = Buffer<>(type, data, dimensions, name);
  } else if (t.device.type == DeviceType::Cuda) {
    buffer = Buffer<>::wrap_device(target, type, data, dimensions, name);
  } else {
    refuse(name, "import_tensor",
           "it is on a device of DLPack's type " + std::to_string(static_cast<int>(t.device.type)),
           "give a tensor on the CPU (1) or on CUDA (2)");
  }
  buffer.contents()->memory->owner = std::shared_ptr<void>(tensor, [](void* p) {
    auto* const managed = static_cast<ManagedTensor*>(p);
    if (managed->deleter) managed->deleter(managed);
  });
  return buffer;
}

}  // namespace sinter::dlpack
