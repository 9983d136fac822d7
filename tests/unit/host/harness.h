#pragma once
// A module built by hand, its arguments, and the comparison of interpreter and compiled code.

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backends/backend.h"
#include "dsl/ir/interpret.h"
#include "dsl/ir/module.h"

namespace sinter::backends::testing {

struct Memory {
  Type type;
  std::vector<std::uint8_t> bytes;
  std::size_t count() const { return bytes.size() / static_cast<std::size_t>(type.bytes()); }
  void* at(std::size_t i) { return bytes.data() + i * static_cast<std::size_t>(type.bytes()); }
  ir::Scalar get(std::size_t i) { return ir::read_scalar(type, at(i)); }
};

Memory memory_of(Type, const std::vector<ir::Scalar>&);

class Program {
 public:
  Program() { module.name = "test"; }
  /// One-dimensional buffers of stride 1.
  Symbol input(const std::string& name, Memory contents) {
    return buffer(name, std::move(contents), ir::Argument::Kind::Input);
  }
  Symbol output(const std::string& name, Type, std::size_t count);
  Symbol output(const std::string& name, Memory contents) {
    return buffer(name, std::move(contents), ir::Argument::Kind::Output);
  }
  Symbol scalar(const std::string& name, const ir::Scalar&);
  void body(ir::Stmt s) { module.body = std::move(s); }

  CompiledModule compile(bool listings = false, const Target& target = {}) const;
  /// Runs both on copies of the arguments; every element of every output must be the same.
  void expect_same(std::uint64_t seed = 1, const Target& target = {});
  /// Both must fail with the same text, which is returned.
  std::string expect_same_failure();
  /// Arguments over this program's own memory.
  ir::Arguments arguments() { return arguments_over(memory_); }
  Memory& memory(const Symbol& s) { return memory_.at(s); }

  ir::Module module;

 private:
  Symbol buffer(const std::string& name, Memory contents, ir::Argument::Kind);
  ir::Arguments arguments_over(std::map<Symbol, Memory>&) const;

  std::map<Symbol, Memory> memory_;
  std::map<Symbol, ir::Scalar> scalars_;
};

std::unique_ptr<Executable> load(const CompiledModule&);

/// Edge values of the type, then random ones up to `count`.
std::vector<ir::Scalar> edge_values(Type);
ir::Scalar random_value(Type, std::mt19937_64&);
extern const std::vector<Type> AllTypes;

/// i * lanes as a ramp of `lanes` from a loop variable (a scalar for one lane).
Expr lanes_at(const Symbol& loop, int lanes);
/// The same elements of a one-dimensional buffer.
Expr load_at(Type, const Symbol& buffer, const Symbol& loop, int lanes);

}  // namespace sinter::backends::testing
