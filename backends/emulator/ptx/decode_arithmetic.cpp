// add, sub, mul, mad, fma, div, ... on integers and floats.

#include <algorithm>
#include <array>

#include "backends/emulator/ptx/dispatch.h"
#include "backends/emulator/ptx/floats.h"
#include "backends/emulator/ptx/fused.h"

namespace sinter::emulator::ptx {

namespace {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

template <class T>
concept Integer = std::integral<T> && !std::is_same_v<T, bool>;
template <class T>
concept Signed = Integer<T> && std::is_signed_v<T>;

// Wrapping arithmetic is done in the unsigned type, at least 32 bits wide.
template <Integer T>
using Wide = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <Integer T>
using Double = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, Int128, Uint128>>>;

struct Add {
  template <Integer T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
  }
};
struct Subtract {
  template <Integer T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
  }
};
struct MultiplyLow {
  template <Integer T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
  }
};
struct MultiplyHigh {
  template <Integer T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Double<T>>(a) * static_cast<Double<T>>(b) >> sizeof(T) * 8);
  }
};
struct MultiplyWide {
  template <Integer T>
  Double<T> operator()(T a, T b) const {
    return static_cast<Double<T>>(a) * static_cast<Double<T>>(b);
  }
};
struct MadLow {
  template <Integer T>
  T operator()(T a, T b, T c) const {
    return Add{}(MultiplyLow{}(a, b), c);
  }
};
struct MadHigh {
  template <Integer T>
  T operator()(T a, T b, T c) const {
    return Add{}(MultiplyHigh{}(a, b), c);
  }
};
template <class T>
struct MadWide {
  Double<T> operator()(T a, T b, Double<T> c) const {
    using U = std::make_unsigned_t<Double<T>>;
    return static_cast<Double<T>>(static_cast<U>(MultiplyWide{}(a, b)) + static_cast<U>(c));
  }
};
struct AddSaturating {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>(std::int64_t{a} + b, INT32_MIN, INT32_MAX));
  }
};
struct SubtractSaturating {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>(std::int64_t{a} - b, INT32_MIN, INT32_MAX));
  }
};
struct MadHighSaturating {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return AddSaturating{}(MultiplyHigh{}(a, b), c);
  }
};
template <bool High>
struct Multiply24 {
  template <Integer T>
    requires(sizeof(T) == 4)
  T operator()(T a, T b) const {
    // The low 24 bits, with their own sign.
    const auto cut = [](T v) {
      const T shifted = static_cast<T>(static_cast<std::uint32_t>(v) << 8);
      return static_cast<Double<T>>(static_cast<T>(shifted >> 8));
    };
    const Double<T> product = cut(a) * cut(b);
    return static_cast<T>(High ? product >> 16 : product);
  }
};
template <bool High>
struct Mad24 {
  template <Integer T>
    requires(sizeof(T) == 4)
  T operator()(T a, T b, T c) const {
    return Add{}(Multiply24<High>{}(a, b), c);
  }
};

