#include "backends/runtime/device_pool.h"

#include <bit>
#include <string>

#include <sinter/diagnostic.h>

namespace sinter::backends {

// Eight sizes between powers of two: at most an eighth is lost, and sizes that differ a little
// share blocks.
std::uint64_t DevicePool::rounded(std::uint64_t bytes) {
  constexpr std::uint64_t Least = 512;
  const std::uint64_t step = std::max(Least, std::bit_floor(std::max(bytes, Least)) / 8);
  return (std::max(bytes, std::uint64_t{1}) + step - 1) / step * step;
}

DevicePool::~DevicePool() { trim(); }

DeviceAddress DevicePool::take(std::uint64_t bytes, std::string_view name, Stream& stream) {
  if (!machine_.may_reuse_memory()) return machine_.allocate(bytes, std::string(name));
  const std::uint64_t size = rounded(bytes);
  {
    const std::lock_guard lock(mutex_);
    if (const auto blocks = kept_.find(&stream); blocks != kept_.end()) {
      if (const auto found = blocks->second.find(size); found != blocks->second.end()) {
        const DeviceAddress address = found->second;
        blocks->second.erase(found);
        return address;
      }
    }
  }
  try {
    return machine_.allocate(size, std::string(name));
  } catch (const DeviceError&) {
    trim();
    return machine_.allocate(size, std::string(name));
  }
}

void DevicePool::give(DeviceAddress address, std::uint64_t bytes, Stream& stream) noexcept {
  if (!machine_.may_reuse_memory()) return machine_.release(address);
  try {
    const std::lock_guard lock(mutex_);
    kept_[&stream].emplace(rounded(bytes), address);
  } catch (const std::bad_alloc&) {
    machine_.release(address);
  }
}

void DevicePool::move(Stream& from, Stream& to) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(&from);
  if (found == kept_.end()) return;
  kept_[&to].merge(found->second);
  kept_.erase(&from);
}

void DevicePool::trim() noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& [stream, blocks] : kept_) {
    for (const auto& [size, address] : blocks) machine_.release(address);
  }
  kept_.clear();
}

}  // namespace sinter::backends
