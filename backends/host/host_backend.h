#pragma once
// The host as a backend: objects made by LLVM, loaded into this process, loops run by the pool.

#include "backends/backend.h"

namespace sinter::backends {

class HostBackend : public Backend {
 public:
  std::string name() const override { return "host"; }
  bool accepts(const Target& target) const override { return target.is_host(); }
  CompiledModule compile(const ir::Module&, const Target&, const CompileOptions&) const override;
  std::shared_ptr<Device> default_device(const Target&) const override;
};

}  // namespace sinter::backends
