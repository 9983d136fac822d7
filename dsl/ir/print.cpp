// IR as text: infix expressions, statements as pseudo code. The grammar is what parse.cpp reads.
// Expressions are DAGs: a shared subexpression of some size is printed once, as a numbered binding
// (`#1 = ...`) in front of the statement that uses it, so text never grows exponentially.

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "dsl/ir/module.h"
#include "dsl/ir/scalar.h"

namespace sinter::ir {

namespace {

/// Subexpressions with fewer nodes than this are repeated in the text rather than bound.
constexpr int BindingThreshold = 8;

/// Binding strength of infix operators; 0 for all that print as calls.
int precedence_of(Op op) {
  switch (info(op).op_class) {
    case OpClass::Arithmetic:
      if (op == Op::Add || op == Op::Sub) return 8;
      return op == Op::Mul || op == Op::Div || op == Op::Mod ? 9 : 0;
    case OpClass::Compare:
      return 3;
    case OpClass::Logic:
      return op == Op::Or ? 1 : op == Op::And ? 2 : op == Op::Not ? 10 : 0;
    case OpClass::Bits:
      if (op == Op::BitOr) return 4;
      if (op == Op::BitXor) return 5;
      if (op == Op::BitAnd) return 6;
      if (op == Op::ShiftLeft || op == Op::ShiftRight) return 7;
      return op == Op::BitNot ? 10 : 0;
    case OpClass::Leaf:
    case OpClass::Convert:
    case OpClass::Math:
    case OpClass::Marker:
    case OpClass::Memory:
    case OpClass::Vector:
    case OpClass::Thread:
    case OpClass::Statement:
      return 0;
  }
  return 0;
}

const char* spelling_of(Op op) {
  struct Spelling {
    Op op;
    const char* text;
  };
  static constexpr Spelling spellings[] = {
      {Op::Add, " + "},        {Op::Sub, " - "},        {Op::Mul, "*"},         {Op::Div, "/"},
      {Op::Mod, " % "},        {Op::Equal, " == "},     {Op::NotEqual, " != "}, {Op::Less, " < "},
      {Op::LessEqual, " <= "}, {Op::And, " && "},       {Op::Or, " || "},       {Op::Not, "!"},
      {Op::BitAnd, " & "},     {Op::BitOr, " | "},      {Op::BitXor, " ^ "},    {Op::BitNot, "~"},
      {Op::ShiftLeft, " << "}, {Op::ShiftRight, " >> "}};
  for (const Spelling& s : spellings) {
    if (s.op == op) return s.text;
  }
  return "?";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') result += "\\n";
    else result += c;
  }
  return result + '"';
}

/// Hands out text names: a symbol's own where possible, else with a suffix $1, $2...
class Names {
 public:
  const std::string& of(const Symbol& symbol) {
    const auto [it, is_new] = names_.try_emplace(symbol);
    if (is_new) it->second = unique(legal(symbol.name()));
    return it->second;
  }

 private:
  static std::string legal(const std::string& name) {
    std::string result;
    for (const char c : name) {
      const bool is_legal =
          std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
      result += is_legal ? c : '_';
    }
    const bool starts_well =
        !result.empty() &&
        (std::isalpha(static_cast<unsigned char>(result[0])) != 0 || result[0] == '_');
    return starts_well ? result : "_" + result;
  }
  static bool is_reserved(const std::string& name) {
    return name == "true" || name == "false" || name == "load" || name.starts_with("nan_") ||
           name.starts_with("inf_");
  }
  std::string unique(const std::string& base) {
    if (!is_reserved(base) && used_.insert(base).second) return base;
    int& suffix = next_[base];
    for (;;) {
      std::string candidate = base + "$" + std::to_string(++suffix);
      if (!is_reserved(candidate) && used_.insert(candidate).second) return candidate;
    }
  }

  std::unordered_map<Symbol, std::string> names_;
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int> next_;
};

class Printer {
 public:
  std::string expression_with_bindings(const Ref& root) {
    bind({root}, "; ");
    text_ += expression(root, 0);
    return std::move(text_);
  }
  std::string statement_text(const Ref& root) {
    statement(root);
    return std::move(text_);
  }
  std::string module_text(const Module&);

