// The dependency rule as a test: every #include "..." and <sinter/...> of the repository against
// allowed_includes.txt, and the headers of other libraries against the folders that may use them.

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/architecture/source_tree.h"

namespace sinter::tests {
namespace {

struct Rule {
  std::string folder;                  // "dsl/ir", "backends/*.h" or one file
  std::vector<std::string> allowed;    // folders or files
  std::vector<std::string> libraries;  // header prefixes
};

bool covers(const std::string& pattern, const std::string& path) {
  if (pattern == path) return true;
  if (pattern.ends_with("/*.h")) {
    const std::string folder = pattern.substr(0, pattern.size() - 3);
    return path.starts_with(folder) && path.ends_with(".h") &&
           path.find('/', folder.size()) == std::string::npos;
  }
  return path.starts_with(pattern + "/");
}

std::vector<Rule> read_rules(const std::string& text) {
  std::vector<Rule> rules;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Rule rule;
    std::string arrow;
    words >> rule.folder >> arrow;
    EXPECT_EQ(arrow, "->") << line;
    for (std::string word; words >> word;) {
      if (word[0] == '<') rule.libraries.push_back(word.substr(1));
      else rule.allowed.push_back(word);
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

/// The most specific rule: the longest pattern that covers the file.
const Rule* rule_of(const std::vector<Rule>& rules, const std::string& path) {
  const Rule* best = nullptr;
  for (const Rule& rule : rules) {
    if (covers(rule.folder, path) && (!best || rule.folder.size() > best->folder.size()))
      best = &rule;
  }
  return best;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.find_last_of('/')); }

struct Include {
  int line;
  std::string header;
};

std::vector<Include> includes_of(const std::string& text) {
  std::vector<Include> found;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line.compare(hash, 8, "#include") != 0) continue;
    const std::size_t open = line.find_first_of("<\"", hash + 8);
    if (open == std::string::npos) continue;
    const std::size_t close = line.find_first_of(">\"", open + 1);
    if (close == std::string::npos) continue;
    found.push_back({number, line.substr(open + 1, close - open - 1)});
  }
  return found;
}

/// One line per include that the rules forbid.
std::vector<std::string> violations(const std::vector<Rule>& rules, const std::string& path,
                                    const std::string& text, const std::vector<std::string>& tree) {
  std::vector<std::string> broken;
  const Rule* rule = rule_of(rules, path);
  if (!rule) return {path + ": no line of allowed_includes.txt covers this file"};
  for (const Include& include : includes_of(text)) {
    const std::string where = path + ":" + std::to_string(include.line) + ": " + rule->folder;
    const std::string target =
        include.header.starts_with("sinter/") ? "include/" + include.header : include.header;
    if (std::binary_search(tree.begin(), tree.end(), target)) {
      const bool own = folder_of(target) == folder_of(path) || covers(rule->folder, target);
      const bool listed = std::any_of(rule->allowed.begin(), rule->allowed.end(),
                                      [&](const std::string& a) { return covers(a, target); });
      if (!own && !listed) broken.push_back(where + " may not include " + include.header);
      continue;
    }
    bool restricted = false, granted = false;
    for (const Rule& other : rules) {
      for (const std::string& prefix : other.libraries) {
        if (!include.header.starts_with(prefix)) continue;
        restricted = true;
        granted |= &other == rule;
      }
    }
    if (restricted && !granted)
      broken.push_back(where + " may not use the library header " + include.header);
  }
  return broken;
}

TEST(IncludeRules, HoldInTheWholeTree) {
  const std::vector<Rule> rules = read_rules(read_text("tests/architecture/allowed_includes.txt"));
  const std::vector<std::string> tree = source_files({".h", ".cpp"});
  ASSERT_GT(tree.size(), 20u);
  for (const std::string& path : tree) {
    if (path.find("/peer/") != std::string::npos) continue;  // see PeersIncludeNothingOfOurs
    for (const std::string& line : violations(rules, path, read_text(path), tree))
      ADD_FAILURE() << line;
  }
}

TEST(IncludeRules, PeersIncludeNothingOfOurs) {
  const std::vector<std::string> tree = source_files({".h", ".cpp"});
  for (const std::string& path : tree) {
    if (path.find("/peer/") == std::string::npos) continue;
    for (const Include& include : includes_of(read_text(path))) {
      const bool ours = include.header.starts_with("sinter/") ||
                        (std::binary_search(tree.begin(), tree.end(), include.header) &&
                         include.header.find("/peer/") == std::string::npos);
      EXPECT_FALSE(ours) << path << ":" << include.line << ": a peer includes " << include.header;
    }
  }
}

TEST(IncludeRules, NameTheOffender) {
  const std::vector<Rule> rules = read_rules(
      "dsl/ir -> include/sinter\n"
      "dsl/lowering -> dsl/ir include/sinter\n"
      "backends/*.h -> dsl/ir\n"
      "backends/llvm -> backends/*.h dsl/ir <llvm/\n");
  const std::vector<std::string> tree = {"backends/backend.h", "backends/llvm/emit.h",
                                         "dsl/ir/node.h", "dsl/lowering/passes.h",
                                         "include/sinter/expr.h"};
  const auto check = [&](const std::string& path, const std::string& text) {
    const std::vector<std::string> found = violations(rules, path, text, tree);
    return found.empty() ? std::string() : found.front();
  };
  EXPECT_EQ(check("dsl/lowering/passes.cpp", "#include <vector>\n#include \"dsl/ir/node.h\"\n"),
            "");
  EXPECT_EQ(check("dsl/ir/node.cpp", "\n#include \"dsl/lowering/passes.h\"\n"),
            "dsl/ir/node.cpp:2: dsl/ir may not include dsl/lowering/passes.h");
  EXPECT_EQ(
      check("dsl/lowering/passes.cpp", "#include <llvm/IR/Module.h>"),
      "dsl/lowering/passes.cpp:1: dsl/lowering may not use the library header llvm/IR/Module.h");
  EXPECT_EQ(check("backends/llvm/emit.cpp",
                  "#include <llvm/IR/Module.h>\n#include \"backends/backend.h\""),
            "");
  EXPECT_EQ(check("backends/backend.h", "#include \"backends/llvm/emit.h\""),
            "backends/backend.h:1: backends/*.h may not include backends/llvm/emit.h");
  EXPECT_EQ(check("somewhere/else.cpp", ""),
            "somewhere/else.cpp: no line of allowed_includes.txt covers this file");
}

}  // namespace
}  // namespace sinter::tests
