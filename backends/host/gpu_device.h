#pragma once
// GpuDevice: compiled host code that launches kernels on a GpuMachine, and the device instances of the
// buffers of a call.

#include "backends/gpu_machine.h"

namespace sinter::backends {

class GpuDevice : public Device {
 public:
  explicit GpuDevice(std::shared_ptr<GpuMachine> machine) : machine_(std::move(machine)) {}
  std::string describe() const override { return machine_->describe(); }
  std::unique_ptr<Stream> make_stream() override { return machine_->make_stream(); }
  std::unique_ptr<Executable> load(const CompiledModule&) override;

 private:
  std::shared_ptr<GpuMachine> machine_;
};

}  // namespace sinter::backends
