#pragma once
// ElementMap: coordinates -> values, the memory of the oracle. Open addressing over flat arrays; an
// element's number stays the same while others are added.

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "dsl/ir/scalar.h"

namespace sinter {

class ElementMap {
 public:
  static constexpr std::uint32_t None = std::numeric_limits<std::uint32_t>::max();

  /// Keys of `rank` coordinates, `width` values for each.
  ElementMap(std::size_t rank, std::size_t width) : rank_(rank), width_(width), slots_(16, None) {}

  std::uint32_t find(const std::int64_t* key) const { return slots_[slot_of(key)]; }

  /// The element's number; its values are default Scalars when it is new.
  std::uint32_t insert(const std::int64_t* key) {
    std::size_t slot = slot_of(key);
    if (slots_[slot] != None) return slots_[slot];
    if (2 * (size_ + 1) > slots_.size()) {
      grow();
      slot = slot_of(key);
    }
    slots_[slot] = size_;
    keys_.insert(keys_.end(), key, key + rank_);
    values_.resize(values_.size() + width_);
    return size_++;
  }

  /// Valid until the next insert.
  ir::Scalar* values(std::uint32_t element) { return values_.data() + element * width_; }
  std::uint32_t size() const { return size_; }

 private:
  std::size_t slot_of(const std::int64_t* key) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (std::size_t d = 0; d < rank_; ++d) {
      hash = (hash ^ static_cast<std::uint64_t>(key[d])) * 0xff51afd7ed558ccd;
      hash ^= hash >> 32;
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot] != None && !equal(slots_[slot], key)) slot = (slot + 1) & mask;
    return slot;
  }
  bool equal(std::uint32_t element, const std::int64_t* key) const {
    return rank_ == 0 ||
           std::memcmp(keys_.data() + element * rank_, key, rank_ * sizeof(*key)) == 0;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, None);
    for (std::uint32_t e = 0; e < size_; ++e) slots_[slot_of(keys_.data() + e * rank_)] = e;
  }

  std::size_t rank_, width_;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> slots_;  // a power of two, at most half full
  std::vector<std::int64_t> keys_;
  std::vector<ir::Scalar> values_;
};

}  // namespace sinter