 private:
  // --- sharing -----------------------------------------------------------------------------------
  struct Use {
    int edges = 0, size = 0;
  };
  int count_uses(const Ref& node, std::unordered_map<const Node*, Use>& uses,
                 std::vector<Ref>& order) {
    if (!node) return 0;
    Use& use = uses[node.get()];
    if (++use.edges > 1) return use.size;
    int size = 1;
    for (const Ref& argument : node->args) {
      size = std::min(BindingThreshold, size + count_uses(argument, uses, order));
    }
    uses[node.get()].size = size;
    order.push_back(node);
    return size;
  }
  /// Writes the bindings of the shared subexpressions of `roots`, children first.
  void bind(const std::vector<Ref>& roots, const std::string& end) {
    bindings_.clear();
    std::unordered_map<const Node*, Use> uses;
    std::vector<Ref> order;
    for (const Ref& root : roots) count_uses(root, uses, order);
    for (const Ref& node : order) {
      const Use& use = uses[node.get()];
      if (use.edges < 2 || use.size < BindingThreshold) continue;
      const std::string value = expression(node, 0);
      const std::string name = "#" + std::to_string(bindings_.size() + 1);
      bindings_.emplace(node.get(), name);
      text_ += indent() + name + " = " + value + end;
    }
  }

  // --- expressions -------------------------------------------------------------------------------
  /// "name(args...)" or, with other brackets, "name[args...]".
  std::string place(const Symbol& symbol, const char* brackets, const std::vector<Ref>& args,
                    std::size_t begin) {
    std::string result = names_.of(symbol);
    result += brackets[0];
    result += list(args, begin, args.size());
    return result + brackets[1];
  }
  std::string list(const std::vector<Ref>& args, std::size_t begin, std::size_t end) {
    std::string result;
    for (std::size_t i = begin; i < end; i++) {
      if (i != begin) result += ", ";
      result += expression(args[i], 0);
    }
    return result;
  }
  std::string expression(const Ref& node, int context) {
    if (!node) return "undefined";
    if (auto it = bindings_.find(node.get()); it != bindings_.end()) return it->second;
    const int precedence = precedence_of(node->op);
    if (precedence == 0) return primary(*node);
    std::string result;
    if (node->args.size() == 1) {
      result = spelling_of(node->op) + expression(node->args[0], precedence);
    } else {
      const bool is_comparison = info(node->op).op_class == OpClass::Compare;
      // One call after the other: names are given in the order of the text.
      result = expression(node->args[0], is_comparison ? precedence + 1 : precedence);
      result += spelling_of(node->op);
      result += expression(node->args[1], precedence + 1);
    }
    return precedence < context ? "(" + result + ")" : result;
  }
  std::string primary(const Node& node) {
    const std::vector<Ref>& args = node.args;
    if (node.op == Op::Literal) return to_string(Scalar{node.type, node.integer, node.real});
    if (node.op == Op::Symbol) return names_.of(node.symbol);
    if (node.op == Op::Access) {
      const std::string component = node.integer == 0 ? "" : "." + std::to_string(node.integer);
      return place(node.symbol, "[]", args, 0) + component;
    }
    if (node.op == Op::Load)
      return (node.integer != 0 ? "load streaming " : "load ") + place(node.symbol, "()", args, 0);
    if (node.op == Op::Cast)
      return to_string(node.type.element()) + "(" + list(args, 0, args.size()) + ")";
    std::string inside = list(args, 0, args.size());
    if (node.op == Op::Reinterpret) inside = to_string(node.type.element()) + ", " + inside;
    if (node.op == Op::Undef) inside = to_string(node.type);
    if (node.op == Op::Require) inside += ", " + quoted(node.symbol.name());
    if (node.op == Op::Ramp || node.op == Op::Broadcast)
      inside += ", " + std::to_string(node.type.lanes);
    return std::string(info(node.op).name) + "(" + inside + ")";
  }

