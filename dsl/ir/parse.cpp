// Text to IR: a lexer in parse_text.cpp and this recursive descent. Reads what print.cpp writes.
// Types are not written in expressions: they follow from literals and from the declarations of
// names.

#include <sinter/diagnostic.h>

#include "dsl/ir/module.h"
#include "dsl/ir/parse_text.h"
#include "dsl/ir/scalar.h"

namespace sinter::ir {

namespace {

struct Infix {
  const char* text;
  Op op;
  int precedence;
  bool swaps;
};
constexpr Infix infixes[] = {{"||", Op::Or, 1, false},         {"&&", Op::And, 2, false},
                             {"==", Op::Equal, 3, false},      {"!=", Op::NotEqual, 3, false},
                             {"<=", Op::LessEqual, 3, false},  {">=", Op::LessEqual, 3, true},
                             {"<", Op::Less, 3, false},        {">", Op::Less, 3, true},
                             {"|", Op::BitOr, 4, false},       {"^", Op::BitXor, 5, false},
                             {"&", Op::BitAnd, 6, false},      {"<<", Op::ShiftLeft, 7, false},
                             {">>", Op::ShiftRight, 7, false}, {"+", Op::Add, 8, false},
                             {"-", Op::Sub, 8, false},         {"*", Op::Mul, 9, false},
                             {"/", Op::Div, 9, false},         {"%", Op::Mod, 9, false}};

const Infix* infix_of(const Token& token) {
  if (token.kind != Token::Kind::Punctuation) return nullptr;
  for (const Infix& infix : infixes) {
    if (token.text == infix.text) return &infix;
  }
  return nullptr;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}
  Parser(const std::string& text, const std::unordered_map<std::string, Expr>& names)
      : text_(text), names_(names) {
    declares_unknown_ = true;
  }

  Expr whole_expression() {
    while (peek().kind == Token::Kind::Binding && text_.peek(1).text == "=") {
      binding();
      expect(";");
    }
    Expr result = expression();
    text_.expect_end();
    return result;
  }
  Module module();

 private:
  // --- tokens ------------------------------------------------------------------------------------
  const Token& peek() const { return text_.peek(); }
  bool accept(const char* text) { return text_.accept(text); }
  void expect(const char* text) { text_.expect(text); }
  std::string identifier() { return text_.expect(Token::Kind::Identifier, "a name").text; }
  Symbol name() { return Symbol::named(identifier()); }
  std::string quoted() { return text_.expect(Token::Kind::Text, "a quoted text").text; }
  Type type() {
    const Token at = text_.expect(Token::Kind::Identifier, "a type");
    const Type result = parse_type(at.text);
    if (result.is_void()) text_.fail(at, "'" + at.text + "' is not a type");
    return result;
  }
  int count() {
    const Token at = text_.expect(Token::Kind::Number, "a number");
    const Expr value = literal_of(at, false);
    if (!value->type.is_index() || value->integer < 1 || value->integer > 65535)
      text_.fail(at, "this is not a number of lanes");
    return static_cast<int>(value->integer);
  }

  // --- expressions -------------------------------------------------------------------------------
  void binding() {
    const Token at = text_.next();
    expect("=");
    bindings_[at.text] = expression();
  }
  Expr expression(int precedence = 1);
  Expr infix(const Token& at, const Infix&, const Expr& left, const Expr& right);
  Expr prefixed();
  Expr prefixed_inside();
  Expr primary();
  Expr call(const Token& name);
  Expr builtin(const Token& name, Op op);
  Expr named(const Token& name);
  Expr access_of(const Token& name);
  Expr load_of();
  Expr literal_of(const Token& at, bool negative);
  Type element_of(const Token& at, std::size_t component);
  std::vector<Expr> arguments(const char* close) {
    std::vector<Expr> result;
    if (accept(close)) return result;
    do result.push_back(expression());
    while (accept(","));
    expect(close);
    return result;
  }
  void require_types(const Token& at, bool condition, const char* what) {
    if (!condition) text_.fail(at, what);
  }

