#include "apps/sinter/sizes.h"

#include <charconv>
#include <set>
#include <sstream>

#include <sinter/diagnostic.h>

namespace sinter::command {

namespace {

[[noreturn]] void refuse(const std::string& item, const std::string& reason,
                         const std::string& remedy) {
  throw RuntimeError(Diagnostic{
      .stage = "", .directive = "--size " + item, .reason = reason, .remedy = remedy, .file = ""});
}

}  // namespace

Sizes parse_sizes(const std::string& text, const Sizes& defaults) {
  Sizes sizes = defaults;
  std::set<std::string> given;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      refuse(item, "is not NAME=NUMBER", "write for instance " + to_string(defaults));
    const std::string name = item.substr(0, equals);
    const auto found = sizes.find(name);
    if (found == sizes.end())
      refuse(item, "this pipeline has no size '" + name + "'",
             "its sizes are " + to_string(defaults));
    if (!given.insert(name).second)
      refuse(item, "the size '" + name + "' is given twice", "give each size once");
    std::int64_t value = 0;
    const char* end = item.data() + item.size();
    const auto [stop, error] = std::from_chars(item.data() + equals + 1, end, value);
    if (error != std::errc() || stop != end || value <= 0 || value > 1'000'000'000) {
      refuse(item, "the number is not an integer from 1 to 1000000000",
             "write for instance " + name + "=" + std::to_string(found->second));
    }
    found->second = value;
  }
  return sizes;
}

std::string to_string(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(value);
  return text;
}

}  // namespace sinter::command
