// cvt: between integers, between floats, and across.

#include <algorithm>
#include <array>
#include <cfenv>
#include <utility>

#include "backends/emulator/ptx/dispatch.h"
#include "backends/emulator/ptx/floats.h"

namespace sinter::emulator::ptx {

namespace {

template <class T>
struct Tag {
  using type = T;
};

template <class F>
Handler with_integer(Type type, F f) {
  switch (type) {
    case Type::U8:
    case Type::B8:
      return f(Tag<std::uint8_t>{});
    case Type::S8:
      return f(Tag<std::int8_t>{});
    case Type::U16:
    case Type::B16:
      return f(Tag<std::uint16_t>{});
    case Type::S16:
      return f(Tag<std::int16_t>{});
    case Type::U32:
    case Type::B32:
      return f(Tag<std::uint32_t>{});
    case Type::S32:
      return f(Tag<std::int32_t>{});
    case Type::U64:
    case Type::B64:
      return f(Tag<std::uint64_t>{});
    case Type::S64:
      return f(Tag<std::int64_t>{});
    case Type::F16:
    case Type::BF16:
    case Type::F16x2:
    case Type::BF16x2:
    case Type::U16x2:
    case Type::S16x2:
    case Type::F32:
    case Type::F64:
    case Type::Tf32:
    case Type::Predicate:
      return nullptr;
  }
  return nullptr;
}
template <class F>
Handler with_register(unsigned width, F f) {
  if (width == 8) return f(Tag<std::uint64_t>{});
  if (width == 4) return f(Tag<std::uint32_t>{});
  return f(Tag<std::uint16_t>{});
}
template <class F>
Handler with_float(Type type, F f) {
  if (type == Type::F16) return f(Tag<Half>{});
  if (type == Type::BF16) return f(Tag<Bfloat>{});
  if (type == Type::F32) return f(Tag<float>{});
  if (type == Type::F64) return f(Tag<double>{});
  return nullptr;
}

/// A result of type T in a register that may be wider: its sign or zeros fill the rest.
template <class Register, class T>
Register widen(T value) {
  return static_cast<Register>(value);
}

// ---- integers

template <class From, class To, class Register>
struct Cut {
  template <class Source>
  Register operator()(Source a) const {
    return widen<Register>(static_cast<To>(static_cast<From>(a)));
  }
};
template <class From, class To, class Register>
struct Clamp {
  template <class Source>
  Register operator()(Source a) const {
    const From value = static_cast<From>(a);
    using L = std::numeric_limits<To>;
    To result = static_cast<To>(value);
    if (std::cmp_less(value, L::min())) result = L::min();
    if (std::cmp_greater(value, L::max())) result = L::max();
    return widen<Register>(result);
  }
};

Handler integer_to_integer(Type from, unsigned from_width, Type to, unsigned to_width, bool clamp) {
  return with_integer(from, [&]<class F>(Tag<F>) {
    return with_integer(to, [&]<class T>(Tag<T>) {
      return with_register(from_width, [&]<class S>(Tag<S>) {
        return with_register(to_width, [&]<class R>(Tag<R>) -> Handler {
          if constexpr (sizeof(S) < sizeof(F) || sizeof(R) < sizeof(T)) {
            return nullptr;
          } else {
            return clamp ? &lanes<Clamp<F, T, R>, R, S> : &lanes<Cut<F, T, R>, R, S>;
          }
        });
      });
    });
  });
}

// ---- integer to float

template <class From, class To, int Mode>
struct ToFloat {
  template <class Source>
  To operator()(Source a) const {
    const From value = static_cast<From>(a);
    if constexpr (is_small_float<To>) {
      // 64-bit integers are rounded to odd on the way to the double.
      double nearest = static_cast<double>(value);
      if constexpr (sizeof(From) == 8) {
        const long double rest =
            static_cast<long double>(value) - static_cast<long double>(nearest);
        nearest = round_to_odd(nearest, static_cast<double>(rest));
      }
      return narrow<To>(nearest, Mode);
    } else if constexpr (Mode == FE_TONEAREST) {
      return static_cast<To>(value);
    } else {
      const int before = std::fegetround();
      std::fesetround(Mode);
      const volatile From in = value;
      const volatile To out = static_cast<To>(in);
      std::fesetround(before);
      return out;
    }
  }
};

Handler integer_to_float(Type from, unsigned from_width, Type to, int mode) {
  return with_integer(from, [&]<class F>(Tag<F>) {
    return with_float(to, [&]<class T>(Tag<T>) {
      return with_register(from_width, [&]<class S>(Tag<S>) -> Handler {
        if constexpr (sizeof(S) < sizeof(F)) {
          return nullptr;
        } else {
          switch (mode) {
            case FE_TOWARDZERO:
              return &lanes<ToFloat<F, T, FE_TOWARDZERO>, T, S>;
            case FE_DOWNWARD:
              return &lanes<ToFloat<F, T, FE_DOWNWARD>, T, S>;
            case FE_UPWARD:
              return &lanes<ToFloat<F, T, FE_UPWARD>, T, S>;
            default:
              return &lanes<ToFloat<F, T, FE_TONEAREST>, T, S>;
          }
        }
      });
    });
  });
}

// ---- float to integer: saturates

template <int Mode>
double to_integral(double a) {
  switch (Mode) {
    case FE_TOWARDZERO:
      return std::trunc(a);
    case FE_DOWNWARD:
      return std::floor(a);
    case FE_UPWARD:
      return std::ceil(a);
    default:
      return std::nearbyint(a);
  }
}

template <class From, class To, class Register, int Mode, bool Flush>
struct ToInteger {
  Register operator()(From a) const {
    if constexpr (Flush && std::is_same_v<From, float>) a = flushed(a);
    const double value = to_integral<Mode>(to_double(a));
    using L = std::numeric_limits<To>;
    // The bounds as doubles: the lower is exact, the upper is one more than the largest.
    const double low = static_cast<double>(L::min());
    const double high = std::ldexp(1.0, L::digits);
    // NaN is 0, but the top bit alone where either side has 64 bits.
    constexpr bool Wide = sizeof(From) == 8 || sizeof(To) == 8;
    To result = Wide ? static_cast<To>(std::uint64_t{1} << (sizeof(To) * 8 - 1)) : To{0};
    if (value >= high) result = L::max();
    else if (value < low) result = L::min();
    else if (value == value) result = static_cast<To>(value);
    return widen<Register>(result);
  }
};

Handler float_to_integer(Type from, Type to, unsigned to_width, int mode, bool flush) {
  return with_float(from, [&]<class F>(Tag<F>) {
    return with_integer(to, [&]<class T>(Tag<T>) {
      return with_register(to_width, [&]<class R>(Tag<R>) -> Handler {
        if constexpr (sizeof(R) < sizeof(T)) {
          return nullptr;
        } else {
          const auto pick = [&]<bool Flush>(std::bool_constant<Flush>) -> Handler {
            switch (mode) {
              case FE_TOWARDZERO:
                return &lanes<ToInteger<F, T, R, FE_TOWARDZERO, Flush>, R, F>;
              case FE_DOWNWARD:
                return &lanes<ToInteger<F, T, R, FE_DOWNWARD, Flush>, R, F>;
              case FE_UPWARD:
                return &lanes<ToInteger<F, T, R, FE_UPWARD, Flush>, R, F>;
              default:
                return &lanes<ToInteger<F, T, R, FE_TONEAREST, Flush>, R, F>;
            }
          };
          if constexpr (std::is_same_v<F, float>) {
            if (flush) return pick(std::bool_constant<true>{});
          }
          return pick(std::bool_constant<false>{});
        }
      });
    });
  });
}

// ---- float to float

template <class From, class To, int Mode>
struct ToFormat {
  To operator()(From a) const { return narrow<To>(to_double(a), Mode); }
};
template <class T, int Mode>
struct ToIntegral {
  T operator()(T a) const { return from_double<T>(to_integral<Mode>(to_double(a))); }
};

template <class F, class R, class A, bool Flush>
Handler modified(bool saturate, bool relu) {
  // Flushing is of f32 operands and results.
  struct Flushing {
    R operator()(A a) const {
      if constexpr (Flush && std::is_same_v<A, float>) a = flushed(a);
      R result = F{}(a);
      if constexpr (Flush && std::is_same_v<R, float>) result = flushed(result);
      return result;
    }
  };
  if (saturate) return &lanes<Saturating<Flushing>, R, A>;
  if (relu) return &lanes<Relu<Flushing>, R, A>;
  return &lanes<Flushing, R, A>;
}

template <template <int> class F, class R, class A>
Handler modified_by_mode(int mode, bool flush, bool saturate, bool relu) {
  const auto pick = [&]<int Mode>(std::integral_constant<int, Mode>) {
    return flush ? modified<F<Mode>, R, A, true>(saturate, relu)
                 : modified<F<Mode>, R, A, false>(saturate, relu);
  };
  switch (mode) {
    case FE_TOWARDZERO:
      return pick(std::integral_constant<int, FE_TOWARDZERO>{});
    case FE_DOWNWARD:
      return pick(std::integral_constant<int, FE_DOWNWARD>{});
    case FE_UPWARD:
      return pick(std::integral_constant<int, FE_UPWARD>{});
    default:
      return pick(std::integral_constant<int, FE_TONEAREST>{});
  }
}

template <class From, class To>
struct Formats {
  template <int Mode>
  using F = ToFormat<From, To, Mode>;
};
template <class T>
struct Integrals {
  template <int Mode>
  using F = ToIntegral<T, Mode>;
};

Handler float_to_float(Type from, Type to, int mode, bool flush, bool saturate, bool relu) {
  return with_float(from, [&]<class F>(Tag<F>) {
    return with_float(to, [&]<class T>(Tag<T>) {
      return modified_by_mode<Formats<F, T>::template F, T, F>(mode, flush, saturate, relu);
    });
  });
}
Handler float_to_integral(Type type, int mode, bool flush, bool saturate) {
  return with_float(type, [&]<class T>(Tag<T>) {
    return modified_by_mode<Integrals<T>::template F, T, T>(mode, flush, saturate, false);
  });
}

/// f32 with 10 bits of fraction, ties away from zero.
struct ToTf32 {
  std::uint32_t operator()(float a) const {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(a);
    if ((bits & 0x7f800000) == 0x7f800000) return bits & 0x7fffff ? 0x7fffffff : bits;
    return (bits + 0x1000) & ~0x1fffu;
  }
};

template <class T, int Mode, bool ZeroBelow>
struct PackPair {
  Packed<T> operator()(float high, float low) const {
    const auto one = [](float a) {
      if (ZeroBelow && a <= 0) a = 0;  // -0 too
      return narrow<T>(a, Mode);
    };
    return {one(low), one(high)};
  }
};
template <class T>
Handler pack_pair(int mode, bool relu) {
  const auto pick = [&]<int Mode>(std::integral_constant<int, Mode>) -> Handler {
    return relu ? &lanes<PackPair<T, Mode, true>, Packed<T>, float, float>
                : &lanes<PackPair<T, Mode, false>, Packed<T>, float, float>;
  };
  return mode == FE_TOWARDZERO ? pick(std::integral_constant<int, FE_TOWARDZERO>{})
                               : pick(std::integral_constant<int, FE_TONEAREST>{});
}

// ---- f8, in pairs

struct F8Format {
  int exponent_bits, fraction_bits, bias;
  std::uint8_t largest, nan;
};
constexpr F8Format E4m3{4, 3, 7, 0x7e, 0x7f}, E5m2{5, 2, 15, 0x7b, 0x7f};

/// To nearest even; beyond the largest finite value, that value.
std::uint8_t to_f8(double a, const F8Format& f) {
  const std::uint8_t sign = std::signbit(a) ? 0x80 : 0;
  if (a != a) return f.nan;
  a = std::fabs(a);
  if (std::isinf(a)) return static_cast<std::uint8_t>(sign | f.largest);
  const int exponent = a == 0 ? 1 - f.bias : std::max(std::ilogb(a), 1 - f.bias);
  const double steps = std::nearbyint(std::ldexp(a, f.fraction_bits - exponent));
  const double code = steps + std::ldexp(exponent + f.bias - 1, f.fraction_bits);
  const auto bits = static_cast<std::uint8_t>(std::min<double>(code, f.largest));
  return static_cast<std::uint8_t>(sign | bits);
}
double from_f8(std::uint8_t bits, const F8Format& f) {
  const int exponent = bits >> f.fraction_bits & ((1 << f.exponent_bits) - 1);
  const int fraction = bits & ((1 << f.fraction_bits) - 1);
  const double sign = bits & 0x80 ? -1 : 1;
  if ((bits & 0x7f) > f.largest) {
    const bool infinite = f.fraction_bits == 2 && fraction == 0;
    return infinite ? sign * std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - f.bias - f.fraction_bits);
  return sign * std::ldexp(fraction + (1 << f.fraction_bits), exponent - f.bias - f.fraction_bits);
}

template <bool E5, bool ZeroBelow>
struct PackF8 {
  std::uint16_t operator()(float high, float low) const {
    const auto one = [](float a) {
      if (ZeroBelow && a <= 0) a = 0;  // -0 too
      return unsigned{to_f8(a, E5 ? E5m2 : E4m3)};
    };
    return static_cast<std::uint16_t>(one(high) << 8 | one(low));
  }
};
template <bool E5, bool ZeroBelow>
struct HalfPairToF8 {
  std::uint16_t operator()(Packed<Half> a) const {
    return PackF8<E5, ZeroBelow>{}(static_cast<float>(to_double(a.high)),
                                   static_cast<float>(to_double(a.low)));
  }
};
template <bool E5, bool ZeroBelow>
struct F8PairToHalf {
  Packed<Half> operator()(std::uint16_t a) const {
    const auto one = [](unsigned bits) {
      double value = from_f8(static_cast<std::uint8_t>(bits), E5 ? E5m2 : E4m3);
      if (ZeroBelow && value <= 0) value = 0;
      return from_double<Half>(value);
    };
    return {one(a & 255u), one(a >> 8)};
  }
};

bool convert_f8(Decoder& d) {
  const auto& parts = d.statement().opcode;
  const auto position = [&](const char* name) {
    return std::find(parts.begin(), parts.end(), name) - parts.begin();
  };
  const auto end = static_cast<std::ptrdiff_t>(parts.size());
  const bool e5 = position("e5m2x2") < end;
  const auto at = e5 ? position("e5m2x2") : position("e4m3x2");
  if (at == end) return false;
  const bool to_f8 = at + 2 == end;
  d.take(e5 ? "e5m2x2" : "e4m3x2");
  d.take("rn");
  const bool finite = d.take("satfinite");
  const bool relu = d.take("relu");
  if (to_f8 && !finite) d.fail("needs .satfinite");
  const Type other = d.take_type();
  const auto pick = [&](auto f) -> Handler {
    if (e5)
      return relu ? f(Tag<std::bool_constant<true>>{}, std::true_type{})
                  : f(Tag<std::bool_constant<true>>{}, std::false_type{});
    return relu ? f(Tag<std::bool_constant<false>>{}, std::true_type{})
                : f(Tag<std::bool_constant<false>>{}, std::false_type{});
  };
  if (to_f8 && other == Type::F32) {
    d.expect_operands(3, 3);
    const Handler handler = pick([]<class E, class Z>(Tag<E>, Z) -> Handler {
      return &lanes<PackF8<E::value, Z::value>, std::uint16_t, float, float>;
    });
    d.compute(handler, Type::B16, d.destination(0, Type::B16),
              {d.source(1, Type::F32), d.source(2, Type::F32)});
  } else if (other == Type::F16x2) {
    d.expect_operands(2, 2);
    const Handler handler = pick([&]<class E, class Z>(Tag<E>, Z) -> Handler {
      return to_f8 ? &lanes<HalfPairToF8<E::value, Z::value>, std::uint16_t, Packed<Half>>
                   : &lanes<F8PairToHalf<E::value, Z::value>, Packed<Half>, std::uint16_t>;
    });
    const Type result = to_f8 ? Type::B16 : Type::B32;
    d.compute(handler, result, d.destination(0, result),
              {d.source(1, to_f8 ? Type::B32 : Type::B16)});
  } else {
    d.fail_type(other);
  }
  return true;
}

// ---- decoding

void convert(Decoder& d) {
  if (convert_f8(d)) return;
  const int integral = d.take_one_of<int>(
      {{"rni", FE_TONEAREST}, {"rzi", FE_TOWARDZERO}, {"rmi", FE_DOWNWARD}, {"rpi", FE_UPWARD}},
      -1);
  const bool away = d.take("rna");
  const int mode = d.take_one_of<int>(
      {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}}, -1);
  const bool flush = d.take("ftz"), saturate = d.take("sat"), relu = d.take("relu");
  const Type to = d.take_type(), from = d.take_type();
  if (to == Type::F16x2 || to == Type::BF16x2) {
    if (from != Type::F32 || mode == -1) d.fail("needs a rounding and .f32");
    d.expect_operands(3, 3);
    d.compute(to == Type::F16x2 ? pack_pair<Half>(mode, relu) : pack_pair<Bfloat>(mode, relu), to,
              d.destination(0, to), {d.source(1, from), d.source(2, from)});
    return;
  }
  d.expect_operands(2, 2);
  if (to == Type::Tf32) {
    if (!away || from != Type::F32) d.fail("needs .rna.tf32.f32");
    d.compute(&lanes<ToTf32, std::uint32_t, float>, Type::B32, d.destination(0, Type::B32),
              {d.source(1, Type::F32)});
    return;
  }
  if (away) d.fail(".rna needs .tf32");
  const auto source_of = [&](Type type, unsigned& width) {
    const Operand& o = d.operand(1);
    width = std::max(2u, bytes_of(type));
    if (o.kind == Operand::Kind::Register) return d.any_register(o, width, false);
    if (o.kind == Operand::Kind::Integer && bytes_of(type) == 1) return d.constant(o.bits & 255, 2);
    return d.source(o, type);
  };
  if (is_integer(from) && is_integer(to)) {
    unsigned from_width = 0, to_width = 4;
    const Slot source = source_of(from, from_width);
    const Slot result = d.any_register(d.operand(0), to_width, true);
    if (mode != -1 || integral != -1 || flush) d.fail("rounds nothing");
    Instruction& i = d.compute(integer_to_integer(from, from_width, to, to_width, saturate), to,
                               result, {source}, saturate ? Flow::All : Flow::Convert);
    i.width = static_cast<std::uint8_t>(to_width);
    i.detail = from_width | std::min(bytes_of(from), bytes_of(to)) << 4 |
               std::uint32_t{bytes_of(from) < bytes_of(to) ? is_signed(from) : is_signed(to)} << 8;
    return;
  }
  if (is_integer(from)) {
    unsigned from_width = 0;
    const Slot source = source_of(from, from_width);
    if (mode == -1) d.fail("needs a rounding");
    if (saturate) d.fail(".sat from an integer is not supported");
    d.compute(integer_to_float(from, from_width, to, mode), to, d.destination(0, to), {source});
    return;
  }
  if (is_integer(to)) {
    unsigned to_width = 4;
    const Slot result = d.any_register(d.operand(0), to_width, true);
    if (integral == -1) d.fail("needs an integer rounding");
    // It saturates in any case, to the range of the type.
    Instruction& i = d.compute(float_to_integer(from, to, to_width, integral, flush), to, result,
                               {d.source(1, from)});
    i.width = static_cast<std::uint8_t>(to_width);
    return;
  }
  if (integral != -1) {
    if (from != to) d.fail("an integer rounding between float types");
    d.compute(float_to_integral(from, integral, flush, saturate), to, d.destination(0, to),
              {d.source(1, from)});
    return;
  }
  if (mode == -1 && bytes_of(to) < bytes_of(from)) d.fail("needs a rounding");
  d.compute(float_to_float(from, to, mode == -1 ? FE_TONEAREST : mode, flush, saturate, relu), to,
            d.destination(0, to), {d.source(1, from)});
}

}  // namespace

const DecodeTable& convert_instructions() {
  static const DecodeTable table{{"cvt", convert}};
  return table;
}

}  // namespace sinter::emulator::ptx
