// Batch: nodes in order, one kernel each, over blocks of values that stay in the cache.

#include "dsl/ir/batch.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <unordered_map>

#include <sinter/diagnostic.h>

#include "dsl/ir/postorder.h"

namespace sinter::ir {

namespace {

/// Bool is a byte of 0 or 1.
using Byte = std::uint8_t;
using Kernel = void (*)(void* out, const void* const* in, std::size_t n);
constexpr std::size_t RegisterWords = Batch::Block;

template <typename Out, typename F, typename... In>
void map(void* out, std::size_t n, F f, const In*... in) {
  Out* o = static_cast<Out*>(out);
  for (std::size_t i = 0; i < n; ++i) o[i] = static_cast<Out>(f(in[i]...));
}

template <typename Out, typename In, typename F>
Kernel unary_kernel(F) {
  return [](void* out, const void* const* in, std::size_t n) {
    map<Out>(out, n, F{}, static_cast<const In*>(in[0]));
  };
}

template <typename Out, typename In, typename F>
Kernel binary_kernel(F) {
  return [](void* out, const void* const* in, std::size_t n) {
    map<Out>(out, n, F{}, static_cast<const In*>(in[0]), static_cast<const In*>(in[1]));
  };
}

template <typename T>
T shift_left(T value, T amount) {
  using U = std::make_unsigned_t<T>;
  constexpr T width = std::numeric_limits<U>::digits;
  if constexpr (std::is_signed_v<T>) {
    if (amount < 0)
      return amount <= -width ? static_cast<T>(value >> (width - 1))
                              : static_cast<T>(value >> -amount);
  }
  return amount >= width ? T{0} : static_cast<T>(static_cast<U>(value) << amount);
}

template <typename T>
T shift_right(T value, T amount) {
  using U = std::make_unsigned_t<T>;
  constexpr T width = std::numeric_limits<U>::digits;
  if constexpr (std::is_signed_v<T>) {
    if (amount < 0)
      return amount <= -width ? T{0} : static_cast<T>(static_cast<U>(value) << -amount);
    return static_cast<T>(value >> (amount >= width ? width - 1 : amount));
  }
  return amount >= width ? T{0} : static_cast<T>(value >> amount);
}

template <typename To, typename From>
To convert(From v) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (v != v) return To{0};
    constexpr To low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    if (v <= static_cast<From>(low)) return low;
    return v >= static_cast<From>(high) ? high : static_cast<To>(v);
  } else {
    return static_cast<To>(v);
  }
}

template <typename T>
T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return a != a ? b : a;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

template <typename T>
T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return a != a ? b : a;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

[[noreturn]] void refuse(const Node& n) {
  throw InternalError("Batch: no kernel for '" + std::string(info(n.op).name) + "' of type " +
                      to_string(n.type));
}

/// Calls f with a value of the C++ type that stands for `t`.
template <typename F>
Kernel with_type(const Node& n, Type t, F f) {
  if (t == Bool()) return f(Byte{});
  if (t == Int(32)) return f(std::int32_t{});
  if (t == UInt(32)) return f(std::uint32_t{});
  if (t == Int(64)) return f(std::int64_t{});
  if (t == UInt(64)) return f(std::uint64_t{});
  if (t == Float(32)) return f(float{});
  if (t == Float(64)) return f(double{});
  refuse(n);
}

template <typename T>
Kernel float_kernel(const Node& n) {
  if (n.op == Op::Fma) {
    return [](void* out, const void* const* in, std::size_t count) {
      map<T>(
          out, count, [](T a, T b, T c) { return std::fma(a, b, c); }, static_cast<const T*>(in[0]),
          static_cast<const T*>(in[1]), static_cast<const T*>(in[2]));
    };
  }
  if (n.op == Op::Add) return binary_kernel<T, T>([](T a, T b) { return a + b; });
  if (n.op == Op::Sub) return binary_kernel<T, T>([](T a, T b) { return a - b; });
  if (n.op == Op::Mul) return binary_kernel<T, T>([](T a, T b) { return a * b; });
  if (n.op == Op::Div) return binary_kernel<T, T>([](T a, T b) { return a / b; });
  if (n.op == Op::Sqrt) return unary_kernel<T, T>([](T a) { return std::sqrt(a); });
  if (n.op == Op::Floor) return unary_kernel<T, T>([](T a) { return std::floor(a); });
  if (n.op == Op::Ceil) return unary_kernel<T, T>([](T a) { return std::ceil(a); });
  if (n.op == Op::Trunc) return unary_kernel<T, T>([](T a) { return std::trunc(a); });
  if (n.op == Op::Round) return unary_kernel<T, T>([](T a) { return std::nearbyint(a); });
  if (n.op == Op::Abs) return unary_kernel<T, T>([](T a) { return std::fabs(a); });
  refuse(n);
}

