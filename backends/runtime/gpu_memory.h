#pragma once
// A GPU with what is kept for it, and the device's side of the memory of Buffers: which streams use
// it, so that each waits for what it must and for nothing else.

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include <sinter/buffer.h>

#include "backends/gpu_machine.h"
#include "backends/runtime/device_pool.h"

namespace sinter::backends {

struct Gpu {
  explicit Gpu(std::shared_ptr<GpuMachine>);
  /// Nobody enqueues on `stream` any more.
  void retire(Stream& stream);

  std::shared_ptr<GpuMachine> machine;
  DevicePool pool;
  std::shared_ptr<Stream> main;  // of calls without a stream
};

class GpuMemory : public DeviceSide {
 public:
  /// Memory for the use of `stream`, `phase` bytes from a multiple of 256.
  GpuMemory(std::shared_ptr<Gpu>, std::uint64_t bytes, std::uint64_t phase, std::string_view name,
            Stream& stream);
  /// The caller's.
  GpuMemory(std::shared_ptr<Gpu>, std::uint64_t bytes, DeviceAddress borrowed);
  ~GpuMemory() override;

  void copy_out(std::byte* to) override;
  void synchronize() override;

  /// What `stream` enqueues next may read; comes after all writes.
  void before_read(Stream& stream);
  /// May write; comes after all uses.
  void before_write(Stream& stream);

  DeviceAddress address() const { return address_; }
  const std::shared_ptr<Gpu>& gpu() const { return gpu_; }

 private:
  void forget_retired();

  std::shared_ptr<Gpu> gpu_;
  std::uint64_t phase_ = 0;
  DeviceAddress address_ = 0;
  std::uint64_t bytes_ = 0;
  bool owned_ = true;
  std::mutex mutex_;
  std::shared_ptr<Stream> writer_;                // of the last write; null: none that we know of
  std::vector<std::shared_ptr<Stream>> readers_;  // others that read since
};

/// The side of `memory` on this GPU, with all that was written when `needs_content`; made if there
/// is none, moved if it is on another. Under the memory's mutex.
GpuMemory& side_on(const std::shared_ptr<Gpu>&, BufferMemory& memory, std::string_view name,
                   bool needs_content, Stream&);

}  // namespace sinter::backends
