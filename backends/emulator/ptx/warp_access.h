#pragma once
// The addresses of a warp's access: checked, and sorted by the allocations they lie in.

#include <algorithm>
#include <bit>
#include <cstring>

#include "backends/emulator/ptx/lanes.h"
#include "backends/emulator/ptx/warp.h"

namespace sinter::emulator::ptx {

inline std::uint64_t read_bytes(const std::byte* from, unsigned width) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, width);
  return value;
}

inline std::uint64_t extend(std::uint64_t value, unsigned width, bool sign) {
  const unsigned shift = 64 - width * 8;
  return sign ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift)
              : value;
}

inline std::uint64_t any_set(const std::uint8_t* shadow, unsigned bytes) {
  std::uint64_t any = 0;
  for (; bytes >= 8; bytes -= 8, shadow += 8) {
    std::uint64_t part;
    std::memcpy(&part, shadow, 8);
    any |= part;
  }
  for (; bytes; --bytes) any |= *shadow++;
  return any;
}

inline Space space_of(Space space, std::uint64_t& address) {
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

const char* name_of(Space);

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
    const bool found = find_view(m, address[first], view);
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

}  // namespace sinter::emulator::ptx
