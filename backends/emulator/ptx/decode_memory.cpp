// Loads, stores, atomics, fences, asynchronous copies and addresses.

#include <algorithm>
#include <bit>

#include "backends/emulator/ptx/dispatch.h"
#include "backends/emulator/ptx/floats.h"

namespace sinter::emulator::ptx {

namespace {

bool starts_with_any(const std::string& text, std::initializer_list<const char*> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const char* prefix) { return text.starts_with(prefix); });
}

/// Cache operators, eviction priorities and prefetch sizes change no value. True for
/// .L2::cache_hint, which brings one more operand.
bool take_cache_hints(Decoder& d) {
  const bool hint = d.take("L2::cache_hint");
  for (const std::string& part : d.statement().opcode) {
    if (starts_with_any(part, {"L1::", "L2::"}) || part == "ca" || part == "cg" || part == "cs" ||
        part == "lu" || part == "cv" || part == "wb" || part == "wt") {
      d.take(part);
    }
  }
  return hint;
}

Space take_space(Decoder& d) {
  if (d.take("shared::cta")) return Space::Shared;
  if (d.take("param::entry") || d.take("param::func")) return Space::Parameter;
  return d.take_one_of<Space>({{"global", Space::Global},
                               {"shared", Space::Shared},
                               {"local", Space::Local},
                               {"const", Space::Constant},
                               {"param", Space::Parameter}},
                              Space::Generic);
}

Scope take_scope(Decoder& d, Scope otherwise) {
  return d.take_one_of<Scope>({{"cta", Scope::Block},
                               {"cluster", Scope::Cluster},
                               {"gpu", Scope::Device},
                               {"sys", Scope::System}},
                              otherwise);
}

void take_semantics(Decoder& d, MemoryOperation& m) {
  d.take("weak");
  if (d.take("volatile")) {
    m.strong = true;
    m.scope = Scope::System;
    return;
  }
  m.acquire = d.take("acquire") || m.acquire;
  m.release = d.take("release") || m.release;
  if (d.take("acq_rel")) m.acquire = m.release = true;
  m.strong = d.take("relaxed") || m.acquire || m.release || m.strong;
  if (d.take("mmio")) m.strong = true;
  m.scope = take_scope(d, m.scope);
}

void add(Decoder& d, Kind kind, MemoryOperation m, Instruction instruction = {}) {
  m.index = static_cast<std::uint32_t>(d.module.memory.size());
  instruction.kind = kind;
  instruction.detail = m.index;
  d.module.memory.push_back(m);
  d.emit(instruction);
}

/// The registers of a load or store: one, or a vector.
void take_registers(Decoder& d, const Operand& operand, Type type, MemoryOperation& m, bool write) {
  const bool vector = operand.kind == Operand::Kind::Vector;
  const std::size_t count = vector ? operand.elements.size() : 1;
  if (count != m.count) d.fail("the number of registers is not that of the vector");
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& element = vector ? operand.elements[i] : operand;
    unsigned width = std::max(2u, bytes_of(type));
    if (element.kind == Operand::Kind::Register || (write && element.kind == Operand::Kind::Sink)) {
      m.registers[i] = d.any_register(element, width, write);
    } else if (write) {
      d.fail("a load needs registers");
    } else if (bytes_of(type) == 1 && element.kind == Operand::Kind::Integer) {
      m.registers[i] = d.constant(element.bits & 255, 2);
    } else {
      m.registers[i] = d.source(element, type);
    }
    if (width < bytes_of(type)) d.fail("'" + element.name + "' is too narrow");
    if (i && element.kind != Operand::Kind::Sink && width != m.register_width) {
      d.fail("the registers have different widths");
    }
    m.register_width = static_cast<std::uint8_t>(width);
  }
}

