#include "dsl/lowering/loops/partition_loops.h"

#include <algorithm>

#include "dsl/algebra/linear_form.h"
#include "dsl/algebra/simplify.h"

namespace sinter::lowering {

namespace {

using algebra::Interval;
using algebra::simplify;
using ir::LoopKind;
using ir::Op;
using ir::Stmt;

/// Bodies up to this many nodes are partitioned again in the outer parts; larger ones only in the middle.
constexpr std::size_t small_body = 600;

std::size_t count_nodes(const Stmt& s) {
  std::size_t n = 0;
  ir::for_each_node(s.node(), [&](const ir::Ref&) { return ++n, true; });
  return n;
}

bool reads_memory(const Expr& e) {
  bool found = false;
  ir::for_each_node(e.node(), [&](const ir::Ref& n) {
    found = found || n->op == Op::Load || n->op == Op::Access;
    return !found;
  });
  return found;
}

/// Finds, in the body of one loop over `v`, what becomes simpler in a range of v.
class Collector {
 public:
  Collector(const Symbol& v, const Stmt& body) : v_(v) {
    ir::for_each_node(body.node(), [&](const ir::Ref& n) {
      if (n->op == Op::For) extents_.merge(ir::free_symbols(n->args[1]));
      return ir::is_statement(n->op);
    });
  }

  std::vector<Expr> lowers, uppers;                              // v >= lower; v < upper
  std::unordered_map<const ir::Node*, Expr> replacements;        // in the middle part
  std::size_t ends = 0;  // uppers beyond which nothing runs at all: exact guards of the whole body

  void statement(const Stmt& s) {
    if (s->op == Op::Let) {
      const Expr value = likely(ir::arg(s, 0), extents_.count(s->symbol) != 0);
      if (value->type.is_index() && value->type.is_scalar() && !reads_memory(value)) {
        lets_.insert_or_assign(s->symbol, simplify(resolve(value)));
        if (!value.same_as(ir::arg(s, 0)) || mentions(altered_, value)) altered_.insert(s->symbol);
      } else {
        opaque_.insert(s->symbol);
      }
      statement(ir::stmt_arg(s, 1));
      return;
    }
    if (s->op == Op::If) {
      only_lets_ = only_lets_ && s->args.size() == 2;
      condition(ir::arg(s, 0), only_lets_);
      for (std::size_t i = 1; i < s->args.size(); ++i) statement(ir::stmt_arg(s, i));
      return;
    }
    only_lets_ = false;
    if (s->op == Op::For) {
      const Expr min = likely(ir::arg(s, 0), false), extent = likely(ir::arg(s, 1), true);
      const Expr first = resolve(min);
      inner_.insert_or_assign(s->symbol, Interval{first, simplify(first + resolve(extent) - ir::index_literal(1))});
      statement(ir::stmt_arg(s, 2));
      return;
    }
    for (const ir::Ref& a : s->args) {
      if (ir::is_statement(a->op)) statement(Stmt(a));
      else likely(Expr(a), false);
    }
  }

 private:
  Expr resolve(const Expr& e) { return ir::substitute(e, lets_); }

  /// Asks for slack >= 0; true when a range of v for it was found. `ends`: where it does not hold,
  /// nothing runs.
  bool ask(const Expr& slack_text, bool ends_all = false) {
    if (reads_memory(slack_text)) return false;
    const Expr slack = simplify(resolve(slack_text));
    const auto linear = algebra::linear_in(slack, v_);
    if (!linear || linear->coefficient == 0) return false;
    const Interval bounds = algebra::bounds_of(linear->rest, inner_);
    if (!bounds.min.defined()) return false;
    const Expr rest = simplify(bounds.min);
    if (!visible(rest)) return false;
    const std::int64_t c = linear->coefficient;
    if (c > 0) {
      lowers.push_back(simplify((ir::index_literal(c - 1) - rest) / ir::index_literal(c)));
    } else {
      uppers.push_back(simplify(rest / ir::index_literal(-c) + ir::index_literal(1)));
      // Exact: the guard itself, not what it is likely to be.
      const bool exact = bounds.max.defined() && ir::equal(bounds.min, bounds.max) && !mentions(altered_, slack_text);
      if (ends_all && exact) ++ends;
    }
    return true;
  }

  static bool mentions(const std::unordered_set<Symbol>& symbols, const Expr& e) {
    for (const Symbol& s : ir::free_symbols(e.node())) {
      if (symbols.count(s)) return true;
    }
    return false;
  }

  bool visible(const Expr& e) const {
    for (const Symbol& s : ir::free_symbols(e.node())) {
      if (s == v_ || inner_.count(s) || opaque_.count(s)) return false;
    }
    return true;
  }

  bool depends(const Expr& e) { return ir::uses_symbol(resolve(e).node(), v_); }

