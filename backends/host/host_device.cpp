#include "backends/host/host_device.h"

#include <array>
#include <fstream>

#include <sinter/diagnostic.h>
#include <sinter/runtime.h>

#include "backends/host/object_loader.h"
#include "backends/runtime/call.h"
#include "backends/runtime/call_checks.h"

namespace sinter::backends {

namespace {

/// Code for a level of x86-64 that this processor does not reach would end in an illegal
/// instruction.
void refuse_foreign_code(const CompiledModule& module) {
#if defined(__x86_64__)
  const std::string& wanted = module.target.architecture();
  __builtin_cpu_init();
  const bool runs = wanted == "x86-64-v4"
                        ? __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                    : wanted == "x86-64-v3"
                        ? __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                        : true;
  if (runs) return;
  Diagnostic diagnostic;
  diagnostic.reason = "this machine cannot run code for " + module.target.to_string();
  diagnostic.remedy = "compile for the target host, or for a lower level";
  throw DeviceError(diagnostic);
#else
  static_cast<void>(module);
#endif
}

class HostStream : public Stream {
 public:
  void synchronize() override {}
};

class HostExecutable : public Executable {
 public:
  explicit HostExecutable(const CompiledModule& module)
      : arguments_(module.arguments),
        object_(best_variant(module).bytes),
        entry_(reinterpret_cast<EntryFunction>(object_.address_of("sinter_entry"))) {
    for (const ir::Argument& argument : arguments_)
      slots_ += argument.is_buffer() ? 1 + 3 * argument.dimensions.size() : 1;
  }

  void launch(const ir::Arguments& given, Stream* stream) const override {
    call(arguments_, by_position(arguments_, given), stream);
  }

  void call(const std::vector<ir::Argument>&, std::span<const CallArgument> given,
            Stream*) const override {
    constexpr std::size_t Few = 96;
    std::array<std::uint64_t, Few> few;  // not initialised: packing writes all that is used
    std::vector<std::uint64_t> many;
    std::uint64_t* slots = few.data();
    if (slots_ > Few) {
      many.resize(slots_);
      slots = many.data();
    }
    pack_slots(arguments_, given, slots);
    Call context;
    if (entry_(slots, &context) == 0) return;
    throw RuntimeError(
        parse_diagnostic(context.failed ? context.message : "a parallel loop failed"));
  }

 private:
  static const Variant& best_variant(const CompiledModule& module) {
    ensure(module.kernels.size() == 1 && !module.kernels[0].variants.empty(),
           "a host module has one kernel");
    return module.kernels[0].variants[0];
  }

  std::vector<ir::Argument> arguments_;
  LoadedObject object_;
  EntryFunction entry_;
  std::size_t slots_ = 0;
};

}  // namespace

std::string HostDevice::describe() const {
  std::string model = "host";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    model = line.substr(line.find(':') + 2);
    break;
  }
  return model + ", " + std::to_string(num_threads()) + " threads";
}

std::unique_ptr<Stream> HostDevice::make_stream() { return std::make_unique<HostStream>(); }

std::unique_ptr<Executable> HostDevice::load(const CompiledModule& module) {
  refuse_foreign_code(module);
  return std::make_unique<HostExecutable>(module);
}

}  // namespace sinter::backends
