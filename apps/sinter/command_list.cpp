// sinter list: every pipeline with its fields, sizes and schedules.

#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/sinter/commands.h"
#include "apps/sinter/sizes.h"

namespace sinter::command {

namespace {

const char* word(FieldKind kind) {
  switch (kind) {
    case FieldKind::Input:
      return "input";
    case FieldKind::Output:
      return "output";
    case FieldKind::Parameter:
      return "parameter";
  }
  return "";
}

std::string describe_field(const Field& field) {
  std::string text =
      std::string(word(field.kind)) + " " + field.name + ": " + to_string(field.type);
  if (field.kind != FieldKind::Parameter) text += " of rank " + std::to_string(field.rank);
  return text;
}

}  // namespace

int list(const Registry& registry, bool json) {
  for (const RegisteredPipeline& pipeline : registry.pipelines()) {
    const PipelineInfo& info = pipeline.info;
    const Sizes sizes = info.default_sizes(Target());
    if (json) {
      nlohmann::ordered_json fields = nlohmann::ordered_json::array();
      for (const Field& field : pipeline.fields) {
        fields.push_back({{"kind", word(field.kind)},
                          {"name", field.name},
                          {"type", to_string(field.type)},
                          {"rank", field.rank}});
      }
      nlohmann::ordered_json size = nlohmann::ordered_json::object();
      for (const auto& [name, value] : sizes) size[name] = value;
      const nlohmann::ordered_json line = {{"pipeline", info.name},
                                           {"description", info.description},
                                           {"fields", fields},
                                           {"size", size},
                                           {"parameters", info.parameters},
                                           {"schedules", info.schedules}};
      std::cout << line.dump() << "\n";
      continue;
    }
    std::cout << info.name << ": " << info.description << "\n";
    for (const Field& field : pipeline.fields) std::cout << "  " << describe_field(field) << "\n";
    std::cout << "  sizes " << to_string(sizes) << "\n  schedules";
    for (const std::string& name : info.schedules) std::cout << " " << name;
    std::cout << " auto auto_rewrites\n";
  }
  return 0;
}

}  // namespace sinter::command
