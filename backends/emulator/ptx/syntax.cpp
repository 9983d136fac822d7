#include "backends/emulator/ptx/syntax.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

#include "backends/emulator/ptx/lexer.h"
#include "backends/emulator/ptx_module.h"

namespace sinter::emulator::ptx {

unsigned bytes_of_type(const std::string& name) {
  static const std::map<std::string, unsigned> bytes{
      {"u8", 1},     {"s8", 1},    {"b8", 1},   {"u16", 2},  {"s16", 2},   {"b16", 2},
      {"f16", 2},    {"u32", 4},   {"s32", 4},  {"b32", 4},  {"f32", 4},   {"u64", 8},
      {"s64", 8},    {"b64", 8},   {"f64", 8},  {"bf16", 2}, {"f16x2", 4}, {"tf32", 4},
      {"bf16x2", 4}, {"u16x2", 4}, {"s16x2", 4}};
  const auto at = bytes.find(name);
  return at == bytes.end() ? 0 : at->second;
}

namespace {

std::vector<std::string> split_dots(const std::string& word) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= word.size(); ++i) {
    if (i == word.size() || word[i] == '.') {
      parts.push_back(word.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  return parts;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text) {}

  ModuleSyntax parse() {
    while (in_.peek().kind != Token::Kind::End) directive();
    for (FunctionSyntax& function : module_.functions) {
      for (Statement& statement : function.statements) {
        const auto name = strings_.find(statement.location.function);
        if (name != strings_.end()) statement.location.function = name->second;
      }
    }
    return std::move(module_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw PtxError(in_.peek().line, what); }

  std::uint64_t integer() {
    const bool minus = in_.accept("-");
    const Token token = in_.next();
    if (token.kind != Token::Kind::Integer) {
      throw PtxError(token.line, "expected an integer, found '" + token.text + "'");
    }
    return minus ? 0 - token.bits : token.bits;
  }
  unsigned small_integer() { return static_cast<unsigned>(integer()); }

  void directive() {
    if (in_.accept(".version") || in_.accept(".target") || in_.accept(".address_size")) {
      do in_.next();
      while (in_.accept(","));
    } else if (in_.accept(".file")) {
      file();
    } else if (in_.accept(".section")) {
      section();
    } else if (in_.accept(".pragma")) {
      while (!in_.accept(";")) in_.next();
    } else {
      declaration();
    }
  }

  void file() {
    const unsigned number = small_integer();
    if (number > 1'000'000) fail("file number out of range");
    if (module_.files.size() <= number) module_.files.resize(number + 1);
    module_.files[number] = in_.next().text;
    while (in_.accept(",")) in_.next();
  }

  // Only the strings of .debug_str matter: .loc names inlined functions through them.
  void section() {
    in_.next();
    in_.expect("{");
    std::string label;
    while (!in_.accept("}")) {
      const Token token = in_.next();
      if (token.kind == Token::Kind::End) fail("a section without end");
      if (token.kind == Token::Kind::Word && in_.accept(":")) {
        label = token.text;
      } else if (token.text == ".b8") {
        do {
          const Token value = in_.next();
          if (value.kind == Token::Kind::Integer && value.bits && !label.empty()) {
            strings_[label] += static_cast<char>(value.bits);
          }
        } while (in_.accept(","));
      }
    }
  }

  void declaration() {
    bool external = false;
    for (;;) {
      if (in_.accept(".extern")) {
        external = true;
      } else if (!in_.accept(".visible") && !in_.accept(".weak") && !in_.accept(".common")) {
        break;
      }
    }
    if (in_.is(".entry") || in_.is(".func")) {
      function();
    } else {
      variables(module_.variables, external);
    }
  }

  bool space(Space& result) {
    static const std::map<std::string, Space> spaces{{".global", Space::Global},
                                                     {".shared", Space::Shared},
                                                     {".local", Space::Local},
                                                     {".const", Space::Constant},
                                                     {".param", Space::Parameter}};
    const auto at = spaces.find(in_.peek().text);
    if (at == spaces.end()) return false;
    in_.next();
    result = at->second;
    return true;
  }

  // .space .align N .type name[count] = {...}, more;
  Variable variable_head() {
    Variable result;
    result.line = in_.peek().line;
    if (!space(result.space)) fail("unknown directive '" + in_.peek().text + "'");
    element_ = 0;
    for (;;) {
      if (in_.accept(".align")) {
        result.alignment = integer();
      } else if (in_.accept(".ptr")) {
        Space ignored;
        space(ignored);
        if (in_.accept(".align")) integer();
      } else if (in_.accept(".attribute")) {
        while (!in_.accept(")")) in_.next();
      } else if (in_.is(".v2") || in_.is(".v4")) {
        vector_ = in_.next().text == ".v2" ? 2 : 4;
      } else if (in_.peek().text.starts_with(".")) {
        const Token type = in_.next();
        element_ = bytes_of_type(type.text.substr(1));
        if (!element_) throw PtxError(type.line, "unknown type '" + type.text + "'");
      } else {
        break;
      }
    }
    if (!element_) fail("a variable without a type");
    return result;
  }

  void variable_tail(Variable& result) {
    result.name = in_.expect_word("a name").text;
    std::uint64_t count = vector_;
    while (in_.accept("[")) {
      count *= in_.is("]") ? 0 : integer();
      in_.expect("]");
    }
    if (count > (std::uint64_t{1} << 40)) fail("variable '" + result.name + "' is too large");
    result.size = count * element_;
    result.alignment = std::max<std::uint64_t>(result.alignment, element_ * vector_);
    vector_ = 1;
    if (in_.accept("=")) {
      result.initial.resize(result.size);
      std::uint64_t offset = 0;
      initial_value(result, offset);
    }
  }

  void initial_value(Variable& variable, std::uint64_t& offset) {
    if (in_.accept("{")) {
      if (in_.accept("}")) return;
      do initial_value(variable, offset);
      while (in_.accept(","));
      in_.expect("}");
      return;
    }
    if (offset + element_ > variable.size) fail("too many initial values for " + variable.name);
    std::uint64_t bits = 0;
    if (in_.peek().kind == Token::Kind::Word) {
      Token name = in_.next();
      if (name.text == "generic") {
        in_.expect("(");
        name = in_.expect_word("a variable");
        in_.expect(")");
      }
      variable.addresses.push_back(
          {offset, name.text, in_.accept("+") ? static_cast<std::int64_t>(integer()) : 0});
    } else {
      const bool minus = in_.accept("-");
      const Token value = in_.next();
      bits = value.bits;
      if (value.kind == Token::Kind::Float) {
        double number = value.width == 4
                            ? std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))
                            : std::bit_cast<double>(value.bits);
        if (minus) number = -number;
        bits = element_ == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(number))
                             : std::bit_cast<std::uint64_t>(number);
      } else if (value.kind != Token::Kind::Integer) {
        throw PtxError(value.line, "bad initial value '" + value.text + "'");
      } else if (minus) {
        bits = 0 - bits;
      }
    }
    std::memcpy(variable.initial.data() + offset, &bits, element_);
    offset += element_;
  }

