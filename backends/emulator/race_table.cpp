#include "backends/emulator/race_table.h"

#include <algorithm>

namespace sinter::emulator {

namespace {
constexpr std::size_t StepCount = 2048;  // a power of two

bool device_wide(const Record& record) {
  return record.strong && record.scope >= Scope::Device && !record.pending;
}
}  // namespace

RaceTable::RaceTable(std::uint64_t bytes)
    : pages_((bytes + PageBytes - 1) >> PageShift), records_(1), nodes_(1) {}

std::uint32_t RaceTable::add(const Record& record) {
  records_.push_back(record);
  return static_cast<std::uint32_t>(records_.size() - 1);
}

// A page starts with cells of the size that is used first, and is cut finer when a smaller access
// comes.
void RaceTable::cut_page(Page& page, unsigned shift) {
  auto finer = std::make_unique<Cell[]>(PageBytes >> shift);
  if (page.cells) {
    for (std::uint64_t i = 0; i < PageBytes >> shift; ++i) {
      finer[i] = page.cells[i >> (page.shift - shift)];
    }
  }
  page.cells = std::move(finer);
  page.shift = shift;
}

bool RaceTable::ordered(const Me& me, std::uint32_t number, unsigned lane) {
  // The read-only path sees no write of its launch, however ordered.
  if (records_[number].read_only && me.record.write) return false;
  if (records_[number].write && me.record.read_only) return false;
  return me.clock.ordered(records_[number], lane, me.lane, me.record.lanes);
}

bool RaceTable::same_write(const Me& me, const Record& other) const {
  return me.record.write && other.write && unchanged_ && !other.pending && !me.record.strong &&
         other.warp == me.record.warp && other.instruction == me.record.instruction;
}

// Ordered, or both strong and in one another's scope.
bool RaceTable::harmless(const Me& me, std::uint32_t number, unsigned lane) {
  const Record& other = records_[number];
  if (me.record.strong && other.strong && !other.pending) {
    if (device_wide(me.record) && device_wide(other)) return true;
    if (me.clock.same_block(other.warp)) return true;
  }
  if (ordered(me, number, lane) || same_write(me, other)) return true;
  if (!me.conflict) me.conflict = Conflict{other, lane};
  return false;
}

void RaceTable::slow_access(const WarpClock& clock, std::uint32_t mine, unsigned lane, Cell& cell,
                            bool write, std::optional<Conflict>& conflict) {
  if (cell.write && clock.all_lanes_know(records_[cell.write])) known_write_ = cell.write;
  if (cell.access && cell.kind == Kind::Single && !records_[cell.access].read_only &&
      clock.all_lanes_know(records_[cell.access])) {
    known_access_ = cell.access;
  }
  const Me me{clock, records_[mine], mine, lane, conflict};
  if (write) {
    write_cell(me, cell);
  } else {
    read_cell(me, cell);
  }
}

void RaceTable::read_cell(const Me& me, Cell& cell) {
  if (cell.write) harmless(me, cell.write, cell.write_lane);
  if (cell.kind == Kind::Single && cell.access == me.number && cell.access_lane == me.lane) return;
  if (cell.kind == Kind::ListWithWrites &&
      !(device_wide(me.record) && nodes_[cell.access].strong)) {
    for (std::uint32_t n = cell.access; n; n = nodes_[n].next) {
      if (records_[nodes_[n].record].write) {
        harmless(me, nodes_[n].record, lane_of(nodes_[n], cell));
      }
    }
  }
  remember(me, cell);
}

void RaceTable::write_cell(const Me& me, Cell& cell) {
  bool fine = true;
  bool last = true;  // ordered after all that the cell remembers, and stands for it
  unsigned lane = me.lane;
  if (cell.write && cell.write_lane != lane && same_write(me, records_[cell.write]) &&
      !ordered(me, cell.write, cell.write_lane)) {
    lane = SeveralLanes;
    cell.write = 0;  // it is part of this one
  }
  const auto meet = [&](std::uint32_t number, unsigned of_lane) {
    if (!harmless(me, number, of_lane)) fine = false;
    // A strong write does not stand for a weak access: others may race with that one only.
    const Record& other = records_[number];
    last = last && ordered(me, number, of_lane) &&
           (!me.record.strong || (other.strong && other.scope >= me.record.scope));
  };
  if (cell.write) meet(cell.write, cell.write_lane);
  if (cell.kind != Kind::Single && device_wide(me.record) && nodes_[cell.access].strong &&
      nodes_[cell.access].length > 4) {
    last = false;  // many atomics: all harmless, and hardly all ordered
  } else if (cell.kind != Kind::Single) {
    for (std::uint32_t n = cell.access; n; n = nodes_[n].next) {
      meet(nodes_[n].record, lane_of(nodes_[n], cell));
    }
  } else if (cell.access) {
    meet(cell.access, cell.access_lane);
  }
  if (fine && !last) {
    remember(me, cell);  // one of several concurrent atomic writes
  } else {
    cell = {me.number, 0, static_cast<std::uint8_t>(lane), 0, Kind::Single};
  }
}

// Adds an access to those since the last write.
void RaceTable::remember(const Me& me, Cell& cell) {
  if (cell.kind == Kind::Single && !me.record.write) {
    const auto replace = [&](unsigned lane) {
      cell.access = me.number;
      cell.access_lane = static_cast<std::uint8_t>(lane);
    };
    if (!cell.access) return replace(me.lane);
    const Record& old = records_[cell.access];
    if (!old.pending && (!old.read_only || me.record.read_only) &&
        (!me.record.strong || (old.strong && old.scope >= me.record.scope))) {
      if (ordered(me, cell.access, cell.access_lane)) return replace(me.lane);
      // Two lanes of a warp: the newer access stands for both.
      if (old.warp == me.record.warp) return replace(SeveralLanes);
    }
  }
  if (steps_.empty()) steps_.resize(StepCount);
  if (!cell.access) cell.access_lane = static_cast<std::uint8_t>(me.lane);
  const bool own = me.lane == cell.access_lane && me.lane < Lanes;
  const std::uint8_t lane = own ? OwnLane : static_cast<std::uint8_t>(me.lane);
  // What a single access by several lanes turns into differs from one by a lane.
  const bool cached = cell.kind != Kind::Single || cell.access_lane < Lanes;
  const std::size_t hash = (cell.access * 0x9e3779b1u) ^ (me.number * 0x85ebca6bu) ^ (lane * 4099u);
  Step& step = steps_[(hash ^ hash >> 15) % StepCount];
  if (cached && step.mine == me.number && step.access == cell.access && step.kind == cell.kind &&
      step.lane == lane) {
    cell.access = step.result;
    cell.kind = step.result_kind;
    return;
  }
  const std::uint32_t access = cell.access;
  const Kind kind = cell.kind;
  add_to_list(me, cell, lane);
  if (cached) step = {access, me.number, cell.access, lane, kind, cell.kind};
}

std::uint32_t RaceTable::push(std::uint32_t number, std::uint8_t lane, std::uint32_t next) {
  const bool strong = device_wide(records_[number]) && (next == 0 || nodes_[next].strong);
  nodes_.push_back({number, next, nodes_[next].length + 1, lane, strong});
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

// An entry goes when every later conflict with it is also one with the new access. So a list has
// one entry a warp and kind; a long one may have more, since it is searched only now and then.
void RaceTable::add_to_list(const Me& me, Cell& cell, std::uint8_t lane) {
  const bool was_list = cell.kind != Kind::Single;
  const bool writes = me.record.write || cell.kind == Kind::ListWithWrites;
  const auto covers = [&](const Record& old) {
    return (me.record.write || !old.write) && !old.pending &&
           (!old.read_only || me.record.read_only) &&
           (!me.record.strong || (old.strong && old.scope >= me.record.scope));
  };
  const auto same_warp = [&](const Record& old) {
    return old.warp == me.record.warp && old.write == me.record.write && covers(old);
  };
  const auto add = [&](std::uint32_t rest) {
    cell.access = push(me.number, lane, rest);
    cell.kind = writes ? Kind::ListWithWrites : Kind::List;
  };
  std::uint32_t head = was_list ? cell.access : 0;
  if (was_list) {
    const Node first = nodes_[head];
    if (same_warp(records_[first.record])) {
      const unsigned old_lane = lane_of(first, cell);
      const bool stands_for_both = old_lane == me.lane || old_lane == SeveralLanes;
      if (first.record == me.number && stands_for_both) return;
      if (old_lane != me.lane) lane = SeveralLanes;
      return add(first.next);
    }
    if (first.length > 32 && (first.length & (first.length - 1))) return add(head);
  }
  std::vector<Node> kept;
  const auto consider = [&](const Node& node) {
    const Record& old = records_[node.record];
    const unsigned old_lane = lane_of(node, cell);
    if (same_warp(old)) {
      if (old_lane != me.lane) lane = SeveralLanes;
      return;
    }
    if (covers(old) && ordered(me, node.record, old_lane)) return;
    kept.push_back(node);
  };
  if (was_list) {
    for (std::uint32_t n = head; n; n = nodes_[n].next) consider(nodes_[n]);
  } else if (cell.access) {
    const std::uint8_t old_lane = cell.access_lane < Lanes ? OwnLane : cell.access_lane;
    consider({cell.access, 0, 1, old_lane, false});
  }
  if (!was_list || kept.size() < nodes_[head].length) {
    head = 0;
    for (auto node = kept.rbegin(); node != kept.rend(); ++node) {
      head = push(node->record, node->lane, head);
    }
  }
  add(head);
}

}  // namespace sinter::emulator
