// What sinter doctor says about GPUs.
#include <sinter/diagnostic.h>

#include "backends/driver/gpu_devices.h"
#include "backends/nvptx/cuda_machine.h"
#include "backends/nvptx/ptxas.h"
#include "backends/runtime/code_cache.h"

namespace sinter::backends {

GpuFacts gpu_facts() {
  GpuFacts facts;
  try {
    const CudaDriver& driver = cuda_driver();
    const int version = driver.version();
    facts.cuda_driver =
        "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    facts.devices = cuda_devices(driver);
  } catch (const Error& e) {
    facts.cuda_driver = e.diagnostic().reason;
  }
  try {
    const std::optional<Ptxas>& ptxas = ptxas_of_process();
    facts.ptxas = ptxas ? ptxas->path + ", " + ptxas->version
                        : "none; the driver compiles kernels at loading";
  } catch (const Error& e) {
    facts.ptxas = e.diagnostic().reason;
  }
  const CodeCache& cache = CodeCache::of_process();
  facts.cache_folder = cache.folder().string();
  facts.cache_bytes = cache.bytes();
  facts.cache_most_bytes = cache.most_bytes();
  return facts;
}

}  // namespace sinter::backends
