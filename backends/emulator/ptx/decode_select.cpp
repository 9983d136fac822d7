// setp, set, selp, slct, testp and mov.

#include "backends/emulator/ptx/dispatch.h"
#include "backends/emulator/ptx/floats.h"

namespace sinter::emulator::ptx {

namespace {

template <class T>
concept Comparable = (std::integral<T> && !std::is_same_v<T, bool>) || Native<T>;

enum class Compare { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };
template <Compare C>
struct Test {
  template <Comparable T>
  bool operator()(T a, T b) const {
    const bool unordered = a != a || b != b;
    switch (C) {
      case Compare::Eq:
        return a == b;
      case Compare::Ne:
        return a != b && !unordered;
      case Compare::Lt:
        return a < b;
      case Compare::Le:
        return a <= b;
      case Compare::Gt:
        return a > b;
      case Compare::Ge:
        return a >= b;
      case Compare::Equ:
        return a == b || unordered;
      case Compare::Neu:
        return a != b;
      case Compare::Ltu:
        return a < b || unordered;
      case Compare::Leu:
        return a <= b || unordered;
      case Compare::Gtu:
        return a > b || unordered;
      case Compare::Geu:
        return a >= b || unordered;
      case Compare::Num:
        return !unordered;
      case Compare::Nan:
        return unordered;
    }
    return false;
  }
  template <Small T>
  bool operator()(T a, T b) const {
    return (*this)(to_double(a), to_double(b));
  }
};
template <class F>
struct FlushedTest {
  template <std::same_as<float> T>
  bool operator()(T a, T b) const {
    return F{}(flushed(a), flushed(b));
  }
  template <Small T>
  bool operator()(T a, T b) const {
    return F{}(flushed(a), flushed(b));
  }
};

template <class F, bool High>
struct OfHalf {
  template <Small T>
  bool operator()(Packed<T> a, Packed<T> b) const {
    return High ? F{}(a.high, b.high) : F{}(a.low, b.low);
  }
};

template <Compare C>
Handler test_handler(Type type, bool flush, bool high) {
  if (type == Type::F16x2 || type == Type::BF16x2) {
    if (flush) return nullptr;
    return high ? by_type<OfHalf<Test<C>, true>, 2, bool>(type)
                : by_type<OfHalf<Test<C>, false>, 2, bool>(type);
  }
  return flush ? by_type<FlushedTest<Test<C>>, 2, bool>(type) : by_type<Test<C>, 2, bool>(type);
}

using TestFactory = Handler (*)(Type, bool, bool high);
const std::map<std::string, TestFactory>& comparisons() {
  static const std::map<std::string, TestFactory> result{{"eq", test_handler<Compare::Eq>},
                                                         {"ne", test_handler<Compare::Ne>},
                                                         {"lt", test_handler<Compare::Lt>},
                                                         {"le", test_handler<Compare::Le>},
                                                         {"gt", test_handler<Compare::Gt>},
                                                         {"ge", test_handler<Compare::Ge>},
                                                         {"equ", test_handler<Compare::Equ>},
                                                         {"neu", test_handler<Compare::Neu>},
                                                         {"ltu", test_handler<Compare::Ltu>},
                                                         {"leu", test_handler<Compare::Leu>},
                                                         {"gtu", test_handler<Compare::Gtu>},
                                                         {"geu", test_handler<Compare::Geu>},
                                                         {"num", test_handler<Compare::Num>},
                                                         {"nan", test_handler<Compare::Nan>},
                                                         // unsigned integers
                                                         {"lo", test_handler<Compare::Lt>},
                                                         {"ls", test_handler<Compare::Le>},
                                                         {"hi", test_handler<Compare::Gt>},
                                                         {"hs", test_handler<Compare::Ge>}};
  return result;
}

enum class Combine : std::uint64_t { None, And, Or, Xor };

// After the comparison left its bits in the scratch predicate destination2: combines them with the
// predicate source[2] (negated when `immediate` has bit 8) and with its complement for the second.
void combine_bits(std::byte* registers, const Instruction& i, LaneMask mask) {
  const std::uint32_t test = *lanes_of<std::uint32_t>(registers, i.source[0]);
  std::uint32_t other = *lanes_of<std::uint32_t>(registers, i.source[1]);
  if (i.immediate >> 8 & 1) other = ~other;
  const auto combined = [&](std::uint32_t t) {
    switch (static_cast<Combine>(i.immediate & 255)) {
      case Combine::None:
        return t;
      case Combine::And:
        return t & other;
      case Combine::Or:
        return t | other;
      case Combine::Xor:
        return t ^ other;
    }
    return t;
  };
  const auto write = [&](Slot slot, std::uint32_t bits) {
    auto* result = lanes_of<std::uint32_t>(registers, slot);
    *result = (*result & ~mask) | (bits & mask);
  };
  const std::uint32_t first = combined(test), second = combined(~test);
  write(i.destination, first);
  write(i.destination2, second);
}

void set_predicate(Decoder& d) {
  const TestFactory factory = d.take_one_of<TestFactory>(comparisons(), nullptr);
  if (!factory) d.fail("needs a comparison");
  const Combine combine = d.take_one_of<Combine>(
      {{"and", Combine::And}, {"or", Combine::Or}, {"xor", Combine::Xor}}, Combine::None);
  const bool flush = d.take("ftz");
  const Type type = d.take_type();
  const bool combined = combine != Combine::None;
  d.expect_operands(combined ? 4 : 3, combined ? 4 : 3);
  const Operand& result = d.operand(0);
  const bool pair = result.kind == Operand::Kind::Pair;
  const Slot first = d.destination(pair ? result.elements[0] : result, Type::Predicate);
  const Slot a = d.source(1, type), b = d.source(2, type);
  const Handler handler = factory(type, flush, false);
  if (!handler) d.fail_type(type);
  if (type == Type::F16x2 || type == Type::BF16x2) {  // one predicate for each half
    if (!pair || combined) d.fail("a comparison of pairs needs two predicates and no other");
    d.compute(handler, Type::Predicate, first, {a, b});
    const Slot second = d.destination(result.elements[1], Type::Predicate);
    d.compute(factory(type, flush, true), Type::Predicate, second, {a, b});
    return;
  }
  if (!pair && !combined) {
    d.compute(handler, Type::Predicate, first, {a, b});
    return;
  }
  const Slot scratch = d.scratch_predicate();
  d.compute(handler, Type::Predicate, scratch, {a, b});
  bool negated = false;
  const Slot other = combined ? d.predicate_source(d.operand(3), negated) : NoSlot;
  Instruction& i = d.compute(&combine_bits, Type::Predicate, first, {scratch, other});
  i.immediate = static_cast<std::uint64_t>(combine) | (negated ? 256 : 0);
  if (pair) i.destination2 = d.destination(result.elements[1], Type::Predicate);
}

// set writes all ones or 1.0.
void predicate_to_word(std::byte* registers, const Instruction& i, LaneMask mask) {
  const std::uint32_t bits = *lanes_of<std::uint32_t>(registers, i.source[0]);
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const std::uint64_t value = bits >> lane & 1 ? i.immediate : 0;
    if (i.width == 2) {
      lanes_of<std::uint16_t>(registers, i.destination)[lane] = static_cast<std::uint16_t>(value);
    } else {
      lanes_of<std::uint32_t>(registers, i.destination)[lane] = static_cast<std::uint32_t>(value);
    }
  }
}
void set(Decoder& d) {
  const TestFactory factory = d.take_one_of<TestFactory>(comparisons(), nullptr);
  if (!factory) d.fail("needs a comparison");
  const Combine combine = d.take_one_of<Combine>(
      {{"and", Combine::And}, {"or", Combine::Or}, {"xor", Combine::Xor}}, Combine::None);
  const bool flush = d.take("ftz");
  const Type result = d.take_type();
  const Type type = d.take_type();
  const bool combined = combine != Combine::None;
  d.expect_operands(combined ? 4 : 3, combined ? 4 : 3);
  Slot bits = d.scratch_predicate();
  d.compute(factory(type, flush, false), Type::Predicate, bits,
            {d.source(1, type), d.source(2, type)});
  if (combined) {
    bool negated = false;
    const Slot other = d.predicate_source(d.operand(3), negated);
    d.compute(&combine_bits, Type::Predicate, bits, {bits, other}).immediate =
        static_cast<std::uint64_t>(combine) | (negated ? 256 : 0);
  }
  std::uint64_t one = 0;
  if (result == Type::F32) one = 0x3f800000;
  else if (result == Type::F16) one = 0x3c00;
  else if (result == Type::BF16) one = 0x3f80;
  else if (is_integer(result) && (bytes_of(result) == 4 || bytes_of(result) == 2)) one = ~0u;
  else d.fail_type(result);
  d.compute(&predicate_to_word, result, d.destination(0, result), {bits}).immediate = one;
}

template <class T>
struct Choose {
  T operator()(T a, T b, bool p) const { return p ? a : b; }
};
template <class T>
constexpr Handler choose = &lanes<Choose<T>, T, T, T, bool>;
void select(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(4, 4);
  const unsigned width = bytes_of(type);
  const Handler handler = width == 2   ? choose<std::uint16_t>
                          : width == 4 ? choose<std::uint32_t>
                          : width == 8 ? choose<std::uint64_t>
                                       : nullptr;
  Slot a = d.source(1, type), b = d.source(2, type);
  bool negated = false;
  const Slot p = d.predicate_source(d.operand(3), negated);
  if (negated) std::swap(a, b);
  d.compute(handler, type, d.destination(0, type), {a, b, p}, Flow::Select);
}

template <class C, bool Flush>
struct SignOf {
  bool operator()(C c) const {
    if constexpr (Flush) return flushed(c) >= C{0};
    return c >= C{0};
  }
};
void select_by_sign(Decoder& d) {
  const bool flush = d.take("ftz");
  const Type type = d.take_type();
  const Type by = d.take_type();
  d.expect_operands(4, 4);
  const Slot p = d.scratch_predicate();
  if (by == Type::S32) {
    d.compute(&lanes<SignOf<std::int32_t, false>, bool, std::int32_t>, Type::Predicate, p,
              {d.source(3, by)});
  } else if (by == Type::F32) {
    d.compute(flush ? &lanes<SignOf<float, true>, bool, float>
                    : &lanes<SignOf<float, false>, bool, float>,
              Type::Predicate, p, {d.source(3, by)});
  } else {
    d.fail_type(by);
  }
  const unsigned width = bytes_of(type);
  const Handler handler = width == 2   ? choose<std::uint16_t>
                          : width == 4 ? choose<std::uint32_t>
                          : width == 8 ? choose<std::uint64_t>
                                       : nullptr;
  d.compute(handler, type, d.destination(0, type), {d.source(1, type), d.source(2, type), p},
            Flow::Select);
}

enum class Property { Finite, Infinite, Number, NotNumber, Normal, Subnormal };
template <Property P>
struct HasProperty {
  template <Native T>
  bool operator()(T a) const {
    const int kind = std::fpclassify(a);
    switch (P) {
      case Property::Finite:
        return kind != FP_NAN && kind != FP_INFINITE;
      case Property::Infinite:
        return kind == FP_INFINITE;
      case Property::Number:
        return kind != FP_NAN;
      case Property::NotNumber:
        return kind == FP_NAN;
      case Property::Normal:
        return kind == FP_NORMAL || kind == FP_ZERO;
      case Property::Subnormal:
        return kind == FP_SUBNORMAL;
    }
    return false;
  }
};
template <Property P>
Handler property_handler(Type type) {
  return by_type<HasProperty<P>, 1, bool>(type);
}
void test_property(Decoder& d) {
  using Factory = Handler (*)(Type);
  const Factory factory =
      d.take_one_of<Factory>({{"finite", property_handler<Property::Finite>},
                              {"infinite", property_handler<Property::Infinite>},
                              {"number", property_handler<Property::Number>},
                              {"notanumber", property_handler<Property::NotNumber>},
                              {"normal", property_handler<Property::Normal>},
                              {"subnormal", property_handler<Property::Subnormal>}},
                             nullptr);
  if (!factory) d.fail("needs a property");
  const Type type = d.take_type();
  d.expect_operands(2, 2);
  d.compute(factory(type), Type::Predicate, d.destination(0, Type::Predicate), {d.source(1, type)});
}

// ---- mov

template <class Whole, class Part, std::size_t Count, std::size_t... I>
void pack_lanes(std::byte* registers, const Instruction& i, LaneMask mask,
                std::index_sequence<I...>) {
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const Part parts[] = {lanes_of<Part>(registers, i.source[I])[lane]...};
    Whole whole;
    std::memcpy(&whole, parts, sizeof whole);
    lanes_of<Whole>(registers, i.destination)[lane] = whole;
  }
}
template <class Whole, class Part, std::size_t Count>
void pack(std::byte* registers, const Instruction& i, LaneMask mask) {
  pack_lanes<Whole, Part, Count>(registers, i, mask, std::make_index_sequence<Count>());
}
template <class Whole, class Part>
void unpack(std::byte* registers, const Instruction& i, LaneMask mask) {
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const Whole whole = lanes_of<Whole>(registers, i.source[0])[lane];
    lanes_of<Part>(registers, i.destination)[lane] =
        static_cast<Part>(whole >> (sizeof(Part) * 8 * i.detail));
  }
}

