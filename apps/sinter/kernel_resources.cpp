#include "apps/sinter/kernel_resources.h"

#include <nlohmann/json.hpp>

#include "dsl/base/gpu_limits.h"

namespace sinter::command {

namespace {

nlohmann::ordered_json resources_of(const backends::KernelCall& call, const GpuLimits& limits) {
  const backends::KernelResources& r = call.resources;
  const std::int64_t shared = r.shared + static_cast<std::int64_t>(call.shared_bytes);
  nlohmann::ordered_json object = {{"kernel", call.name}};
  if (call.source) {
    object["stage"] = call.source->name();
    object["file"] = call.source->where.file_name();
    object["line"] = call.source->where.line();
  }
  object["threads"] = call.threads;
  object["shared_bytes"] = shared;
  if (r.registers == 0) return object;
  const Occupancy fits = occupancy(limits, call.threads, r.registers, shared);
  object["registers"] = r.registers;
  object["spill_store_bytes"] = r.spill_stores;
  object["spill_load_bytes"] = r.spill_loads;
  object["local_bytes"] = r.stack;
  object["blocks_per_multiprocessor"] = fits.blocks;
  object["occupancy_percent"] = fits.percent;
  object["limited_by"] = fits.limited_by;
  return object;
}

std::string line_of(const nlohmann::ordered_json& o) {
  const auto number = [&](const char* key) { return std::to_string(o[key].get<std::int64_t>()); };
  std::string text = o["kernel"].get<std::string>();
  if (o.contains("stage")) {
    text += ", " + o["stage"].get<std::string>() + " (" + o["file"].get<std::string>() + ":" +
            number("line") + ")";
  }
  text += ": " + number("threads") + " threads, " + number("shared_bytes") +
          " bytes of shared memory, ";
  if (!o.contains("registers")) return text + "registers not known: there is no ptxas\n";
  return text + number("registers") + " registers, spilled: " + number("spill_store_bytes") +
         " bytes stored, " + number("spill_load_bytes") +
         " loaded, local memory: " + number("local_bytes") + " bytes; " +
         number("blocks_per_multiprocessor") + " blocks on a multiprocessor, occupancy " +
         number("occupancy_percent") + " %, limited by " + o["limited_by"].get<std::string>() +
         "\n";
}

}  // namespace

std::string kernel_resources(const backends::CompiledModule& module, bool json) {
  const GpuLimits limits = gpu_limits(module.target.architecture());
  std::string text;
  for (const backends::KernelCall& call : module.kernel_calls) {
    const nlohmann::ordered_json object = resources_of(call, limits);
    text += json ? object.dump() + "\n" : line_of(object);
  }
  return text;
}

}  // namespace sinter::command
