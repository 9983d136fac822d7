#pragma once
// This process as a device: loads objects and calls them at once.

#include "backends/backend.h"

namespace sinter::backends {

class HostDevice : public Device {
 public:
  std::string describe() const override;
  std::unique_ptr<Stream> make_stream() override;
  std::unique_ptr<Executable> load(const CompiledModule&) override;
};

}  // namespace sinter::backends
