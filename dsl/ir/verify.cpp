// The rules of well-formed modules. One struct walks the statements with what is in scope; each
// expression is checked node by node, a shared node once.

#include <cstdlib>

#include <sinter/diagnostic.h>

#include "dsl/ir/module.h"

namespace sinter::ir {

namespace {

class Verifier {
 public:
  Verifier(const Module& module, Level level) : module_(module), level_(level) {}

  std::vector<std::string> run() {
    for (const Argument& argument : module_.arguments) declare(argument);
    statement(module_.body.node());
    return std::move(problems_);
  }

 private:
  // --- reporting ---------------------------------------------------------------------------------
  void report(const Node& node, const std::string& rule) {
    std::string text = is_statement(node.op) ? print(Stmt(make(node))) : print(Expr(make(node)));
    text = text.substr(0, text.find('\n'));
    constexpr std::size_t Longest = 160;
    if (text.size() > Longest) text = text.substr(0, Longest) + "...";
    problems_.push_back(rule + ": " + text);
  }
  bool check(const Node& node, bool condition, const char* rule) {
    if (!condition) report(node, rule);
    return condition;
  }

  // --- scope -------------------------------------------------------------------------------------
  void declare(const Argument& argument);
  bool bind_value(const std::string& what, const Symbol& symbol, Type type) {
    const bool is_new = values_.emplace(symbol, type).second;
    if (!is_new) problems_.push_back("a symbol is bound once on a path: " + what);
    return is_new;
  }
  /// What a stage or buffer symbol stands for.
  struct Place {
    enum Kind { Argument, Realized, Allocated } kind;
    std::vector<Type> types;
    std::size_t rank;
  };
  const Place* place_of(const Node& node);

  // --- expressions -------------------------------------------------------------------------------
  void expression(const Ref& root);
  void operands(const Node& node);
  void leaf(const Node& node);
  void arithmetic(const Node& node);
  void compare_or_logic(const Node& node);
  void bits(const Node& node);
  void convert(const Node& node);
  void math(const Node& node);
  void marker(const Node& node);
  void memory(const Node& node);
  void thread(const Node& node);
  void vector(const Node& node);
  bool all_are(const Node& node, Type type, std::size_t from = 0) {
    for (std::size_t i = from; i < node.args.size(); i++) {
      if (node.args[i]->type != type) return false;
    }
    return true;
  }
  void predicate(const Node& node, std::size_t at, int lanes) {
    if (node.args.size() <= at) return;
    check(node, node.args.size() == at + 1 && node.args[at]->type == Bool(lanes),
          "a predicate is a bool of as many lanes");
  }

  // --- statements --------------------------------------------------------------------------------
  void statement(const Ref& ref);
  void loop(const Node& node);
  void provide(const Node& node);
  void store(const Node& node);
  void memory_scope(const Node& node);
  /// The operands of a statement: arguments [0, count) as expressions. False when one is missing.
  bool values(const Node& node, std::size_t count);
  void forbid(const Node& node);

