#pragma once
// The shadow of one memory that finds races: for each cell of 1, 2 or 4 bytes the last write and
// all later accesses that are unordered with one another. Nothing is sampled or dropped, so a race
// between two accesses that are executed is found whatever the order they happened to run in.

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "backends/emulator/vector_clock.h"

namespace sinter::emulator {

/// The other side of a race.
struct Conflict {
  Record record;
  unsigned lane;
};

class RaceTable {
 public:
  explicit RaceTable(std::uint64_t bytes);

  /// Number of a new record, from 1.
  std::uint32_t add(const Record&);
  Record& record(std::uint32_t number) { return records_[number]; }

  /// An access of `bytes` (a power of two) at `offset` by `lane` (or SeveralLanes),
  /// described by record `mine` of the warp whose knowledge is `clock`. It is remembered, and the
  /// first conflict returned.
  std::optional<Conflict> read(const WarpClock& clock, std::uint32_t mine, unsigned lane,
                               std::uint64_t offset, unsigned bytes) {
    return access<false>(clock, mine, lane, offset, bytes);
  }
  /// `unchanged`: it stored what was there. Lanes of a warp that store one value to one place by
  /// one instruction are one write, whether or not they did so at once.
  std::optional<Conflict> write(const WarpClock& clock, std::uint32_t mine, unsigned lane,
                                std::uint64_t offset, unsigned bytes, bool unchanged) {
    unchanged_ = unchanged;
    return access<true>(clock, mine, lane, offset, bytes);
  }

  /// What has been published at `offset`; made at first need.
  SyncVariable& variable(std::uint64_t offset) { return variables_[offset]; }
  bool has_variables() const { return !variables_.empty(); }
  /// A weak write ends what was published there.
  void forget_variable(std::uint64_t offset) { variables_.erase(offset); }

 private:
  enum class Kind : std::uint8_t { Single, List, ListWithWrites };
  struct Cell {
    std::uint32_t write = 0;   ///< record of the last write that came after all before it
    std::uint32_t access = 0;  ///< record of the only access since, or head of a list
    std::uint8_t write_lane = 0;
    std::uint8_t access_lane = 0;  ///< of a single access, and of a list's OwnLane
    Kind kind = Kind::Single;      ///< of `access`
  };
  /// In a list: the cell says which lane. So the cells of a row share their lists.
  static constexpr std::uint8_t OwnLane = 33;
  /// Lists are never changed.
  struct Node {
    std::uint32_t record, next;
    std::uint32_t length;
    std::uint8_t lane;
    bool strong;  ///< all of the list are, for the whole device
  };
  struct Step {  ///< from one list to the next, as taken before
    std::uint32_t access = 0, mine = 0, result = 0;
    std::uint8_t lane = 0;
    Kind kind = Kind::Single, result_kind = Kind::Single;
  };
  struct Page {
    unsigned shift = 2;  ///< bytes of a cell, as a power of two
    std::unique_ptr<Cell[]> cells;
  };
  unsigned lane_of(const Node& node, const Cell& cell) const {
    return node.lane == OwnLane ? cell.access_lane : node.lane;
  }
  struct Me {
    const WarpClock& clock;
    const Record& record;
    std::uint32_t number;
    unsigned lane;
    std::optional<Conflict>& conflict;
  };

  // Most accesses meet cells that hold nothing, or records this warp is known to know.
  template <bool Write>
  std::optional<Conflict> access(const WarpClock& clock, std::uint32_t mine, unsigned lane,
                                 std::uint64_t offset, unsigned bytes) {
    unsigned count = 0;
    Cell* cell = cells(offset, bytes, count);
    if (known_to_ != clock.warp()) {
      known_to_ = clock.warp();
      known_write_ = known_access_ = 0;
    }
    const Record& record = records_[mine];
    const std::uint32_t known_write = record.read_only ? 0 : known_write_;
    std::optional<Conflict> conflict;
    for (unsigned i = 0; i < count; ++i) {
      Cell& c = cell[i];
      const bool quick =
          (c.write == 0 || c.write == known_write) && c.kind == Kind::Single && !record.strong;
      if (quick && (c.access == 0 || c.access == known_access_)) {
        if (Write) {
          c = {mine, 0, static_cast<std::uint8_t>(lane), 0, Kind::Single};
        } else {
          c.access = mine;
          c.access_lane = static_cast<std::uint8_t>(lane);
        }
      } else if (Write || !quick || c.access != mine || c.access_lane != lane) {
        slow_access(clock, mine, lane, c, Write, conflict);
      }
    }
    return conflict;
  }
  Cell* cells(std::uint64_t offset, unsigned bytes, unsigned& count) {
    Page& page = pages_[offset >> PageShift];
    const unsigned shift = bytes >= 4 ? 2 : bytes >> 1;
    if (page.cells && page.shift <= shift) [[likely]] {
      count = bytes >> page.shift;
      return page.cells.get() + ((offset & (PageBytes - 1)) >> page.shift);
    }
    cut_page(page, shift);
    return cells(offset, bytes, count);
  }
  static constexpr unsigned PageShift = 12;
  static constexpr std::uint64_t PageBytes = std::uint64_t{1} << PageShift;

  void cut_page(Page&, unsigned shift);
  void slow_access(const WarpClock&, std::uint32_t mine, unsigned lane, Cell&, bool write,
                   std::optional<Conflict>&);
  bool ordered(const Me&, std::uint32_t number, unsigned lane);
  bool harmless(const Me&, std::uint32_t number, unsigned lane);
  bool same_write(const Me&, const Record& other) const;
  void read_cell(const Me&, Cell&);
  void write_cell(const Me&, Cell&);
  void remember(const Me&, Cell&);
  void add_to_list(const Me&, Cell&, std::uint8_t lane);
  std::uint32_t push(std::uint32_t record, std::uint8_t lane, std::uint32_t next);

  std::vector<Page> pages_;
  std::vector<Record> records_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, SyncVariable> variables_;
  std::vector<Step> steps_;  ///< a cache
  // The last write and the last other access found to be known to a whole warp, and that warp.
  std::uint32_t known_write_ = 0, known_access_ = 0;
  WarpId known_to_ = 0;
  bool unchanged_ = false;  ///< the write in hand stores what is there
};

}  // namespace sinter::emulator
