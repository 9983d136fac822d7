#include "apps/sinter/row.h"

#include <cstdio>

#include <nlohmann/json.hpp>

#include "apps/sinter/sizes.h"

namespace sinter::command {

namespace {

std::string fixed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string to_text(const Row& row) {
  std::string text =
      row.pipeline + "  " + row.target + "  " + row.schedule + "  " + to_string(row.size);
  if (row.ms) text += "  " + fixed("%.3f ms", *row.ms);
  if (row.gbps) text += "  " + fixed("%.2f GB/s", *row.gbps);
  if (row.gflops) text += "  " + fixed("%.2f Gop/s", *row.gflops);
  if (row.checked) {
    const std::string reference =
        row.against == "oracle" ? "the reference evaluator" : "schedule '" + row.against + "'";
    const std::string steps =
        row.tolerance == 1 ? "1 step" : std::to_string(row.tolerance) + " steps";
    if (!*row.checked)
      text += "  DIFFERS from " + reference + fixed(" by %g", row.max_error.value_or(0));
    else if (row.tolerance > 0)
      text += "  within " + steps + " of " + reference + ", " + std::to_string(row.tolerated) +
              " elements not equal";
    else text += "  equal to " + reference;
  }
  return text;
}

std::string to_json(const Row& row) {
  nlohmann::ordered_json size = nlohmann::ordered_json::object();
  for (const auto& [name, value] : row.size) size[name] = value;
  const nlohmann::ordered_json json = {
      {"pipeline", row.pipeline},      {"target", row.target},
      {"schedule", row.schedule},      {"size", size},
      {"ms", or_null(row.ms)},         {"gbps", or_null(row.gbps)},
      {"gflops", or_null(row.gflops)}, {"checked", row.checked.value_or(false)},
      {"against", row.against},        {"max_error", or_null(row.max_error)},
      {"tolerance", row.tolerance},    {"tolerated", row.tolerated}};
  return json.dump();
}

}  // namespace sinter::command