void load(Decoder& d) {
  MemoryOperation m;
  const bool hint = take_cache_hints(d);
  m.space = take_space(d);
  take_semantics(d, m);
  m.read_only = d.take("nc");
  m.count = static_cast<std::uint8_t>(d.take_one_of<int>({{"v2", 2}, {"v4", 4}}, 1));
  const Type type = d.take_type();
  d.expect_operands(2 + hint, 2 + hint);
  m.width = static_cast<std::uint8_t>(bytes_of(type));
  m.sign = is_signed(type);
  if (m.width == 0 || m.width * m.count > 16) d.fail_type(type);
  take_registers(d, d.operand(0), type, m, true);
  d.address(d.operand(1), m);
  if (const Slot value = d.parameter_value(m); value != NoSlot) {
    d.compute(copy_handler(m.register_width), type, m.registers[0], {value}, Flow::Move).width =
        m.register_width;
    return;
  }
  add(d, Kind::Load, m);
}

void store(Decoder& d) {
  MemoryOperation m;
  const bool hint = take_cache_hints(d);
  m.space = take_space(d);
  take_semantics(d, m);
  m.count = static_cast<std::uint8_t>(d.take_one_of<int>({{"v2", 2}, {"v4", 4}}, 1));
  const Type type = d.take_type();
  d.expect_operands(2 + hint, 2 + hint);
  m.width = static_cast<std::uint8_t>(bytes_of(type));
  if (m.width == 0 || m.width * m.count > 16) d.fail_type(type);
  take_registers(d, d.operand(1), type, m, false);
  d.address(d.operand(0), m);
  add(d, Kind::Store, m);
}

// ---- atomics: on the bits of the type

template <class T>
T as(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T, class F>
std::uint64_t atomic(std::uint64_t old, std::uint64_t b, std::uint64_t) {
  return bits_of<T>(static_cast<T>(F{}(as<T>(old), as<T>(b))));
}
template <class T>
std::uint64_t compare_and_swap(std::uint64_t old, std::uint64_t b, std::uint64_t c) {
  return as<T>(old) == as<T>(b) ? c : old;
}
struct Sum {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::integral<T>) return static_cast<T>(std::uint64_t(a) + std::uint64_t(b));
    else return Floating<AddFloat>{}(a, b);
  }
};
struct Least {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::integral<T>) return a < b ? a : b;
    else return Floating<MinFloat>{}(a, b);
  }
};
struct Greatest {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::integral<T>) return a > b ? a : b;
    else return Floating<MaxFloat>{}(a, b);
  }
};
struct Increase {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a >= b ? 0 : a + 1; }
};
struct Decrease {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return a == 0 || a > b ? b : a - 1;
  }
};

template <class F>
AtomicOperation arithmetic_atomic(Type type) {
  if (type == Type::U32 || type == Type::B32) return &atomic<std::uint32_t, F>;
  if (type == Type::S32) return &atomic<std::int32_t, F>;
  if (type == Type::U64 || type == Type::B64) return &atomic<std::uint64_t, F>;
  if (type == Type::S64) return &atomic<std::int64_t, F>;
  if (type == Type::F32) return &atomic<float, F>;
  if (type == Type::F64) return &atomic<double, F>;
  if (type == Type::F16) return &atomic<Half, F>;
  if (type == Type::BF16) return &atomic<Bfloat, F>;
  if (type == Type::F16x2) return &atomic<Packed<Half>, F>;
  if (type == Type::BF16x2) return &atomic<Packed<Bfloat>, F>;
  return nullptr;
}
std::uint64_t atomic_and(std::uint64_t a, std::uint64_t b, std::uint64_t) { return a & b; }
std::uint64_t atomic_or(std::uint64_t a, std::uint64_t b, std::uint64_t) { return a | b; }
std::uint64_t atomic_xor(std::uint64_t a, std::uint64_t b, std::uint64_t) { return a ^ b; }
std::uint64_t exchange(std::uint64_t, std::uint64_t b, std::uint64_t) { return b; }

