#pragma once
// Memory of a device for repeated calls: what one call gives back the next one on the same stream
// takes, without a call of the driver and without waiting: the stream's order keeps the two apart.

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backends/gpu_machine.h"

namespace sinter::backends {

class DevicePool {
 public:
  explicit DevicePool(GpuMachine& machine) : machine_(machine) {}
  ~DevicePool();
  DevicePool(const DevicePool&) = delete;
  DevicePool& operator=(const DevicePool&) = delete;

  /// Memory to be used in the order of `stream`. When the device has no more, all that is kept is
  /// freed first.
  DeviceAddress take(std::uint64_t bytes, std::string_view name, Stream& stream);
  /// After the work on `stream` so far.
  void give(DeviceAddress, std::uint64_t bytes, Stream& stream) noexcept;
  /// What waits in `from` goes to `to`, which already waits for it.
  void move(Stream& from, Stream& to);
  /// Frees what is kept.
  void trim() noexcept;

 private:
  /// By size. What is empty stays, so that calls that repeat allocate nothing here.
  using Blocks = std::map<std::uint64_t, std::vector<DeviceAddress>>;
  static std::uint64_t rounded(std::uint64_t bytes);

  GpuMachine& machine_;
  std::mutex mutex_;
  std::unordered_map<Stream*, Blocks> kept_;  // under mutex_
};

}  // namespace sinter::backends
