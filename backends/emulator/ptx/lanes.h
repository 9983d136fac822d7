#pragma once
// From a function of values to a handler over lanes. The loops are written so that the compiler
// turns them into vector code when all lanes are active.

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "backends/emulator/ptx/program.h"

namespace sinter::emulator::ptx {

/// A register file holds values of all types at the same places.
template <class T>
struct Aliased {
  typedef T type __attribute__((may_alias));
};
template <class T>
  requires std::is_class_v<T>
struct Aliased<T> {
  using type = T;  // declared so already
};

template <class T>
typename Aliased<T>::type* lanes_of(std::byte* registers, Slot slot) {
  return reinterpret_cast<typename Aliased<T>::type*>(registers + std::size_t{slot} * UnitBytes);
}
template <class T>
const typename Aliased<T>::type* lanes_of(const std::byte* registers, Slot slot) {
  return reinterpret_cast<const typename Aliased<T>::type*>(registers +
                                                            std::size_t{slot} * UnitBytes);
}

template <class T>
struct Source {
  const typename Aliased<T>::type* values;
  Source(const std::byte* registers, Slot slot) : values(lanes_of<T>(registers, slot)) {}
  T operator[](unsigned lane) const { return values[lane]; }
};
template <>
struct Source<bool> {
  std::uint32_t bits;
  Source(const std::byte* registers, Slot slot) : bits(*lanes_of<std::uint32_t>(registers, slot)) {}
  bool operator[](unsigned lane) const { return bits >> lane & 1; }
};

template <class F, class R, class... A, std::size_t... I>
void apply_lanes(std::byte* registers, const Instruction& instruction, LaneMask mask,
                 std::index_sequence<I...>) {
  const std::tuple<Source<A>...> sources{Source<A>(registers, instruction.source[I])...};
  if constexpr (std::is_same_v<R, bool>) {
    std::uint32_t bits = 0;
    for (unsigned lane = 0; lane < Lanes; ++lane) {
      bits |= std::uint32_t{F{}(std::get<I>(sources)[lane]...)} << lane;
    }
    auto* result = lanes_of<std::uint32_t>(registers, instruction.destination);
    *result = (*result & ~mask) | (bits & mask);
  } else {
    auto* result = lanes_of<R>(registers, instruction.destination);
    if (mask == ~LaneMask{0}) {
      // A lane reads its own elements before it writes its own: sources may be the destination.
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
      for (unsigned lane = 0; lane < Lanes; ++lane) {
        result[lane] = F{}(std::get<I>(sources)[lane]...);
      }
    } else {
      for (unsigned lane = 0; lane < Lanes; ++lane) {
        if (mask >> lane & 1) result[lane] = F{}(std::get<I>(sources)[lane]...);
      }
    }
  }
}

/// F is a stateless function object from A... to R.
template <class F, class R, class... A>
void lanes(std::byte* registers, const Instruction& instruction, LaneMask mask) {
  apply_lanes<F, R, A...>(registers, instruction, mask, std::index_sequence_for<A...>{});
}

}  // namespace sinter::emulator::ptx
