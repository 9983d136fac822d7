#include "backends/runtime/code_cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include <unistd.h>

namespace sinter::backends {

namespace fs = std::filesystem;

namespace {

constexpr char Magic[8] = {'s', 'i', 'n', 't', 'e', 'r', 'c', '1'};
constexpr const char* Extension = ".code";

/// FNV-1a.
std::uint64_t hash(const std::string& text, std::uint64_t start = 0xcbf29ce484222325) {
  for (const char c : text) start = (start ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return start;
}

/// A file: this, the key, the content. The key is compared in full: two that hash alike are told
/// apart.
struct Header {
  char magic[8];
  std::uint64_t key_bytes, content_bytes, content_hash;
};

struct File {
  fs::path path;
  std::uint64_t bytes;
  fs::file_time_type used;
};

std::vector<File> files_in(const fs::path& folder) {
  std::vector<File> files;
  std::error_code failed;
  for (fs::directory_iterator i(folder, failed), end; !failed && i != end; i.increment(failed)) {
    const std::string extension = i->path().extension().string();
    if (extension != Extension && extension != ".tmp") continue;
    std::error_code gone;
    const std::uint64_t bytes = i->file_size(gone);
    const fs::file_time_type used = i->last_write_time(gone);
    if (!gone) files.push_back({i->path(), bytes, used});
  }
  return files;
}

}  // namespace

const CodeCache& CodeCache::of_process() {
  static const CodeCache cache = [] {
    const auto variable = [](const char* name) {
      const char* value = std::getenv(name);
      return std::string(value ? value : "");
    };
    fs::path folder = variable("SINTER_CACHE_DIR");
    if (!std::getenv("SINTER_CACHE_DIR")) {
      if (const std::string xdg = variable("XDG_CACHE_HOME"); !xdg.empty())
        folder = fs::path(xdg) / "sinter";
      else if (const std::string home = variable("HOME"); !home.empty())
        folder = fs::path(home) / ".cache" / "sinter";
    }
    const std::uint64_t mib = std::strtoull(variable("SINTER_CACHE_MIB").c_str(), nullptr, 10);
    return CodeCache(folder, (mib ? mib : 512) << 20);
  }();
  return cache;
}

fs::path CodeCache::file_of(const std::string& key) const {
  char name[40];
  std::snprintf(name, sizeof name, "%016llx%016llx", static_cast<unsigned long long>(hash(key)),
                static_cast<unsigned long long>(hash(key, key.size() + 1)));
  return folder_ / (std::string(name) + Extension);
}

std::optional<std::string> CodeCache::find(const std::string& key) const noexcept try {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = file_of(key);
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream all;
  all << file.rdbuf();
  const std::string text = std::move(all).str();
  Header header;
  if (text.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, text.data(), sizeof header);
  if (std::memcmp(header.magic, Magic, sizeof Magic) != 0 || header.key_bytes != key.size() ||
      text.compare(sizeof header, key.size(), key) != 0 ||
      header.content_bytes != text.size() - sizeof header - key.size()) {
    return std::nullopt;
  }
  std::string content = text.substr(sizeof header + key.size());
  if (hash(content) != header.content_hash) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // used now
  return content;
} catch (const std::exception&) {
  return std::nullopt;
}

void CodeCache::keep(const std::string& key, const std::string& content) const noexcept try {
  if (folder_.empty() || content.size() + key.size() > most_bytes_ / 2) return;
  fs::create_directories(folder_);
  static std::atomic<unsigned> counter{0};
  const fs::path path = file_of(key);
  const fs::path unfinished =
      path.string() + "." + std::to_string(::getpid()) + "." + std::to_string(counter++) + ".tmp";
  Header header;
  std::memcpy(header.magic, Magic, sizeof Magic);
  header.key_bytes = key.size();
  header.content_bytes = content.size();
  header.content_hash = hash(content);
  std::ofstream file(unfinished, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file << key << content;
  file.close();
  std::error_code failed;
  if (file)
    fs::rename(unfinished, path, failed);  // replaces what another process put there meanwhile
  if (!file || failed) fs::remove(unfinished, failed);
  else shrink();
} catch (const std::exception&) {  // a folder that cannot be written
}

void CodeCache::shrink() const {
  std::vector<File> files = files_in(folder_);
  std::uint64_t total = 0;
  for (const File& f : files) total += f.bytes;
  const auto now = fs::file_time_type::clock::now();
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.used < b.used; });
  const std::uint64_t enough =
      total > most_bytes_ ? most_bytes_ / 10 * 9 : most_bytes_;  // not at every call again
  for (const File& f : files) {
    const bool abandoned = f.path.extension() == ".tmp" && now - f.used > std::chrono::hours(1);
    if (total <= enough && !abandoned) continue;
    std::error_code ignored;
    if (fs::remove(f.path, ignored)) total -= f.bytes;
  }
}

std::uint64_t CodeCache::bytes() const noexcept try {
  std::uint64_t total = 0;
  for (const File& f : files_in(folder_)) total += f.bytes;
  return total;
} catch (const std::exception&) {
  return 0;
}

}  // namespace sinter::backends
