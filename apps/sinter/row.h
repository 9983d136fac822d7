#pragma once
// What `sinter run` says about a run: one line for people or for machines.

#include <optional>
#include <string>

#include <sinter/registry.h>

namespace sinter::command {

struct Row {
  std::string pipeline, target, schedule;
  Sizes size;
  std::optional<double> ms, gbps, gflops;
  std::optional<bool> checked;  // false: the outputs differ
  std::string against;          // what they were compared with: "oracle" or a schedule's name
  std::optional<double> max_error;
  std::uint64_t tolerated = 0;  // elements that differ by at most `tolerance` steps of their type
  int tolerance = 0;
};

std::string to_text(const Row&);
std::string to_json(const Row&);

}  // namespace sinter::command
