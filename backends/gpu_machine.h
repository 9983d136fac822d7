#pragma once
// A GPU as the runtime sees it: memory, copies, launches, graphs. One implementation drives CUDA,
// others emulate.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace sinter::backends {

using DeviceAddress = std::uint64_t;

/// The kernels of a module on one machine. Launches may come from several threads.
class GpuKernels {
 public:
  virtual ~GpuKernels() = default;
  /// `parameters`: 8 bytes for each of the kernel's. Throws DeviceError.
  virtual void launch(std::size_t kernel, const std::int64_t (&blocks)[3], std::int64_t threads,
                      std::span<const std::uint64_t> parameters, Stream&) = 0;
  /// What they need, by position; all 0 where the machine does not know.
  virtual KernelResources resources(std::size_t) const { return {}; }
};

/// What the launches of a kernel did, on machines that count.
struct KernelStatistics {
  std::string kernel;
  std::uint64_t launches = 0;
  std::uint64_t instructions = 0;                          // of warps
  std::uint64_t barriers = 0;                              // completed
  std::uint64_t bank_conflicts = 0;                        // extra wavefronts of shared accesses
  std::uint64_t global_requests = 0, global_sectors = 0;   // of 32 bytes
  std::map<std::string, std::uint64_t> bank_conflicts_of;  // by stage in shared memory
};

/// Launches that were captured.
class GpuGraph {
 public:
  virtual ~GpuGraph() = default;
  virtual void launch(Stream&) = 0;
};

class GpuMachine {
 public:
  virtual ~GpuMachine() = default;
  virtual std::string describe() const = 0;
  virtual std::unique_ptr<Stream> make_stream() = 0;
  /// The caller's stream; `main` is what waits for it when it retires.
  virtual std::unique_ptr<Stream> wrap_stream(void* handle, std::shared_ptr<Stream> main) = 0;

  /// Throws DeviceError naming `name` when there is no room.
  virtual DeviceAddress allocate(std::uint64_t bytes, const std::string& name) = 0;
  /// Waits for work that uses it.
  virtual void release(DeviceAddress) noexcept = 0;
  /// Memory of the host that copies are fast from and to; freed with its last holder. Throws
  /// DeviceError.
  virtual std::shared_ptr<void> allocate_host(std::uint64_t bytes) = 0;
  /// Freed memory may serve again; an emulator that wants to see what is undefined says no.
  virtual bool may_reuse_memory() const { return true; }
  /// Throws DeviceError unless [address, address + bytes) is memory of this device.
  virtual void check_address(DeviceAddress, std::uint64_t bytes, const std::string& name) = 0;
  /// Its number among the driver's devices; -1: emulated.
  virtual int ordinal() const { return -1; }

  /// Copies are enqueued. `from` may change when upload returns, unless allocate_host gave it; the
  /// bytes of download are there after Stream::synchronize.
  virtual void upload(DeviceAddress to, const void* from, std::uint64_t bytes, Stream&) = 0;
  virtual void download(void* to, DeviceAddress from, std::uint64_t bytes, Stream&) = 0;
  /// The same for a stage's memory, which may be larger than what was computed.
  virtual void download_stage(void* to, DeviceAddress from, std::uint64_t bytes, Stream& stream) {
    download(to, from, bytes, stream);
  }
  virtual std::unique_ptr<GpuKernels> load(const CompiledModule&) = 0;
  /// Since the last call, by kernel in the order of their first launch; empty: it counts nothing.
  virtual std::vector<KernelStatistics> take_statistics() { return {}; }

  /// Launches on the stream are kept instead of run, until end_capture.
  virtual void begin_capture(Stream&) = 0;
  virtual std::unique_ptr<GpuGraph> end_capture(Stream&) = 0;
};

}  // namespace sinter::backends
