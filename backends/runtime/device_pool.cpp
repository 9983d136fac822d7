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
      const auto found = blocks->second.find(size);
      if (found != blocks->second.end() && !found->second.empty()) {
        const DeviceAddress address = found->second.back();
        found->second.pop_back();
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
    kept_[&stream][rounded(bytes)].push_back(address);
  } catch (const std::bad_alloc&) {
    machine_.release(address);
  }
}

void DevicePool::move(Stream& from, Stream& to) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(&from);
  if (found == kept_.end()) return;
  const Blocks moved = std::move(found->second);
  kept_.erase(found);
  Blocks& kept = kept_[&to];
  for (const auto& [size, addresses] : moved)
    kept[size].insert(kept[size].end(), addresses.begin(), addresses.end());
}

void DevicePool::trim() noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& [stream, blocks] : kept_) {
    for (const auto& [size, addresses] : blocks) {
      for (const DeviceAddress address : addresses) machine_.release(address);
    }
  }
  kept_.clear();
}

}  // namespace sinter::backends
