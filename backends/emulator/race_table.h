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

  /// An access of `bytes` (a power of two) at `offset` by `lane`, described by record `mine` of the
  /// warp whose knowledge is `clock`. It is remembered, and the first conflict returned.
  std::optional<Conflict> read(const WarpClock& clock, std::uint32_t mine, unsigned lane,
                               std::uint64_t offset, unsigned bytes);
  std::optional<Conflict> write(const WarpClock& clock, std::uint32_t mine, unsigned lane,
                                std::uint64_t offset, unsigned bytes);

  /// What has been published at `offset`; made at first need.
  SyncVariable& variable(std::uint64_t offset) { return variables_[offset]; }
  bool has_variables() const { return !variables_.empty(); }
  /// A weak write ends what was published there.
  void forget_variable(std::uint64_t offset) { variables_.erase(offset); }

 private:
  struct Cell {
    std::uint32_t write = 0;   ///< record of the last write that came after all before it
    std::uint32_t access = 0;  ///< record of the only access since, or head of a list
    std::uint8_t write_lane = 0;
    std::uint8_t access_lane = 0;  ///< a lane, SeveralLanes, or one of the two below
  };
  static constexpr std::uint8_t List = 33, ListWithWrites = 34;
  struct Node {
    std::uint32_t record, next;
    std::uint8_t lane;
  };
  struct Page {
    unsigned shift = 2;  ///< bytes of a cell, as a power of two
    std::unique_ptr<Cell[]> cells;
  };
  struct Me {
    const WarpClock& clock;
    const Record& record;
    std::uint32_t number;
    unsigned lane;
    Conflict* conflict;
  };

  template <bool Write>
  std::optional<Conflict> access(const WarpClock&, std::uint32_t mine, unsigned lane,
                                 std::uint64_t offset, unsigned bytes);
  Cell* cells(std::uint64_t offset, unsigned bytes, unsigned& count);
  bool ordered(const Me&, std::uint32_t number, unsigned lane);
  bool harmless(const Me&, std::uint32_t number, unsigned lane);
  bool read_cell(const Me&, Cell&);
  bool write_cell(const Me&, Cell&);
  void remember(const Me&, Cell&);

  std::vector<Page> pages_;
  std::vector<Record> records_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> node_of_;  ///< equal lists are one list
  std::unordered_map<std::uint64_t, SyncVariable> variables_;
  // The last record found to be known to a whole warp, and that warp.
  std::uint32_t known_record_ = 0;
  WarpId known_to_ = 0;
};

}  // namespace sinter::emulator
