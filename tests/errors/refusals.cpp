#include "tests/errors/refusals.h"

#include <fstream>

namespace sinter::test {

namespace {

std::string line_of(const std::string& file, unsigned number) {
  // Compiler caches may have made the path relative to the build folder.
  const std::size_t start = file.find("tests/");
  std::ifstream in(file.starts_with("/") || start == std::string::npos
                       ? file
                       : SINTER_SOURCE_DIR "/" + file.substr(start));
  std::string line;
  for (unsigned i = 0; i < number && std::getline(in, line); ++i) {
  }
  return line;
}

}  // namespace

void expect_same_parts(const Diagnostic& expected, const Diagnostic& got, bool has_line) {
  EXPECT_EQ(got.stage, expected.stage);
  EXPECT_EQ(got.directive, expected.directive);
  EXPECT_EQ(got.reason, expected.reason);
  EXPECT_EQ(got.remedy, expected.remedy);
  EXPECT_NE(got.remedy, "");
  if (!has_line) return;
  EXPECT_NE(got.line, 0u) << to_string(got);
  const std::string line = line_of(got.file, got.line);
  EXPECT_TRUE(line.ends_with(Mark)) << got.file << ":" << got.line << ": " << line;
}

}  // namespace sinter::test