  void variables(std::vector<Variable>& into, bool external) {
    Variable head = variable_head();
    head.external = external;
    do {
      Variable variable = head;
      variable_tail(variable);
      into.push_back(std::move(variable));
    } while (in_.accept(","));
    in_.expect(";");
  }

  void parameters(std::vector<Variable>& into) {
    in_.expect("(");
    if (in_.accept(")")) return;
    do {
      if (in_.is(".reg")) fail("a .reg parameter is not supported; use .param");
      Variable variable = variable_head();
      variable_tail(variable);
      into.push_back(std::move(variable));
    } while (in_.accept(","));
    in_.expect(")");
  }

  void function() {
    FunctionSyntax function;
    function.line = in_.peek().line;
    function.kernel = in_.next().text == ".entry";
    if (in_.is("(")) parameters(function.results);
    function.name = in_.expect_word("a function's name").text;
    if (in_.is("(")) parameters(function.parameters);
    while (!in_.is("{") && !in_.is(";")) performance(function);
    function_ = &function;
    location_ = {};
    if (!in_.accept(";")) {
      function.defined = true;
      body();
    }
    const auto same = std::find_if(module_.functions.begin(), module_.functions.end(),
                                   [&](const auto& f) { return f.name == function.name; });
    if (same == module_.functions.end()) {
      module_.functions.push_back(std::move(function));
    } else if (function.defined) {
      if (same->defined) throw PtxError(function.line, "'" + function.name + "' is defined twice");
      *same = std::move(function);
    }
  }

