// sinter doctor: the machine, its GPUs, the build, and a small pipeline compiled and checked, here
// and on the emulator.

#include <fstream>
#include <iostream>
#include <thread>

#include <nlohmann/json.hpp>

#include <sinter/runtime.h>

#include "apps/sinter/commands.h"
#include "apps/sinter/session.h"
#include "backends/driver/gpu_devices.h"

namespace sinter::command {

namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

/// "passed" when a small blur, compiled with its tuned schedule, equals the reference evaluator.
std::string self_test(const Registry& registry, const Target& target) {
  try {
    const RegisteredPipeline* blur = registry.find("blur");
    if (!blur) return "the pipeline blur is not registered";
    const CallBuffers buffers = make_buffers(*blur, {{"width", 67}, {"height", 45}});
    CallBuffers wanted{
        .inputs = buffers.inputs,
        .outputs = {{"out", Buffer<>::make_with_shape_of(buffers.outputs.at("out"))}}};
    Session session(*blur, "tuned", target);
    session.run(buffers);
    session.evaluate(wanted);
    const Difference found = difference(buffers.outputs.at("out"), wanted.outputs.at("out"));
    return found.elements == 0
               ? "passed"
               : std::to_string(found.elements) + " elements of a small blur are wrong";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

int doctor(const Registry& registry, bool json) {
  const Target host;
  const std::string own = self_test(registry, host),
                    emulated = self_test(registry, Target("emulated-nvptx-sm_90a"));
  const backends::GpuFacts gpu = backends::gpu_facts();
  const nlohmann::ordered_json report = {{"processor", processor()},
                                         {"hardware_threads", std::thread::hardware_concurrency()},
                                         {"threads", num_threads()},
                                         {"target", host.to_string()},
                                         {"vector_bits", host.vector_bits()},
                                         {"cuda_driver", gpu.cuda_driver},
                                         {"gpus", gpu.devices},
                                         {"ptxas", gpu.ptxas},
                                         {"code_cache", gpu.cache_folder},
                                         {"code_cache_mib", gpu.cache_bytes >> 20},
                                         {"code_cache_most_mib", gpu.cache_most_bytes >> 20},
                                         {"self_test", own},
                                         {"self_test_emulated_gpu", emulated}};
  if (json) {
    std::cout << report.dump() << std::endl;
  } else {
    for (const auto& [name, value] : report.items()) {
      std::cout << name << ": " << (value.is_string() ? value.get<std::string>() : value.dump())
                << "\n";
    }
  }
  return own == "passed" && emulated == "passed" ? 0 : 1;
}

}  // namespace sinter::command
