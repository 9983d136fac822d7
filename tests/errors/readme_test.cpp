// The table in README.md and the tests agree.

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace {

TEST(Readme, HasARowForEachTestAndATestForEachRow) {
  std::ifstream file(SINTER_SOURCE_DIR "/tests/errors/README.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::set<std::string> rows, tests;
  const std::regex name("\\w+Errors\\.\\w+");
  for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it)
    rows.insert(it->str());
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    if (std::string(suite.name()) == "Readme") continue;
    for (int t = 0; t < suite.total_test_count(); ++t) {
      tests.insert(std::string(suite.name()) + "." + suite.GetTestInfo(t)->name());
    }
  }
  EXPECT_EQ(rows, tests);
}

}  // namespace
