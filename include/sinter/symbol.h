#pragma once
// Symbol: the identity of everything that has a name (Var, Func, buffer, loop, let, parameter).
// Explicitly named symbols are equal when their names are; fresh ones are equal only to themselves.
// Names are for people: code compares symbols, printers make names unique.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace sinter {

class Symbol {
 public:
  /// The empty symbol; equal only to other empty ones.
  Symbol() = default;
  /// The symbol that *is* this name.
  static Symbol named(std::string name);
  /// A symbol equal to nothing else; `name` is what printers start from.
  static Symbol fresh(std::string name);

  explicit operator bool() const { return data_ != nullptr; }
  const std::string& name() const;
  bool is_fresh() const { return data_ && data_->id != 0; }
  std::uint64_t hash() const { return data_ ? data_->hash : 0; }

  friend bool operator==(const Symbol& a, const Symbol& b) {
    if (a.data_ == b.data_) return true;
    if (!a.data_ || !b.data_ || a.data_->id != b.data_->id) return false;
    return a.data_->id == 0 && a.data_->name == b.data_->name;
  }
  /// A total order: fresh symbols by age, then named ones by name. For deterministic containers.
  friend bool operator<(const Symbol& a, const Symbol& b) {
    const std::uint64_t ia = a.data_ ? a.data_->id : 0;
    const std::uint64_t ib = b.data_ ? b.data_->id : 0;
    if (ia != ib) return ia < ib;
    return ia == 0 && a.name() < b.name();
  }

 private:
  struct Data {
    std::uint64_t id = 0;  // 0: the name is the identity
    std::uint64_t hash = 0;
    std::string name;
  };
  explicit Symbol(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace sinter

template <>
struct std::hash<sinter::Symbol> {
  std::size_t operator()(const sinter::Symbol& s) const { return s.hash(); }
};
