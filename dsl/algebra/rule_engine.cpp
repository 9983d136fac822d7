#include "dsl/algebra/rule_engine.h"

#include <algorithm>
#include <array>

#include <sinter/diagnostic.h>

#include "dsl/algebra/arithmetic.h"
#include "dsl/ir/module.h"
#include "dsl/ir/scalar.h"

namespace sinter::algebra {

using ir::Op;
using ir::OpClass;

namespace {

/// In a rule's text every x y z w and c0..c3 is of one type T, written as Index; p q r are bools.
constexpr const char* wildcard_names[] = {"x", "y", "z", "w", "p", "q", "r"};
constexpr const char* literal_names[] = {"c0", "c1", "c2", "c3"};
constexpr std::size_t first_bool = 4;

struct CompiledRule {
  Rule::Theory theory = Rule::Theory::Any;
  bool is_structural = false;  // only choice and logic: holds for every type, floats too
  Expr before, after, when;
};

bool is_commutative(Op op) {
  return op == Op::Add || op == Op::Mul || op == Op::Min || op == Op::Max || op == Op::Equal ||
         op == Op::NotEqual || op == Op::And || op == Op::Or || op == Op::BitAnd ||
         op == Op::BitOr || op == Op::BitXor;
}

/// All ways to write a pattern with the operands of commutative ops exchanged.
std::vector<Expr> variants(const Expr& pattern) {
  std::vector<std::vector<Expr>> choices;
  for (const ir::Ref& a : pattern->args) choices.push_back(variants(Expr(a)));
  std::vector<std::vector<ir::Ref>> lists{{}};
  for (const std::vector<Expr>& choice : choices) {
    std::vector<std::vector<ir::Ref>> longer;
    for (const std::vector<ir::Ref>& list : lists) {
      for (const Expr& e : choice) {
        longer.push_back(list);
        longer.back().push_back(e.node());
      }
    }
    lists = std::move(longer);
  }
  std::vector<Expr> result;
  const auto include = [&](Expr e) {
    if (std::none_of(result.begin(), result.end(), [&](const Expr& o) { return ir::equal(o, e); }))
      result.push_back(std::move(e));
  };
  for (std::vector<ir::Ref>& list : lists) {
    include(Expr(ir::with_args(pattern.node(), list)));
    if (!is_commutative(pattern->op)) continue;
    std::swap(list[0], list[1]);
    include(Expr(ir::with_args(pattern.node(), list)));
  }
  return result;
}

/// Names become slot numbers, kept in the symbol nodes' integer: wildcards from 0, literals
/// from 16.
constexpr std::int64_t first_literal_slot = 16;
bool is_literal_slot(const ir::Node& symbol) { return symbol.integer >= first_literal_slot; }
std::size_t slot_of(const ir::Node& symbol) {
  return static_cast<std::size_t>(symbol.integer) % static_cast<std::size_t>(first_literal_slot);
}

Expr with_slots(const Expr& pattern) {
  return ir::rewrite(pattern, [](const ir::Ref& n) -> ir::Ref {
    if (n->op != Op::Symbol) return n;
    const std::string& name = n->symbol.name();
    ir::Node numbered = *n;
    const auto find = [&](auto& names, std::int64_t first) {
      for (std::size_t i = 0; i < std::size(names); ++i) {
        if (name != names[i]) continue;
        numbered.integer = first + static_cast<std::int64_t>(i);
        return true;
      }
      return false;
    };
    ensure(find(wildcard_names, 0) || find(literal_names, first_literal_slot),
           "a rule mentions an unknown name");
    return ir::make(std::move(numbered));
  });
}

bool is_structural(const Expr& e) {
  bool result = true;
  ir::for_each_node(e.node(), [&](const ir::Ref& n) {
    const bool plain = n->op == Op::Symbol    ? !is_literal_slot(*n)
                       : n->op == Op::Literal ? n->type.is_bool()
                                              : ir::info(n->op).op_class == OpClass::Logic;
    result = result && plain;
    return true;
  });
  return result;
}

constexpr auto op_count = static_cast<std::size_t>(Op::Count_);

/// Rules by the op at the root and the op of its first operand.
struct RuleTable {
  std::array<std::array<std::vector<CompiledRule>, op_count>, op_count> by_ops;