  const Module& module_;
  Level level_;
  bool in_kernel_ = false;
  std::vector<std::string> problems_;
  std::unordered_map<Symbol, Type> values_;
  std::unordered_map<Symbol, Place> places_;
};

// --- scope

void Verifier::declare(const Argument& argument) {
  if (!argument.is_buffer()) {
    bind_value(argument.name, argument.symbol, argument.type);
    return;
  }
  const Place place{Place::Argument, {argument.type}, argument.dimensions.size()};
  if (!places_.emplace(argument.symbol, place).second)
    problems_.push_back("an argument has its own symbol: " + argument.name);
  for (const DimensionSymbols& d : argument.dimensions) {
    for (const Symbol& s : {d.min, d.extent, d.stride}) {
      if (s) bind_value(argument.name + "'s " + s.name(), s, Index());
    }
  }
}

const Verifier::Place* Verifier::place_of(const Node& node) {
  if (const auto found = places_.find(node.symbol); found != places_.end()) return &found->second;
  // The stage of one argument, or of several that are its components.
  Place place{Place::Argument, {}, 0};
  for (const Argument& a : module_.arguments) {
    if (!a.is_buffer() || a.stage != node.symbol) continue;
    place.types.push_back(a.type);
    place.rank = a.dimensions.size();
  }
  if (!check(node, !place.types.empty(), "memory is bound before it is used")) return nullptr;
  return &places_.emplace(node.symbol, place).first->second;
}

// --- expressions

void Verifier::expression(const Ref& root) {
  for_each_node(root, [&](const Ref& node) {
    operands(*node);
    return !is_statement(node->op);
  });
}

void Verifier::operands(const Node& node) {
  if (!check(node, !is_statement(node.op), "a statement is no value")) return;
  for (const Ref& a : node.args) {
    if (!check(node, a != nullptr, "no operand is missing")) return;
    if (is_statement(a->op)) return;
  }
  const int arity = info(node.op).arity;
  if (!check(node, arity < 0 || node.args.size() == static_cast<std::size_t>(arity),
             "an operator has all its operands"))
    return;
  check(node, !node.type.is_void(), "a value has a type");
  forbid(node);
  switch (info(node.op).op_class) {
    case OpClass::Leaf:
      return leaf(node);
    case OpClass::Arithmetic:
      return arithmetic(node);
    case OpClass::Compare:
    case OpClass::Logic:
      return compare_or_logic(node);
    case OpClass::Bits:
      return bits(node);
    case OpClass::Convert:
      return convert(node);
    case OpClass::Math:
      return math(node);
    case OpClass::Marker:
      return marker(node);
    case OpClass::Memory:
      return memory(node);
    case OpClass::Vector:
      return vector(node);
    case OpClass::Thread:
      return thread(node);
    case OpClass::Statement:
      return;
  }
}

void Verifier::leaf(const Node& node) {
  if (node.op == Op::Literal) {
    check(node, node.type.is_scalar(), "a literal is a scalar");
    return;
  }
  const auto found = values_.find(node.symbol);
  if (!check(node, found != values_.end(), "a symbol is bound before it is used")) return;
  check(node, found->second == node.type, "a symbol is used with the type it is bound with");
}

void Verifier::arithmetic(const Node& node) {
  if (node.op == Op::Abs) {
    Type result = node.args[0]->type;
    if (result.is_int()) result.kind = TypeKind::UInt;
    const bool is_number = result.is_index() || result.is_integer() || result.is_float();
    check(node, is_number && node.type == result, "abs of an int is a uint, else keeps the type");
    return;
  }
  if (!check(node, all_are(node, node.type), "the operands have the type of the result")) return;
  const Type t = node.type;
  const bool is_choice = node.op == Op::Min || node.op == Op::Max;
  check(node, t.is_index() || t.is_integer() || t.is_float() || (is_choice && t.is_bool()),
        "arithmetic is on numbers");
  if (node.op == Op::Fma)
    check(node, t.kind == TypeKind::Float && t.bits >= 32, "fma is on f32 and f64");
  if (node.op == Op::Mod) check(node, !t.is_float(), "the remainder is on integers");
}

void Verifier::compare_or_logic(const Node& node) {
  const Type first = node.args[0]->type;
  if (node.op == Op::Select) {
    check(node, first == Bool(node.type.lanes), "the condition is a bool of as many lanes");
    check(node, all_are(node, node.type, 1), "the operands have the type of the result");
  } else if (info(node.op).op_class == OpClass::Logic) {
    check(node, node.type.is_bool() && all_are(node, node.type), "logic is on bools");
  } else {
    check(node, node.type == Bool(first.lanes), "a comparison is a bool of as many lanes");
    check(node, all_are(node, first), "the operands of a comparison have one type");
  }
}

void Verifier::bits(const Node& node) {
  check(node, node.type.is_integer(), "bit operations are on integers");
  if (node.op == Op::ShiftLeft || node.op == Op::ShiftRight) {
    const Type amount = node.args[1]->type;
    const bool fits =
        amount.is_integer() && amount.bits == node.type.bits && amount.lanes == node.type.lanes;
    check(node, node.args[0]->type == node.type, "the operands have the type of the result");
    check(node, fits, "a shift amount has the width and lanes of the value");
  } else {
    check(node, all_are(node, node.type), "the operands have the type of the result");
  }
}

void Verifier::convert(const Node& node) {
  const Type from = node.args[0]->type;
  check(node, from.lanes == node.type.lanes, "a conversion keeps the lanes");
  const bool is_possible = from.kind != TypeKind::Handle && node.type.kind != TypeKind::Handle;
  if (node.op == Op::Cast) check(node, is_possible, "handles are not numbers");
  else
    check(
        node,
        from.bits == node.type.bits && !from.is_bool() && !from.is_index() && !node.type.is_index(),
        "reinterpret keeps the bits of data");
}

void Verifier::math(const Node& node) {
  check(node, all_are(node, node.type), "the operands have the type of the result");
  check(node, node.type.is_float(), "mathematics is on floats");
  if (is_portable(node.op)) {
    check(node, node.type.kind == TypeKind::Float && node.type.bits >= 32,
          "portable functions are on f32 and f64");
  }
}

void Verifier::marker(const Node& node) {
  if (node.op == Op::Undef) report(node, "undef is for the front end only");
  if (node.op == Op::Strict || node.op == Op::PromiseClamped) {
    check(node, all_are(node, node.type), "the operands have the type of the result");
  }
  if (node.op != Op::Require) return;
  check(node, node.args[0]->type == Bool(node.type.lanes),
        "the condition is a bool of as many lanes");
  check(node, node.args[1]->type == node.type, "the operands have the type of the result");
}

void Verifier::memory(const Node& node) {
  const Place* place = place_of(node);
  if (place == nullptr) return;
  const std::size_t component = node.op == Op::Access ? static_cast<std::size_t>(node.integer) : 0;
  if (!check(node, component < place->types.size(), "the component exists")) return;
  check(node, node.type.element() == place->types[component],
        "a read has the element type of its memory");
  if (node.op == Op::Access) {
    check(node, place->kind != Place::Allocated && node.args.size() == place->rank,
          "an access has one coordinate for each dimension");
    check(node, all_are(node, Index(node.type.lanes)),
          "coordinates are of type index and agree in lanes");
    return;
  }
  check(node, place->kind != Place::Realized, "a load is from an allocation or an argument");
  if (!check(node, !node.args.empty(), "a load has an index")) return;
  check(node, node.args[0]->type == Index(node.type.lanes),
        "a flat index is of type index and agrees in lanes");
  predicate(node, 1, node.type.lanes);
}

void Verifier::thread(const Node& node) {
  check(node, in_kernel_, "threads are known in kernels only");
  if (node.op == Op::Shuffle) {
    check(node, node.args[0]->type == node.type && node.type.is_scalar(),
          "the operands have the type of the result");
    check(node, node.args[1]->type == Index(), "a lane is of type index");
    return;
  }
  check(node, node.type == Index(), "the number of a thread or block is of type index");
  std::int64_t dimension = 0;
  if (node.op == Op::BlockIndex) {
    check(node, as_constant(as_expr(node.args[0]), &dimension) && dimension >= 0 && dimension < 3,
          "a grid has dimensions 0 to 2");
  }
}

void Verifier::vector(const Node& node) {
  const Type element = node.args[0]->type;
  check(node, node.type.is_vector() && element.is_scalar() && node.type.element() == element,
        "a vector is made of scalars of its type");
  if (node.op == Op::Ramp)
    check(node, node.args[1]->type == element, "base and stride have one type");
}

/// What the passes up to this level have removed.
void Verifier::forbid(const Node& node) {
  const Op op = node.op;
  const bool is_nested_only = op == Op::Access || op == Op::Provide || op == Op::Realize;
  const bool is_flat_only = op == Op::Load || op == Op::Store || op == Op::AtomicStore ||
                            op == Op::Allocate || op == Op::Free;
  if (level_ == Level::Nested) {
    check(node, !is_flat_only, "flat memory has no place at level Nested");
    return;
  }
  check(node, !is_nested_only, "multi-dimensional memory has no place after level Nested");
  if (level_ != Level::Machine) return;
  // Promises on floats are left: they say which divisions are simple.
  const bool is_front =
      op == Op::Strict || op == Op::Require || (op == Op::PromiseClamped && !node.type.is_float());
  check(node, !is_front, "markers have no place at level Machine");
  check(node, !is_portable(op) || (is_fast(op) && in_kernel_),
        "portable functions have no place at level Machine");
  if (op != Op::For) return;
  const LoopKind kind = static_cast<LoopKind>(node.integer);
  check(node, kind == LoopKind::Serial || (kind == LoopKind::Parallel && !in_kernel_),
        "loops at level Machine are serial or, on the host, parallel");
}

// --- statements

bool Verifier::values(const Node& node, std::size_t count) {
  if (!check(node, node.args.size() >= count, "a statement has all its parts")) return false;
  for (std::size_t i = 0; i < count; i++) {
    if (!check(node, node.args[i] != nullptr, "no operand is missing")) return false;
    expression(node.args[i]);
  }
  return true;
}

void Verifier::statement(const Ref& ref) {
  if (!ref) return;
  const Node& node = *ref;
  if (!check(node, is_statement(node.op), "a value is no statement")) return;
  check(node, node.type.is_void(), "a statement has no type");
  forbid(node);
  if (node.op == Op::Block) {
    for (const Ref& child : node.args) statement(child);
  } else if (node.op == Op::For) {
    loop(node);
  } else if (node.op == Op::Let) {
    if (!values(node, 1) || node.args.size() != 2) return;
    if (!bind_value("let " + node.symbol.name(), node.symbol, node.args[0]->type)) return;
    statement(node.args[1]);
    values_.erase(node.symbol);
  } else if (node.op == Op::Produce) {
    if (check(node, node.args.size() == 1, "a statement has all its parts"))
      statement(node.args[0]);
  } else if (node.op == Op::Provide) {
    provide(node);
  } else if (node.op == Op::Store || node.op == Op::AtomicStore) {
    store(node);
  } else if (node.op == Op::Realize || node.op == Op::Allocate) {
    memory_scope(node);
  } else if (node.op == Op::Free) {
    const Place* place = place_of(node);
    if (place != nullptr)
      check(node, place->kind == Place::Allocated, "only an allocation is freed");
  } else if (node.op == Op::Kernel) {
    if (!values(node, 4) || !check(node, node.args.size() == 5, "a statement has all its parts"))
      return;
    for (std::size_t i = 0; i < 4; ++i)
      check(node, node.args[i]->type == Index(), "the size of a grid is of type index");
    if (!check(node, !in_kernel_, "kernels do not nest")) return;
    in_kernel_ = true;
    statement(node.args[4]);
    in_kernel_ = false;
  } else if (node.op == Op::Barrier) {
    check(node, in_kernel_, "a barrier stands in a kernel");
  } else if (node.op == Op::Transfer) {
    place_of(node);
    check(node, !in_kernel_, "transfers are the host's");
  } else if (node.op == Op::If) {
    if (!values(node, 1) || !check(node, node.args.size() == 2 || node.args.size() == 3,
                                   "a statement has all its parts"))
      return;
    check(node, node.args[0]->type == Bool(), "a branch is decided by a scalar bool");
    statement(node.args[1]);
    if (node.args.size() == 3) statement(node.args[2]);
  } else {
    if (!values(node, node.args.size()) ||
        !check(node, !node.args.empty(), "a statement has all its parts"))
      return;
    check(node, node.args[0]->type == Bool(), "an assertion is a scalar bool");
    for (const Ref& a : node.args)
      check(node, a->type.is_scalar(), "the values of an assertion are scalars");
  }
}

void Verifier::loop(const Node& node) {
  if (!values(node, 2) || !check(node, node.args.size() == 3, "a statement has all its parts"))
    return;
  check(node, node.args[0]->type == Index() && node.args[1]->type == Index(),
        "loops run over index");
  if (!bind_value("for " + node.symbol.name(), node.symbol, Index())) return;
  statement(node.args[2]);
  values_.erase(node.symbol);
}

void Verifier::provide(const Node& node) {
  const Place* place = place_of(node);
  if (!values(node, node.args.size()) || place == nullptr) return;
  const std::size_t count = static_cast<std::size_t>(std::abs(node.integer));
  if (!check(node, count == place->types.size(), "a provide has one value for each component"))
    return;
  if (!check(node, node.args.size() == count + place->rank,
             "a provide has one coordinate for each dimension"))
    return;
  const int lanes = node.args[0]->type.lanes;
  for (std::size_t i = 0; i < count; i++) {
    check(node, node.args[i]->type == place->types[i].with_lanes(lanes),
          "a value has the element type of its memory");
  }
  check(node, place->kind != Place::Allocated, "an allocation has no coordinates");
  check(node, all_are(node, Index(lanes), count),
        "coordinates are of type index and agree in lanes");
}

void Verifier::store(const Node& node) {
  const Place* place = place_of(node);
  if (!values(node, node.args.size()) || place == nullptr) return;
  if (!check(node, node.args.size() >= 2, "a statement has all its parts")) return;
  const Type type = node.args[0]->type;
  check(node, place->kind != Place::Realized, "a store is to an allocation or an argument");
  check(node, type.element() == place->types[0], "a value has the element type of its memory");
  check(node, node.args[1]->type == Index(type.lanes),
        "a flat index is of type index and agrees in lanes");
  predicate(node, 2, type.lanes);
  if (node.op != Op::AtomicStore) return;
  const Op op = static_cast<Op>(node.integer);
  if (!check(node, node.integer >= 0 && node.integer < static_cast<std::int64_t>(Op::Count_),
             "an atomic update is a binary operator"))
    return;
  const OpClass op_class = info(op).op_class;
  const bool is_update =
      info(op).arity == 2 &&
      (op_class == OpClass::Arithmetic || op_class == OpClass::Bits || op_class == OpClass::Logic);
  check(node, is_update, "an atomic update is a binary operator");
}

void Verifier::memory_scope(const Node& node) {
  if (!check(node, !node.args.empty(), "a statement has all its parts")) return;
  const std::size_t count = node.args.size() - 1;
  if (!values(node, count)) return;
  for (std::size_t i = 0; i < count; i++) {
    check(node, node.args[i]->type == Index(), "sizes and bounds are of type index");
  }
  const bool is_realize = node.op == Op::Realize;
  check(node,
        is_realize ? count % 2 == 0 && !node.types.empty() : count == 1 && node.types.size() == 1,
        "a statement has all its parts");
  for (const Type t : node.types)
    check(node, t.is_scalar() && !t.is_void(), "elements are scalars");
  const Place place{is_realize ? Place::Realized : Place::Allocated, node.types,
                    is_realize ? count / 2 : 1};
  if (!check(node, places_.emplace(node.symbol, place).second, "memory is bound once on a path"))
    return;
  statement(node.args[count]);
  places_.erase(node.symbol);
}

}  // namespace

std::vector<std::string> verify(const Module& module, Level level) {
  return Verifier(module, level).run();
}

}  // namespace sinter::ir
