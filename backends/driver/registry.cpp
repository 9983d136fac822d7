// Which backend compiles for which target, and on what its code runs.
#include <map>
#include <mutex>

#include <sinter/diagnostic.h>

#include "backends/driver/gpu_devices.h"
#include "backends/emulator/emulated_machine.h"
#include "backends/host/host_backend.h"
#include "backends/nvptx/cuda_machine.h"
#include "backends/nvptx/nvptx_backend.h"

namespace sinter::backends {

namespace {

std::shared_ptr<GpuMachine> machine_of(const Target& target) {
  if (!target.is_emulated()) return cuda_machine(target.architecture());
  static auto* const machines = new std::map<std::string, std::shared_ptr<GpuMachine>>;
  auto& machine = (*machines)[target.architecture()];
  if (!machine) machine = emulator::emulated_ptx_machine(target.architecture(), 1);
  return machine;
}

}  // namespace

std::shared_ptr<GpuDevice> gpu_device_for(const Target& target) {
  if (target.family() != Target::Family::Nvptx) {
    throw DeviceError(
        Diagnostic{"",
                   "",
                   "the target " + target.to_string() + " has no device with memory of its own",
                   "name a target such as nvptx-sm_90a or emulated-nvptx-sm_90a",
                   {},
                   0});
  }
  // One for each machine, so that pipelines share buffers; never torn down: buffers may outlive
  // main().
  static std::mutex mutex;
  static auto* const devices = new std::map<GpuMachine*, std::shared_ptr<GpuDevice>>;
  const std::lock_guard lock(mutex);
  const std::shared_ptr<GpuMachine> machine = machine_of(target);
  auto& device = (*devices)[machine.get()];
  if (!device) device = std::make_shared<GpuDevice>(machine);
  return device;
}

const Backend& backend_for(const Target& target) {
  static const HostBackend host;
  static const NvptxBackend nvptx(gpu_device_for);
  for (const Backend* backend :
       {static_cast<const Backend*>(&host), static_cast<const Backend*>(&nvptx)}) {
    if (backend->accepts(target)) return *backend;
  }
  Diagnostic diagnostic;
  diagnostic.reason = "this build has no backend for the target '" + target.to_string() + "'";
  diagnostic.remedy = "use the target host or nvptx-sm_<n>";
  throw CompileError(diagnostic);
}

}  // namespace sinter::backends
