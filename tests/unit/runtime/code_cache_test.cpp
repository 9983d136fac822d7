// Machine code on disk.
#include "backends/runtime/code_cache.h"

#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sinter::backends {
namespace {

namespace fs = std::filesystem;

class CodeCacheTest : public ::testing::Test {
 public:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sinter-cache-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

 protected:
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& f : fs::directory_iterator(folder_)) found.push_back(f.path());
    return found;
  }
  fs::path folder_;
};

TEST_F(CodeCacheTest, GivesBackWhatWasKept) {
  const CodeCache cache(folder_ / "made" / "at need", 1 << 20);
  EXPECT_FALSE(cache.find("key"));
  cache.keep("key", std::string("a\0b\n", 4));
  EXPECT_EQ(cache.find("key"), std::string("a\0b\n", 4));
  EXPECT_FALSE(cache.find("key "));
  cache.keep("key", "");
  EXPECT_EQ(cache.find("key"), "");
}

TEST_F(CodeCacheTest, DamagedFilesCountAsAbsent) {
  const CodeCache cache(folder_, 1 << 20);
  const std::string key(1000, 'k'), content(1000, 'c');
  cache.keep(key, content);
  ASSERT_EQ(files().size(), 1u);
  const fs::path path = files()[0];
  std::ifstream file(path, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(file)), {});
  for (std::size_t at = 0; at < good.size(); at += 13) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    std::ofstream(path, std::ios::binary) << bad;
    EXPECT_FALSE(cache.find(key)) << at;
    std::ofstream(path, std::ios::binary) << good.substr(0, at);
    EXPECT_FALSE(cache.find(key)) << at;
  }
  cache.keep(key, content);
  EXPECT_EQ(cache.find(key), content);
}

TEST_F(CodeCacheTest, TheLongestUnusedGoFirst) {
  const CodeCache cache(folder_, 100000);
  const std::string content(9900, 'c');
  const auto age = [&](const fs::path& path, int hours) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (int i = 0; i < 9; ++i) cache.keep("key" + std::to_string(i), content);
  for (const fs::path& path : files()) age(path, 10);
  EXPECT_TRUE(cache.find("key3"));  // used now
  for (int i = 9; i < 13; ++i) cache.keep("key" + std::to_string(i), content);
  EXPECT_LE(cache.bytes(), cache.most_bytes());
  EXPECT_TRUE(cache.find("key3"));
  EXPECT_TRUE(cache.find("key12"));
  std::ofstream(folder_ / "x.1.tmp") << "of a process that died";
  age(folder_ / "x.1.tmp", 2);
  cache.keep("another", "c");
  EXPECT_FALSE(fs::exists(folder_ / "x.1.tmp"));
}

TEST_F(CodeCacheTest, ProcessesShareIt) {
  const auto content_of = [](int key) {
    return std::string(static_cast<std::size_t>(1000 + key), char('a' + key));
  };
  std::vector<pid_t> children;
  for (int p = 0; p < 4; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      const CodeCache cache(folder_, 20000);  // so small that files go all the time
      bool right = true;
      for (int i = 0; i < 400; ++i) {
        const int key = (i * 7 + p) % 20;
        const auto found = cache.find(std::to_string(key));
        right = right && (!found || *found == content_of(key));
        cache.keep(std::to_string(key), content_of(key));
      }
      _exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const fs::path& path : files()) EXPECT_EQ(path.extension(), ".code");
}

TEST_F(CodeCacheTest, WithoutAFolderNothingIsKept) {
  const CodeCache none("", 1 << 20), unwritable("/proc/none", 1 << 20);
  for (const CodeCache* cache : {&none, &unwritable}) {
    cache->keep("key", "content");
    EXPECT_FALSE(cache->find("key"));
    EXPECT_EQ(cache->bytes(), 0u);
  }
}

}  // namespace
}  // namespace sinter::backends
