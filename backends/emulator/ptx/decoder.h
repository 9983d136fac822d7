#pragma once
// From statements to instructions. Each family of instructions is a table of decoders by name;
// what a decoder does not consume (a modifier, an operand) is an error.

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/emulator/ptx/program.h"
#include "backends/emulator/ptx/syntax.h"

namespace sinter::emulator::ptx {

enum class Type : std::uint8_t {
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  B8,
  B16,
  B32,
  B64,
  F16,
  BF16,
  F16x2,
  BF16x2,
  U16x2,
  S16x2,
  F32,
  F64,
  Tf32,
  Predicate,
};
unsigned bytes_of(Type);  ///< 0 for a predicate
bool is_signed(Type);
bool is_integer(Type);  ///< bits included, pairs not

class Decoder {
 public:
  explicit Decoder(ModuleSyntax&& syntax);
  Module decode();

  // What the tables' functions use.

  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_type(Type) const;

  /// True, and consumes it, when the opcode has this modifier.
  bool take(const std::string& modifier);
  /// The next type among the modifiers not yet consumed.
  Type take_type();
  bool has_type() const;
  /// One of the modifiers by name, or `otherwise`.
  template <class T>
  T take_one_of(const std::map<std::string, T>& choices, T otherwise) {
    for (const auto& [name, value] : choices) {
      if (take(name)) return value;
    }
    return otherwise;
  }

  const Statement& statement() const { return *statement_; }
  std::size_t operand_count() const { return statement_->operands.size(); }
  const Operand& operand(std::size_t i) const;
  void expect_operands(std::size_t least, std::size_t most) const;

  /// A source of exactly this type's width; immediates take its form.
  Slot source(const Operand&, Type);
  Slot source(std::size_t i, Type type) { return source(operand(i), type); }
  Slot predicate_source(const Operand&, bool& negated);
  Slot destination(const Operand&, Type);
  Slot destination(std::size_t i, Type type) { return destination(operand(i), type); }
  /// A register of any width, for ld, st and cvt.
  Slot any_register(const Operand&, unsigned& width, bool write);
  Slot constant(std::uint64_t bits, unsigned width);
  bool is_predicate(const Operand& o) const { return !function_->registers[o.index].width; }
  /// What a load with these properties reads from a kernel's parameters; NoSlot when `m` may read
  /// anything else.
  Slot parameter_value(const MemoryOperation& m);
  Slot carry();  ///< the condition code
  Slot scratch_predicate();

  /// Fills base, offset and space from an address operand.
  void address(const Operand&, MemoryOperation&);
  /// A call's .param or a kernel's parameter: its place in the lane's frame.
  const Variable* frame_variable(const std::string& name, std::uint32_t& offset) const;
  std::uint32_t function_number(const std::string& name) const;
  const Function& function_info(std::uint32_t number) const { return module.functions[number]; }
  std::uint32_t branch_table(const std::string& name);
  /// Patched to the label's instruction at the function's end.
  void branch_to(const std::string& label);

  Instruction& emit(Instruction);
  /// source[i] and destination of one type, then a handler.
  Instruction& compute(Handler, Type result, Slot destination, std::initializer_list<Slot> sources,
                       Flow = Flow::All);

  Module module;

 private:
  struct Unresolved {
    std::uint32_t instruction;  ///< or table entry, when table >= 0
    std::int64_t table, entry;
    std::string label;
    unsigned line;
  };
  void lay_out_functions();
  void lay_out_shared(const FunctionSyntax&, std::uint64_t& end);
  void check_recursion() const;
  void decode_function(std::size_t number);
  void decode_statement(const Statement&);
  Slot name_slot(const Operand&, unsigned width);
  Slot add_units(unsigned width, LaneMask undefined);

  ModuleSyntax syntax_;
  RegisterFile file_;  ///< of the function in hand
  const FunctionSyntax* function_ = nullptr;
  std::size_t function_number_ = 0;
  const Statement* statement_ = nullptr;
  std::vector<bool> taken_;
  std::vector<Slot> registers_;
  Slot carry_ = NoSlot, scratch_ = NoSlot;
  std::map<std::pair<std::uint64_t, unsigned>, Slot> constants_;  ///< in file_
  std::map<Special, Slot> specials_;
  std::map<Slot, std::uint64_t> value_of_;       ///< of constants
  std::map<std::string, std::uint64_t> shared_;  ///< addresses, of the function in hand
  std::map<std::string, std::uint64_t> shared_by_functions_;
  std::vector<SharedVariable> shared_variables_;
  std::uint64_t shared_by_functions_end_ = 0;
  std::unordered_map<std::string, std::uint32_t> frame_;  ///< of the function in hand
  std::map<std::tuple<unsigned, unsigned, std::string>, std::uint32_t> locations_;
  std::vector<Unresolved> unresolved_;
  std::vector<std::vector<std::uint32_t>> calls_from_;
};

using DecodeTable = std::unordered_map<std::string, void (*)(Decoder&)>;
const DecodeTable& arithmetic_instructions();
const DecodeTable& bit_instructions();
const DecodeTable& select_instructions();
const DecodeTable& convert_instructions();
const DecodeTable& memory_instructions();
const DecodeTable& control_instructions();

}  // namespace sinter::emulator::ptx
