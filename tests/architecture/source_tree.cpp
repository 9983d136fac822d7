#include "tests/architecture/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace sinter::tests {

namespace fs = std::filesystem;

namespace {

bool is_left_out(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  return entry.is_directory() && (name.starts_with("build") || name.starts_with(".") ||
                                  name == "carry" || name == "shared");
}

}  // namespace

std::vector<std::string> source_files(const std::vector<std::string>& endings) {
  const fs::path root = SINTER_SOURCE_DIR;
  std::vector<std::string> files;
  for (auto entry = fs::recursive_directory_iterator(root);
       entry != fs::recursive_directory_iterator(); ++entry) {
    if (is_left_out(*entry)) {
      entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file()) continue;
    const std::string path = entry->path().lexically_relative(root).generic_string();
    const bool wanted = endings.empty() ||
                        std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
                          return path.ends_with(ending);
                        });
    if (wanted) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_text(const std::string& path) {
  std::ifstream file(fs::path(SINTER_SOURCE_DIR) / path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace sinter::tests
