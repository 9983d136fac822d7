#include "backends/emulator/ptx/warp_access.h"

#include <algorithm>
#include <bit>

namespace sinter::emulator::ptx {

const char* name_of(Space space) {
  switch (space) {
    case Space::Generic:
      return "memory";
    case Space::Global:
      return "global memory";
    case Space::Shared:
      return "shared memory";
    case Space::Local:
      return "local memory";
    case Space::Constant:
      return "constant memory";
    case Space::Parameter:
      return "parameter memory";
  }
  return "memory";
}

bool Warp::find_view(const MemoryOperation& m, std::uint64_t address, View& view) {
  const Space space = space_of(m.space, address);
  Allocation* allocation = nullptr;
  switch (space) {
    case Space::Shared:
      allocation = &block_.shared();
      break;
    case Space::Parameter:
      allocation = &block_.state().parameters;
      break;
    case Space::Local:
      if (address < LocalStart || address >= module_.frame_bytes) return false;
      view = {local_.data(),       local_undefined_.data(), nullptr, 0,
              module_.frame_bytes, module_.frame_bytes,     false};
      return true;
    case Space::Generic:
    case Space::Global:
    case Space::Constant:
      allocation = last_found_[m.index % last_found_.size()];
      if (!allocation || address - allocation->address >= allocation->size) {
        allocation = block_.state().memory.find(address);
        last_found_[m.index % last_found_.size()] = allocation;
      }
      break;
  }
  if (!allocation || address - allocation->address >= allocation->size) return false;
  view = {allocation->bytes.data(),
          allocation->undefined.data(),
          allocation,
          allocation->address,
          allocation->size,
          0,
          space == Space::Shared};
  return true;
}

void Warp::count_access(const Instruction& i, const View& view, const Places& places,
                        LaneMask lanes, unsigned bytes) {
  if (!view.allocation) return;
  Counts& counts = block_.state().counts;
  const Addresses& offset = places.offset;
  if (!view.shared) {
    if (view.allocation == &block_.state().parameters) return;
    ++counts.global_requests;
    if (places.row || places.uniform) {
      const std::uint64_t end = offset[0] + bytes * (places.row ? Lanes : 1) - 1;
      counts.global_sectors += end / 32 - offset[0] / 32 + 1;
      return;
    }
    std::array<std::uint64_t, Lanes> sectors;
    std::size_t n = 0;
    for_each_lane(lanes, [&](unsigned lane) {
      const std::uint64_t sector = offset[lane] / 32;
      if (n == 0 || sectors[n - 1] != sector) sectors[n++] = sector;
    });
    if (!std::is_sorted(sectors.begin(), sectors.begin() + n)) {
      std::sort(sectors.begin(), sectors.begin() + n);
    }
    counts.global_sectors += static_cast<std::uint64_t>(
        std::unique(sectors.begin(), sectors.begin() + n) - sectors.begin());
    return;
  }
  if (places.row || places.uniform) return;
  // A wavefront serves 32 banks of 4 bytes; wider accesses take a half or quarter warp at a time.
  const unsigned lanes_at_once = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  std::uint64_t extra = 0;
  for (unsigned begin = 0; begin < Lanes; begin += lanes_at_once) {
    std::array<std::uint64_t, 32> word_of_bank;
    std::array<std::uint8_t, 32> words_in_bank{};
    unsigned most = 0;
    std::array<std::uint64_t, Lanes * 4> seen;
    std::size_t n = 0;
    for (unsigned lane = begin; lane < begin + lanes_at_once; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      for (unsigned part = 0; part < std::max(1u, bytes / 4); ++part) {
        const std::uint64_t word = offset[lane] / 4 + part;
        const std::size_t bank = word & 31;
        if (words_in_bank[bank] && word_of_bank[bank] == word) continue;
        if (words_in_bank[bank] &&
            std::find(seen.begin(), seen.begin() + n, word) != seen.begin() + n) {
          continue;
        }
        word_of_bank[bank] = word;
        seen[n++] = word;
        most = std::max<unsigned>(most, ++words_in_bank[bank]);
      }
    }
    if (most > 1) extra += most - 1;
  }
  if (extra) {
    counts.bank_conflicts += extra;
    counts.bank_conflicts_at[i.line] += extra;
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    if (const SharedPart* part = shared_part(offset[first])) {
      counts.bank_conflicts_of[part->name] += extra;
    }
  }
}

RaceTable& Warp::races_of(Allocation& allocation) {
  if (!allocation.races) allocation.races = std::make_unique<RaceTable>(allocation.size);
  return *allocation.races;
}

// One record serves a warp's instruction for as long as its clock stands.
std::uint32_t Warp::record(const Instruction& i, const MemoryOperation& m, RaceTable& table,
                           LaneMask lanes, bool write) {
  RecordSlot& slot = records_[m.index];
  if (slot.table == &table && slot.clock == clock_.now()) {
    table.record(slot.number).lanes |= lanes;
    return slot.number;
  }
  Record made;
  made.warp = clock_.warp();
  made.clock = clock_.now();
  made.instruction = static_cast<std::uint32_t>(&i - module_.code.data());
  made.lanes = lanes;
  made.write = write;
  made.strong = m.strong;
  made.scope = m.scope;
  made.read_only = m.read_only;
  slot = {&table, clock_.now(), table.add(made)};
  return slot.number;
}

// Polling is reading the same again and again. Other strong reads are work.
void Warp::note_poll(const MemoryOperation& m, std::uint64_t found) {
  if (seen_.empty()) seen_.resize(module_.memory.size());
  if (polls_since_ != block_.state().progress || seen_[m.index] != found) polls_ = 0;
  polls_since_ = block_.state().progress;
  seen_[m.index] = found;
  ++polls_;
}

void Warp::note_origin(Allocation& allocation, std::uint64_t offset, const Instruction& i,
                       unsigned lane) {
  if (allocation.origins.size() >= 4096) return;
  allocation.origins.insert_or_assign(offset, make_fault(FaultKind::Uninitialised, i, lane, ""));
}

}  // namespace sinter::emulator::ptx
