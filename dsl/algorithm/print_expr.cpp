#include "dsl/algorithm/print_expr.h"

#include <sinter/expr.h>

#include "dsl/ir/scalar.h"

namespace sinter {

using ir::Op;

namespace {

/// How tightly an operator binds; functions and leaves bind tightest.
enum Precedence {
  Lowest,
  OrLevel,
  AndLevel,
  BitOrLevel,
  BitXorLevel,
  BitAndLevel,
  EqualLevel,
  LessLevel,
  ShiftLevel,
  AddLevel,
  MulLevel,
  UnaryLevel,
  Tight
};

struct Infix {
  const char* text;
  Precedence precedence;
};

/// The C++ operator of an op; null text for functions.
Infix infix_of(Op op) {
  if (op == Op::Add) return {" + ", AddLevel};
  if (op == Op::Sub) return {" - ", AddLevel};
  if (op == Op::Mul) return {"*", MulLevel};
  if (op == Op::Div) return {"/", MulLevel};
  if (op == Op::Mod) return {" % ", MulLevel};
  if (op == Op::Equal) return {" == ", EqualLevel};
  if (op == Op::NotEqual) return {" != ", EqualLevel};
  if (op == Op::Less) return {" < ", LessLevel};
  if (op == Op::LessEqual) return {" <= ", LessLevel};
  if (op == Op::And) return {" && ", AndLevel};
  if (op == Op::Or) return {" || ", OrLevel};
  if (op == Op::BitAnd) return {" & ", BitAndLevel};
  if (op == Op::BitOr) return {" | ", BitOrLevel};
  if (op == Op::BitXor) return {" ^ ", BitXorLevel};
  if (op == Op::ShiftLeft) return {" << ", ShiftLevel};
  if (op == Op::ShiftRight) return {" >> ", ShiftLevel};
  return {nullptr, Tight};
}

class Printer {
 public:
  Printer(const ExprNames& names, int budget) : names_(names), budget_(budget) {}

  std::string print(const ir::Node& n, Precedence outer) {
    if (--budget_ < 0) return "...";
    const Infix infix = infix_of(n.op);
    if (infix.text != nullptr) {
      // The right operand of an operator of the same level keeps its brackets: a - (b - c).
      std::string text = print(*n.args[0], infix.precedence) + infix.text +
                         print(*n.args[1], static_cast<Precedence>(infix.precedence + 1));
      return infix.precedence < outer ? "(" + text + ")" : text;
    }
    if (n.op == Op::Not) return "!" + print(*n.args[0], UnaryLevel);
    if (n.op == Op::BitNot) return "~" + print(*n.args[0], UnaryLevel);
    return print_tight(n);
  }

 private:
  std::string print_tight(const ir::Node& n) {
    if (n.op == Op::Literal) return print_literal(n);
    if (n.op == Op::Symbol) return name_of(n.symbol);
    if (n.op == Op::Cast) return to_string(n.type) + arguments(n);
    if (n.op == Op::Undef) return "undef<" + to_string(n.type) + ">()";
    if (n.op == Op::Reinterpret) return "reinterpret<" + to_string(n.type) + ">" + arguments(n);
    if (n.op == Op::Access || n.op == Op::Load) {
      const std::string call = name_of(n.symbol) + arguments(n);
      return n.op == Op::Access && n.integer != 0 ? call + "[" + std::to_string(n.integer) + "]"
                                                  : call;
    }
    return ir::info(n.op).name + arguments(n);
  }
  std::string arguments(const ir::Node& n) {
    std::string text = "(";
    for (std::size_t i = 0; i < n.args.size(); ++i)
      text += (i == 0 ? "" : ", ") + print(*n.args[i], Lowest);
    return text + ")";
  }
  std::string name_of(const Symbol& symbol) const {
    const auto it = names_.find(symbol);
    return it != names_.end() ? it->second : symbol.name();
  }
  static std::string print_literal(const ir::Node& n) {
    if (n.type.is_bool()) return n.integer != 0 ? "true" : "false";
    if (n.type.is_index() || n.type == Int(32)) return std::to_string(n.integer);
    ir::Scalar scalar;
    scalar.type = n.type;
    scalar.integer = n.integer;
    scalar.real = n.real;
    if (!n.type.is_float())
      return to_string(n.type) + "(" +
             (n.type.is_uint() ? std::to_string(static_cast<std::uint64_t>(n.integer))
                               : std::to_string(n.integer)) +
             ")";
    std::string text = ir::to_string(scalar);
    const std::string suffix = to_string(n.type);
    if (text.size() > suffix.size() && text.ends_with(suffix))
      text.resize(text.size() - suffix.size());
    if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
    if (n.type.bits == 64) return text;
    return n.type.bits == 32 ? text + "f" : suffix + "(" + text + ")";
  }

  const ExprNames& names_;
  int budget_;
};

}  // namespace

std::string print_expr(const Expr& e, const ExprNames& names, int budget) {
  return e.defined() ? Printer(names, budget).print(*e, Lowest) : "(undefined)";
}

std::string to_string(const Expr& e) { return print_expr(e, {}, 200); }

}  // namespace sinter
