// How undefined bits go through instructions. Only instructions that meet some come here.

#include <bit>

#include "backends/emulator/ptx/lanes.h"
#include "backends/emulator/ptx/warp.h"

namespace sinter::emulator::ptx {

namespace {

std::uint64_t ones(unsigned bytes) {
  return bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (bytes * 8)) - 1;
}

std::uint64_t read_bits(const std::byte* registers, Slot slot, unsigned lane, unsigned width) {
  switch (width) {
    case 8:
      return lanes_of<std::uint64_t>(registers, slot)[lane];
    case 4:
      return lanes_of<std::uint32_t>(registers, slot)[lane];
    case 2:
      return lanes_of<std::uint16_t>(registers, slot)[lane];
    default:
      return *lanes_of<std::uint32_t>(registers, slot) >> lane & 1;
  }
}

}  // namespace

std::uint64_t Warp::undefined_bits(Slot slot, unsigned lane, unsigned width) const {
  if (!(undefined_[slot] >> lane & 1)) return 0;
  if (!shadow_ || width == 0) return width ? ones(width) : 1;
  return read_bits(shadow_.get(), slot, lane, width) & ones(width);
}

void Warp::set_undefined_bits(Slot slot, unsigned lane, unsigned width, std::uint64_t bits) {
  const LaneMask self = LaneMask{1} << lane;
  if (!bits) {
    undefined_[slot] &= ~self;
    return;
  }
  undefined_[slot] |= self;
  if (width == 0) return;
  if (!shadow_) {
    const std::size_t size = undefined_.size() * UnitBytes;
    shadow_ = std::make_unique<std::byte[]>(size);
    std::memset(shadow_.get(), 0xff, size);
  }
  if (width == 8) {
    lanes_of<std::uint64_t>(shadow_.get(), slot)[lane] = bits;
  } else if (width == 4) {
    lanes_of<std::uint32_t>(shadow_.get(), slot)[lane] = static_cast<std::uint32_t>(bits);
  } else {
    lanes_of<std::uint16_t>(shadow_.get(), slot)[lane] = static_cast<std::uint16_t>(bits);
  }
}

// Before the instruction executes, since the result may overwrite a source.
void Warp::propagate(const Instruction& i, LaneMask active) {
  const unsigned width = i.width;
  const std::uint64_t all = width ? ones(width) : 1;
  const auto [a, b, c, d] = i.source;
  for (; active; active &= active - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    const auto undefined = [&](Slot slot, unsigned w) { return undefined_bits(slot, lane, w); };
    const auto value = [&](Slot slot, unsigned w) { return read_bits(registers_, slot, lane, w); };
    const bool any = ((undefined_[a] | undefined_[b] | undefined_[c] | undefined_[d]) >> lane) & 1;
    const auto amount = [&] { return std::min<std::uint64_t>(value(b, 4), width * 8); };
    const bool amount_undefined = undefined_[b] >> lane & 1;
    std::uint64_t result = any ? all : 0;
    switch (i.flow) {
      case Flow::All:
        break;
      case Flow::Move:
        result = undefined(a, width);
        break;
      case Flow::Bitwise:
        result = undefined(a, width) | undefined(b, width) | undefined(c, width);
        break;
      case Flow::And: {
        const std::uint64_t ua = undefined(a, width), ub = undefined(b, width);
        result = (ua | ub) & (ua | value(a, width)) & (ub | value(b, width));
        break;
      }
      case Flow::Or: {
        const std::uint64_t ua = undefined(a, width), ub = undefined(b, width);
        result = (ua | ub) & (ua | ~value(a, width)) & (ub | ~value(b, width));
        break;
      }
      case Flow::ShiftLeft:
        if (!amount_undefined) result = amount() < 64 ? undefined(a, width) << amount() : 0;
        break;
      case Flow::ShiftRight:
        // bfe too: its position is the amount, and its length only cuts.
        if (!amount_undefined && !(undefined_[c] >> lane & 1)) {
          result = amount() < 64 ? undefined(a, width) >> amount() : 0;
          if (c != NoSlot && (value(c, 4) & 255) < 64) {
            result &= (std::uint64_t{1} << (value(c, 4) & 255)) - 1;
          }
        }
        break;
      case Flow::ShiftRightSigned:
        if (!amount_undefined) {
          const std::uint64_t bits = undefined(a, width);
          const std::uint64_t by = std::min<std::uint64_t>(amount(), width * 8 - 1);
          result = bits >> by;
          if (bits >> (width * 8 - 1) & 1) result |= ~(all >> by);
        }
        break;
      case Flow::Upward: {
        const std::uint64_t bits = undefined(a, width) | undefined(b, width) | undefined(c, width);
        result = bits ? ~((bits & (0 - bits)) - 1) : 0;
        break;
      }
      case Flow::Select:
        if (!(undefined_[c] >> lane & 1)) result = undefined(value(c, 0) ? a : b, width);
        break;
      case Flow::Pack: {
        const unsigned part = width / i.detail;
        result = 0;
        for (unsigned n = 0; n < i.detail; ++n) {
          result |= undefined(i.source[n], part) << (part * 8 * n);
        }
        break;
      }
      case Flow::Unpack: {
        const auto whole = static_cast<unsigned>(i.immediate);
        result = undefined(a, whole) >> (width * 8 * i.detail);
        break;
      }
      case Flow::Convert: {
        // detail: bytes of the source register, bytes of the source type, sign
        const unsigned from = i.detail & 15, type = i.detail >> 4 & 15;
        const bool sign = i.detail >> 8 & 1;
        result = undefined(a, from) & ones(type);
        if (sign && type < width && (result >> (type * 8 - 1) & 1)) result |= ~ones(type);
        break;
      }
      case Flow::Halves: {
        const std::uint64_t bits = undefined(a, width) | undefined(b, width) | undefined(c, width);
        result = (bits & 0xffff ? 0xffff : 0) | (bits >> 16 & 0xffff ? 0xffff0000 : 0);
        break;
      }
      case Flow::Insert: {
        if ((undefined_[c] | undefined_[d]) >> lane & 1) break;
        const std::uint64_t at = value(c, 4) & 255, length = value(d, 4) & 255;
        const std::uint64_t field =
            at < 64 ? (length < 64 ? (std::uint64_t{1} << length) - 1 : ~std::uint64_t{0}) << at
                    : 0;
        result = (undefined(b, width) & ~field) | (at < 64 ? undefined(a, width) << at & field : 0);
        break;
      }
      case Flow::Bytes: {
        if (undefined_[c] >> lane & 1) break;
        const std::uint64_t bytes = undefined(b, 4) << 32 | undefined(a, 4);
        const std::uint64_t selector = value(c, 4);
        result = 0;
        for (unsigned n = 0; n < 4; ++n) {
          const std::uint64_t choice = selector >> (4 * n) & 15;
          std::uint64_t byte = bytes >> (8 * (choice & 7)) & 255;
          if (choice & 8) byte = byte & 128 ? 255 : 0;
          result |= byte << (8 * n);
        }
        break;
      }
    }
    set_undefined_bits(i.destination, lane, width, result & all);
    if (i.destination2 != SinkSlot) set_undefined_bits(i.destination2, lane, 0, any);
  }
}

void Warp::check_defined(const Instruction& i, Slot slot, LaneMask active, const char* what) {
  const LaneMask bad = undefined_[slot] & active;
  if (!bad) return;
  fault(FaultKind::Uninitialised, i, static_cast<unsigned>(std::countr_zero(bad)),
        std::string(what) + " depends on bits that nobody wrote");
}

}  // namespace sinter::emulator::ptx
