// Every block of C++ that a page quotes stands in the program beside it.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

/// Lines without indentation, comments of their own and blank lines.
std::vector<std::string> code_of(std::istream& in, const std::string& end = "") {
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    line = begin == std::string::npos ? "" : line.substr(begin);
    if (!end.empty() && line == end) break;
    if (!line.empty() && !line.starts_with("//")) lines.push_back(line);
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(SINTER_SOURCE_DIR "/tutorials")) {
    if (entry.path().extension() == ".md" && entry.path().stem() != "README")
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Quotes, StandInTheProgramBesideThePage) {
  int quotes = 0;
  for (const fs::path& page : pages()) {
    const fs::path program = fs::path(page).replace_extension(".cpp");
    ASSERT_TRUE(fs::exists(program)) << page << " has no program";
    std::ifstream source(program), text(page);
    const std::vector<std::string> code = code_of(source);
    for (std::string line; std::getline(text, line);) {
      if (line != "```cpp") continue;
      const std::vector<std::string> quote = code_of(text, "```");
      ++quotes;
      EXPECT_NE(std::search(code.begin(), code.end(), quote.begin(), quote.end()), code.end())
          << program << " does not contain:\n"
          << joined(quote);
    }
  }
  EXPECT_GE(quotes, 20);
}

}  // namespace
