#pragma once
// Picks the handler for a function object by type. A function object is usable with a type when it
// can be called with values of it.

#include <concepts>

#include "backends/emulator/ptx/decoder.h"
#include "backends/emulator/ptx/lanes.h"
#include "backends/emulator/ptx/values.h"

namespace sinter::emulator::ptx {

template <class T, std::size_t>
using Repeat = T;

template <class F, class R, class T, std::size_t... I>
constexpr Handler handler_of(std::index_sequence<I...>) {
  if constexpr (std::is_invocable_v<F, Repeat<T, I>...>) {
    // Exactly R: no type is taken through an implicit conversion.
    if constexpr (std::is_same_v<std::invoke_result_t<F, Repeat<T, I>...>, R>) {
      return &lanes<F, R, Repeat<T, I>...>;
    }
  }
  return nullptr;
}

/// The handler of F on `Arity` values of `type`, with a result of that type, or of R if given.
/// Null when F does not take the type.
template <class F, std::size_t Arity, class R = void>
Handler by_type(Type type) {
  const auto of = []<class T>(T*) {
    using Result = std::conditional_t<std::is_void_v<R>, T, R>;
    return handler_of<F, Result, T>(std::make_index_sequence<Arity>());
  };
  switch (type) {
    case Type::U16:
    case Type::B16:
      return of(static_cast<std::uint16_t*>(nullptr));
    case Type::S16:
      return of(static_cast<std::int16_t*>(nullptr));
    case Type::U32:
    case Type::B32:
      return of(static_cast<std::uint32_t*>(nullptr));
    case Type::S32:
      return of(static_cast<std::int32_t*>(nullptr));
    case Type::U64:
    case Type::B64:
      return of(static_cast<std::uint64_t*>(nullptr));
    case Type::S64:
      return of(static_cast<std::int64_t*>(nullptr));
    case Type::F16:
      return of(static_cast<Half*>(nullptr));
    case Type::BF16:
      return of(static_cast<Bfloat*>(nullptr));
    case Type::F16x2:
      return of(static_cast<Packed<Half>*>(nullptr));
    case Type::BF16x2:
      return of(static_cast<Packed<Bfloat>*>(nullptr));
    case Type::U16x2:
      return of(static_cast<Packed<std::uint16_t>*>(nullptr));
    case Type::S16x2:
      return of(static_cast<Packed<std::int16_t>*>(nullptr));
    case Type::F32:
      return of(static_cast<float*>(nullptr));
    case Type::F64:
      return of(static_cast<double*>(nullptr));
    case Type::Predicate:
      return of(static_cast<bool*>(nullptr));
    case Type::U8:
    case Type::S8:
    case Type::B8:
    case Type::Tf32:
      return nullptr;
  }
  return nullptr;
}

struct Same {
  template <std::unsigned_integral T>
  T operator()(T a) const {
    return a;
  }
};
/// Copies registers of `width` bytes; 0 for predicates.
inline Handler copy_handler(unsigned width) {
  return by_type<Same, 1>(width == 0   ? Type::Predicate
                          : width == 2 ? Type::B16
                          : width == 4 ? Type::B32
                                       : Type::B64);
}

}  // namespace sinter::emulator::ptx
