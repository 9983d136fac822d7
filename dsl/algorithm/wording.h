#pragma once
// How the front end puts its refusals into words.

#include <cstddef>
#include <string>
#include <utility>

#include <sinter/diagnostic.h>

namespace sinter {

inline Diagnostic make_diagnostic(std::string stage, std::string directive, std::string reason,
                                  std::string remedy) {
  Diagnostic diagnostic;
  diagnostic.stage = std::move(stage);
  diagnostic.directive = std::move(directive);
  diagnostic.reason = std::move(reason);
  diagnostic.remedy = std::move(remedy);
  return diagnostic;
}

/// "1 dimension", "3 dimensions".
template <typename Count>
std::string counted(Count count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace sinter
