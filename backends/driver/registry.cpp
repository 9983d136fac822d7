// Which backend compiles for which target, and on what its code runs.
#include <sinter/diagnostic.h>

#include "backends/emulator/emulated_machine.h"
#include "backends/host/gpu_device.h"
#include "backends/host/host_backend.h"
#include "backends/nvptx/cuda_machine.h"
#include "backends/nvptx/nvptx_backend.h"

namespace sinter::backends {

namespace {

std::shared_ptr<Device> nvidia_device(const Target& target) {
  if (target.is_emulated()) return std::make_shared<GpuDevice>(emulator::emulated_ptx_machine(target.architecture(), 1));
  return std::make_shared<GpuDevice>(cuda_machine(target.architecture()));
}

}  // namespace

const Backend& backend_for(const Target& target) {
  static const HostBackend host;
  static const NvptxBackend nvptx(nvidia_device);
  for (const Backend* backend : {static_cast<const Backend*>(&host), static_cast<const Backend*>(&nvptx)}) {
    if (backend->accepts(target)) return *backend;
  }
  Diagnostic diagnostic;
  diagnostic.reason = "this build has no backend for the target '" + target.to_string() + "'";
  diagnostic.remedy = "use the target host or nvptx-sm_<n>";
  throw CompileError(diagnostic);
}

}  // namespace sinter::backends