// By zero PTX leaves quotient and remainder open: all ones, as an H200 gives. The smallest by -1
// wraps.
struct Divide {
  template <Integer T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return Subtract{}(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
};
struct Remainder {
  template <Integer T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <Integer T>
  T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};
struct Max {
  template <Integer T>
  T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};
/// On both halves of a pair.
template <class F>
struct OfPairs {
  template <Integer T>
  Packed<T> operator()(Packed<T> a, Packed<T> b) const {
    return {F{}(a.low, b.low), F{}(a.high, b.high)};
  }
};
bool is_pair(Type type) { return type == Type::U16x2 || type == Type::S16x2; }
struct Negate {
  template <Signed T>
  T operator()(T a) const {
    return Subtract{}(T{0}, a);
  }
};
struct Absolute {
  template <Signed T>
  T operator()(T a) const {
    return a < 0 ? Subtract{}(T{0}, a) : a;
  }
};
struct SumOfDifference {
  template <Integer T>
  T operator()(T a, T b, T c) const {
    return Add{}(c, a < b ? Subtract{}(b, a) : Subtract{}(a, b));
  }
};

// Carries live in a register like a predicate.
template <class T, bool In, bool Out, bool Negated>
void with_carry(std::byte* registers, const Instruction& i, LaneMask mask) {
  const auto* a = lanes_of<T>(registers, i.source[0]);
  const auto* b = lanes_of<T>(registers, i.source[1]);
  std::uint32_t& carry =
      reinterpret_cast<std::uint32_t&>(*lanes_of<std::uint32_t>(registers, i.destination2));
  const std::uint32_t before = In ? *lanes_of<std::uint32_t>(registers, i.source[2]) : 0;
  auto* result = lanes_of<T>(registers, i.destination);
  std::uint32_t out = 0;
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const Uint128 in = before >> lane & 1;
    const Uint128 value =
        Negated ? Uint128{a[lane]} - b[lane] - in : Uint128{a[lane]} + b[lane] + in;
    result[lane] = static_cast<T>(value);
    out |= static_cast<std::uint32_t>(value >> (sizeof(T) * 8) & 1) << lane;
  }
  if (Out) carry = (carry & ~mask) | out;
}
template <bool Negated>
void carrying(Decoder& d, bool in) {
  const bool out = d.take("cc");
  const Type type = d.take_type();
  if (!is_integer(type) || bytes_of(type) < 4) d.fail_type(type);
  d.expect_operands(3, 3);
  const auto pick = [&]<class T>(T*) -> Handler {
    return in ? (out ? &with_carry<T, true, true, Negated> : &with_carry<T, true, false, Negated>)
              : &with_carry<T, false, true, Negated>;
  };
  const Handler handler = bytes_of(type) == 8 ? pick(static_cast<std::uint64_t*>(nullptr))
                                              : pick(static_cast<std::uint32_t*>(nullptr));
  Instruction& i = d.compute(handler, type, d.destination(0, type),
                             {d.source(1, type), d.source(2, type), in ? d.carry() : NoSlot});
  if (out) i.destination2 = d.carry();
}

// mad{c}.{lo,hi}.cc: a product of one half, then an addition with carry.
template <class T, bool High, bool In, bool Out>
void mad_carry(std::byte* registers, const Instruction& i, LaneMask mask) {
  std::array<T, Lanes> product;
  const auto* a = lanes_of<T>(registers, i.source[0]);
  const auto* b = lanes_of<T>(registers, i.source[1]);
  const auto* c = lanes_of<T>(registers, i.source[2]);
  const std::uint32_t before = In ? *lanes_of<std::uint32_t>(registers, i.source[3]) : 0;
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    product[lane] =
        High ? MultiplyHigh{}(T{a[lane]}, T{b[lane]}) : MultiplyLow{}(T{a[lane]}, T{b[lane]});
  }
  auto* result = lanes_of<T>(registers, i.destination);
  std::uint32_t out = 0;
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const Uint128 value = Uint128{product[lane]} + c[lane] + (before >> lane & 1);
    result[lane] = static_cast<T>(value);
    out |= static_cast<std::uint32_t>(value >> (sizeof(T) * 8) & 1) << lane;
  }
  if (Out) {
    auto* carry = lanes_of<std::uint32_t>(registers, i.destination2);
    *carry = (*carry & ~mask) | out;
  }
}
void mad_carrying(Decoder& d, bool in) {
  const bool out = d.take("cc");
  const bool high = d.take("hi");
  if (!high && !d.take("lo")) d.fail("needs .lo or .hi");
  const Type type = d.take_type();
  if (!is_integer(type) || bytes_of(type) < 4) d.fail_type(type);
  if (is_signed(type) && high) d.fail_type(type);
  d.expect_operands(4, 4);
  const auto pick = [&]<class T>(T*) -> Handler {
    if (high) {
      return in ? (out ? &mad_carry<T, true, true, true> : &mad_carry<T, true, true, false>)
                : &mad_carry<T, true, false, true>;
    }
    return in ? (out ? &mad_carry<T, false, true, true> : &mad_carry<T, false, true, false>)
              : &mad_carry<T, false, false, true>;
  };
  const Handler handler = bytes_of(type) == 8 ? pick(static_cast<std::uint64_t*>(nullptr))
                                              : pick(static_cast<std::uint32_t*>(nullptr));
  Instruction& i =
      d.compute(handler, type, d.destination(0, type),
                {d.source(1, type), d.source(2, type), d.source(3, type), in ? d.carry() : NoSlot});
  if (out) i.destination2 = d.carry();
}

// ---- floats