  static Expr slack_of(const Expr& comparison) {
    const Expr a = ir::arg(comparison, 0), b = ir::arg(comparison, 1);
    return comparison->op == Op::Less ? b - a - ir::index_literal(1) : b - a;
  }

  static bool is_index_comparison(const Expr& e) {
    return (e->op == Op::Less || e->op == Op::LessEqual) && ir::arg(e, 0)->type == Index();
  }

  /// A condition that is wanted true. `guards_all`: it guards the whole body.
  void condition(const Expr& e, bool guards_all) {
    if (e->op == Op::And) {
      condition(ir::arg(e, 0), guards_all);
      condition(ir::arg(e, 1), guards_all);
      return;
    }
    const Expr decisive = e->op == Op::Or ? ir::arg(e, 0) : e;  // a shifted split's guard: its first part
    if (is_index_comparison(decisive) && depends(decisive) && ask(slack_of(decisive), guards_all && e->op != Op::Or)) {
      replacements.insert_or_assign(e.node().get(), ir::true_value());
      return;
    }
    likely(e, false);
  }

  /// `e` as it will be in the middle part. `extent`: of a loop, where constants are what is wanted.
  Expr likely(const Expr& e, bool extent) {
    if (e->args.empty()) return e;
    if (const auto it = done_.find(e.node().get()); it != done_.end()) return it->second;
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : e->args) args.push_back(likely(Expr(a), extent).node());
    Expr result{ir::with_args(e.node(), args)};
    if ((e->op == Op::Min || e->op == Op::Max) && e->type == Index()) {
      result = choose(e, result, extent);
    } else if (e->op == Op::Select && result->args[0]->type == Bool()) {
      result = choose_arm(e, result);
    }
    done_.emplace(e.node().get(), result);
    keep_.push_back(e);
    return result;
  }

  bool decreases(const Expr& e) {
    const auto linear = algebra::linear_in(simplify(resolve(e)), v_);
    return linear && linear->coefficient < 0;
  }

  Expr choose(const Expr& original, const Expr& e, bool extent) {
    Expr wanted = ir::arg(e, 0), other = ir::arg(e, 1);
    bool wanted_depends = depends(wanted), other_depends = depends(other);
    if (!wanted_depends && !other_depends) return e;
    // min(64, n - v*64) is 64 but for the last v: extents, and what shrinks below a literal.
    const bool literal = wanted->op == Op::Literal || other->op == Op::Literal;
    const bool constant = literal && (extent || (e->op == Op::Min && decreases(wanted->op == Op::Literal ? other : wanted)));
    if (constant ? other->op == Op::Literal : (other_depends && !wanted_depends)) std::swap(wanted, other);
    const Expr slack = e->op == Op::Min ? other - wanted : wanted - other;
    if (!ask(slack)) return e;
    replacements.insert_or_assign(original.node().get(), wanted);
    return wanted;
  }

  Expr choose_arm(const Expr& original, const Expr& e) {
    const Expr c = ir::arg(e, 0);
    if (c->op == Op::Equal && ir::arg(c, 0)->type == Index() && depends(c)) {
      // The first iteration of a sliding window: wanted false, that is v > first.
      const Expr slack = ir::arg(c, 0) - ir::arg(c, 1) - ir::index_literal(1);
      if (ask(slack)) {
        replacements.insert_or_assign(original.node().get(), ir::arg(e, 2));
        return ir::arg(e, 2);
      }
      return e;
    }
    std::vector<Expr> conjuncts{c};
    for (std::size_t i = 0; i < conjuncts.size(); ++i) {
      while (conjuncts[i]->op == Op::And) {
        const Expr both = conjuncts[i];
        conjuncts[i] = ir::arg(both, 0);
        conjuncts.push_back(ir::arg(both, 1));
      }
      if (!is_index_comparison(conjuncts[i])) return e;
    }
    const std::size_t lowers_before = lowers.size(), uppers_before = uppers.size();
    for (const Expr& part : conjuncts) {
      if (depends(part) && ask(slack_of(part))) continue;
      lowers.resize(lowers_before);
      uppers.resize(uppers_before);
      return e;
    }
    replacements.insert_or_assign(original.node().get(), ir::arg(e, 1));
    return ir::arg(e, 1);
  }

  Symbol v_;
  bool only_lets_ = true;    // nothing but lets and guards so far
  std::unordered_set<Symbol> altered_;  // lets that are likely, not sure, to have their value in lets_
  std::unordered_set<Symbol> extents_;  // what loops' extents mention
  ir::Substitution lets_;
  algebra::Scope inner_;
  std::unordered_set<Symbol> opaque_;
  std::unordered_map<const ir::Node*, Expr> done_;
  std::vector<Expr> keep_;
};

/// The body in the middle part: top-down, since a replacement stands for a node with its children.
class Replacer {
 public:
  explicit Replacer(const std::unordered_map<const ir::Node*, Expr>& replacements) : replacements_(replacements) {}