  const std::vector<CompiledRule>& of(const ir::Node& n) const {
    const Op first = n.args.empty() ? Op::Literal : n.args[0]->op;
    return by_ops[static_cast<std::size_t>(n.op)][static_cast<std::size_t>(first)];
  }
  void add(const CompiledRule& rule) {
    const ir::Node& pattern = *rule.before;
    const ir::Node& first = *pattern.args.at(0);
    auto& lists = by_ops[static_cast<std::size_t>(pattern.op)];
    const bool is_literal =
        first.op == Op::Literal || (first.op == Op::Symbol && is_literal_slot(first));
    for (std::size_t op = 0; op < op_count; ++op) {
      const Op actual = static_cast<Op>(op);
      const bool fits = is_literal ? actual == Op::Literal || actual == Op::Broadcast
                                   : first.op == Op::Symbol || first.op == actual;
      if (fits) lists[op].push_back(rule);
    }
  }
};

std::unique_ptr<const RuleTable> compile_rules() {
  auto table = std::make_unique<RuleTable>();
  const auto names = rule_names();
  for (const Rule& rule : rules()) {
    CompiledRule compiled;
    compiled.theory = rule.theory;
    compiled.before = with_slots(ir::parse_expr(rule.before, names));
    compiled.after = with_slots(ir::parse_expr(rule.after, names));
    if (rule.when != nullptr) compiled.when = with_slots(ir::parse_expr(rule.when, names));
    compiled.is_structural = is_structural(compiled.before) && is_structural(compiled.after);
    for (const Expr& before : variants(compiled.before)) {
      compiled.before = before;
      table->add(compiled);
    }
  }
  return table;
}

const RuleTable& rule_table() {
  static const std::unique_ptr<const RuleTable> table = compile_rules();
  return *table;
}

/// What the names of a rule stand for in one expression.
struct Bindings {
  std::array<Expr, std::size(wildcard_names)> wildcards;
  std::array<std::int64_t, std::size(literal_names)> literals{};
  std::array<bool, std::size(literal_names)> has_literal{};
  Type type;  // T; void until something of that type is met
  int lanes = 1;

