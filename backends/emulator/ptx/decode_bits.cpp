// Logic, shifts and bit fields.

#include <algorithm>

#include "backends/emulator/ptx/dispatch.h"

namespace sinter::emulator::ptx {

namespace {

template <class T>
concept Unsigned = std::unsigned_integral<T>;  // bool too: the logic of predicates
template <class T>
concept Word = Unsigned<T> && !std::is_same_v<T, bool>;
template <class T>
concept Number = std::integral<T> && !std::is_same_v<T, bool>;

struct And {
  template <Unsigned T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <Unsigned T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <Unsigned T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  bool operator()(bool a) const { return !a; }
  template <Word T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  template <Word T>
  T operator()(T a) const {
    return a == 0;
  }
};

template <class F, std::size_t Arity>
void logic(Decoder& d, Flow flow) {
  const Type type = d.take_type();
  d.expect_operands(Arity + 1, Arity + 1);
  const Slot a = d.source(1, type);
  if constexpr (Arity == 1) {
    d.compute(by_type<F, 1>(type), type, d.destination(0, type), {a}, flow);
  } else {
    d.compute(by_type<F, 2>(type), type, d.destination(0, type), {a, d.source(2, type)}, flow);
  }
}

// Shift amounts are u32 and clamp to the width.
template <class T>
struct ShiftLeft {
  T operator()(T a, std::uint32_t n) const {
    return n < sizeof(T) * 8 ? static_cast<T>(a << n) : T{0};
  }
};
template <class T>
struct ShiftRight {
  T operator()(T a, std::uint32_t n) const {
    return static_cast<T>(a >> std::min<std::uint32_t>(n, sizeof(T) * 8 - 1)) &
           (std::is_signed_v<T> || n < sizeof(T) * 8 ? static_cast<T>(~T{0}) : T{0});
  }
};
template <template <class> class F>
Handler shift_handler(Type type) {
  switch (bytes_of(type)) {
    case 2:
      return is_signed(type)
                 ? &lanes<F<std::int16_t>, std::int16_t, std::int16_t, std::uint32_t>
                 : &lanes<F<std::uint16_t>, std::uint16_t, std::uint16_t, std::uint32_t>;
    case 4:
      return is_signed(type)
                 ? &lanes<F<std::int32_t>, std::int32_t, std::int32_t, std::uint32_t>
                 : &lanes<F<std::uint32_t>, std::uint32_t, std::uint32_t, std::uint32_t>;
    case 8:
      return is_signed(type)
                 ? &lanes<F<std::int64_t>, std::int64_t, std::int64_t, std::uint32_t>
                 : &lanes<F<std::uint64_t>, std::uint64_t, std::uint64_t, std::uint32_t>;
    default:
      return nullptr;
  }
}
void shift_left(Decoder& d) {
  const Type type = d.take_type();
  if (!is_integer(type)) d.fail_type(type);
  d.expect_operands(3, 3);
  d.compute(shift_handler<ShiftLeft>(type), type, d.destination(0, type),
            {d.source(1, type), d.source(2, Type::U32)}, Flow::ShiftLeft);
}
void shift_right(Decoder& d) {
  const Type type = d.take_type();
  if (!is_integer(type)) d.fail_type(type);
  d.expect_operands(3, 3);
  d.compute(shift_handler<ShiftRight>(type), type, d.destination(0, type),
            {d.source(1, type), d.source(2, Type::U32)},
            is_signed(type) ? Flow::ShiftRightSigned : Flow::ShiftRight);
}

template <bool Left, bool Wrap>
struct Funnel {
  std::uint32_t operator()(std::uint32_t low, std::uint32_t high, std::uint32_t n) const {
    n = Wrap ? n & 31 : std::min(n, 32u);
    const std::uint64_t both = std::uint64_t{high} << 32 | low;
    return static_cast<std::uint32_t>(Left ? (both << n) >> 32 : both >> n);
  }
};
template <bool Left, bool Wrap>
constexpr Handler funnel =
    &lanes<Funnel<Left, Wrap>, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
void funnel_shift(Decoder& d) {
  const bool left = d.take("l");
  if (!left && !d.take("r")) d.fail("needs .l or .r");
  const bool wrap = d.take("wrap");
  if (!wrap && !d.take("clamp")) d.fail("needs .wrap or .clamp");
  if (d.take_type() != Type::B32) d.fail("needs .b32");
  d.expect_operands(4, 4);
  d.compute(left ? (wrap ? funnel<true, true> : funnel<true, false>)
                 : (wrap ? funnel<false, true> : funnel<false, false>),
            Type::B32, d.destination(0, Type::B32),
            {d.source(1, Type::B32), d.source(2, Type::B32), d.source(3, Type::U32)});
}

struct PopCount {
  template <Word T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};
struct LeadingZeros {
  template <Word T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
// The position of the highest bit that differs from the sign; none is all ones.
template <bool ShiftAmount>
struct FindLeading {
  template <Number T>
  std::uint32_t operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(a < 0 ? ~a : a);
    const auto at = static_cast<std::uint32_t>(std::bit_width(bits)) - 1;
    return ShiftAmount && bits ? static_cast<std::uint32_t>(sizeof(T) * 8 - 1) - at : at;
  }
};
struct Reverse {
  template <Word T>
  T operator()(T a) const {
    T result = 0;
    for (unsigned i = 0; i < sizeof(T) * 8; ++i) {
      result = static_cast<T>(result << 1 | (a >> i & 1));
    }
    return result;
  }
};
template <class F>
void count(Decoder& d) {
  const Type type = d.take_type();
  if (bytes_of(type) < 4) d.fail_type(type);
  d.expect_operands(2, 2);
  d.compute(by_type<F, 1, std::uint32_t>(type), Type::U32, d.destination(0, Type::U32),
            {d.source(1, type)});
}
void find_leading(Decoder& d) {
  if (d.take("shiftamt")) return count<FindLeading<true>>(d);
  count<FindLeading<false>>(d);
}
void reverse(Decoder& d) {
  const Type type = d.take_type();
  if (bytes_of(type) < 4) d.fail_type(type);
  d.expect_operands(2, 2);
  d.compute(by_type<Reverse, 1>(type), type, d.destination(0, type), {d.source(1, type)});
}

// Bit field extract: position and length are the low 8 bits of their operands.
template <class T>
struct Extract {
  T operator()(T a, std::uint32_t position, std::uint32_t length) const {
    constexpr std::uint32_t width = sizeof(T) * 8;
    using U = std::make_unsigned_t<T>;
    position &= 255;
    length &= 255;
    const U bits = position < width ? static_cast<U>(static_cast<U>(a) >> position) : U{0};
    U result = length < width ? static_cast<U>(bits & ((U{1} << length) - 1)) : bits;
    if constexpr (std::is_signed_v<T>) {
      if (length == 0) return 0;
      const std::uint32_t sign_at = std::min(position + length - 1, width - 1);
      if (static_cast<U>(a) >> sign_at & 1) {
        const std::uint32_t kept = std::min(length, position < width ? width - position : 0);
        if (kept < width) result |= static_cast<U>(~U{0} << kept);
      }
    }
    return static_cast<T>(result);
  }
};
template <class T>
struct Insert {
  T operator()(T a, T b, std::uint32_t position, std::uint32_t length) const {
    constexpr std::uint32_t width = sizeof(T) * 8;
    position &= 255;
    length &= 255;
    if (position >= width || length == 0) return b;
    length = std::min(length, width - position);
    const T ones = length < width ? static_cast<T>((T{1} << length) - 1) : static_cast<T>(~T{0});
    const T mask = static_cast<T>(ones << position);
    return static_cast<T>((b & ~mask) | (static_cast<T>(a << position) & mask));
  }
};
template <class T>
constexpr Handler extract = &lanes<Extract<T>, T, T, std::uint32_t, std::uint32_t>;
template <class T>
constexpr Handler insert = &lanes<Insert<T>, T, T, T, std::uint32_t, std::uint32_t>;

void bit_extract(Decoder& d) {
  const Type type = d.take_type();
  if (!is_integer(type) || bytes_of(type) < 4) d.fail_type(type);
  d.expect_operands(4, 4);
  const bool wide = bytes_of(type) == 8;
  d.compute(is_signed(type) ? (wide ? extract<std::int64_t> : extract<std::int32_t>)
                            : (wide ? extract<std::uint64_t> : extract<std::uint32_t>),
            type, d.destination(0, type),
            {d.source(1, type), d.source(2, Type::U32), d.source(3, Type::U32)},
            is_signed(type) ? Flow::All : Flow::ShiftRight);
}
void bit_insert(Decoder& d) {
  const Type type = d.take_type();
  if (!is_integer(type) || bytes_of(type) < 4) d.fail_type(type);
  d.expect_operands(5, 5);
  d.compute(bytes_of(type) == 8 ? insert<std::uint64_t> : insert<std::uint32_t>, type,
            d.destination(0, type),
            {d.source(1, type), d.source(2, type), d.source(3, Type::U32), d.source(4, Type::U32)},
            Flow::Insert);
}

struct Mask {
  std::uint32_t operator()(std::uint32_t position, std::uint32_t length) const {
    if (position >= 32 || length == 0) return 0;
    const std::uint32_t ones = length < 32 ? (1u << length) - 1 : ~0u;
    return ones << position;
  }
};
struct MaskWrap {
  std::uint32_t operator()(std::uint32_t position, std::uint32_t length) const {
    return Mask{}(position & 31, length & 31);
  }
};
void bit_mask(Decoder& d) {
  const bool wrap = d.take("wrap");
  if (!wrap) d.take("clamp");
  if (d.take_type() != Type::B32) d.fail("needs .b32");
  d.expect_operands(3, 3);
  d.compute(wrap ? by_type<MaskWrap, 2>(Type::B32) : by_type<Mask, 2>(Type::B32), Type::B32,
            d.destination(0, Type::B32), {d.source(1, Type::U32), d.source(2, Type::U32)});
}

// A selector of four nibbles: which of the eight bytes, or its sign eight times.
struct Permute {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t selector) const {
    const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t choice = selector >> (4 * i) & 15;
      std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (8 * (choice & 7)) & 255);
      if (choice & 8) byte = byte & 128 ? 255 : 0;
      result |= byte << (8 * i);
    }
    return result;
  }
};
enum class PermuteMode { F4e, B4e, Rc8, Ecl, Ecr, Rc16 };
template <PermuteMode Mode>
struct PermuteBy {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint32_t k = c & 3;
    std::uint32_t selector = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      std::uint32_t from = 0;
      switch (Mode) {
        case PermuteMode::F4e:
          from = k + i;
          break;
        case PermuteMode::B4e:
          from = (k + 8 - i) & 7;
          break;
        case PermuteMode::Rc8:
          from = k;
          break;
        case PermuteMode::Ecl:
          from = std::max(i, k);
          break;
        case PermuteMode::Ecr:
          from = std::min(i, k);
          break;
        case PermuteMode::Rc16:
          from = (k & 1) * 2 + (i & 1);
          break;
      }
      selector |= from << (4 * i);
    }
    return Permute{}(a, b, selector);
  }
};
void permute(Decoder& d) {
  if (d.take_type() != Type::B32) d.fail("needs .b32");
  const Handler handler =
      d.take_one_of<Handler>({{"f4e", by_type<PermuteBy<PermuteMode::F4e>, 3>(Type::B32)},
                              {"b4e", by_type<PermuteBy<PermuteMode::B4e>, 3>(Type::B32)},
                              {"rc8", by_type<PermuteBy<PermuteMode::Rc8>, 3>(Type::B32)},
                              {"ecl", by_type<PermuteBy<PermuteMode::Ecl>, 3>(Type::B32)},
                              {"ecr", by_type<PermuteBy<PermuteMode::Ecr>, 3>(Type::B32)},
                              {"rc16", by_type<PermuteBy<PermuteMode::Rc16>, 3>(Type::B32)}},
                             nullptr);
  d.expect_operands(4, 4);
  d.compute(handler ? handler : by_type<Permute, 3>(Type::B32), Type::B32,
            d.destination(0, Type::B32),
            {d.source(1, Type::B32), d.source(2, Type::B32), d.source(3, Type::U32)},
            handler ? Flow::All : Flow::Bytes);
}

