#pragma once
// A second backend: its machine code is the text of the IR, its processor the interpreter, and its
// queues hold work until they are waited for. It shows what backends/backend.h promises without
// machine code: modules of several kernels, kernels of several variants, work in order on streams.

#include <memory>

#include "backends/backend.h"

namespace sinter::test {

/// A device of version `capability`; of each kernel it takes the newest variant that it can run.
class TextDevice : public backends::Device {
 public:
  explicit TextDevice(int capability) : capability_(capability) {}
  std::string describe() const override { return "text device " + std::to_string(capability_); }
  std::unique_ptr<backends::Stream> make_stream() override;
  /// Throws DeviceError when a kernel has no variant that this device can run.
  std::unique_ptr<backends::Executable> load(const backends::CompiledModule&) override;

 private:
  int capability_;
};

/// Makes a kernel of each statement of the module's outermost block, in variants text-1 and text-2.
class TextBackend : public backends::Backend {
 public:
  std::string name() const override { return "text"; }
  bool accepts(const Target&) const override { return true; }
  backends::CompiledModule compile(const ir::Module&, const Target&,
                                   const backends::CompileOptions&) const override;
  std::shared_ptr<backends::Device> default_device(const Target&) const override {
    return std::make_shared<TextDevice>(2);
  }
};

/// How many pieces of work wait on a stream of a TextDevice.
std::size_t waiting(const backends::Stream&);

}  // namespace sinter::test