  void performance(FunctionSyntax& function) {
    const Token name = in_.next();
    if (name.text == ".noreturn" || name.text == ".explicitcluster") return;
    if (name.text == ".pragma") {
      while (!in_.accept(";")) in_.next();
      return;
    }
    std::uint64_t product = 1;
    do product *= integer();
    while (in_.accept(","));
    if (name.text == ".maxntid" || name.text == ".reqntid") {
      function.max_threads = static_cast<unsigned>(product);
    } else if (name.text == ".minnctapersm") {
      function.min_blocks = static_cast<unsigned>(product);
    } else if (name.text == ".maxnreg") {
      function.max_registers = static_cast<unsigned>(product);
    } else if (name.text != ".maxnctapersm" && name.text != ".maxclusterrank") {
      throw PtxError(name.line, "unknown directive '" + name.text + "'");
    }
  }

  void body() {
    in_.expect("{");
    scopes_.emplace_back();
    while (!in_.accept("}")) statement();
    scopes_.pop_back();
  }

  void statement() {
    const Token& token = in_.peek();
    if (token.kind == Token::Kind::End) fail("a function without end");
    if (in_.is("{")) return body();
    if (in_.accept(";")) return;
    if (in_.accept(".reg")) return registers();
    if (in_.accept(".loc")) return loc();
    if (in_.accept(".file")) return file();
    if (in_.accept(".pragma")) {
      while (!in_.accept(";")) in_.next();
      return;
    }
    if (token.text.starts_with(".")) return variables(function_->variables, false);
    instruction();
  }

  void registers() {
    const Token type = in_.expect_word("a type");
    Register one;
    one.type = type.text.substr(1);
    one.width = bytes_of_type(one.type);
    if (one.type == "pred") {
      one.width = 0;
    } else if (one.width < 2) {
      throw PtxError(type.line, "registers of type '" + type.text + "' are not supported");
    }
    do {
      const std::string name = in_.expect_word("a register").text;
      if (in_.accept("<")) {
        const std::uint64_t count = integer();
        if (count > 1'000'000) fail("too many registers");
        for (std::uint64_t i = 0; i < count; ++i) declare(one, name + std::to_string(i));
        in_.expect(">");
      } else {
        declare(one, name);
      }
    } while (in_.accept(","));
    in_.expect(";");
  }

  void declare(Register one, const std::string& name) {
    one.name = name;
    scopes_.back()[name] = static_cast<std::uint32_t>(function_->registers.size());
    function_->registers.push_back(std::move(one));
  }

