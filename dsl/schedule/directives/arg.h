#pragma once
// Arg<T>: a number written in a directive. It is a constant, a knob that the tuner fills, or an
// expression of sizes. Only constants resolve today; resolve() refuses the others by name.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <sinter/expr.h>

namespace sinter::schedule {

template <typename T>
struct Arg {
  struct Knob {
    std::string name;
  };
  std::variant<T, Knob, Expr> value = T{};

  Arg() = default;
  Arg(T constant) : value(constant) {}
  static Arg knob(std::string name) {
    Arg arg;
    arg.value = Knob{std::move(name)};
    return arg;
  }
  static Arg expression(Expr e) {
    Arg arg;
    arg.value = std::move(e);
    return arg;
  }
  bool is_constant() const { return std::holds_alternative<T>(value); }
  /// The number; only of a constant.
  T constant() const { return std::get<T>(value); }
};
using IntegerArg = Arg<std::int64_t>;

}  // namespace sinter::schedule