  bool accept(Type t) {
    if (type.is_void()) type = t;
    return type == t;
  }
};

bool match(const ir::Node& pattern, const Expr& e, Bindings& bound) {
  std::int64_t value = 0;
  if (!(pattern.type.is_bool() ? e->type.is_bool() : bound.accept(e->type))) return false;
  if (pattern.op == Op::Literal) {
    return ir::as_constant(e, &value) &&
           value == ir::Scalar::of_integer(e->type.element(), pattern.integer).integer;
  }
  if (pattern.op == Op::Symbol) {
    if (is_literal_slot(pattern)) {
      const std::size_t i = slot_of(pattern);
      if (!ir::as_constant(e, &value) || (bound.has_literal[i] && bound.literals[i] != value))
        return false;
      bound.literals[i] = value;
      bound.has_literal[i] = true;
      return true;
    }
    Expr& slot = bound.wildcards[slot_of(pattern)];
    if (slot.defined()) return slot->hash == e->hash && ir::equal(slot, e);
    slot = e;
    return true;
  }
  if (e->op != pattern.op || e->args.size() != pattern.args.size()) return false;
  for (std::size_t i = 0; i < pattern.args.size(); ++i) {
    if (!match(*pattern.args[i], ir::arg(e, i), bound)) return false;
  }
  return true;
}

/// Whether the ops of the pattern are there: a quick no for most rules.
bool has_shape(const ir::Node& pattern, const ir::Node& e) {
  if (pattern.op == Op::Symbol) return true;
  if (pattern.op == Op::Literal) return e.op == Op::Literal || e.op == Op::Broadcast;
  if (pattern.op != e.op || pattern.args.size() != e.args.size()) return false;
  for (std::size_t i = 0; i < pattern.args.size(); ++i) {
    if (!has_shape(*pattern.args[i], *e.args[i])) return false;
  }
  return true;
}

/// The value of an expression over literals, in T; empty when a coordinate leaves 64 bits.
std::optional<ir::Scalar> evaluate(const ir::Node& n, const Bindings& bound) {
  const Type type = n.type.is_bool() ? Bool() : bound.type.element();
  if (n.op == Op::Literal) return ir::Scalar::of_integer(type, n.integer);
  if (n.op == Op::Symbol) {
    if (!is_literal_slot(n)) return {};
    return ir::Scalar::of_integer(type, bound.literals[slot_of(n)]);
  }
  std::vector<ir::Scalar> args;
  for (const ir::Ref& a : n.args) {
    const auto value = evaluate(*a, bound);
    if (!value) return {};
    args.push_back(*value);
  }
  if (args.empty()) return {};
  if (type.is_index()) {
    const std::int64_t a = args[0].integer, b = args.size() > 1 ? args[1].integer : 0;
    if (n.op == Op::Add && !checked_add(a, b)) return {};
    if (n.op == Op::Sub && !checked_sub(a, b)) return {};
    if (n.op == Op::Mul && !checked_mul(a, b)) return {};
    if ((n.op == Op::Div || n.op == Op::Mod) && a == INT64_MIN) return {};
  }
  return ir::apply(n.op, type, args.data(), static_cast<int>(args.size()));
}

bool mentions_wildcard(const ir::Node& n) {
  if (n.op == Op::Symbol) return !is_literal_slot(n);
  return std::any_of(n.args.begin(), n.args.end(),
                     [](const ir::Ref& a) { return mentions_wildcard(*a); });
}

/// The right side with the bindings put in; undefined when a literal cannot be computed.
Expr build(const ir::Node& n, const Bindings& bound) {
  const Type type = n.type.is_bool() ? Bool(bound.lanes) : bound.type;
  if (!mentions_wildcard(n)) {
    const auto value = evaluate(n, bound);
    return value ? ir::literal(type, value->integer) : Expr();
  }
  if (n.op == Op::Symbol) return bound.wildcards[slot_of(n)];
  std::vector<Expr> args;
  for (const ir::Ref& a : n.args) {
    args.push_back(build(*a, bound));
    if (!args.back().defined()) return {};
  }
  return ir::expr(n.op, type, std::move(args));
}

bool holds_in(const CompiledRule& rule, Type t) {
  if (rule.is_structural) return true;
  if (t.is_index()) return rule.theory != Rule::Theory::Value;
  return t.is_integer() && rule.theory != Rule::Theory::Coordinate;
}

/// Whether the theory of the rule can be that of e, by a look at its root.
bool may_hold_for(const CompiledRule& rule, const ir::Node& e) {
  const Type t = e.args.back()->type;
  if (rule.is_structural || t.is_bool()) return true;
  return holds_in(rule, t);
}

}  // namespace

std::unordered_map<std::string, Expr> rule_names() {
  std::unordered_map<std::string, Expr> names;
  for (std::size_t i = 0; i < std::size(wildcard_names); ++i) {
    names[wildcard_names[i]] =
        ir::symbol(i < first_bool ? Index() : Bool(), Symbol::named(wildcard_names[i]));
  }
  for (const char* name : literal_names) names[name] = ir::index_symbol(Symbol::named(name));
  return names;
}

Expr apply_rules(const Expr& e) {
  for (const CompiledRule& rule : rule_table().of(*e)) {
    if (!may_hold_for(rule, *e) || !has_shape(*rule.before, *e)) continue;
    Bindings bound;
    bound.lanes = e->type.lanes;
    if (!match(*rule.before, e, bound) || !holds_in(rule, bound.type)) continue;
    if (rule.when.defined()) {
      const auto condition = evaluate(*rule.when, bound);
      if (!condition || !condition->as_bool()) continue;
    }
    if (Expr result = build(*rule.after, bound); result.defined()) return result;
  }
  return {};
}

}  // namespace sinter::algebra