// Any function of three bits, as the truth table `immediate`.
void logic3(std::byte* registers, const Instruction& i, LaneMask mask) {
  const auto* a = lanes_of<std::uint32_t>(registers, i.source[0]);
  const auto* b = lanes_of<std::uint32_t>(registers, i.source[1]);
  const auto* c = lanes_of<std::uint32_t>(registers, i.source[2]);
  auto* result = lanes_of<std::uint32_t>(registers, i.destination);
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    std::uint32_t value = 0;
    for (unsigned row = 0; row < 8; ++row) {
      if (i.immediate >> row & 1) {
        value |= (row & 4 ? a[lane] : ~a[lane]) & (row & 2 ? b[lane] : ~b[lane]) &
                 (row & 1 ? c[lane] : ~c[lane]);
      }
    }
    result[lane] = value;
  }
}
void lop3(Decoder& d) {
  if (d.take_type() != Type::B32) d.fail("needs .b32");
  d.expect_operands(5, 5);
  const Operand& table = d.operand(4);
  if (table.kind != Operand::Kind::Integer || table.bits > 255) d.fail("needs an 8-bit table");
  d.compute(&logic3, Type::B32, d.destination(0, Type::B32),
            {d.source(1, Type::B32), d.source(2, Type::B32), d.source(3, Type::B32)}, Flow::Bitwise)
      .immediate = table.bits;
}

}  // namespace

const DecodeTable& bit_instructions() {
  static const DecodeTable table{
      {"and", [](Decoder& d) { logic<And, 2>(d, Flow::And); }},
      {"or", [](Decoder& d) { logic<Or, 2>(d, Flow::Or); }},
      {"xor", [](Decoder& d) { logic<Xor, 2>(d, Flow::Bitwise); }},
      {"not", [](Decoder& d) { logic<Not, 1>(d, Flow::Move); }},
      {"cnot", [](Decoder& d) { logic<LogicalNot, 1>(d, Flow::All); }},
      {"shl", shift_left},
      {"shr", shift_right},
      {"shf", funnel_shift},
      {"popc", count<PopCount>},
      {"clz", count<LeadingZeros>},
      {"bfind", find_leading},
      {"brev", reverse},
      {"bfe", bit_extract},
      {"bfi", bit_insert},
      {"bmsk", bit_mask},
      {"prmt", permute},
      {"lop3", lop3},
  };
  return table;
}

}  // namespace sinter::emulator::ptx