void move(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(2, 2);
  const Operand& to = d.operand(0);
  const Operand& from = d.operand(1);
  if (from.kind == Operand::Kind::Vector) {
    const std::size_t count = from.elements.size();
    const unsigned whole = bytes_of(type);
    Handler handler = nullptr;
    Type part = Type::B16;
    if (whole == 4 && count == 2) {
      handler = &pack<std::uint32_t, std::uint16_t, 2>;
    } else if (whole == 8 && count == 2) {
      handler = &pack<std::uint64_t, std::uint32_t, 2>;
      part = Type::B32;
    } else if (whole == 8 && count == 4) {
      handler = &pack<std::uint64_t, std::uint16_t, 4>;
    } else {
      d.fail("cannot pack these operands");
    }
    std::array<Slot, 4> sources{};
    for (std::size_t i = 0; i < count; ++i) sources[i] = d.source(from.elements[i], part);
    Instruction& i = d.compute(handler, type, d.destination(0, type), {}, Flow::Pack);
    i.source = sources;
    i.detail = static_cast<std::uint32_t>(count);
    return;
  }
  if (to.kind == Operand::Kind::Vector) {
    const std::size_t count = to.elements.size();
    const unsigned whole = bytes_of(type);
    Handler handler = nullptr;
    Type part = Type::B16;
    if (whole == 4 && count == 2) {
      handler = &unpack<std::uint32_t, std::uint16_t>;
    } else if (whole == 8 && count == 2) {
      handler = &unpack<std::uint64_t, std::uint32_t>;
      part = Type::B32;
    } else if (whole == 8 && count == 4) {
      handler = &unpack<std::uint64_t, std::uint16_t>;
    } else {
      d.fail("cannot unpack into these operands");
    }
    // The pieces are of other widths than the whole, so none can overwrite it.
    const Slot source = d.source(1, type);
    for (std::size_t i = 0; i < count; ++i) {
      if (to.elements[i].kind == Operand::Kind::Sink) continue;
      Instruction& piece =
          d.compute(handler, part, d.destination(to.elements[i], part), {source}, Flow::Unpack);
      piece.detail = static_cast<std::uint32_t>(i);
      piece.immediate = whole;
    }
    return;
  }
  if (from.kind == Operand::Kind::Name &&
      (from.name == "%clock" || from.name == "%clock64" || from.name == "%clock_hi" ||
       from.name == "%globaltimer" || from.name == "%globaltimer_lo")) {
    Instruction clock;
    clock.kind = Kind::Clock;
    const bool wide = from.name == "%clock64" || from.name == "%globaltimer";
    if (bytes_of(type) != (wide ? 8 : 4)) d.fail("'" + from.name + "' has another width");
    clock.width = wide ? 8 : 4;
    clock.immediate = from.name == "%clock_hi" ? 32 : 0;
    clock.destination = d.destination(0, type);
    d.emit(clock);
    return;
  }
  d.compute(copy_handler(bytes_of(type)), type, d.destination(0, type), {d.source(1, type)},
            Flow::Move);
}

}  // namespace

const DecodeTable& select_instructions() {
  static const DecodeTable table{
      {"setp", set_predicate},  {"set", set},  {"selp", select}, {"slct", select_by_sign},
      {"testp", test_property}, {"mov", move},
  };
  return table;
}

}  // namespace sinter::emulator::ptx