AtomicOperation take_operation(Decoder& d, bool& swap, Type& type) {
  // .inc and .dec before the type, as in the text.
  static const char* const names[] = {"add", "min", "max", "and",  "or",
                                      "xor", "inc", "dec", "exch", "cas"};
  std::string name;
  for (const char* candidate : names) {
    if (d.take(candidate)) name = candidate;
  }
  d.take("noftz");
  type = d.take_type();
  const unsigned width = bytes_of(type);
  if (width < 2) return nullptr;
  swap = name == "cas";
  if (name == "add") return arithmetic_atomic<Sum>(type);
  if (name == "min" || name == "max") {
    return name == "min" ? arithmetic_atomic<Least>(type) : arithmetic_atomic<Greatest>(type);
  }
  if (name == "inc" && type == Type::U32) return &atomic<std::uint32_t, Increase>;
  if (name == "dec" && type == Type::U32) return &atomic<std::uint32_t, Decrease>;
  if (name == "exch") return &exchange;
  if (name == "cas") {
    return width == 2   ? &compare_and_swap<std::uint16_t>
           : width == 4 ? &compare_and_swap<std::uint32_t>
                        : &compare_and_swap<std::uint64_t>;
  }
  if (width < 4) return nullptr;
  return name == "and"   ? &atomic_and
         : name == "or"  ? &atomic_or
         : name == "xor" ? &atomic_xor
                         : nullptr;
}

void atomic_instruction(Decoder& d, bool result) {
  MemoryOperation m;
  const bool hint = take_cache_hints(d);
  m.space = take_space(d);
  m.strong = true;
  m.scope = Scope::Device;
  take_semantics(d, m);
  bool swap = false;
  Type type{};
  m.operation = take_operation(d, swap, type);
  if (!m.operation) d.fail("this operation on this type is not supported");
  m.width = m.register_width = static_cast<std::uint8_t>(bytes_of(type));
  const std::size_t first = result ? 1 : 0;
  d.expect_operands(first + 2 + swap + hint, first + 2 + swap + hint);
  m.registers[0] = result ? d.destination(0, type) : SinkSlot;
  d.address(d.operand(first), m);
  m.operand = d.source(first + 1, type);
  if (swap) m.operand2 = d.source(first + 2, type);
  add(d, Kind::Atomic, m);
}

// ---- order

void fence(Decoder& d) {
  if (d.take("proxy")) d.fail("proxy fences are not supported yet");
  if (!d.take("acq_rel")) d.take("sc");
  Instruction i;
  i.kind = Kind::Fence;
  i.detail = static_cast<std::uint32_t>(take_scope(d, Scope::Device));
  d.expect_operands(0, 0);
  d.emit(i);
}
void memory_barrier(Decoder& d) {
  const Scope scope = d.take_one_of<Scope>(
      {{"cta", Scope::Block}, {"gl", Scope::Device}, {"sys", Scope::System}}, Scope::Device);
  Instruction i;
  i.kind = Kind::Fence;
  i.detail = static_cast<std::uint32_t>(scope);
  d.expect_operands(0, 0);
  d.emit(i);
}

// ---- asynchronous copies

void copy_async(Decoder& d) {
  if (!d.take("async")) d.fail("unknown kind of cp");
  if (d.take("commit_group")) {
    Instruction i;
    i.kind = Kind::CopyCommit;
    d.expect_operands(0, 0);
    d.emit(i);
    return;
  }
  const bool all = d.take("wait_all");
  if (all || d.take("wait_group")) {
    Instruction i;
    i.kind = Kind::CopyWait;
    if (!all) {
      d.expect_operands(1, 1);
      if (d.operand(0).kind != Operand::Kind::Integer) d.fail("needs a number");
      i.detail = static_cast<std::uint32_t>(d.operand(0).bits);
    } else {
      i.immediate = 1;  // also what was not committed
    }
    d.emit(i);
    return;
  }
  const bool hint = take_cache_hints(d);
  if (!d.take("shared") && !d.take("shared::cta")) d.fail("needs .shared.global");
  if (!d.take("global")) d.fail("needs .shared.global");
  const std::size_t count = d.operand_count() - hint;
  if (count < 3 || count > 4) d.fail("has a wrong number of operands");
  if (d.operand(2).kind != Operand::Kind::Integer) d.fail("needs a constant size");
  const std::uint64_t size = d.operand(2).bits;
  if (size != 4 && size != 8 && size != 16) d.fail("copies 4, 8 or 16 bytes");
  MemoryOperation m;
  m.space = Space::Shared;
  m.width = static_cast<std::uint8_t>(size);
  d.address(d.operand(0), m);
  MemoryOperation from;
  from.space = Space::Global;
  from.width = m.width;
  d.address(d.operand(1), from);
  from.index = static_cast<std::uint32_t>(d.module.memory.size());
  d.module.memory.push_back(from);
  Instruction i;
  i.source[2] = d.constant(size, 4);
  if (count == 4) {
    const Operand& last = d.operand(3);
    const bool ignore = last.kind == Operand::Kind::Register && d.is_predicate(last);
    if (ignore) d.fail("an ignore-src predicate is not supported");
    i.source[2] = d.source(last, Type::U32);
  }
  i.immediate = from.index;
  add(d, Kind::CopyAsync, m, i);
}

