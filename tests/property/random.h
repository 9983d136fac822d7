#pragma once
// The one source of chance: the same seed gives the same choices on every machine.

#include <cstdint>
#include <vector>

namespace sinter::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u) {
    next();
  }

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Both ends included.
  int in(int low, int high) {
    return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return in(0, 99) < percent; }
  std::size_t index(std::size_t size) { return static_cast<std::size_t>(next() % size); }
  template <typename T>
  const T& pick(const std::vector<T>& list) {
    return list[index(list.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace sinter::test
