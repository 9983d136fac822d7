#pragma once
// Machine code on disk by what it was made from, shared by processes: files appear whole or not at
// all, one that is damaged counts as absent, and the ones longest unused go when there are too
// many. Nothing here throws: without a cache things take longer.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sinter::backends {

class CodeCache {
 public:
  /// An empty folder name: nothing is kept.
  CodeCache(std::filesystem::path folder, std::uint64_t most_bytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}
  /// In SINTER_CACHE_DIR, else sinter in XDG_CACHE_HOME or ~/.cache; of SINTER_CACHE_MIB (512). An
  /// empty SINTER_CACHE_DIR: none.
  static const CodeCache& of_process();

  std::optional<std::string> find(const std::string& key) const noexcept;
  void keep(const std::string& key, const std::string& content) const noexcept;

  const std::filesystem::path& folder() const { return folder_; }
  std::uint64_t most_bytes() const { return most_bytes_; }
  std::uint64_t bytes() const noexcept;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  void shrink() const;

  std::filesystem::path folder_;
  std::uint64_t most_bytes_;
};

}  // namespace sinter::backends