template <typename T>
Kernel integer_kernel(const Node& n) {
  using U = std::make_unsigned_t<T>;
  if (n.op == Op::Add) return binary_kernel<T, U>([](U a, U b) { return a + b; });
  if (n.op == Op::Sub) return binary_kernel<T, U>([](U a, U b) { return a - b; });
  if (n.op == Op::Mul) return binary_kernel<T, U>([](U a, U b) { return a * b; });
  if (n.op == Op::BitAnd) return binary_kernel<T, T>([](T a, T b) { return a & b; });
  if (n.op == Op::BitOr) return binary_kernel<T, T>([](T a, T b) { return a | b; });
  if (n.op == Op::BitXor) return binary_kernel<T, T>([](T a, T b) { return a ^ b; });
  if (n.op == Op::BitNot) return unary_kernel<T, T>([](T a) { return ~a; });
  if (n.op == Op::ShiftLeft) return binary_kernel<T, T>([](T a, T b) { return shift_left(a, b); });
  if (n.op == Op::ShiftRight)
    return binary_kernel<T, T>([](T a, T b) { return shift_right(a, b); });
  if (n.op == Op::CountLeadingZeros)
    return unary_kernel<T, U>([](U a) { return std::countl_zero(a); });
  if (n.op == Op::CountTrailingZeros)
    return unary_kernel<T, U>([](U a) { return std::countr_zero(a); });
  if (n.op == Op::PopCount) return unary_kernel<T, U>([](U a) { return std::popcount(a); });
  refuse(n);
}

Kernel logic_kernel(const Node& n) {
  if (n.op == Op::And) return binary_kernel<Byte, Byte>([](Byte a, Byte b) { return a & b; });
  if (n.op == Op::Or) return binary_kernel<Byte, Byte>([](Byte a, Byte b) { return a | b; });
  if (n.op == Op::Not) return unary_kernel<Byte, Byte>([](Byte a) { return a ^ 1; });
  refuse(n);
}

Kernel kernel_of(const Node& n) {
  const Type operand = n.args.empty() ? n.type : n.args.back()->type;
  return with_type(n, operand, [&]<typename T>(T) -> Kernel {
    if (n.op == Op::Equal) return binary_kernel<Byte, T>([](T a, T b) { return a == b; });
    if (n.op == Op::NotEqual) return binary_kernel<Byte, T>([](T a, T b) { return a != b; });
    if (n.op == Op::Less) return binary_kernel<Byte, T>([](T a, T b) { return a < b; });
    if (n.op == Op::LessEqual) return binary_kernel<Byte, T>([](T a, T b) { return a <= b; });
    if (n.op == Op::Min) return binary_kernel<T, T>([](T a, T b) { return minimum(a, b); });
    if (n.op == Op::Max) return binary_kernel<T, T>([](T a, T b) { return maximum(a, b); });
    if (n.op == Op::Select) {
      return [](void* out, const void* const* in, std::size_t count) {
        map<T>(
            out, count, [](Byte c, T a, T b) { return c != 0 ? a : b; },
            static_cast<const Byte*>(in[0]), static_cast<const T*>(in[1]),
            static_cast<const T*>(in[2]));
      };
    }
    if (n.op == Op::Reinterpret) {
      if (n.type.bits != operand.bits) refuse(n);
      return [](void* out, const void* const* in, std::size_t count) {
        std::memcpy(out, in[0], count * sizeof(T));
      };
    }
    if (n.op == Op::Cast) {
      return with_type(n, n.type, []<typename To>(To) -> Kernel {
        return unary_kernel<To, T>([](T a) { return convert<To>(a); });
      });
    }
    if (n.op == Op::PromiseClamped) return unary_kernel<T, T>([](T a) { return a; });
    if constexpr (std::is_floating_point_v<T>) return float_kernel<T>(n);
    else if constexpr (std::is_same_v<T, Byte>) return logic_kernel(n);
    else return integer_kernel<T>(n);
  });
}

