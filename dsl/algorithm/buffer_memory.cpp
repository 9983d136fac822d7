#include "dsl/algorithm/buffer_memory.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <sinter/diagnostic.h>

#include "dsl/algorithm/wording.h"

namespace sinter {

namespace {

constexpr unsigned HostStale = BufferMemory::HostStale;
constexpr unsigned DeviceCurrent = BufferMemory::DeviceCurrent;

void refuse_device_only(const BufferContents& contents, const std::string& what) {
  if (!contents.memory->on_device_only) return;
  throw RuntimeError(make_diagnostic(contents.name, what, "the buffer's memory is on a device only",
                                     "use copy(), which makes a Buffer with its elements here"));
}

}  // namespace

void span_memory(BufferContents& contents) {
  const std::int64_t element = contents.type.bytes();
  std::int64_t low = 0, high = element;
  const bool empty = std::any_of(contents.dimensions.begin(), contents.dimensions.end(),
                                 [](const BufferDimension& d) { return d.extent == 0; });
  if (!empty) {
    for (const BufferDimension& d : contents.dimensions) {
      std::int64_t reach = 0;
      std::int64_t& end = d.stride < 0 ? low : high;
      if (__builtin_mul_overflow(std::int64_t{d.extent} - 1, d.stride, &reach) ||
          __builtin_mul_overflow(reach, element, &reach) ||
          __builtin_add_overflow(end, reach, &end)) {
        throw RuntimeError(make_diagnostic(contents.name, "Buffer",
                                           "its elements are further apart than 64 bits say",
                                           "give smaller extents or strides"));
      }
    }
  }
  BufferMemory& memory = *contents.memory;
  memory.low = empty ? contents.host : contents.host + low;
  memory.bytes = empty ? 0 : static_cast<std::size_t>(high) - static_cast<std::size_t>(low);
  std::vector<BufferDimension> order;
  for (const BufferDimension& d : contents.dimensions) {
    if (d.extent > 1) order.push_back(d);
  }
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return std::abs(a.stride) < std::abs(b.stride); });
  std::int64_t run = 1;
  for (const BufferDimension& d : order) {
    memory.dense = memory.dense && std::abs(d.stride) == run;
    if (!memory.dense) break;
    run *= d.extent;
  }
}

std::shared_ptr<BufferContents> brought_here(const BufferContents& contents) {
  const BufferMemory& there = *contents.memory;
  const auto bytes =
      std::shared_ptr<std::byte[]>(new std::byte[std::max<std::size_t>(there.bytes, 1)]);
  if (there.bytes > 0) there.device->copy_out(bytes.get());
  auto here = std::make_shared<BufferContents>(contents);
  here->memory = std::make_shared<BufferMemory>();
  here->memory->owner = bytes;
  here->memory->low = bytes.get();
  here->memory->bytes = there.bytes;
  here->host = bytes.get() + (contents.host - there.low);
  return here;
}

void fetch(BufferMemory& memory) {
  if ((memory.state & HostStale) == 0) return;
  memory.device->copy_out(memory.low);
  memory.state &= ~HostStale;
}

void BufferContents::bring_to_host(bool writes) const {
  refuse_device_only(*this, "Buffer");
  const std::lock_guard lock(memory->mutex);
  fetch(*memory);
  if (!writes) return;
  if (memory->pinned) memory->device->synchronize();  // it may still be read
  memory->state = 0;
}

void BufferBase::set_host_dirty() const {
  const BufferContents& contents = existing();
  refuse_device_only(contents, "set_host_dirty");
  const std::lock_guard lock(contents.memory->mutex);
  if (contents.memory->state & HostStale) {
    throw RuntimeError(make_diagnostic(name(), "set_host_dirty",
                                       "the elements on the device are newer",
                                       "call copy_to_host() before writing here"));
  }
  contents.memory->state = 0;
}

void BufferBase::set_device_dirty() const {
  const BufferContents& contents = existing();
  const std::lock_guard lock(contents.memory->mutex);
  if (!contents.memory->device) {
    throw RuntimeError(make_diagnostic(name(), "set_device_dirty",
                                       "the buffer has no memory on a device",
                                       "call copy_to_device(target) first"));
  }
  contents.memory->state = HostStale | DeviceCurrent;
}

void BufferBase::copy_to_host() const {
  const BufferContents& contents = existing();
  refuse_device_only(contents, "copy_to_host");
  const std::lock_guard lock(contents.memory->mutex);
  fetch(*contents.memory);
}

void BufferBase::device_free() const {
  const BufferContents& contents = existing();
  refuse_device_only(contents, "device_free");
  const std::lock_guard lock(contents.memory->mutex);
  fetch(*contents.memory);
  contents.memory->state = 0;
  contents.memory->device.reset();
}

void BufferBase::device_sync() const {
  std::shared_ptr<DeviceSide> device;
  {
    const std::lock_guard lock(existing().memory->mutex);
    device = contents_->memory->device;
  }
  if (device) device->synchronize();
}

}  // namespace sinter
