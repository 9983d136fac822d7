#pragma once
// A GPU as the runtime sees it: memory, copies and launches. One implementation drives CUDA, others emulate.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "backends/backend.h"

namespace sinter::backends {

using DeviceAddress = std::uint64_t;

/// The kernels of a module on one machine. Launches may come from several threads.
class GpuKernels {
 public:
  virtual ~GpuKernels() = default;
  /// `parameters`: 8 bytes for each of the kernel's. Throws DeviceError.
  virtual void launch(std::size_t kernel, const std::int64_t (&blocks)[3], std::int64_t threads,
                      std::span<const std::uint64_t> parameters, Stream*) = 0;
};

class GpuMachine {
 public:
  virtual ~GpuMachine() = default;
  virtual std::string describe() const = 0;
  virtual std::unique_ptr<Stream> make_stream() = 0;
  /// Throws DeviceError naming `name` when there is no room.
  virtual DeviceAddress allocate(std::uint64_t bytes, const std::string& name) = 0;
  virtual void release(DeviceAddress) noexcept = 0;
  /// Copies are ordered with the launches of the stream; when download returns, the bytes are there.
  virtual void upload(DeviceAddress to, const void* from, std::uint64_t bytes, Stream*) = 0;
  virtual void download(void* to, DeviceAddress from, std::uint64_t bytes, Stream*) = 0;
  virtual std::unique_ptr<GpuKernels> load(const CompiledModule&) = 0;
};

}  // namespace sinter::backends