// ---- addresses

struct Offset {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};
constexpr Handler add64 = &lanes<Offset, std::uint64_t, std::uint64_t, std::uint64_t>;

std::uint64_t window(Space space) {
  switch (space) {
    case Space::Shared:
      return SharedWindow;
    case Space::Local:
      return LocalWindow;
    case Space::Parameter:
      return ParameterWindow;
    case Space::Generic:
    case Space::Global:
    case Space::Constant:
      return 0;
  }
  return 0;
}

void convert_address(Decoder& d) {
  const bool to = d.take("to");
  const Space space = take_space(d);
  const Type type = d.take_type();
  if (type != Type::U64) d.fail("needs .u64");
  d.expect_operands(2, 2);
  const std::uint64_t base = window(space);
  d.compute(add64, type, d.destination(0, type),
            {d.source(1, type), d.constant(to ? 0 - base : base, 8)}, Flow::Upward);
}

template <std::uint64_t Window>
struct InWindow {
  bool operator()(std::uint64_t a) const { return a - Window < WindowBytes; }
};
struct InNone {
  bool operator()(std::uint64_t a) const {
    return a - SharedWindow >= 3 * (LocalWindow - SharedWindow);
  }
};
void is_space(Decoder& d) {
  const Space space = take_space(d);
  d.expect_operands(2, 2);
  Handler handler = nullptr;
  switch (space) {
    case Space::Shared:
      handler = &lanes<InWindow<SharedWindow>, bool, std::uint64_t>;
      break;
    case Space::Local:
      handler = &lanes<InWindow<LocalWindow>, bool, std::uint64_t>;
      break;
    case Space::Parameter:
      handler = &lanes<InWindow<ParameterWindow>, bool, std::uint64_t>;
      break;
    case Space::Global:
      handler = &lanes<InNone, bool, std::uint64_t>;
      break;
    case Space::Constant:
    case Space::Generic:
      d.fail("this space is not supported");
  }
  d.compute(handler, Type::Predicate, d.destination(0, Type::Predicate), {d.source(1, Type::U64)});
}

// mapa and the like come with clusters.

void prefetch(Decoder& d) {
  take_cache_hints(d);
  for (const char* part : {"L1", "L2", "tensormap"}) d.take(part);
  take_space(d);
  d.expect_operands(1, 1);
}

void create_policy(Decoder& d) {
  for (const std::string& part : d.statement().opcode) d.take(part);
  // Any value: policies change no result.
  d.compute(add64, Type::B64, d.destination(0, Type::B64), {NoSlot, NoSlot});
}

}  // namespace

const DecodeTable& memory_instructions() {
  static const DecodeTable table{
      {"ld", load},
      {"ldu", load},
      {"st", store},
      {"atom", [](Decoder& d) { atomic_instruction(d, true); }},
      {"red", [](Decoder& d) { atomic_instruction(d, false); }},
      {"fence", fence},
      {"membar", memory_barrier},
      {"cp", copy_async},
      {"cvta", convert_address},
      {"isspacep", is_space},
      {"prefetch", prefetch},
      {"prefetchu", prefetch},
      {"applypriority", prefetch},
      {"createpolicy", create_policy},
  };
  return table;
}

}  // namespace sinter::emulator::ptx
