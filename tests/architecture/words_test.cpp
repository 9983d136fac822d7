// What may not stand in any file: paths of one machine, unowned promises, machine-specific tuning.

#include <regex>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/architecture/source_tree.h"

namespace sinter::tests {
namespace {

TEST(Words, NoPathOfOneMachine) {
  // Spelled in pieces so that this file passes its own test.
  const std::regex machine_path(std::string("(^|[\\s\"'=(:`])/(") + "work|home|root|tmp|mnt|Users" +
                                ")/[A-Za-z0-9_.]");
  for (const std::string& path :
       source_files({".h", ".cpp", ".txt", ".cmake", ".md", ".py", ".json", "dev", "run"})) {
    std::istringstream lines(read_text(path));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      EXPECT_FALSE(std::regex_search(line, machine_path)) << path << ":" << number << ": " << line;
    }
  }
}

TEST(Words, NoOpenPromises) {
  const std::regex promise(std::string("\\b(TO") + "DO|FIX" + "ME|X" + "XX)\\b");
  for (const std::string& path : source_files({".h", ".cpp", ".cmake", "CMakeLists.txt", ".py"})) {
    std::istringstream lines(read_text(path));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      EXPECT_FALSE(std::regex_search(line, promise)) << path << ":" << number << ": " << line;
    }
  }
}

TEST(Words, HeadersAreGuardedByPragma) {
  for (const std::string& path : source_files({".h"})) {
    EXPECT_TRUE(read_text(path).starts_with("#pragma once"))
        << path << " does not begin with #pragma once";
  }
}

}  // namespace
}  // namespace sinter::tests