struct FloatModifiers {
  bool flush = false, saturate = false, relu = false;
  int rounding = FE_TONEAREST;
};
FloatModifiers float_modifiers(Decoder& d) {
  FloatModifiers m;
  m.rounding = d.take_one_of<int>(
      {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}},
      FE_TONEAREST);
  m.flush = d.take("ftz");
  m.saturate = d.take("sat");
  m.relu = d.take("relu");
  return m;
}

template <class F, std::size_t Arity>
Handler rounded(Type type, const FloatModifiers& m) {
  switch (m.rounding) {
    case FE_TOWARDZERO:
      return by_type<Directed<F, FE_TOWARDZERO>, Arity>(type);
    case FE_DOWNWARD:
      return by_type<Directed<F, FE_DOWNWARD>, Arity>(type);
    case FE_UPWARD:
      return by_type<Directed<F, FE_UPWARD>, Arity>(type);
    default:
      return nullptr;
  }
}

/// F on native floats, G on all (F where there is none better).
template <class F, std::size_t Arity, class G = Floating<F>>
Handler float_handler(Decoder& d, Type type, const FloatModifiers& m) {
  if (m.rounding != FE_TONEAREST) {
    if (m.flush || m.saturate) d.fail("this rounding with .ftz or .sat is not supported");
    return rounded<F, Arity>(type, m);
  }
  if (m.flush) {
    if (type == Type::F64) d.fail(".ftz does not go with .f64");
    return m.saturate ? by_type<Saturating<FlushToZero<G>>, Arity>(type)
                      : by_type<FlushToZero<G>, Arity>(type);
  }
  if (m.relu) return by_type<Relu<G>, Arity>(type);
  if (m.saturate) return by_type<Saturating<G>, Arity>(type);
  return by_type<G, Arity>(type);
}

template <std::size_t Arity>
void operate(Decoder& d, Type type, Handler handler, Flow flow = Flow::All) {
  d.expect_operands(Arity + 1, Arity + 1);
  const Slot a = d.source(1, type);
  const Slot b = Arity > 1 ? d.source(2, type) : NoSlot;
  const Slot c = Arity > 2 ? d.source(3, type) : NoSlot;
  const bool halves = type == Type::F16x2 || type == Type::BF16x2 || is_pair(type);
  d.compute(handler, type, d.destination(0, type), {a, b, c}, halves ? Flow::Halves : flow);
}

template <class IntegerF, class Saturated, class FloatF, bool Negated>
void add_or_subtract(Decoder& d) {
  if (std::find(d.statement().opcode.begin(), d.statement().opcode.end(), "cc") !=
      d.statement().opcode.end()) {
    return carrying<Negated>(d, false);
  }
  FloatModifiers m = float_modifiers(d);
  const Type type = d.take_type();
  if (is_pair(type) && !Negated) return operate<2>(d, type, by_type<OfPairs<IntegerF>, 2>(type));
  if (!is_integer(type)) return operate<2>(d, type, float_handler<FloatF, 2>(d, type, m));
  if (m.saturate) {
    if (type != Type::S32) d.fail(".sat needs .s32");
    return operate<2>(d, type, by_type<Saturated, 2>(type));
  }
  operate<2>(d, type, by_type<IntegerF, 2>(type), Flow::Upward);
}

template <class F, class T>
constexpr Handler widening_of = &lanes<F, Double<T>, T, T, Double<T>>;
template <template <class> class F>
Handler widening(Type type) {
  if (type == Type::U16) return widening_of<F<std::uint16_t>, std::uint16_t>;
  if (type == Type::S16) return widening_of<F<std::int16_t>, std::int16_t>;
  if (type == Type::U32) return widening_of<F<std::uint32_t>, std::uint32_t>;
  if (type == Type::S32) return widening_of<F<std::int32_t>, std::int32_t>;
  return nullptr;
}
template <class T>
struct MultiplyWideOf {
  Double<T> operator()(T a, T b, Double<T>) const { return MultiplyWide{}(a, b); }
};
Type doubled(Decoder& d, Type type) {
  if (type == Type::U16) return Type::U32;
  if (type == Type::S16) return Type::S32;
  if (type == Type::U32) return Type::U64;
  if (type == Type::S32) return Type::S64;
  d.fail_type(type);
}

