// Every directive has a picture before -> after, a test of its effect and one of its refusals.

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "dsl/schedule/directive_fields.h"

namespace sinter::schedule {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(std::string(SINTER_SOURCE_DIR) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Directives, AreDocumentedAndTested) {
  for (const char* method : DirectiveNames) {
    const std::string name = std::string(method) == "partition" ? "partition_loop" : method;
    const std::string header = contents("dsl/schedule/directives/" + name + ".h");
    EXPECT_NE(header.find("before"), std::string::npos) << name << " has no before/after picture";
    EXPECT_NE(header.find("after"), std::string::npos) << name << " has no before/after picture";
    EXPECT_NE(header.find("/// Refused"), std::string::npos) << name << " states no refusals";
    const std::string test = contents("tests/directives/" + name + "_test.cpp");
    EXPECT_NE(test.find("TEST("), std::string::npos) << name << " has no test";
    EXPECT_NE(test.find("refusal"), std::string::npos) << name << " has no test of a refusal";
    EXPECT_NE(test.find("text({"), std::string::npos) << name << " has no test of its text";
  }
}

}  // namespace
}  // namespace sinter::schedule
