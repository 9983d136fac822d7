// Loads, stores, atomics and asynchronous copies of a warp, with everything that is checked there.

#include <algorithm>
#include <bit>

#include "backends/emulator/ptx/lanes.h"
#include "backends/emulator/ptx/warp.h"

namespace sinter::emulator::ptx {

namespace {

template <class F>
void for_each_lane(LaneMask mask, F f) {
  for (; mask; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::uint64_t read_bytes(const std::byte* from, unsigned width) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, width);
  return value;
}

std::uint64_t extend(std::uint64_t value, unsigned width, bool sign) {
  const unsigned shift = 64 - width * 8;
  return sign ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift)
              : value;
}

std::uint64_t any_set(const std::uint8_t* shadow, unsigned bytes) {
  std::uint64_t any = 0;
  for (; bytes >= 8; bytes -= 8, shadow += 8) {
    std::uint64_t part;
    std::memcpy(&part, shadow, 8);
    any |= part;
  }
  for (; bytes; --bytes) any |= *shadow++;
  return any;
}

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

Space space_of(Space space, std::uint64_t& address) {
  if (space != Space::Generic) return space;
  if (address - SharedWindow < WindowBytes) {
    address -= SharedWindow;
    return Space::Shared;
  }
  if (address - LocalWindow < WindowBytes) {
    address -= LocalWindow;
    return Space::Local;
  }
  if (address - ParameterWindow < WindowBytes) {
    address -= ParameterWindow;
    return Space::Parameter;
  }
  return Space::Global;
}

}  // namespace