void multiply(Decoder& d) {
  if (d.take("wide")) {
    const Type type = d.take_type();
    const Type wide = doubled(d, type);
    d.expect_operands(3, 3);
    d.compute(widening<MultiplyWideOf>(type), wide, d.destination(0, wide),
              {d.source(1, type), d.source(2, type)});
    return;
  }
  if (d.take("hi")) {
    const Type type = d.take_type();
    return operate<2>(d, type, by_type<MultiplyHigh, 2>(type));
  }
  if (d.take("lo")) {
    const Type type = d.take_type();
    return operate<2>(d, type, by_type<MultiplyLow, 2>(type), Flow::Upward);
  }
  const FloatModifiers m = float_modifiers(d);
  const Type type = d.take_type();
  if (is_integer(type)) d.fail("needs .lo, .hi or .wide");
  operate<2>(d, type, float_handler<MultiplyFloat, 2>(d, type, m));
}

void fused(Decoder& d, Type type, const FloatModifiers& m) {
  const bool plain = !m.flush && !m.saturate && !m.relu && m.rounding == FE_TONEAREST;
  const Handler quick = plain ? fused_handler(type) : nullptr;
  operate<3>(d, type, quick ? quick : float_handler<FusedFloat, 3, Fused>(d, type, m));
}

void multiply_add(Decoder& d) {
  const auto& parts = d.statement().opcode;
  if (std::find(parts.begin(), parts.end(), "cc") != parts.end()) return mad_carrying(d, false);
  if (d.take("wide")) {
    const Type type = d.take_type();
    const Type wide = doubled(d, type);
    d.expect_operands(4, 4);
    d.compute(widening<MadWide>(type), wide, d.destination(0, wide),
              {d.source(1, type), d.source(2, type), d.source(3, wide)});
    return;
  }
  const bool low = d.take("lo"), high = !low && d.take("hi");
  const FloatModifiers m = float_modifiers(d);
  const Type type = d.take_type();
  if (!is_integer(type)) return fused(d, type, m);
  if (!low && !high) d.fail("needs .lo, .hi or .wide");
  if (m.saturate) {
    if (!high || type != Type::S32) d.fail(".sat needs .hi.s32");
    return operate<3>(d, type, by_type<MadHighSaturating, 3>(type));
  }
  if (high) return operate<3>(d, type, by_type<MadHigh, 3>(type));
  operate<3>(d, type, by_type<MadLow, 3>(type), Flow::Upward);
}

void fma(Decoder& d) {
  const FloatModifiers m = float_modifiers(d);
  fused(d, d.take_type(), m);
}

template <bool High, template <bool> class F, std::size_t Arity>
Handler handler24(Type type) {
  return by_type<F<High>, Arity>(type);
}
template <template <bool> class F, std::size_t Arity>
void arithmetic24(Decoder& d) {
  const bool high = d.take("hi");
  if (!high && !d.take("lo")) d.fail("needs .lo or .hi");
  const Type type = d.take_type();
  operate<Arity>(d, type,
                 high ? handler24<true, F, Arity>(type) : handler24<false, F, Arity>(type));
}

// .approx and .full: the emulator divides exactly.
void divide(Decoder& d) {
  if (!d.take("approx")) d.take("full");
  const FloatModifiers m = float_modifiers(d);
  const Type type = d.take_type();
  if (is_integer(type)) return operate<2>(d, type, by_type<Divide, 2>(type));
  operate<2>(d, type, float_handler<DivideFloat, 2>(d, type, m));
}

void remainder(Decoder& d) {
  const Type type = d.take_type();
  operate<2>(d, type, by_type<Remainder, 2>(type));
}

template <class IntegerF, class FloatF>
void min_or_max(Decoder& d) {
  const bool nan = d.take("NaN");
  const FloatModifiers m = float_modifiers(d);
  const Type type = d.take_type();
  if (is_pair(type)) return operate<2>(d, type, by_type<OfPairs<IntegerF>, 2>(type));
  if (is_integer(type)) return operate<2>(d, type, by_type<IntegerF, 2>(type));
  operate<2>(
      d, type,
      nan ? float_handler<OrNan<FloatF>, 2>(d, type, m) : float_handler<FloatF, 2>(d, type, m));
}

template <class IntegerF, class FloatF>
void sign(Decoder& d) {
  const FloatModifiers m = float_modifiers(d);
  const Type type = d.take_type();
  if (is_integer(type)) return operate<1>(d, type, by_type<IntegerF, 1>(type));
  operate<1>(d, type, float_handler<FloatF, 1>(d, type, m));
}

