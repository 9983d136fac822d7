// Streams, and Buffers whose memory is on a device.
#include <sinter/buffer.h>
#include <sinter/stream.h>

#include <sinter/diagnostic.h>

#include "backends/driver/gpu_devices.h"
#include "dsl/algorithm/buffer_memory.h"
#include "dsl/algorithm/wording.h"

namespace sinter {

using backends::Gpu;
using backends::gpu_device_for;
using backends::GpuDevice;
using backends::GpuMemory;

// --- Stream

namespace {

/// The queue as users share it: with the last of them its memory goes to the device's main stream.
std::shared_ptr<backends::Stream> shared_queue(const std::shared_ptr<Gpu>& gpu,
                                               std::shared_ptr<backends::Stream> queue) {
  backends::Stream* const raw = queue.get();
  return std::shared_ptr<backends::Stream>(raw, [gpu, queue](backends::Stream* stream) {
    try {
      gpu->retire(*stream);
    } catch (const Error&) {  // the device is lost
    }
  });
}

}  // namespace

Stream::Stream(const Target& target, std::shared_ptr<backends::Device> device,
               std::shared_ptr<backends::Stream> queue)
    : target_(target), device_(std::move(device)), queue_(std::move(queue)) {}

Stream::Stream(const Target& target) : target_(target) {
  const std::shared_ptr<GpuDevice> device = gpu_device_for(target);
  device_ = device;
  queue_ = shared_queue(device->gpu(), device->make_stream());
}

Stream Stream::wrap(const Target& target, void* handle) {
  const std::shared_ptr<GpuDevice> device = gpu_device_for(target);
  const std::shared_ptr<Gpu>& gpu = device->gpu();
  return Stream(target, device, shared_queue(gpu, gpu->machine->wrap_stream(handle, gpu->main)));
}

void Stream::synchronize() const { queue_->synchronize(); }
void* Stream::handle() const { return queue_->handle(); }

// --- Buffer

void BufferBase::copy_to_device(const Target& target) const {
  const std::shared_ptr<Gpu> gpu = gpu_device_for(target)->gpu();
  BufferMemory& memory = *existing().memory;
  if (!memory.dense) {
    throw RuntimeError(make_diagnostic(
        name(), "copy_to_device",
        "the borrowed memory has gaps between its elements, which a copy of it would overwrite",
        "copy() the buffer; pipelines can be called on it as it is"));
  }
  const std::lock_guard lock(memory.mutex);
  backends::side_on(gpu, memory, name(), true, *gpu->main);
}

void* BufferBase::device_data(const Target& target) const {
  copy_to_device(target);
  BufferMemory& memory = *contents_->memory;
  memory.device->synchronize();
  const auto offset = static_cast<backends::DeviceAddress>(contents_->host - memory.low);
  return reinterpret_cast<void*>(static_cast<GpuMemory&>(*memory.device).address() + offset);
}

std::shared_ptr<BufferContents> BufferBase::allocate_pinned(const Target& target, Type type,
                                                            const std::vector<int>& extents,
                                                            const std::string& name) {
  const std::shared_ptr<Gpu> gpu = gpu_device_for(target)->gpu();
  std::shared_ptr<BufferContents> contents = borrow(type, nullptr, dense(extents), name);
  BufferMemory& memory = *contents->memory;
  memory.owner = gpu->machine->allocate_host(std::max<std::size_t>(memory.bytes, 1));
  contents->host = memory.low = static_cast<std::byte*>(memory.owner.get());
  memory.borrowed = false;
  memory.pinned = true;
  return contents;
}

std::shared_ptr<BufferContents> BufferBase::borrow_device(
    const Target& target, Type type, void* address, const std::vector<BufferDimension>& dimensions,
    const std::string& name, std::shared_ptr<void> owner) {
  const std::shared_ptr<Gpu> gpu = gpu_device_for(target)->gpu();
  std::shared_ptr<BufferContents> contents = borrow(type, address, dimensions, name);
  BufferMemory& memory = *contents->memory;
  const auto low = reinterpret_cast<backends::DeviceAddress>(memory.low);
  if (low % static_cast<backends::DeviceAddress>(type.bytes()) != 0) {
    throw RuntimeError(make_diagnostic(
        name, "wrap_device",
        "the address is not a multiple of an element's " + std::to_string(type.bytes()) + " bytes",
        "give an aligned address"));
  }
  if (memory.bytes > 0) gpu->machine->check_address(low, memory.bytes, name);
  memory.owner = std::move(owner);
  memory.borrowed = false;
  memory.on_device_only = true;
  memory.device = std::make_shared<GpuMemory>(gpu, memory.bytes, low);
  memory.state = BufferMemory::HostStale | BufferMemory::DeviceCurrent;
  return contents;
}

}  // namespace sinter
