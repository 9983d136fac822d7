// Instructions through which the lanes of a warp see one another's registers.

#include <bit>

#include "backends/emulator/ptx/lanes.h"
#include "backends/emulator/ptx/warp.h"

namespace sinter::emulator::ptx {

void Warp::exchange(const Instruction& i, LaneMask active) {
  const Exchange& e = module_.exchanges[i.detail];
  const bool checks = block_.state().launch.checks;
  const auto first = static_cast<unsigned>(std::countr_zero(active));
  const auto* words = lanes_of<std::uint32_t>(registers_, i.source[0]);
  const std::uint32_t predicate = (e.negated ? ~*words : *words) & active;  // of a vote
  const auto each = [&](auto f) { for_each_lane(active, f); };
  const auto write_all = [&](std::uint32_t value) {
    auto* result = lanes_of<std::uint32_t>(registers_, i.destination);
    each([&](unsigned lane) { result[lane] = value; });
  };
  const auto write_predicate = [&](Slot slot, LaneMask bits) {
    auto* result = lanes_of<std::uint32_t>(registers_, slot);
    *result = (*result & ~active) | (bits & active);
  };
  const LaneMask undefined = checks ? undefined_[i.source[0]] & active : 0;
  // What all lanes combine is undefined where one brought undefined bits.
  const auto mark = [&](unsigned width) {
    if (!checks) return;
    define(i.destination, active);
    define(i.destination2, active);
    if (undefined) {
      each([&](unsigned lane) {
        set_undefined_bits(i.destination, lane, width, ~std::uint64_t{0});
      });
    }
  };
  const auto reduce = [&](auto f) {
    std::uint32_t value = words[first];
    each([&](unsigned lane) {
      if (lane != first) value = f(value, words[lane]);
    });
    mark(4);
    write_all(value);
  };

  switch (e.operation) {
    case ExchangeOperation::ShuffleUp:
    case ExchangeOperation::ShuffleDown:
    case ExchangeOperation::ShuffleButterfly:
    case ExchangeOperation::ShuffleIndex: {
      const auto* b = lanes_of<std::uint32_t>(registers_, i.source[1]);
      const auto* c = lanes_of<std::uint32_t>(registers_, i.source[2]);
      std::array<std::uint32_t, Lanes> values{};
      std::array<std::uint64_t, Lanes> bits{};
      LaneMask in_range = 0;
      each([&](unsigned lane) {
        const std::uint32_t distance = b[lane] & 31, segment = c[lane] >> 8 & 31,
                            clamp = c[lane] & 31;
        const std::uint32_t most = (lane & segment) | (clamp & ~segment);
        std::uint32_t from = 0;
        bool valid = false;
        if (e.operation == ExchangeOperation::ShuffleUp) {
          from = lane - distance;
          valid = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(most);
        } else {
          from = e.operation == ExchangeOperation::ShuffleDown ? lane + distance
                 : e.operation == ExchangeOperation::ShuffleButterfly
                     ? lane ^ distance
                     : (lane & segment) | (distance & ~segment);
          valid = from <= most;
        }
        if (!valid) from = lane;
        if (valid) in_range |= LaneMask{1} << lane;
        values[lane] = words[from & 31];
        if (!checks) return;
        bits[lane] = undefined_bits(i.source[0], from & 31, 4);
        if (!(active >> (from & 31) & 1)) bits[lane] = 0xffffffff;  // a lane that takes no part
        bits[lane] |=
            (undefined_[i.source[1]] | undefined_[i.source[2]]) >> lane & 1 ? 0xffffffff : 0;
      });
      auto* result = lanes_of<std::uint32_t>(registers_, i.destination);
      each([&](unsigned lane) {
        result[lane] = values[lane];
        if (checks) set_undefined_bits(i.destination, lane, 4, bits[lane]);
      });
      define(i.destination2, active);
      write_predicate(i.destination2, in_range);
      break;
    }
    case ExchangeOperation::VoteAll:
      mark(0);
      write_predicate(i.destination, predicate == active ? active : 0);
      break;
    case ExchangeOperation::VoteAny:
      mark(0);
      write_predicate(i.destination, predicate ? active : 0);
      break;
    case ExchangeOperation::VoteUni:
      mark(0);
      write_predicate(i.destination, predicate == active || predicate == 0 ? active : 0);
      break;
    case ExchangeOperation::VoteBallot:
      mark(4);
      write_all(predicate);
      break;
    case ExchangeOperation::MatchAny:
    case ExchangeOperation::MatchAll: {
      const auto value = [&](unsigned lane) {
        return e.width == 8 ? lanes_of<std::uint64_t>(registers_, i.source[0])[lane]
                            : std::uint64_t{words[lane]};
      };
      std::array<LaneMask, Lanes> equal{};
      each([&](unsigned lane) {
        each([&](unsigned other) {
          if (value(lane) == value(other)) equal[lane] |= LaneMask{1} << other;
        });
      });
      const bool all = equal[first] == active;
      mark(4);
      auto* result = lanes_of<std::uint32_t>(registers_, i.destination);
      each([&](unsigned lane) {
        result[lane] = e.operation == ExchangeOperation::MatchAny ? equal[lane] : all ? active : 0;
      });
      write_predicate(i.destination2, all ? active : 0);
      break;
    }
    case ExchangeOperation::ReduceAdd:
      reduce([](std::uint32_t a, std::uint32_t b) { return a + b; });
      break;
    case ExchangeOperation::ReduceMinSigned:
      reduce([](std::uint32_t a, std::uint32_t b) {
        return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
      });
      break;
    case ExchangeOperation::ReduceMaxSigned:
      reduce([](std::uint32_t a, std::uint32_t b) {
        return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b;
      });
      break;
    case ExchangeOperation::ReduceMin:
      reduce([](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; });
      break;
    case ExchangeOperation::ReduceMax:
      reduce([](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; });
      break;
    case ExchangeOperation::ReduceAnd:
      reduce([](std::uint32_t a, std::uint32_t b) { return a & b; });
      break;
    case ExchangeOperation::ReduceOr:
      reduce([](std::uint32_t a, std::uint32_t b) { return a | b; });
      break;
    case ExchangeOperation::ReduceXor:
      reduce([](std::uint32_t a, std::uint32_t b) { return a ^ b; });
      break;
    case ExchangeOperation::Elect:
      define(i.destination, active);
      define(i.destination2, active);
      write_all(first);
      write_predicate(i.destination2, LaneMask{1} << first);
      break;
    case ExchangeOperation::ActiveMask:
      define(i.destination, active);
      write_all(active);
      break;
  }
}

}  // namespace sinter::emulator::ptx
