#include <sinter/diagnostic.h>

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

void ensure(bool condition, const char* what, std::source_location where) {
  if (condition) return;
  throw InternalError(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                      ": internal error, please report it: " + what);
}

}  // namespace sinter