  const std::uint32_t* find_register(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto at = scope->find(name);
      if (at != scope->end()) return &at->second;
    }
    return nullptr;
  }

  // .loc file line column [, function_name label [+ n], inlined_at file line column]
  void loc() {
    location_ = {};
    location_.file = small_integer();
    location_.line = small_integer();
    integer();
    while (in_.accept(",")) {
      if (in_.accept("function_name")) {
        location_.function = in_.next().text;
        if (in_.accept("+")) integer();
      } else if (in_.accept("inlined_at")) {
        integer();
        integer();
        integer();
      } else {
        fail("unknown part of .loc: '" + in_.peek().text + "'");
      }
    }
  }

  void instruction() {
    Statement result;
    result.location = location_;
    if (in_.accept("@")) {
      result.guarded = true;
      result.guard_negated = in_.accept("!");
      const Token name = in_.expect_word("a predicate");
      const std::uint32_t* found = find_register(name.text);
      if (!found || function_->registers[*found].width) {
        throw PtxError(name.line, "'" + name.text + "' is no predicate");
      }
      result.guard = *found;
    }
    const Token opcode = in_.expect_word("an instruction");
    result.line = opcode.line;
    if (in_.accept(":")) {
      if (in_.accept(".branchtargets")) {
        BranchTargets table{opcode.text, {}};
        do table.labels.push_back(in_.expect_word("a label").text);
        while (in_.accept(","));
        in_.expect(";");
        function_->tables.push_back(std::move(table));
      } else {
        function_->labels.push_back({opcode.text, function_->statements.size()});
      }
      return;
    }
    result.opcode = split_dots(opcode.text);
    if (!in_.accept(";")) {
      do result.operands.push_back(operand());
      while (in_.accept(","));
      in_.expect(";");
    }
    function_->statements.push_back(std::move(result));
  }

  Operand operand() {
    Operand first = simple_operand();
    if (!in_.accept("|")) return first;
    Operand pair;
    pair.kind = Operand::Kind::Pair;
    pair.elements.push_back(std::move(first));
    pair.elements.push_back(simple_operand());
    return pair;
  }

  Operand group(Operand::Kind kind, const char* end) {
    Operand result;
    result.kind = kind;
    if (in_.accept(end)) return result;
    do result.elements.push_back(operand());
    while (in_.accept(","));
    in_.expect(end);
    return result;
  }

  Operand simple_operand() {
    if (in_.accept("{")) return group(Operand::Kind::Vector, "}");
    if (in_.accept("(")) return group(Operand::Kind::List, ")");
    if (in_.accept("[")) {
      Operand address;
      address.kind = Operand::Kind::Address;
      address.elements.push_back(simple_operand());
      address.offset = address.elements[0].offset;
      address.elements[0].offset = 0;
      in_.expect("]");
      return address;
    }
    Operand result;
    const bool minus = in_.accept("-");
    result.negated = minus || in_.accept("!");
    const Token token = in_.next();
    switch (token.kind) {
      case Token::Kind::Integer:
        result.kind = Operand::Kind::Integer;
        result.bits = minus ? 0 - token.bits : token.bits;
        return result;
      case Token::Kind::Float:
        result.kind = Operand::Kind::Float;
        result.width = token.width;
        result.bits = token.bits;
        if (minus) result.bits ^= std::uint64_t{1} << (token.width * 8 - 1);
        return result;
      case Token::Kind::Word:
        break;
      case Token::Kind::Text:
      case Token::Kind::Punctuation:
      case Token::Kind::End:
        throw PtxError(token.line, "expected an operand, found '" + token.text + "'");
    }
    if (token.text == "_") return result;
    if (const std::uint32_t* found = find_register(token.text)) {
      result.kind = Operand::Kind::Register;
      result.index = *found;
    } else {
      result.kind = Operand::Kind::Name;
    }
    result.name = token.text;
    while (in_.is("+") || in_.is("-")) {
      const bool subtract = in_.next().text == "-";
      const std::uint64_t value = integer();
      result.offset += static_cast<std::int64_t>(subtract ? 0 - value : value);
    }
    return result;
  }

  Lexer in_;
  ModuleSyntax module_;
  std::unordered_map<std::string, std::string> strings_;
  FunctionSyntax* function_ = nullptr;
  Location location_;
  std::vector<std::unordered_map<std::string, std::uint32_t>> scopes_;
  unsigned element_ = 0;
  unsigned vector_ = 1;
};

}  // namespace

ModuleSyntax parse_syntax(std::string_view text) { return Parser(text).parse(); }

}  // namespace sinter::emulator::ptx