  // --- statements --------------------------------------------------------------------------------
  std::string indent() const { return std::string(static_cast<std::size_t>(2 * depth_), ' '); }
  void line(const std::string& text) { text_ += indent() + text + "\n"; }
  void body(const Ref& node, const std::string& closing = "}") {
    depth_++;
    statement(node);
    depth_--;
    line(closing);
  }
  void bind_arguments(const Node& node, std::size_t count) {
    bind({node.args.begin(), node.args.begin() + static_cast<std::ptrdiff_t>(count)}, "\n");
  }
  static const char* in_memory(std::int64_t kind) {
    switch (static_cast<MemoryKind>(kind)) {
      case MemoryKind::Auto:
        return "";
      case MemoryKind::Heap:
        return " in heap";
      case MemoryKind::Stack:
        return " in stack";
      case MemoryKind::Register:
        return " in register";
      case MemoryKind::GPUShared:
        return " in shared";
      case MemoryKind::Device:
        return " in device";
      case MemoryKind::Both:
        return " in both";
    }
    return "";
  }
  static const char* loop_suffix(std::int64_t kind) {
    switch (static_cast<LoopKind>(kind)) {
      case LoopKind::Serial:
        return "";
      case LoopKind::Parallel:
        return " parallel";
      case LoopKind::Vectorized:
        return " vectorized";
      case LoopKind::Unrolled:
        return " unrolled";
      case LoopKind::GpuBlock:
        return " gpu_block";
      case LoopKind::GpuThread:
        return " gpu_thread";
      case LoopKind::GpuLane:
        return " gpu_lane";
      case LoopKind::GpuWarp:
        return " gpu_warp";
    }
    return "";
  }

  void statement(const Ref& node);
  void block(const Node&);
  void let(const Node&, bool is_last);
  void simple_statement(const Node&);
  void memory_scope(const Node&);