  // --- statements --------------------------------------------------------------------------------
  Stmt rest_of_block();
  Stmt braces() {
    expect("{");
    Stmt result = rest_of_block();
    expect("}");
    return result;
  }
  Stmt statement(const Token& keyword);
  Stmt for_statement();
  Stmt kernel_statement();
  KernelLimits kernel_limits();
  void streamed_accesses(Module&);
  Stmt let_statement();
  Stmt provide_statement(bool is_atomic);
  Stmt store_statement(bool is_atomic);
  Stmt realize_statement();
  Stmt allocate_statement();
  Stmt if_statement();
  Stmt assert_statement();
  MemoryKind memory();
  void argument(Module&, Argument::Kind);
  void declare_index(const Symbol& symbol) { names_[symbol.name()] = index_symbol(symbol); }

  Text text_;
  std::unordered_map<std::string, Expr> names_;  // values in scope
  std::unordered_map<std::string, std::vector<Type>>
      elements_;                                    // element types of stages and buffers
  std::unordered_map<std::string, Expr> bindings_;  // #n of the next statement
  std::unordered_set<Symbol> never_partition_;
  std::unordered_map<Symbol, KernelLimits> kernel_limits_;
  bool declares_unknown_ = false;  // unknown names are coordinates
  int nesting_ = 0;
};

// --- expressions

Expr Parser::expression(int precedence) {
  Expr left = prefixed();
  for (;;) {
    const Token at = peek();
    const Infix* found = infix_of(at);
    if (found == nullptr || found->precedence < precedence) return left;
    text_.next();
    left = infix(at, *found, left, expression(found->precedence + 1));
  }
}

Expr Parser::infix(const Token& at, const Infix& operation, const Expr& left, const Expr& right) {
  const bool is_shift = operation.op == Op::ShiftLeft || operation.op == Op::ShiftRight;
  const Type a = left->type, b = right->type;
  const bool fits = is_shift ? a.bits == b.bits && a.lanes == b.lanes : a == b;
  if (!fits)
    text_.fail(at, "the operands of '" + at.text + "' have types " + to_string(a) + " and " +
                       to_string(b));
  return operation.swaps ? binary(operation.op, right, left) : binary(operation.op, left, right);
}

Expr Parser::prefixed() {
  if (nesting_ == MaxDepth)
    text_.fail(peek(), "expressions nest more than " + std::to_string(MaxDepth) + " deep");
  ++nesting_;
  const Expr result = prefixed_inside();
  --nesting_;
  return result;
}

Expr Parser::prefixed_inside() {
  if (accept("!")) return unary(Op::Not, prefixed());
  if (accept("~")) return unary(Op::BitNot, prefixed());
  if (accept("-")) {
    const Token at = text_.next();
    const bool is_literal = at.kind == Token::Kind::Number || at.text.starts_with("inf_");
    if (!is_literal) text_.fail(at, "a minus sign stands before a literal or between two operands");
    return literal_of(at, true);
  }
  return primary();
}

Expr Parser::primary() {
  const Token at = text_.next();
  if (at.kind == Token::Kind::Number) return literal_of(at, false);
  if (at.kind == Token::Kind::Binding) {
    const auto found = bindings_.find(at.text);
    if (found == bindings_.end()) text_.fail(at, at.text + " is not bound");
    return found->second;
  }
  if (at.kind == Token::Kind::Punctuation && at.text == "(") {
    Expr inside = expression();
    expect(")");
    return inside;
  }
  if (at.kind != Token::Kind::Identifier) text_.fail(at, "an expression was expected");
  if (at.text == "true" || at.text == "false") return literal(Bool(), at.text == "true" ? 1 : 0);
  if (at.text.starts_with("nan_") || at.text.starts_with("inf_")) return literal_of(at, false);
  if (at.text == "load") return load_of();
  if (accept("(")) return call(at);
  if (accept("[")) return access_of(at);
  return named(at);
}

Expr Parser::literal_of(const Token& at, bool negative) {
  Literal value;
  const std::string problem = read_literal(at.text, negative, &value);
  if (!problem.empty()) text_.fail(at, problem);
  return value.type.is_float() ? real_literal(value.type, value.real)
                               : literal(value.type, value.integer);
}

Expr Parser::named(const Token& at) {
  if (const auto found = names_.find(at.text); found != names_.end()) return found->second;
  if (!declares_unknown_) text_.fail(at, "'" + at.text + "' is not declared");
  return names_[at.text] = index_symbol(Symbol::named(at.text));
}

Type Parser::element_of(const Token& at, std::size_t component) {
  if (const auto found = elements_.find(at.text); found != elements_.end()) {
    if (component < found->second.size()) return found->second[component];
    text_.fail(at, "'" + at.text + "' has no such component");
  }
  if (const auto found = names_.find(at.text); found != names_.end() && declares_unknown_)
    return found->second->type.element();
  text_.fail(at, "the element type of '" + at.text + "' is not declared");
}

int lanes_of(const std::vector<Expr>& list) {
  int lanes = 1;
  for (const Expr& e : list) lanes = std::max<int>(lanes, e->type.lanes);
  return lanes;
}

/// What parse_expr's `names` says a stage or buffer is called; else the name itself.
Symbol symbol_of(const std::unordered_map<std::string, Expr>& names, const std::string& name) {
  const auto found = names.find(name);
  return found != names.end() && is(found->second, Op::Symbol) ? found->second->symbol
                                                               : Symbol::named(name);
}

Expr Parser::access_of(const Token& at) {
  const std::vector<Expr> coordinates = arguments("]");
  int component = 0;
  if (accept(".")) {
    const Token number = text_.expect(Token::Kind::Number, "a component");
    const Expr value = literal_of(number, false);
    require_types(number, value->type.is_index() && value->integer < 1000,
                  "this is not a component");
    component = static_cast<int>(value->integer);
  }
  for (const Expr& c : coordinates)
    require_types(at, c->type.is_index(), "coordinates are of type index");
  const Type element = element_of(at, static_cast<std::size_t>(component));
  const Symbol stage = declares_unknown_ ? symbol_of(names_, at.text) : Symbol::named(at.text);
  return access(element.with_lanes(lanes_of(coordinates)), stage, coordinates, component);
}

Expr Parser::load_of() {
  Token at = text_.expect(Token::Kind::Identifier, "the name of a buffer");
  const bool streams = at.text == "streaming" && peek().kind == Token::Kind::Identifier;
  if (streams) at = text_.next();
  expect("(");
  const std::vector<Expr> args = arguments(")");
  require_types(at, args.size() == 1 || args.size() == 2,
                "load takes an index and perhaps a predicate");
  const Type type = element_of(at, 0).with_lanes(args[0]->type.lanes);
  const Symbol buffer = declares_unknown_ ? symbol_of(names_, at.text) : Symbol::named(at.text);
  return load(type, buffer, args[0], args.size() == 2 ? args[1] : Expr(),
              streams ? CacheHint::Streaming : CacheHint::None);
}

Expr Parser::call(const Token& at) {
  if (const Type to = parse_type(at.text); !to.is_void()) {
    const std::vector<Expr> args = arguments(")");
    require_types(at, args.size() == 1 && to.is_scalar(), "a cast takes one operand");
    return expr(Op::Cast, to.with_lanes(args[0]->type.lanes), {args[0]});
  }
  const Op op = op_named(at.text);
  if (op == Op::Count_ || is_statement(op))
    text_.fail(at, "'" + at.text + "' is not a function; a call of a stage is written " + at.text +
                       "[...]");
  return builtin(at, op);
}

Expr Parser::builtin(const Token& at, Op op) {
  if (op == Op::Reinterpret || op == Op::Undef) {
    const Type to = type();
    if (op == Op::Undef) {
      expect(")");
      return expr(Op::Undef, to, {});
    }
    expect(",");
    const Expr operand = expression();
    expect(")");
    return expr(Op::Reinterpret, to.with_lanes(operand->type.lanes), {operand});
  }
  if (op == Op::ThreadIndex) {
    expect(")");
    return expr(op, Index(), {});
  }
  std::vector<Expr> args;
  const bool is_vector = op == Op::Ramp || op == Op::Broadcast;
  const std::size_t arity = static_cast<std::size_t>(std::max(info(op).arity, 0));
  for (std::size_t i = 0; i < arity; i++) {
    if (i != 0) expect(",");
    args.push_back(expression());
  }
  require_types(at, arity != 0, "this cannot be called");
  for (std::size_t i = 1; i < arity; i++) {
    if (op == Op::Shuffle) break;
    const std::size_t first = op == Op::Select || op == Op::Require ? 1 : 0;
    require_types(at, args[i]->type == args[first]->type, "the operands have different types");
  }
  Expr result;
  if (is_vector) {
    expect(",");
    const int lanes = count();
    require_types(at, args[0]->type.is_scalar() && lanes > 1, "vectors are made of scalars");
    result = expr(op, args[0]->type.with_lanes(lanes), args);
  } else if (op == Op::Require) {
    expect(",");
    result = expr(op, args[1]->type, args, Symbol::named(quoted()));
  } else if (op == Op::Select) {
    require_types(at, args[0]->type.is_bool(), "select takes a condition and two values");
    result = expr(op, args[1]->type, args);
  } else if (arity == 1) {
    result = unary(op, args[0]);
  } else {
    result = arity == 2 && op != Op::Shuffle ? binary(op, args[0], args[1])
                                             : expr(op, args[0]->type, args);
  }
  expect(")");
  return result;
}

// --- statements

Stmt Parser::rest_of_block() {
  std::vector<Stmt> list;
  while (!(peek().kind == Token::Kind::Punctuation && peek().text == "}")) {
    if (peek().kind == Token::Kind::Binding) {
      binding();
      continue;
    }
    const Token keyword = text_.expect(Token::Kind::Identifier, "a statement");
    list.push_back(statement(keyword));
  }
  return block(std::move(list));
}

Stmt Parser::statement(const Token& at) {
  if (at.text == "for") return for_statement();
  if (at.text == "let") return let_statement();
  if (at.text == "provide") return provide_statement(false);
  if (at.text == "store") return store_statement(false);
  if (at.text == "atomic")
    return accept("provide") ? provide_statement(true) : store_statement(true);
  if (at.text == "realize") return realize_statement();
  if (at.text == "allocate") return allocate_statement();
  if (at.text == "if") return if_statement();
  if (at.text == "assert") return assert_statement();
  if (at.text == "free") return free_buffer(name());
  if (at.text == "kernel") return kernel_statement();
  if (at.text == "barrier") return barrier();
  if (at.text == "transfer") {
    const Symbol buffer = name();
    const Token kind = text_.expect(Token::Kind::Identifier, "the kind of transfer");
    for (const TransferKind k :
         {TransferKind::ToDevice, TransferKind::ToHost, TransferKind::OnDevice,
          TransferKind::Written, TransferKind::HostWritten}) {
      if (kind.text == transfer_name(k)) return transfer(buffer, k);
    }
    text_.fail(kind, "a transfer is to_device, to_host, on_device, written or host_written");
  }
  if (at.text == "produce") {
    const Symbol stage = name();
    return produce(stage, braces());
  }
  text_.fail(at, "'" + at.text + "' does not begin a statement");
}

Stmt Parser::for_statement() {
  const Symbol variable = name();
  expect("in");
  expect("[");
  const Expr min = expression();
  expect(",");
  const Expr extent = expression();
  expect(")");
  LoopKind kind = LoopKind::Serial;
  if (accept("parallel")) kind = LoopKind::Parallel;
  else if (accept("vectorized")) kind = LoopKind::Vectorized;
  else if (accept("unrolled")) kind = LoopKind::Unrolled;
  else if (accept("gpu_block")) kind = LoopKind::GpuBlock;
  else if (accept("gpu_thread")) kind = LoopKind::GpuThread;
  else if (accept("gpu_lane")) kind = LoopKind::GpuLane;
  else if (accept("gpu_warp")) kind = LoopKind::GpuWarp;
  if (accept("never_partition")) never_partition_.insert(variable);
  if (const KernelLimits limits = kernel_limits(); limits != KernelLimits{})
    kernel_limits_.emplace(variable, limits);
  bindings_.clear();
  declare_index(variable);
  return for_loop(variable, min, extent, kind, braces());
}

KernelLimits Parser::kernel_limits() {
  const auto limit = [&](const char* word) -> std::int64_t {
    if (!accept(word)) return 0;
    const Token at = text_.expect(Token::Kind::Number, "a limit");
    const Expr value = literal_of(at, false);
    require_types(at, value->type.is_index() && value->integer <= KernelLimits::Most,
                  "this is no limit of a kernel");
    return value->integer;
  };
  const std::int64_t max_registers = limit("max_registers");
  return {max_registers, limit("min_blocks")};
}

void Parser::streamed_accesses(Module& module) {
  StreamedAccesses& accesses = module.streamed[name()];
  accesses.stores = accept("stores");
  accesses.all_loads = accept("loads");
  while (accept("from")) accesses.producers.push_back(name());
}

Stmt Parser::kernel_statement() {
  const Symbol kernel_name = name();
  expect("[");
  const std::vector<Expr> size = arguments("]");
  require_types(peek(), size.size() == 4,
                "a kernel has three numbers of blocks and one of threads");
  bindings_.clear();
  const KernelLimits limits = kernel_limits();
  return kernel(kernel_name, {{size[0], size[1], size[2]}, size[3]}, braces(), limits);
}

Stmt Parser::let_statement() {
  const Symbol variable = name();
  expect("=");
  const Expr value = expression();
  bindings_.clear();
  names_[variable.name()] = symbol(value->type, variable);
  const bool has_braces = peek().kind == Token::Kind::Punctuation && peek().text == "{";
  return let(variable, value, has_braces ? braces() : rest_of_block());
}

Stmt Parser::provide_statement(bool is_atomic) {
  const Symbol stage = name();
  expect("[");
  const std::vector<Expr> coordinates = arguments("]");
  expect("=");
  const std::vector<Expr> values = accept("{") ? arguments("}") : std::vector<Expr>{expression()};
  bindings_.clear();
  const Stmt result = provide(stage, values, coordinates);
  if (!is_atomic) return result;
  Node node = *result;
  node.integer = -node.integer;
  return Stmt(make(std::move(node)));
}

Stmt Parser::store_statement(bool is_atomic) {
  Op op = Op::Add;
  if (is_atomic) {
    const Token at = text_.expect(Token::Kind::Identifier, "an operator");
    op = op_named(at.text);
    require_types(at, op != Op::Count_, "this is not an operator");
  }
  const Token at = text_.expect(Token::Kind::Identifier, "the name of a buffer");
  expect("(");
  const std::vector<Expr> args = arguments(")");
  require_types(at, args.size() == 1 || args.size() == 2,
                "store takes an index and perhaps a predicate");
  expect("=");
  const Expr value = expression();
  bindings_.clear();
  const Symbol buffer = Symbol::named(at.text);
  const Expr predicate = args.size() == 2 ? args[1] : Expr();
  if (is_atomic) return atomic_store(op, buffer, value, args[0], predicate);
  const bool streams = accept("streaming");
  return store(buffer, value, args[0], predicate, streams ? CacheHint::Streaming : CacheHint::None);
}

MemoryKind Parser::memory() {
  if (!accept("in")) return MemoryKind::Auto;
  const Token at = text_.next();
  if (at.text == "heap") return MemoryKind::Heap;
  if (at.text == "stack") return MemoryKind::Stack;
  if (at.text == "register") return MemoryKind::Register;
  if (at.text == "shared") return MemoryKind::GPUShared;
  if (at.text == "device") return MemoryKind::Device;
  if (at.text == "both") return MemoryKind::Both;
  text_.fail(at, "memory is heap, stack, register, shared, device or both");
}

Stmt Parser::realize_statement() {
  const Symbol stage = name();
  expect(":");
  std::vector<Type> types{type()};
  while (accept(",")) types.push_back(type());
  expect("[");
  std::vector<Range> box;
  while (!accept("]")) {
    if (!box.empty()) expect(";");
    const Expr min = expression();
    expect(",");
    box.push_back({min, expression()});
  }
  const MemoryKind kind = memory();
  bindings_.clear();
  elements_[stage.name()] = types;
  return realize(stage, types, box, kind, braces());
}

Stmt Parser::allocate_statement() {
  const Symbol buffer = name();
  expect(":");
  const Type element = type();
  expect("[");
  const Expr size = expression();
  expect("]");
  const MemoryKind kind = memory();
  bindings_.clear();
  elements_[buffer.name()] = {element};
  return allocate(buffer, element, size, kind, braces());
}

Stmt Parser::if_statement() {
  const Expr condition = expression();
  bindings_.clear();
  const Stmt then_case = braces();
  return accept("else") ? if_then(condition, then_case, braces()) : if_then(condition, then_case);
}

Stmt Parser::assert_statement() {
  const Expr condition = expression();
  expect(",");
  const std::string message = quoted();
  std::vector<Expr> values;
  while (accept(",")) values.push_back(expression());
  bindings_.clear();
  return assert_that(condition, message, values);
}

void Parser::argument(Module& module, Argument::Kind kind) {
  Argument result;
  result.kind = kind;
  result.symbol = name();
  result.name = peek().kind == Token::Kind::Text ? quoted() : result.symbol.name();
  if (kind != Argument::Kind::Scalar) result.stage = accept("as") ? name() : result.symbol;
  expect(":");
  result.type = type();
  if (kind == Argument::Kind::Scalar) {
    names_[result.symbol.name()] = symbol(result.type, result.symbol);
  } else {
    elements_[result.symbol.name()] = {result.type};
    if (result.stage != result.symbol) elements_[result.stage.name()].push_back(result.type);
    expect("[");
    while (!accept("]")) {
      if (!result.dimensions.empty()) expect(";");
      DimensionSymbols dimension;
      dimension.min = name();
      expect(",");
      dimension.extent = name();
      expect(",");
      dimension.stride = name();
      for (const Symbol& s : {dimension.min, dimension.extent, dimension.stride}) declare_index(s);
      result.dimensions.push_back(dimension);
    }
  }
  module.arguments.push_back(std::move(result));
}

Module Parser::module() {
  Module result;
  expect("module");
  result.name = quoted();
  expect("{");
  for (;;) {
    if (accept("input")) argument(result, Argument::Kind::Input);
    else if (accept("output")) argument(result, Argument::Kind::Output);
    else if (accept("scalar")) argument(result, Argument::Kind::Scalar);
    else break;
  }
  while (accept("streaming")) streamed_accesses(result);
  result.body = rest_of_block();
  expect("}");
  text_.expect_end();
  result.never_partition = std::move(never_partition_);
  result.kernel_limits = std::move(kernel_limits_);
  return result;
}

}  // namespace

Module parse_module(const std::string& text) { return Parser(text).module(); }

Expr parse_expr(const std::string& text, const std::unordered_map<std::string, Expr>& names) {
  return Parser(text, names).whole_expression();
}

}  // namespace sinter::ir
