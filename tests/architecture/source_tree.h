#pragma once
// The repository's own files, for tests that read the sources. Build folders and hidden ones are
// left out.

#include <string>
#include <vector>

namespace sinter::tests {

/// Paths relative to the root, sorted, of files ending in one of `endings` (all files when empty).
std::vector<std::string> source_files(const std::vector<std::string>& endings);
/// The content of a file of the repository.
std::string read_text(const std::string& path);

}  // namespace sinter::tests