template <typename T>
void fill(std::uint64_t* reg, T v) {
  for (std::size_t i = 0; i < Batch::Block; ++i)
    std::memcpy(reinterpret_cast<char*>(reg) + i * sizeof(T), &v, sizeof(T));
}

void fill_literal(std::uint64_t* reg, const Node& n) {
  if (n.type == Float(32)) fill(reg, static_cast<float>(n.real));
  else if (n.type == Float(64)) fill(reg, n.real);
  else if (n.type.bits == 64) fill(reg, n.integer);
  else if (n.type.bits == 32) fill(reg, static_cast<std::uint32_t>(n.integer));
  else fill(reg, static_cast<Byte>(n.integer));
}

}  // namespace

struct Batch::Step {
  Kernel kernel;
  int out;                // register; -1: the caller's output
  std::array<int, 3> in;  // register, or -1 - (number of the input)
};

struct Batch::Program {
  std::vector<Step> steps;
  std::vector<std::pair<int, Ref>> literals;
  int registers = 0;
  int result = 0;  // where the value is when the root is a leaf
  int result_bytes = 0;
};

Batch::Batch(const Expr& e, const std::vector<Symbol>& inputs) {
  auto program = std::make_shared<Program>();
  const std::vector<Ref> order = postorder({e.node()});
  std::unordered_map<const Node*, std::size_t> last_use;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Ref& a : order[i]->args) last_use[a.get()] = i;
  }
  std::unordered_map<const Node*, int> place;
  std::vector<int> free;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& n = *order[i];
    if (n.op == Op::Symbol) {
      std::size_t k = 0;
      while (k < inputs.size() && !(inputs[k] == n.symbol)) ++k;
      ensure(k < inputs.size(), "Batch: a symbol that is no input");
      place[&n] = -1 - static_cast<int>(k);
      continue;
    }
    if (n.op == Op::Literal) {
      place[&n] = program->registers;
      program->literals.emplace_back(program->registers++, order[i]);
      continue;
    }
    Step step{kernel_of(n), -1, {0, 0, 0}};
    ensure(n.args.size() <= 3, "Batch: at most three operands");
    for (std::size_t a = 0; a < n.args.size(); ++a) step.in[a] = place.at(n.args[a].get());
    if (i + 1 < order.size()) {
      if (free.empty()) free.push_back(program->registers++);
      step.out = free.back();
      free.pop_back();
      place[&n] = step.out;
    }
    program->steps.push_back(step);
    for (std::size_t a = 0; a < n.args.size(); ++a) {
      const Node* child = n.args[a].get();
      const auto use = last_use.find(child);
      if (use == last_use.end() || use->second != i || child->op == Op::Symbol ||
          child->op == Op::Literal)
        continue;
      free.push_back(place.at(child));
      last_use.erase(use);  // a child used twice by one node is freed once
    }
  }
  if (program->steps.empty()) program->result = place.at(e.node().get());
  program->result_bytes = e->type.bytes();
  registers_.resize(static_cast<std::size_t>(program->registers) * RegisterWords);
  for (const auto& [reg, node] : program->literals) {
    fill_literal(&registers_[static_cast<std::size_t>(reg) * RegisterWords], *node);
  }
  program_ = std::move(program);
}

Batch::~Batch() = default;
Batch::Batch(const Batch& other) = default;
Batch::Batch(Batch&&) noexcept = default;

void Batch::run(const void* const* inputs, void* output, std::size_t count) {
  ensure(count <= Block, "Batch: more values than a block holds");
  const auto address = [&](int place) -> const void* {
    if (place < 0) return inputs[-1 - place];
    return &registers_[static_cast<std::size_t>(place) * RegisterWords];
  };
  for (const Step& s : program_->steps) {
    const std::array<const void*, 3> in{address(s.in[0]), address(s.in[1]), address(s.in[2])};
    void* out = s.out < 0 ? output : &registers_[static_cast<std::size_t>(s.out) * RegisterWords];
    s.kernel(out, in.data(), count);
  }
  if (program_->steps.empty()) {
    std::memcpy(output, address(program_->result),
                count * static_cast<std::size_t>(program_->result_bytes));
  }
}

}  // namespace sinter::ir
