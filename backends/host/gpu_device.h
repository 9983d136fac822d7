#pragma once
// GpuDevice: compiled host code that launches kernels on a GpuMachine, and the device's side of the
// buffers of a call.

#include "backends/runtime/gpu_memory.h"

namespace sinter::backends {

class GpuDevice : public Device {
 public:
  explicit GpuDevice(std::shared_ptr<GpuMachine> machine)
      : gpu_(std::make_shared<Gpu>(std::move(machine))) {}
  std::string describe() const override { return gpu_->machine->describe(); }
  std::unique_ptr<Stream> make_stream() override { return gpu_->machine->make_stream(); }
  std::unique_ptr<Executable> load(const CompiledModule&) override;
  const std::shared_ptr<Gpu>& gpu() const { return gpu_; }

 private:
  std::shared_ptr<Gpu> gpu_;
};

}  // namespace sinter::backends
