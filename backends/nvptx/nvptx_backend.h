#pragma once
// Host code with launches, and the kernels as PTX.

#include <functional>

#include "backends/backend.h"

namespace sinter::backends {

class NvptxBackend : public Backend {
 public:
  using DeviceFor = std::function<std::shared_ptr<Device>(const Target&)>;
  explicit NvptxBackend(DeviceFor device_for) : device_for_(std::move(device_for)) {}
  std::string name() const override { return "nvptx"; }
  bool accepts(const Target& target) const override {
    return target.family() == Target::Family::Nvptx;
  }
  CompiledModule compile(const ir::Module&, const Target&, const CompileOptions&) const override;
  std::shared_ptr<Device> default_device(const Target& target) const override {
    return device_for_(target);
  }

 private:
  DeviceFor device_for_;
};

}  // namespace sinter::backends