  ir::Ref operator()(const ir::Ref& n) {
    if (const auto it = replacements_.find(n.get()); it != replacements_.end()) return it->second.node();
    if (n->args.empty()) return n;
    if (const auto it = memo_.find(n.get()); it != memo_.end()) return it->second;
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : n->args) args.push_back((*this)(a));
    const ir::Ref result = ir::with_args(n, std::move(args));
    memo_.emplace(n.get(), result);
    return result;
  }

 private:
  const std::unordered_map<const ir::Node*, Expr>& replacements_;
  std::unordered_map<const ir::Node*, ir::Ref> memo_;
};

Expr extreme(Op op, std::vector<Expr> list) {
  Expr result;
  std::unordered_set<Expr, ir::ExprHash, ir::ExprEqual> seen;
  for (const Expr& e : list) {
    if (!seen.insert(e).second) continue;
    result = result.defined() ? ir::binary(op, result, e) : e;
  }
  return simplify(result);
}

class Partitioner {
 public:
  explicit Partitioner(const std::unordered_set<Symbol>& never) : never_(never) {}

  Stmt statement(const Stmt& s) {
    if (s->op == Op::For) return loop(s);
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : s->args) args.push_back(ir::is_statement(a->op) ? statement(Stmt(a)).node() : a);
    return Stmt(ir::with_args(s.node(), std::move(args)));
  }

 private:
  Stmt inside(const Stmt& s, const Stmt& body) {
    return Stmt(ir::with_args(s.node(), {s->args[0], s->args[1], statement(body).node()}));
  }

  Stmt loop(const Stmt& s) {
    const auto kind = static_cast<LoopKind>(s->integer);
    const Stmt body = ir::stmt_arg(s, 2);
    std::int64_t extent = 0;
    const bool tiny = ir::as_constant(ir::arg(s, 1), &extent) && extent <= 3;
    const bool splits = kind == LoopKind::Serial || kind == LoopKind::Parallel;
    if (!splits || tiny || never_.count(s->symbol)) return inside(s, body);
    Collector found(s->symbol, body);
    found.statement(body);
    if (found.lowers.empty() && found.uppers.empty()) return inside(s, body);

    const Expr first = ir::arg(s, 0), count = ir::arg(s, 1), end = simplify(first + count);
    struct LetBinding { Symbol symbol; Expr value; };
    std::vector<LetBinding> lets;
    const auto named = [&](const Expr& e, const char* suffix) {
      if (ir::is(e, Op::Literal) || ir::is(e, Op::Symbol)) return e;
      lets.push_back({Symbol::fresh(s->symbol.name() + suffix), simplify(e)});
      return ir::index_symbol(lets.back().symbol);
    };
    // first <= start <= stop <= end, also when the loop is empty
    const Expr last = named(ir::binary(Op::Max, first, end), ".end");
    Expr start = first, stop = last;
    if (!found.lowers.empty()) {
      start = named(ir::binary(Op::Min, ir::binary(Op::Max, extreme(Op::Max, found.lowers), first), last), ".start");
    }
    if (!found.uppers.empty()) {
      stop = named(ir::binary(Op::Max, ir::binary(Op::Min, extreme(Op::Min, found.uppers), last), start), ".stop");
    }
    const Stmt middle = statement(algebra::simplify(Stmt(Replacer(found.replacements)(body.node()))));
    const Stmt outer = count_nodes(body) <= small_body ? statement(body) : body;
    const Expr v = ir::index_symbol(s->symbol);
    Stmt result;
    if (kind == LoopKind::Parallel) {
      const Expr is_middle = ir::binary(Op::And, ir::binary(Op::LessEqual, start, v), ir::binary(Op::Less, v, stop));
      result = ir::for_loop(s->symbol, first, count, kind, ir::if_then(simplify(is_middle), middle, outer));
    } else {
      std::vector<Stmt> parts;
      if (!found.lowers.empty()) parts.push_back(ir::for_loop(s->symbol, first, simplify(start - first), kind, outer));
      parts.push_back(ir::for_loop(s->symbol, start, simplify(stop - start), kind, middle));
      const bool more = found.uppers.size() > found.ends;
      if (more) parts.push_back(ir::for_loop(s->symbol, stop, simplify(last - stop), kind, outer));
      result = ir::block(std::move(parts));
    }
    for (auto l = lets.rbegin(); l != lets.rend(); ++l) result = ir::let(l->symbol, l->value, result);
    return result;
  }

  const std::unordered_set<Symbol>& never_;
};

}  // namespace

ir::Module partition_loops(ir::Module module, const LowerOptions&) {
  if (module.body.defined()) module.body = Partitioner(module.never_partition).statement(module.body);
  return module;
}

}  // namespace sinter::lowering