template <class F>
void unary_float(Decoder& d) {
  d.take("approx");
  const FloatModifiers m = float_modifiers(d);
  const Type type = d.take_type();
  operate<1>(d, type, float_handler<F, 1>(d, type, m));
}

double exp2_of(double a) { return std::exp2(a); }
double log2_of(double a) { return std::log2(a); }
double sin_of(double a) { return std::sin(a); }
double cos_of(double a) { return std::cos(a); }
double tanh_of(double a) { return std::tanh(a); }

// Dot product of four bytes, or of two halves of `a` with two bytes of `b`, plus c.
template <class A, class B>
struct Dot4 {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    for (unsigned i = 0; i < 4; ++i) {
      c += static_cast<std::uint32_t>(static_cast<A>(a >> (8 * i)) * static_cast<B>(b >> (8 * i)));
    }
    return c;
  }
};
template <class A, class B, bool High>
struct Dot2 {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    for (unsigned i = 0; i < 2; ++i) {
      c += static_cast<std::uint32_t>(static_cast<A>(a >> (16 * i)) *
                                      static_cast<B>(b >> (8 * i + (High ? 16 : 0))));
    }
    return c;
  }
};
template <class F>
constexpr Handler three_words =
    &lanes<F, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
void dot4(Decoder& d) {
  const bool a = is_signed(d.take_type()), b = is_signed(d.take_type());
  using I = std::int8_t;
  using U = std::uint8_t;
  operate<3>(d, Type::B32,
             a ? (b ? three_words<Dot4<I, I>> : three_words<Dot4<I, U>>)
               : (b ? three_words<Dot4<U, I>> : three_words<Dot4<U, U>>));
}
template <bool High>
Handler dot2_handler(bool a, bool b) {
  return a ? (b ? three_words<Dot2<std::int16_t, std::int8_t, High>>
                : three_words<Dot2<std::int16_t, std::uint8_t, High>>)
           : (b ? three_words<Dot2<std::uint16_t, std::int8_t, High>>
                : three_words<Dot2<std::uint16_t, std::uint8_t, High>>);
}
void dot2(Decoder& d) {
  const bool high = d.take("hi");
  if (!high && !d.take("lo")) d.fail("needs .lo or .hi");
  const bool a = is_signed(d.take_type()), b = is_signed(d.take_type());
  operate<3>(d, Type::B32, high ? dot2_handler<true>(a, b) : dot2_handler<false>(a, b));
}

void sum_of_difference(Decoder& d) {
  const Type type = d.take_type();
  operate<3>(d, type, by_type<SumOfDifference, 3>(type));
}

}  // namespace

const DecodeTable& arithmetic_instructions() {
  static const DecodeTable table{
      {"add", add_or_subtract<Add, AddSaturating, AddFloat, false>},
      {"sub", add_or_subtract<Subtract, SubtractSaturating, SubtractFloat, true>},
      {"addc", [](Decoder& d) { carrying<false>(d, true); }},
      {"subc", [](Decoder& d) { carrying<true>(d, true); }},
      {"madc", [](Decoder& d) { mad_carrying(d, true); }},
      {"mul", multiply},
      {"mad", multiply_add},
      {"fma", fma},
      {"mul24", arithmetic24<Multiply24, 2>},
      {"mad24", arithmetic24<Mad24, 3>},
      {"div", divide},
      {"rem", remainder},
      {"min", min_or_max<Min, MinFloat>},
      {"max", min_or_max<Max, MaxFloat>},
      {"neg", sign<Negate, NegateFloat>},
      {"abs", sign<Absolute, AbsoluteFloat>},
      {"sad", sum_of_difference},
      {"dp4a", dot4},
      {"dp2a", dot2},
      {"sqrt", unary_float<SquareRoot>},
      {"rcp", unary_float<Reciprocal>},
      {"rsqrt", unary_float<Approximate<rsqrt>>},
      {"ex2", unary_float<Approximate<exp2_of>>},
      {"lg2", unary_float<Approximate<log2_of>>},
      {"sin", unary_float<Approximate<sin_of>>},
      {"cos", unary_float<Approximate<cos_of>>},
      {"tanh", unary_float<Approximate<tanh_of>>},
      {"copysign",
       [](Decoder& d) {
         const Type type = d.take_type();
         operate<2>(d, type, by_type<CopySign, 2>(type));
       }},
  };
  return table;
}

}  // namespace sinter::emulator::ptx
