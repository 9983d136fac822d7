#include <sinter/diagnostic.h>

#include <algorithm>

namespace sinter {

std::string to_string(const Diagnostic& d) {
  std::string text;
  if (!d.file.empty()) text += d.file + ":" + std::to_string(d.line) + ": ";
  if (!d.stage.empty()) text += "stage '" + d.stage + "': ";
  if (!d.directive.empty()) text += d.directive + ": ";
  text += d.reason;
  if (!d.remedy.empty()) text += "\n  remedy: " + d.remedy;
  return text;
}

Diagnostic parse_diagnostic(const std::string& text) {
  Diagnostic d;
  std::string rest = text;
  const std::string stage = "stage '", remedy = "\n  remedy: ";
  if (const std::size_t end = rest.find("': ", stage.size());
      rest.starts_with(stage) && end != std::string::npos) {
    d.stage = rest.substr(stage.size(), end - stage.size());
    rest.erase(0, end + 3);
  }
  if (const std::size_t begin = rest.rfind(remedy); begin != std::string::npos) {
    d.remedy = rest.substr(begin + remedy.size());
    rest.erase(begin);
  }
  // A directive is a name with a list behind it, or an enumerator.
  const std::size_t name =
      std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), rest.size());
  const std::size_t end = rest.starts_with("TailStrategy::") ? rest.find(": ", 14)
                          : rest.starts_with("require: ")    ? 7
                          : rest.substr(name, 1) == "("      ? rest.find("): ")
                                                             : std::string::npos;
  if (end != std::string::npos) {
    const std::size_t length = end + (rest[end] == ')' ? 1 : 0);
    d.directive = rest.substr(0, length);
    rest.erase(0, length + 2);
  }
  d.reason = rest;
  return d;
}

void ensure(bool condition, const char* what, std::source_location where) {
  if (condition) return;
  throw InternalError(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                      ": internal error, please report it: " + what);
}

}  // namespace sinter
