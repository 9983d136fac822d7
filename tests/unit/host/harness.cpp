#include "tests/unit/host/harness.h"

#include <cmath>
#include <limits>

#include <sinter/diagnostic.h>

namespace sinter::backends::testing {

const std::vector<Type> AllTypes = {Bool(),     Int(8),    Int(16),   Int(32),  Int(64),
                                    UInt(8),    UInt(16),  UInt(32),  UInt(64), Float(16),
                                    BFloat(16), Float(32), Float(64), Index()};

Memory memory_of(Type type, const std::vector<ir::Scalar>& values) {
  Memory memory{type,
                std::vector<std::uint8_t>(values.size() * static_cast<std::size_t>(type.bytes()))};
  for (std::size_t i = 0; i < values.size(); ++i) ir::write_scalar(values[i], memory.at(i));
  return memory;
}

Symbol Program::buffer(const std::string& name, Memory contents, ir::Argument::Kind kind) {
  const Symbol symbol = Symbol::named(name);
  ir::Argument argument;
  argument.kind = kind;
  argument.symbol = symbol;
  argument.name = name;
  argument.type = contents.type;
  argument.dimensions = {{Symbol::named(name + ".min.0"), Symbol::named(name + ".extent.0"),
                          Symbol::named(name + ".stride.0")}};
  module.arguments.push_back(argument);
  memory_[symbol] = std::move(contents);
  return symbol;
}

Symbol Program::output(const std::string& name, Type type, std::size_t count) {
  return output(
      name,
      Memory{type, std::vector<std::uint8_t>(count * static_cast<std::size_t>(type.bytes()))});
}

Symbol Program::scalar(const std::string& name, const ir::Scalar& value) {
  const Symbol symbol = Symbol::named(name);
  ir::Argument argument;
  argument.symbol = symbol;
  argument.name = name;
  argument.type = value.type;
  module.arguments.push_back(argument);
  scalars_[symbol] = value;
  return symbol;
}

CompiledModule Program::compile(bool listings, const Target& target) const {
  const std::vector<std::string> problems = ir::verify(module, ir::Level::Machine);
  EXPECT_TRUE(problems.empty()) << problems.front() << "\n" << ir::print(module).substr(0, 2000);
  CompileOptions options;
  options.listings = listings;
  return backend_for(target).compile(module, target, options);
}

ir::Arguments Program::arguments_over(std::map<Symbol, Memory>& memory) const {
  ir::Arguments result;
  for (auto& [symbol, contents] : memory) {
    ir::BufferView view;
    view.host = contents.bytes.data();
    view.type = contents.type;
    view.dimensions = {{0, static_cast<std::int64_t>(contents.count()), 1}};
    result.buffers[symbol] = view;
  }
  result.scalars = scalars_;
  return result;
}

std::unique_ptr<Executable> load(const CompiledModule& compiled) {
  return backend_for(compiled.target).default_device(compiled.target)->load(compiled);
}

void Program::expect_same(std::uint64_t seed, const Target& target) {
  std::map<Symbol, Memory> expected = memory_, actual = memory_;
  ir::interpret(module, arguments_over(expected), seed);
  load(compile(false, target))->launch(arguments_over(actual), nullptr);
  int shown = 0;
  for (auto& [symbol, memory] : expected) {
    for (std::size_t i = 0; i < memory.count(); ++i) {
      const ir::Scalar want = memory.get(i), got = actual.at(symbol).get(i);
      if (want.same(got)) continue;
      ADD_FAILURE() << symbol.name() << "[" << i << "] is " << ir::to_string(got) << ", should be "
                    << ir::to_string(want);
      if (++shown == 10) return;
    }
  }
}

std::string Program::expect_same_failure() {
  std::map<Symbol, Memory> expected = memory_, actual = memory_;
  std::string want, got;
  try {
    ir::interpret(module, arguments_over(expected), 1);
    ADD_FAILURE() << "the interpreter did not fail";
  } catch (const RuntimeError& error) {
    want = error.diagnostic().reason;
  }
  try {
    load(compile())->launch(arguments_over(actual), nullptr);
    ADD_FAILURE() << "compiled code did not fail";
  } catch (const RuntimeError& error) {
    got = error.diagnostic().reason;
  }
  EXPECT_EQ(want, got);
  return got;
}

std::vector<ir::Scalar> edge_values(Type t) {
  std::vector<ir::Scalar> result;
  if (t.is_bool()) return {ir::Scalar::of_integer(t, 0), ir::Scalar::of_integer(t, 1)};
  if (t.is_float()) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double v : {0.0,
                           -0.0,
                           1.0,
                           -1.0,
                           0.5,
                           -0.5,
                           1.5,
                           2.5,
                           -2.5,
                           3.0,
                           126.9,
                           127.5,
                           -128.5,
                           255.5,
                           256.0,
                           32767.5,
                           -32769.0,
                           65503.0,
                           65519.9,
                           65520.0,
                           2147483520.0,
                           2147483648.0,
                           -2147483648.0,
                           4294967295.0,
                           4294967296.0,
                           9223372036854775807.0,
                           -9223372036854775808.0,
                           18446744073709551615.0,
                           1e300,
                           -1e300,
                           3.4028235e38,
                           1e-45,
                           -1e-45,
                           1e-310,
                           6e-8,
                           2.9e-8,
                           infinity,
                           -infinity,
                           std::nan("")})
      result.push_back(ir::Scalar::of_real(t, v));
    return result;
  }
  const std::int64_t low = t.is_index() ? -(std::int64_t{1} << 31) : t.min_int();
  const std::int64_t high = t.is_index() ? (std::int64_t{1} << 31) - 1 : t.max_int();
  for (const std::int64_t v :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{2}, std::int64_t{3},
        std::int64_t{-3}, std::int64_t{7}, std::int64_t{-8}, std::int64_t{31}, std::int64_t{64},
        std::int64_t{100}, low, high, low + 1, high - 1, low / 2})
    result.push_back(ir::Scalar::of_integer(t, v));
  if (t.bits == 64 && !t.is_index())
    for (int bit = 50; bit < 63; ++bit)
      for (const std::int64_t off : {-1, 0, 1, 1024})
        result.push_back(ir::Scalar::of_integer(t, (std::int64_t{1} << bit) + off));
  return result;
}

ir::Scalar random_value(Type t, std::mt19937_64& random) {
  const std::uint64_t bits = random();
  if (t.is_index()) return ir::Scalar::of_integer(t, static_cast<std::int32_t>(bits));
  if (!t.is_float())
    return ir::Scalar::of_integer(t, static_cast<std::int64_t>(bits) >> (random() % 64));
  // Half of the numbers have any exponent, half are near one.
  const std::uint64_t mask = t.bits == 16 ? 0xffff : t.bits == 32 ? 0xffffffff : ~std::uint64_t{0};
  if (random() % 2 == 0) {
    const std::uint64_t masked = bits & mask;
    return ir::read_scalar(t, &masked);
  }
  return ir::Scalar::of_real(t,
                             (static_cast<double>(bits >> 11) / 9007199254740992.0 - 0.5) * 1000);
}

Expr lanes_at(const Symbol& loop, int lanes) {
  const Expr base = ir::binary(ir::Op::Mul, ir::index_symbol(loop), ir::index_literal(lanes));
  return lanes == 1 ? base : ir::ramp(base, ir::index_literal(1), lanes);
}

Expr load_at(Type t, const Symbol& buffer, const Symbol& loop, int lanes) {
  return ir::load(t.with_lanes(lanes), buffer, lanes_at(loop, lanes));
}

}  // namespace sinter::backends::testing
