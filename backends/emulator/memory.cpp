#include "backends/emulator/memory.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "backends/emulator/race_table.h"

namespace sinter::emulator {

namespace {
constexpr std::uint64_t FirstAddress = 0x7f00'0000'0000;
constexpr std::uint64_t Alignment = 256;
/// Unmapped bytes after an allocation, so that what runs off its end meets nobody.
constexpr std::uint64_t Gap = 1 << 20;
}  // namespace

Allocation::Allocation(std::uint64_t at, std::uint64_t count, std::string called)
    : address(at), size(count), name(std::move(called)), bytes(count), undefined(count, 0xff) {}
Allocation::~Allocation() = default;

Memory::Memory() : next_(FirstAddress) {}
Memory::~Memory() = default;

std::uint64_t Memory::allocate(std::uint64_t bytes, std::string name) {
  const std::uint64_t address = next_;
  next_ += (bytes + Gap + Alignment - 1) / Alignment * Alignment;
  allocations_.emplace(address, std::make_unique<Allocation>(address, bytes, std::move(name)));
  return address;
}

void Memory::free(std::uint64_t address) {
  const auto at = allocations_.find(address);
  if (at == allocations_.end()) {
    throw std::invalid_argument("free: no allocation starts at this address: " +
                                describe_outside(address));
  }
  Allocation& allocation = *at->second;
  if (!allocation.live) throw std::invalid_argument("free: '" + allocation.name + "' is freed");
  allocation.live = false;
  allocation.bytes = {};
  allocation.undefined = {};
  allocation.races.reset();
  allocation.origins.clear();
}

Allocation* Memory::find(std::uint64_t address) const {
  auto at = allocations_.upper_bound(address);
  if (at == allocations_.begin()) return nullptr;
  Allocation& allocation = *(--at)->second;
  return allocation.live && address - allocation.address < allocation.size ? &allocation : nullptr;
}

std::string Memory::describe_outside(std::uint64_t address) const {
  const auto size_of = [](const Allocation& a) {
    return "'" + a.name + "' (" + std::to_string(a.size) + " bytes)";
  };
  const auto above = allocations_.upper_bound(address);
  if (above != allocations_.begin()) {
    const Allocation& below = *std::prev(above)->second;
    const std::uint64_t offset = address - below.address;
    if (offset < below.size) {
      return "byte " + std::to_string(offset) + " of " + size_of(below) +
             (below.live ? "" : ", which was freed");
    }
    if (above == allocations_.end() || offset - below.size < above->first - address) {
      return std::to_string(offset - below.size) + " bytes past the end of " + size_of(below);
    }
  }
  if (above == allocations_.end()) return "no allocation exists";
  return std::to_string(above->first - address) + " bytes before " + size_of(*above->second);
}

void Memory::write(std::uint64_t address, std::span<const std::byte> data) {
  if (data.empty()) return;
  Allocation* allocation = find(address);
  if (!allocation || data.size() > allocation->size - (address - allocation->address)) {
    throw std::out_of_range("write of " + std::to_string(data.size()) + " bytes at " +
                            describe_outside(address));
  }
  const std::uint64_t offset = address - allocation->address;
  std::memcpy(allocation->bytes.data() + offset, data.data(), data.size());
  std::memset(allocation->undefined.data() + offset, 0, data.size());
}

std::vector<Fault> Memory::read(std::uint64_t address, std::span<std::byte> data) const {
  if (data.empty()) return {};
  const Allocation* allocation = find(address);
  if (!allocation || data.size() > allocation->size - (address - allocation->address)) {
    throw std::out_of_range("read of " + std::to_string(data.size()) + " bytes at " +
                            describe_outside(address));
  }
  const std::uint64_t offset = address - allocation->address;
  std::memcpy(data.data(), allocation->bytes.data() + offset, data.size());

  const auto begin = allocation->undefined.begin() + static_cast<std::ptrdiff_t>(offset);
  const auto end = begin + static_cast<std::ptrdiff_t>(data.size());
  const auto first = std::find_if(begin, end, [](std::uint8_t bits) { return bits != 0; });
  if (first == end) return {};
  const auto count = std::count_if(first, end, [](std::uint8_t bits) { return bits != 0; });
  const auto place = static_cast<std::uint64_t>(first - allocation->undefined.begin());
  Fault fault;
  fault.kind = FaultKind::Uninitialised;
  // The store whose bytes include the first undefined one, if a store brought it here.
  const auto after = allocation->origins.upper_bound(place);
  const bool stored = after != allocation->origins.begin() && place - std::prev(after)->first < 16;
  if (stored) fault = std::prev(after)->second;
  fault.text = "the host reads byte " + std::to_string(place) + " of '" + allocation->name +
               "', which " +
               (stored ? "this instruction stored from undefined bits" : "nobody wrote") + " (" +
               std::to_string(count) + " such bytes in all)";
  return {fault};
}

std::map<std::string, std::uint64_t>& Memory::variables_of(
    const std::shared_ptr<const void>& module) {
  return variables_[module];
}

}  // namespace sinter::emulator
