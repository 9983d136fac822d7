// Loads, stores and atomics of a warp, with everything that is checked there.

#include <algorithm>
#include <bit>

#include "backends/emulator/ptx/lanes.h"
#include "backends/emulator/ptx/warp_access.h"

namespace sinter::emulator::ptx {

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
      std::uint64_t found = lanes;
      for_each_lane(lanes, [&](unsigned lane) {
        const std::uint64_t value = read_bytes(view.bytes + place(lane), std::min(bytes, 8u));
        found = (found ^ value ^ (offset[lane] << 32)) * 0x9e3779b97f4a7c15;
      });
      note_poll(m, found);
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
    LaneMask unchanged = lanes;
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
        if (Checks && changed) {
          for (unsigned lane = 0; lane < Lanes; ++lane) {
            const bool same = std::memcmp(view.bytes + offset[lane], from + lane * sizeof(Element),
                                          sizeof(Element)) == 0;
            unchanged &= ~(LaneMask{!same} << lane);
          }
        }
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
          if (old != value) unchanged &= ~(LaneMask{1} << lane);
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
        if (const auto conflict =
                table.write(clock_, mine, as, offset[lane], bytes, unchanged >> lane & 1)) {
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
    std::uint64_t found = lanes;
    const unsigned turn = block_.state().random.below(Lanes);
    for (unsigned step = 0; step < Lanes; ++step) {
      const unsigned lane = (turn + step) % Lanes;
      if (!(lanes >> lane & 1)) continue;
      std::byte* at = view.bytes + offset[lane];
      const std::uint64_t old = read_bytes(at, m.width);
      found += (old ^ (offset[lane] << 32) ^ lane) * 0x9e3779b97f4a7c15;  // in any order
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
        if (const auto conflict = table->write(clock_, mine, lane, offset[lane], bytes, false)) {
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
    note_poll(m, found);
  });
}

template void Warp::load<true>(const Instruction&, LaneMask);
template void Warp::load<false>(const Instruction&, LaneMask);
template void Warp::store<true>(const Instruction&, LaneMask);
template void Warp::store<false>(const Instruction&, LaneMask);
template void Warp::atomic<true>(const Instruction&, LaneMask);
template void Warp::atomic<false>(const Instruction&, LaneMask);

}  // namespace sinter::emulator::ptx