  Names names_;
  std::string text_;
  int depth_ = 0;
  std::unordered_map<const Node*, std::string> bindings_;  // of the statement being printed
  const Module* module_ = nullptr;
  std::string of_loop(const Symbol&) const;
};

std::string limits_text(const KernelLimits& limits) {
  return (limits.max_registers > 0 ? " max_registers " + std::to_string(limits.max_registers)
                                   : std::string()) +
         (limits.min_blocks > 0 ? " min_blocks " + std::to_string(limits.min_blocks)
                                : std::string());
}

/// What the module says of a loop.
std::string Printer::of_loop(const Symbol& loop) const {
  if (module_ == nullptr) return "";
  const auto limits = module_->kernel_limits.find(loop);
  return (module_->never_partition.contains(loop) ? " never_partition" : std::string()) +
         (limits == module_->kernel_limits.end() ? std::string() : limits_text(limits->second));
}

void Printer::statement(const Ref& node) {
  if (!node) return;
  if (node->op == Op::Block) return block(*node);
  if (node->op == Op::Let) return let(*node, true);
  if (node->op == Op::Realize || node->op == Op::Allocate) return memory_scope(*node);
  const std::vector<Ref>& args = node->args;
  if (node->op == Op::For) {
    bind_arguments(*node, 2);
    const std::string head = "for " + names_.of(node->symbol) + " in [";
    line(head + list(args, 0, 2) + ")" + loop_suffix(node->integer) + of_loop(node->symbol) + " {");
    body(args[2]);
  } else if (node->op == Op::Produce) {
    line("produce " + names_.of(node->symbol) + " {");
    body(args[0]);
  } else if (node->op == Op::Kernel) {
    bind_arguments(*node, 4);
    line("kernel " + names_.of(node->symbol) + " [" + list(args, 0, 4) + "]" +
         limits_text(limits_of(*node)) + " {");
    body(args[4]);
  } else if (node->op == Op::If) {
    bind_arguments(*node, 1);
    line("if " + expression(args[0], 0) + " {");
    const bool has_else = args.size() > 2;
    body(args[1], has_else ? "} else {" : "}");
    if (has_else) body(args[2]);
  } else if (is_statement(node->op)) {
    simple_statement(*node);
  } else {
    bind({node}, "\n");
    line(expression(node, 0));
  }
}

void Printer::block(const Node& node) {
  for (std::size_t i = 0; i < node.args.size(); i++) {
    const Ref& child = node.args[i];
    if (child && child->op == Op::Let) let(*child, i + 1 == node.args.size());
    else statement(child);
  }
}

/// The scope of a let is the rest of the braces it stands in, or braces of its own.
void Printer::let(const Node& node, bool is_last) {
  bind_arguments(node, 1);
  std::string text = "let " + names_.of(node.symbol) + " = ";
  text += expression(node.args[0], 0);
  line(is_last ? text : text + " {");
  if (is_last) statement(node.args[1]);
  else body(node.args[1]);
}

void Printer::memory_scope(const Node& node) {
  const std::size_t count = node.args.size() - 1;
  bind_arguments(node, count);
  const std::string name = names_.of(node.symbol);
  std::string types, box;
  for (const Type type : node.types) types += (types.empty() ? "" : ", ") + to_string(type);
  const std::size_t step = node.op == Op::Realize ? 2 : 1;
  for (std::size_t i = 0; i < count; i += step) {
    if (i != 0) box += "; ";
    box += list(node.args, i, i + step);
  }
  line(info(node.op).name + (" " + name) + ": " + types + " [" + box + "]" +
       in_memory(node.integer) + " {");
  body(node.args[count]);
}

void Printer::simple_statement(const Node& node) {
  const std::vector<Ref>& args = node.args;
  bind_arguments(node, args.size());
  if (node.op == Op::Provide) {
    const std::size_t values = static_cast<std::size_t>(std::abs(node.integer));
    const std::string left = place(node.symbol, "[]", args, values);
    const std::string value = list(args, 0, values);
    line((node.integer < 0 ? "atomic provide " : "provide ") + left + " = " +
         (values == 1 ? value : "{" + value + "}"));
  } else if (node.op == Op::Store) {
    const std::string left = place(node.symbol, "()", args, 1);
    line("store " + left + " = " + expression(args[0], 0) +
         (node.integer != 0 ? " streaming" : ""));
  } else if (node.op == Op::AtomicStore) {
    const std::string left = place(node.symbol, "()", args, 1);
    const std::string operation = info(static_cast<Op>(node.integer)).name;
    line("atomic " + operation + " " + left + " = " + expression(args[0], 0));
  } else if (node.op == Op::Free) {
    line("free " + names_.of(node.symbol));
  } else if (node.op == Op::Barrier) {
    line("barrier");
  } else if (node.op == Op::Transfer) {
    line(std::string("transfer ") + names_.of(node.symbol) + " " +
         transfer_name(static_cast<TransferKind>(node.integer)));
  } else {
    std::string text = "assert " + expression(args[0], 0) + ", " + quoted(node.symbol.name());
    if (args.size() > 1) text += ", " + list(args, 1, args.size());
    line(text);
  }
}

std::string Printer::module_text(const Module& module) {
  module_ = &module;
  text_ = "module " + quoted(module.name) + " {\n";
  depth_ = 1;
  for (const Argument& argument : module.arguments) {
    const char* kind = argument.kind == Argument::Kind::Input    ? "input "
                       : argument.kind == Argument::Kind::Output ? "output "
                                                                 : "scalar ";
    const std::string& name = names_.of(argument.symbol);
    std::string text = kind + name;
    if (argument.name != name) text += " " + quoted(argument.name);
    if (argument.stage && argument.stage != argument.symbol)
      text += " as " + names_.of(argument.stage);
    text += ": " + to_string(argument.type);
    if (argument.is_buffer()) {
      std::string box;
      for (const DimensionSymbols& d : argument.dimensions) {
        if (!box.empty()) box += "; ";
        box += names_.of(d.min);
        for (const Symbol& s : {d.extent, d.stride}) box += ", " + names_.of(s);
      }
      text += " [" + box + "]";
    }
    line(text);
  }
  std::vector<std::string> streamed;
  for (const auto& [stage, accesses] : module.streamed) {
    std::string text = "streaming " + names_.of(stage);
    if (accesses.stores) text += " stores";
    if (accesses.all_loads) text += " loads";
    for (const Symbol& producer : accesses.producers) text += " from " + names_.of(producer);
    streamed.push_back(text);
  }
  std::sort(streamed.begin(), streamed.end());
  for (const std::string& text : streamed) line(text);
  statement(module.body.node());
  return std::move(text_) + "}\n";
}

}  // namespace

std::string print(const Expr& e) {
  return e.defined() ? Printer().expression_with_bindings(e.node()) : "undefined";
}
std::string print(const Stmt& s) { return Printer().statement_text(s.node()); }
std::string print(const Module& m) { return Printer().module_text(m); }

}  // namespace sinter::ir
