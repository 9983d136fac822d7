#include <sinter/symbol.h>

#include <atomic>

namespace sinter {

namespace {
std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}
}  // namespace

Symbol Symbol::named(std::string name) {
  const std::uint64_t hash = mix(std::hash<std::string>{}(name));
  return Symbol(std::make_shared<const Data>(Data{0, hash, std::move(name)}));
}

Symbol Symbol::fresh(std::string name) {
  static std::atomic<std::uint64_t> next{1};  // ids only ever grow; nothing is kept per id
  const std::uint64_t id = next.fetch_add(1, std::memory_order_relaxed);
  return Symbol(std::make_shared<const Data>(Data{id, mix(id), std::move(name)}));
}

const std::string& Symbol::name() const {
  static const std::string empty;
  return data_ ? data_->name : empty;
}

}  // namespace sinter
