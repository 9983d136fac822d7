#include "backends/emulator/race_table.h"

#include <algorithm>

namespace sinter::emulator {

namespace {
constexpr unsigned PageShift = 12;
constexpr std::uint64_t PageBytes = std::uint64_t{1} << PageShift;
}  // namespace

RaceTable::RaceTable(std::uint64_t bytes)
    : pages_((bytes + PageBytes - 1) >> PageShift), records_(1), nodes_(1) {}

std::uint32_t RaceTable::add(const Record& record) {
  records_.push_back(record);
  return static_cast<std::uint32_t>(records_.size() - 1);
}

// A page starts with cells of the size that is used first, and is cut finer when a smaller or
// less aligned access comes.
RaceTable::Cell* RaceTable::cells(std::uint64_t offset, unsigned bytes, unsigned& count) {
  Page& page = pages_[offset >> PageShift];
  unsigned shift = bytes >= 4 ? 2 : bytes == 2 ? 1 : 0;
  while (shift && (offset & ((1u << shift) - 1))) --shift;
  if (!page.cells) {
    page.shift = shift;
    page.cells = std::make_unique<Cell[]>(PageBytes >> shift);
  } else if (page.shift > shift) {
    auto finer = std::make_unique<Cell[]>(PageBytes >> shift);
    for (std::uint64_t i = 0; i < PageBytes >> shift; ++i) {
      finer[i] = page.cells[i >> (page.shift - shift)];
    }
    page.cells = std::move(finer);
    page.shift = shift;
  }
  count = std::max(1u, bytes >> page.shift);
  return page.cells.get() + ((offset & (PageBytes - 1)) >> page.shift);
}

bool RaceTable::ordered(const Me& me, std::uint32_t number, unsigned lane) {
  if (number == known_record_ && me.clock.warp() == known_to_) return true;
  const Record& other = records_[number];
  if (me.clock.all_lanes_know(other)) {
    known_record_ = number;
    known_to_ = me.clock.warp();
    return true;
  }
  return me.clock.ordered(other, lane, me.lane);
}

// Ordered, or both strong and in one another's scope.
bool RaceTable::harmless(const Me& me, std::uint32_t number, unsigned lane) {
  const Record& other = records_[number];
  if (me.record.strong && other.strong && !other.pending) {
    // Blocks of a launch have equally many warps, so equal blocks have equal scopes here.
    if (me.record.scope >= Scope::Device && other.scope >= Scope::Device) return true;
    if (me.clock.same_block(other.warp)) return true;
  }
  if (ordered(me, number, lane)) return true;
  *me.conflict = {other, lane};
  return false;
}

bool RaceTable::read_cell(const Me& me, Cell& cell) {
  bool fine = true;
  if (cell.write && !harmless(me, cell.write, cell.write_lane)) fine = false;
  if (cell.access == me.number && cell.access_lane == me.lane) return fine;
  if (cell.access_lane == ListWithWrites) {
    for (std::uint32_t n = cell.access; n; n = nodes_[n].next) {
      if (records_[nodes_[n].record].write && !harmless(me, nodes_[n].record, nodes_[n].lane)) {
        fine = false;
      }
    }
  }
  remember(me, cell);
  return fine;
}

bool RaceTable::write_cell(const Me& me, Cell& cell) {
  bool fine = true;
  bool last = true;  // ordered after all that the cell remembers
  if (cell.write) {
    fine = harmless(me, cell.write, cell.write_lane);
    last = ordered(me, cell.write, cell.write_lane);
  }
  if (cell.access_lane >= List) {
    for (std::uint32_t n = cell.access; n; n = nodes_[n].next) {
      if (!harmless(me, nodes_[n].record, nodes_[n].lane)) fine = false;
      last = last && ordered(me, nodes_[n].record, nodes_[n].lane);
    }
  } else if (cell.access) {
    if (!harmless(me, cell.access, cell.access_lane)) fine = false;
    last = last && ordered(me, cell.access, cell.access_lane);
  }
  if (fine && !last) {
    remember(me, cell);  // one of several concurrent atomic writes
  } else {
    cell = {me.number, 0, static_cast<std::uint8_t>(me.lane), 0};
  }
  return fine;
}

// Adds an access to those since the last write. One that came before it goes when every later
// conflict with it is also one with the new access.
void RaceTable::remember(const Me& me, Cell& cell) {
  const auto covers = [&](const Record& old) {
    return (me.record.write || !old.write) &&
           (!me.record.strong || (old.strong && old.scope >= me.record.scope));
  };
  if (cell.access_lane < List) {
    if (!cell.access) {
      if (!me.record.write) {
        cell.access = me.number;
        cell.access_lane = static_cast<std::uint8_t>(me.lane);
        return;
      }
    } else {
      const Record& old = records_[cell.access];
      const bool same_warp = old.warp == me.record.warp && !old.pending;
      if (!me.record.write && covers(old)) {
        if (ordered(me, cell.access, cell.access_lane)) {
          cell.access = me.number;
          cell.access_lane = static_cast<std::uint8_t>(me.lane);
          return;
        }
        if (same_warp) {  // two lanes of a warp: the newer stands for both
          cell.access = me.number;
          cell.access_lane = SeveralLanes;
          return;
        }
      }
    }
  }
  // A list, of at most one entry a warp and kind.
  const bool was_list = cell.access_lane >= List;
  std::uint32_t head = was_list ? cell.access : 0;
  std::vector<Node> kept;
  bool rebuild = false;
  std::uint8_t lane = static_cast<std::uint8_t>(me.lane);
  const auto consider = [&](std::uint32_t number, std::uint8_t old_lane) {
    const Record& old = records_[number];
    if (covers(old) && !old.pending) {
      if (number == me.number && (old_lane == me.lane || old_lane == SeveralLanes)) return 2;
      if (old.warp == me.record.warp && old.write == me.record.write) {
        if (old_lane != me.lane) lane = SeveralLanes;
        return 1;
      }
      if (ordered(me, number, old_lane)) return 1;
    }
    return 0;
  };
  if (was_list) {
    for (std::uint32_t n = head; n; n = nodes_[n].next) {
      switch (consider(nodes_[n].record, nodes_[n].lane)) {
        case 2:
          return;
        case 1:
          rebuild = true;
          break;
        default:
          kept.push_back(nodes_[n]);
      }
    }
  } else if (cell.access) {
    switch (consider(cell.access, cell.access_lane)) {
      case 2:
        return;
      case 1:
        break;
      default:
        kept.push_back({cell.access, 0, cell.access_lane});
    }
    rebuild = true;
  }
  bool writes = me.record.write || cell.access_lane == ListWithWrites;
  const auto push = [&](std::uint32_t number, std::uint8_t of_lane, std::uint32_t next) {
    const std::uint64_t key = (std::uint64_t{number} << 38) ^ (std::uint64_t{of_lane} << 32) ^ next;
    const auto [at, is_new] = node_of_.try_emplace(key, 0);
    if (!is_new) {
      const Node& node = nodes_[at->second];
      if (node.record == number && node.lane == of_lane && node.next == next) return at->second;
    }
    nodes_.push_back({number, next, of_lane});
    at->second = static_cast<std::uint32_t>(nodes_.size() - 1);
    return at->second;
  };
  if (rebuild) {
    head = 0;
    for (auto node = kept.rbegin(); node != kept.rend(); ++node) {
      head = push(node->record, node->lane, head);
    }
  }
  cell.access = push(me.number, lane, head);
  cell.access_lane = writes ? ListWithWrites : List;
}

template <bool Write>
std::optional<Conflict> RaceTable::access(const WarpClock& clock, std::uint32_t mine, unsigned lane,
                                          std::uint64_t offset, unsigned bytes) {
  Conflict conflict{};
  const Me me{clock, records_[mine], mine, lane, &conflict};
  unsigned count = 0;
  Cell* cell = cells(offset, bytes, count);
  bool fine = true;
  for (unsigned i = 0; i < count; ++i) {
    if (!(Write ? write_cell(me, cell[i]) : read_cell(me, cell[i]))) fine = false;
  }
  if (fine) return std::nullopt;
  return conflict;
}

std::optional<Conflict> RaceTable::read(const WarpClock& clock, std::uint32_t mine, unsigned lane,
                                        std::uint64_t offset, unsigned bytes) {
  return access<false>(clock, mine, lane, offset, bytes);
}

std::optional<Conflict> RaceTable::write(const WarpClock& clock, std::uint32_t mine, unsigned lane,
                                         std::uint64_t offset, unsigned bytes) {
  return access<true>(clock, mine, lane, offset, bytes);
}

}  // namespace sinter::emulator
