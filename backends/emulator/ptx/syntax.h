#pragma once
// PTX text as a tree: names of registers resolved, instructions not yet understood.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::emulator::ptx {

enum class Space : std::uint8_t { Generic, Global, Shared, Local, Constant, Parameter };

struct Operand {
  enum class Kind {
    Register,  ///< `index` in Function::registers; `negated` for !p and -r
    Integer,   ///< `bits`
    Float,     ///< `bits` of a double, or of an f32 when `width` is 4
    Name,      ///< a variable, label, function or special register, plus `offset`
    Address,   ///< [elements[0] + offset]
    Vector,    ///< {elements...}
    Pair,      ///< elements[0] | elements[1]
    List,      ///< (elements...), of a call
    Sink,      ///< _
  };
  Kind kind = Kind::Sink;
  std::string name;
  std::uint32_t index = 0;
  std::uint64_t bits = 0;
  unsigned width = 8;
  std::int64_t offset = 0;
  bool negated = false;
  std::vector<Operand> elements;
};

struct Location {
  unsigned file = 0, line = 0;
  std::string function;  ///< the inlined one, when named
};

struct Statement {
  unsigned line = 0;
  std::vector<std::string> opcode;  ///< split at its dots
  std::vector<Operand> operands;
  bool guarded = false, guard_negated = false;
  std::uint32_t guard = 0;
  Location location;
};

struct Register {
  std::string type;
  std::string name;
  unsigned width = 0;  ///< bytes; 0 for a predicate
};

struct Variable {
  std::string name;
  Space space = Space::Global;
  std::uint64_t size = 0, alignment = 1;
  bool external = false;
  std::vector<std::byte> initial;
  struct Address {
    std::uint64_t offset;
    std::string name;
    std::int64_t addend;
  };
  std::vector<Address> addresses;  ///< of other variables, in `initial`
  unsigned line = 0;
};

struct Label {
  std::string name;
  std::size_t statement;  ///< the first after it
};

struct BranchTargets {
  std::string name;
  std::vector<std::string> labels;
};

struct FunctionSyntax {
  std::string name;
  bool kernel = false;
  bool defined = false;
  unsigned line = 0;
  std::vector<Variable> parameters, results;
  std::vector<Register> registers;
  std::vector<Variable> variables;  ///< .local, .shared and .param of its body
  std::vector<Statement> statements;
  std::vector<Label> labels;
  std::vector<BranchTargets> tables;
  unsigned max_threads = 0, min_blocks = 0, max_registers = 0;
};

struct ModuleSyntax {
  std::vector<std::string> files;  ///< by number
  std::vector<Variable> variables;
  std::vector<FunctionSyntax> functions;
};

ModuleSyntax parse_syntax(std::string_view text);  ///< throws PtxError

/// Bytes of .u32 and the like; 0 for anything else.
unsigned bytes_of_type(const std::string& name);

}  // namespace sinter::emulator::ptx