bool Warp::find_view(Space space, std::uint64_t address, View& view) {
  space = space_of(space, address);
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
      if (!last_found_ || address - last_found_->address >= last_found_->size) {
        last_found_ = block_.state().memory.find(address);
      }
      allocation = last_found_;
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

// Calls process(view, lanes, places) for the lanes of each allocation touched, all in bounds and
// aligned. The rest are faults.
template <class F>
void Warp::resolve(const Instruction& i, const MemoryOperation& m, LaneMask active, unsigned bytes,
                   F process) {
  if (block_.state().launch.checks && (undefined_[m.base] & active)) {
    check_defined(i, m.base, active, "an address");
    active &= ~undefined_[m.base];
  }
  Addresses address;
  std::uint64_t bits = 0;
  if (m.base_width == 8) {
    const auto* base = lanes_of<std::uint64_t>(registers_, m.base);
    for (unsigned lane = 0; lane < Lanes; ++lane) address[lane] = base[lane] + m.offset;
  } else {
    const auto* base = lanes_of<std::uint32_t>(registers_, m.base);
    for (unsigned lane = 0; lane < Lanes; ++lane) {
      address[lane] = static_cast<std::uint32_t>(base[lane] + m.offset);
    }
  }
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    bits |= active >> lane & 1 ? address[lane] : 0;
  }
  if (bits & (bytes - 1)) {
    for_each_lane(active, [&](unsigned lane) {
      if (!(address[lane] & (bytes - 1))) return;
      fault(FaultKind::Misaligned, i, lane,
            "an access of " + std::to_string(bytes) + " bytes at address " + hex(address[lane]));
      active &= ~(LaneMask{1} << lane);
    });
  }
  while (active) {
    const auto first = static_cast<unsigned>(std::countr_zero(active));
    View view;
    std::uint64_t in_space = address[first];
    const Space space = space_of(m.space, in_space);
    const bool found = find_view(m.space, address[first], view);
    // Generic addresses of a window count from the window's start.
    const std::uint64_t start = view.base + (address[first] - in_space);
    if (!found || address[first] - start > view.size - std::min<std::uint64_t>(bytes, view.size) ||
        bytes > view.size) {
      std::string text = "an access of " + std::to_string(bytes) + " bytes at " + name_of(space) +
                         " address " + hex(in_space) + ": ";
      if (space == Space::Global || space == Space::Constant) {
        text += block_.state().memory.describe_outside(in_space);
      } else if (space == Space::Shared) {
        text += "the block has " + std::to_string(block_.shared().size) + " bytes";
      } else {
        text += "outside what the kernel declares";
      }
      fault(FaultKind::OutOfBounds, i, first, std::move(text));
      active &= ~(LaneMask{1} << first);
      continue;
    }
    const std::uint64_t last = view.size - bytes;
    LaneMask lanes = 0;
    Places places;
    auto& offset = places.offset;
    for (unsigned lane = 0; lane < Lanes; ++lane) offset[lane] = address[lane] - start;
    if (active == ~LaneMask{0}) {
      std::uint64_t off_row = 0, off_first = 0, beyond = 0;
      for (unsigned lane = 0; lane < Lanes; ++lane) {
        off_row |= offset[lane] ^ (offset[0] + std::uint64_t{lane} * bytes);
        off_first |= offset[lane] ^ offset[0];
        beyond |= offset[lane] > last;
      }
      if (!beyond) lanes = active;
      places.row = !beyond && off_row == 0 && view.lane_stride == 0;
      places.uniform = !beyond && off_first == 0 && view.lane_stride == 0;
    }
    if (!lanes) {
      for (unsigned lane = 0; lane < Lanes; ++lane) {
        lanes |= LaneMask{offset[lane] <= last} << lane;
      }
      lanes &= active;
    }
    process(view, lanes, places);
    active &= ~lanes;
  }
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

std::string Warp::describe(const Conflict& conflict) const {
  const Record& other = conflict.record;
  const std::uint32_t block = other.warp / block_.state().warps_per_block;
  const std::uint32_t warp = other.warp % block_.state().warps_per_block;
  std::string who = "warp " + std::to_string(warp);
  if (block != block_.number()) who += " of block " + std::to_string(block);
  if (conflict.lane < Lanes) {
    const Dim3 t = block_.thread(warp * Lanes + conflict.lane);
    who = "thread (" + std::to_string(t.x) + "," + std::to_string(t.y) + "," + std::to_string(t.z) +
          ")" + (block != block_.number() ? " of block " + std::to_string(block) : "");
  }
  return std::string(other.pending ? "the asynchronous copy"
                     : other.write ? "the write"
                                   : "the read") +
         " by " + who + " at " + place_of(other.instruction);
}

std::string Warp::describe_place(const View& view, std::uint64_t offset) const {
  std::string name = view.allocation->name;
  if (view.shared) {
    for (const SharedVariable& variable : kernel_.shared) {
      if (offset >= variable.offset &&
          (variable.size == 0 || offset < variable.offset + variable.size)) {
        name = variable.name;
        offset -= variable.offset;
        break;
      }
    }
  }
  return "offset " + std::to_string(offset) + " of '" + name + "'";
}

void Warp::race(const Instruction& i, const View& view, std::uint64_t offset, unsigned bytes,
                unsigned lane, bool write, const Conflict& conflict) {
  const bool read_only = i.kind == Kind::Load && module_.memory[i.detail].read_only;
  const FaultKind kind = view.shared ? FaultKind::SharedRace : FaultKind::GlobalRace;
  if (block_.state().faults.knows(kind, i.line, conflict.record.instruction + 1)) return;
  std::string text = std::string(write ? "writes" : "reads") + " " + std::to_string(bytes) +
                     " bytes at " + describe_place(view, offset) + ", unordered with " +
                     describe(conflict);
  if (conflict.record.pending) {
    text += ": nobody has waited for it";
  } else if (conflict.record.read_only || read_only) {
    text += ": ld.global.nc may only read what no one writes in the launch";
  } else if (conflict.record.warp == clock_.warp()) {
    text += ": lanes of one warp need bar.warp.sync between them";
  } else if (conflict.record.strong) {
    text += ": that one is atomic, this one is not or is out of its scope";
  }
  fault(kind, i, lane, std::move(text), conflict.record.instruction + 1);
}

void Warp::note_origin(Allocation& allocation, std::uint64_t offset, const Instruction& i,
                       unsigned lane) {
  if (allocation.origins.size() >= 4096) return;
  allocation.origins.insert_or_assign(offset, make_fault(FaultKind::Uninitialised, i, lane, ""));
}

// ---- load

template <bool Checks>
void Warp::load(const Instruction& i, LaneMask active) {
  const MemoryOperation& m = module_.memory[i.detail];
  const unsigned bytes = unsigned{m.width} * m.count;
  if constexpr (Checks) {
    check_defined(i, m.base, active, "an address");
    active &= ~undefined_[m.base];  // before the result overwrites it
    for (unsigned e = 0; e < m.count; ++e) define(m.registers[e], active);
  }
  resolve(i, m, active, bytes, [&](const View& view, LaneMask lanes, const Places& places) {
    const Addresses& offset = places.offset;
    const auto place = [&](unsigned lane) { return lane * view.lane_stride + offset[lane]; };
    const auto move = [&]<class Register, class Element>(Register*, Element*, unsigned e) {
      auto* to = lanes_of<Register>(registers_, m.registers[e]);
      const auto one = [&](unsigned lane) {
        Element value;
        std::memcpy(&value, view.bytes + place(lane) + e * sizeof(Element), sizeof value);
        to[lane] = static_cast<Register>(value);
      };
      if (places.row && m.count == 1 && sizeof(Register) == sizeof(Element)) {
        std::memcpy(to, view.bytes + offset[0], Lanes * sizeof(Element));
      } else if (places.uniform) {
        Element value;
        std::memcpy(&value, view.bytes + offset[0] + e * sizeof(Element), sizeof value);
        for (unsigned lane = 0; lane < Lanes; ++lane) to[lane] = static_cast<Register>(value);
      } else if (lanes == ~LaneMask{0}) {
        for (unsigned lane = 0; lane < Lanes; ++lane) one(lane);
      } else {
        for_each_lane(lanes, one);
      }
    };
    for (unsigned e = 0; e < m.count; ++e) {
      const auto with_register = [&]<class R>(R* r) {
        if (m.width == 1 && m.sign) move(r, static_cast<std::int8_t*>(nullptr), e);
        else if (m.width == 1) move(r, static_cast<std::uint8_t*>(nullptr), e);
        else if (m.width == 2 && m.sign) move(r, static_cast<std::int16_t*>(nullptr), e);
        else if (m.width == 2) move(r, static_cast<std::uint16_t*>(nullptr), e);
        else if (m.width == 4 && m.sign) move(r, static_cast<std::int32_t*>(nullptr), e);
        else if (m.width == 4) move(r, static_cast<std::uint32_t*>(nullptr), e);
        else move(r, static_cast<std::uint64_t*>(nullptr), e);
      };
      if (m.register_width == 8) with_register(static_cast<std::uint64_t*>(nullptr));
      else if (m.register_width == 4) with_register(static_cast<std::uint32_t*>(nullptr));
      else with_register(static_cast<std::uint16_t*>(nullptr));
    }
    count_access(i, view, places, lanes, bytes);
    if (m.strong) {
      if (polls_since_ != block_.state().progress) polls_ = 0;
      polls_since_ = block_.state().progress;
      ++polls_;
    }
    if constexpr (Checks) {
      std::uint64_t any = 0;
      if (places.row || places.uniform) {
        any = any_set(view.undefined + offset[0], places.row ? bytes * Lanes : bytes);
      } else {
        for_each_lane(lanes,
                      [&](unsigned lane) { any |= any_set(view.undefined + place(lane), bytes); });
      }
      if (any) [[unlikely]] {
        for_each_lane(lanes, [&](unsigned lane) {
          for (unsigned e = 0; e < m.count; ++e) {
            const auto* shadow = reinterpret_cast<const std::byte*>(view.undefined) + place(lane);
            std::uint64_t bits = read_bytes(shadow + e * m.width, m.width);
            if (m.width < m.register_width) {
              const bool sign = m.sign && (bits >> (m.width * 8 - 1) & 1);
              bits = extend(bits, m.width, sign);
            }
            set_undefined_bits(m.registers[e], lane, m.register_width, bits);
          }
        });
      }
      if (!view.allocation || view.allocation == &block_.state().parameters) return;
      RaceTable& table = races_of(*view.allocation);
      const std::uint32_t mine = record(i, m, table, lanes, false);
      const auto check = [&](unsigned lane, unsigned as) {
        if (const auto conflict = table.read(clock_, mine, as, offset[lane], bytes)) {
          race(i, view, offset[lane], bytes, lane, false, *conflict);
        }
      };
      if (places.uniform && !m.strong && clock_.uniform()) {
        check(0, SeveralLanes);
        return;
      }
      for_each_lane(lanes, [&](unsigned lane) {
        check(lane, lane);
        if (m.strong && table.has_variables()) {
          clock_.read(table.variable(offset[lane]), lane, m.acquire, m.scope);
        }
      });
    }
  });
}

// ---- store

template <bool Checks>
void Warp::store(const Instruction& i, LaneMask active) {
  const MemoryOperation& m = module_.memory[i.detail];
  const unsigned bytes = unsigned{m.width} * m.count;
  resolve(i, m, active, bytes, [&](const View& view, LaneMask lanes, const Places& places) {
    const Addresses& offset = places.offset;
    if (view.allocation && view.allocation->read_only) {
      fault(FaultKind::ReadOnlyWritten, i, static_cast<unsigned>(std::countr_zero(lanes)),
            "'" + view.allocation->name + "'");
      return;
    }
    const auto place = [&](unsigned lane) { return lane * view.lane_stride + offset[lane]; };
    bool changed = false;
    const auto value_of = [&](unsigned lane, unsigned e) -> std::uint64_t {
      const Slot slot = m.registers[e];
      return m.register_width == 8   ? lanes_of<std::uint64_t>(registers_, slot)[lane]
             : m.register_width == 4 ? lanes_of<std::uint32_t>(registers_, slot)[lane]
                                     : lanes_of<std::uint16_t>(registers_, slot)[lane];
    };
    const auto put = [&]<class Element>(Element*) {
      if (places.row && m.count == 1 && m.register_width == sizeof(Element)) {
        const std::byte* from = registers_ + std::size_t{m.registers[0]} * UnitBytes;
        changed = std::memcmp(view.bytes + offset[0], from, Lanes * sizeof(Element)) != 0;
        std::memcpy(view.bytes + offset[0], from, Lanes * sizeof(Element));
        return;
      }
      for_each_lane(lanes, [&](unsigned lane) {
        for (unsigned e = 0; e < m.count; ++e) {
          const auto value = static_cast<Element>(value_of(lane, e));
          std::byte* to = view.bytes + place(lane) + e * sizeof(Element);
          Element old;
          std::memcpy(&old, to, sizeof old);
          changed = changed || old != value;
          std::memcpy(to, &value, sizeof value);
        }
      });
    };
    switch (m.width) {
      case 1:
        put(static_cast<std::uint8_t*>(nullptr));
        break;
      case 2:
        put(static_cast<std::uint16_t*>(nullptr));
        break;
      case 4:
        put(static_cast<std::uint32_t*>(nullptr));
        break;
      default:
        put(static_cast<std::uint64_t*>(nullptr));
        break;
    }
    if (changed && view.allocation) ++block_.state().progress;
    count_access(i, view, places, lanes, bytes);
    LaneMask undefined = 0;
    if constexpr (Checks) {
      for (unsigned e = 0; e < m.count; ++e) undefined |= undefined_[m.registers[e]];
    }
    const bool row_defined = places.row && !undefined;
    if (row_defined) std::memset(view.undefined + offset[0], 0, bytes * Lanes);
    for_each_lane(row_defined ? 0 : lanes, [&](unsigned lane) {
      std::uint8_t* shadow = view.undefined + place(lane);
      if (!(undefined >> lane & 1)) {
        std::memset(shadow, 0, bytes);
        return;
      }
      for (unsigned e = 0; e < m.count; ++e) {
        const std::uint64_t bits = undefined_bits(m.registers[e], lane, m.register_width);
        std::memcpy(shadow + e * m.width, &bits, m.width);
      }
      if (view.allocation && !view.shared) note_origin(*view.allocation, offset[lane], i, lane);
    });
    if constexpr (Checks) {
      if (!view.allocation) return;
      RaceTable& table = races_of(*view.allocation);
      // Lanes that store to one place in one instruction: the same value is one write.
      bool ascending = true;
      unsigned before = Lanes;
      for_each_lane(places.row ? 0 : lanes, [&](unsigned lane) {
        if (before < Lanes && offset[lane] < offset[before] + bytes) ascending = false;
        before = lane;
      });
      LaneMask distinct = lanes, several = 0;
      if (!ascending) {
        for_each_lane(lanes, [&](unsigned lane) {
          for_each_lane(lanes & ((LaneMask{1} << lane) - 1) & distinct, [&](unsigned earlier) {
            if (offset[earlier] != offset[lane]) return;
            distinct &= ~(LaneMask{1} << earlier);
            several |= LaneMask{1} << lane;
            bool equal = true;
            for (unsigned e = 0; e < m.count; ++e) {
              equal = equal && extend(value_of(lane, e) ^ value_of(earlier, e), m.width, true) == 0;
            }
            if (!equal) {
              fault(view.shared ? FaultKind::SharedRace : FaultKind::GlobalRace, i, lane,
                    "stores to " + describe_place(view, offset[lane]) + ", as lane " +
                        std::to_string(earlier) +
                        " of the same warp does in the same instruction with another value");
            }
          });
        });
      }
      const std::uint32_t mine = record(i, m, table, lanes, true);
      for_each_lane(distinct, [&](unsigned lane) {
        const unsigned as = several >> lane & 1 ? SeveralLanes : lane;
        if (const auto conflict = table.write(clock_, mine, as, offset[lane], bytes)) {
          race(i, view, offset[lane], bytes, lane, true, *conflict);
        }
        if (!m.strong) {
          if (table.has_variables()) table.forget_variable(offset[lane]);
        } else if (m.release || clock_.has_fences() || table.has_variables()) {
          clock_.write(table.variable(offset[lane]), lane, m.release, m.scope, false);
        }
      });
    }
  });
}

// ---- atomic

template <bool Checks>
void Warp::atomic(const Instruction& i, LaneMask active) {
  const MemoryOperation& m = module_.memory[i.detail];
  const unsigned bytes = m.width;
  const auto operand = [&](Slot slot, unsigned lane) -> std::uint64_t {
    return m.width == 8   ? lanes_of<std::uint64_t>(registers_, slot)[lane]
           : m.width == 4 ? lanes_of<std::uint32_t>(registers_, slot)[lane]
                          : lanes_of<std::uint16_t>(registers_, slot)[lane];
  };
  if (polls_since_ != block_.state().progress) polls_ = 0;
  polls_since_ = block_.state().progress;
  ++polls_;
  resolve(i, m, active, bytes, [&](const View& view, LaneMask lanes, const Places& places) {
    const Addresses& offset = places.offset;
    if (!view.allocation || view.allocation->read_only) {
      fault(FaultKind::ReadOnlyWritten, i, static_cast<unsigned>(std::countr_zero(lanes)),
            view.allocation ? "'" + view.allocation->name + "'" : "an atomic on local memory");
      return;
    }
    count_access(i, view, places, lanes, bytes);
    RaceTable* table = Checks ? &races_of(*view.allocation) : nullptr;
    const std::uint32_t mine = Checks ? record(i, m, *table, lanes, true) : 0;
    // The lanes take turns in an order that the seed picks.
    const unsigned turn = block_.state().random.below(Lanes);
    for (unsigned step = 0; step < Lanes; ++step) {
      const unsigned lane = (turn + step) % Lanes;
      if (!(lanes >> lane & 1)) continue;
      std::byte* at = view.bytes + offset[lane];
      const std::uint64_t old = read_bytes(at, m.width);
      std::uint64_t value = m.operation(old, operand(m.operand, lane), operand(m.operand2, lane));
      if (value != old) ++block_.state().progress;
      if constexpr (Checks) {
        std::uint8_t* shadow = view.undefined + offset[lane];
        const std::uint64_t before =
            read_bytes(reinterpret_cast<const std::byte*>(shadow), m.width);
        set_undefined_bits(m.registers[0], lane, m.width, before);
        const bool undefined =
            before || ((undefined_[m.operand] | undefined_[m.operand2]) >> lane & 1);
        std::memset(shadow, undefined ? 0xff : 0, m.width);
        if (undefined && !view.shared) note_origin(*view.allocation, offset[lane], i, lane);
        if (const auto conflict = table->write(clock_, mine, lane, offset[lane], bytes)) {
          race(i, view, offset[lane], bytes, lane, true, *conflict);
        }
        if (m.release || clock_.has_fences() || table->has_variables()) {
          SyncVariable& variable = table->variable(offset[lane]);
          clock_.read(variable, lane, m.acquire, m.scope);
          clock_.write(variable, lane, m.release, m.scope, true);
        }
      } else {
        std::memset(view.undefined + offset[lane], 0, m.width);
      }
      std::memcpy(at, &value, m.width);
      if (m.width == 8) lanes_of<std::uint64_t>(registers_, m.registers[0])[lane] = old;
      else if (m.width == 4)
        lanes_of<std::uint32_t>(registers_, m.registers[0])[lane] = static_cast<std::uint32_t>(old);
      else
        lanes_of<std::uint16_t>(registers_, m.registers[0])[lane] = static_cast<std::uint16_t>(old);
    }
  });
}

template void Warp::load<true>(const Instruction&, LaneMask);
template void Warp::load<false>(const Instruction&, LaneMask);
template void Warp::store<true>(const Instruction&, LaneMask);
template void Warp::store<false>(const Instruction&, LaneMask);
template void Warp::atomic<true>(const Instruction&, LaneMask);
template void Warp::atomic<false>(const Instruction&, LaneMask);

// ---- asynchronous copies: nothing arrives before it must

void Warp::copy_async(const Instruction& i, LaneMask active) {
  const MemoryOperation& to = module_.memory[i.detail];
  const MemoryOperation& from = module_.memory[i.immediate];
  const bool checks = block_.state().launch.checks;
  const auto* sizes = lanes_of<std::uint32_t>(registers_, i.source[2]);
  if (checks) check_defined(i, i.source[2], active, "the size of a copy");
  std::array<AsyncCopy, Lanes> copies{};
  LaneMask ready = 0;
  resolve(i, to, active, to.width, [&](const View& view, LaneMask lanes, const Places& places) {
    const Addresses& offset = places.offset;
    count_access(i, view, places, lanes, to.width);
    for_each_lane(lanes, [&](unsigned lane) {
      AsyncCopy& copy = copies[lane];
      copy = {lane, groups_[lane], offset[lane], nullptr, 0, sizes[lane], to.width, 0, 0};
      if (copy.bytes > copy.size) {
        fault(FaultKind::InvalidOperand, i, lane,
              "copies " + std::to_string(copy.bytes) + " bytes into " + std::to_string(copy.size));
        copy.bytes = copy.size;
      }
      ready |= LaneMask{1} << lane;
      if (!checks) return;
      Record made{
          clock_.warp(),       clock_.now(), static_cast<std::uint32_t>(&i - module_.code.data()),
          LaneMask{1} << lane, true,         false,
          Scope::Block,        false};
      RaceTable& table = races_of(*view.allocation);
      copy.write_record = table.add(made);
      if (const auto conflict =
              table.write(clock_, copy.write_record, lane, offset[lane], to.width)) {
        race(i, view, offset[lane], to.width, lane, true, *conflict);
      }
      table.record(copy.write_record).pending = true;
    });
  });
  // Where nothing is read, the address may be anything.
  LaneMask reads = 0;
  for_each_lane(ready, [&](unsigned lane) {
    if (copies[lane].bytes) reads |= LaneMask{1} << lane;
  });
  LaneMask found = 0;
  resolve(i, from, reads, from.width, [&](const View& view, LaneMask lanes, const Places& places) {
    const Addresses& offset = places.offset;
    count_access(i, view, places, lanes, from.width);
    found |= lanes;
    for_each_lane(lanes, [&](unsigned lane) {
      AsyncCopy& copy = copies[lane];
      copy.from = view.allocation;
      copy.from_offset = offset[lane];
      if (!checks) return;
      Record made{
          clock_.warp(),       clock_.now(), static_cast<std::uint32_t>(&i - module_.code.data()),
          LaneMask{1} << lane, false,        false,
          Scope::Block,        false};
      RaceTable& table = races_of(*view.allocation);
      copy.read_record = table.add(made);
      if (const auto conflict =
              table.read(clock_, copy.read_record, lane, offset[lane], from.width)) {
        race(i, view, offset[lane], from.width, lane, false, *conflict);
      }
      table.record(copy.read_record).pending = true;
    });
  });
  for_each_lane(ready, [&](unsigned lane) {
    if (!(found >> lane & 1)) copies[lane].bytes = 0;
    copies_.push_back(copies[lane]);
  });
}

void Warp::copy_commit(LaneMask active) {
  for_each_lane(active, [&](unsigned lane) { ++groups_[lane]; });
  // Some data arrive early; who reads them without waiting is wrong all the same.
  if (block_.state().random.below(4) == 0) {
    for (AsyncCopy& copy : copies_) {
      if (block_.state().random.below(2) == 0) finish_copy(copy);
    }
  }
}

void Warp::copy_wait(const Instruction& i, LaneMask active) {
  const bool all = i.immediate != 0;
  std::erase_if(copies_, [&](AsyncCopy& copy) {
    if (!(active >> copy.lane & 1)) return false;
    if (!all && copy.group + i.detail >= groups_[copy.lane]) return false;
    finish_copy(copy);
    if (block_.state().launch.checks) {
      const auto done = [&](Record& record) {
        record.pending = false;
        record.clock = clock_.now();
      };
      done(races_of(block_.shared()).record(copy.write_record));
      if (copy.from) done(races_of(*copy.from).record(copy.read_record));
    }
    return true;
  });
  ++block_.state().progress;
}

void Warp::finish_copy(AsyncCopy& copy) {
  if (copy.arrived) return;
  copy.arrived = true;
  std::byte* to = block_.shared().bytes.data() + copy.to;
  std::uint8_t* shadow = block_.shared().undefined.data() + copy.to;
  std::memset(to, 0, copy.size);
  std::memset(shadow, 0, copy.size);
  if (!copy.bytes) return;
  std::memcpy(to, copy.from->bytes.data() + copy.from_offset, copy.bytes);
  std::memcpy(shadow, copy.from->undefined.data() + copy.from_offset, copy.bytes);
}

}  // namespace sinter::emulator::ptx
