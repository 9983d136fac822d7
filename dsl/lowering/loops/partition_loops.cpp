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

/// Bodies up to this many nodes are partitioned again in the outer parts; larger ones only in the
/// middle.
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

Expr slack_of(const Expr& comparison) {
  const Expr a = ir::arg(comparison, 0), b = ir::arg(comparison, 1);
  return comparison->op == Op::Less ? b - a - ir::index_literal(1) : b - a;
}

bool is_index_comparison(const Expr& e) {
  return (e->op == Op::Less || e->op == Op::LessEqual) && ir::arg(e, 0)->type == Index();
}

using Symbols = std::unordered_set<Symbol>;
using Expressions = std::unordered_set<Expr, ir::ExprHash, ir::ExprEqual>;

bool mentions(const Symbols& symbols, const Expr& e) {
  for (const Symbol& s : ir::free_symbols(e.node())) {
    if (symbols.count(s)) return true;
  }
  return false;
}

/// Where in the body of a loop simpler code pays: in what runs most often, and where storage or
/// wide code depends on it. Elsewhere a clamp costs little, and another copy of the body much to
/// compile.
struct Worth {
  bool innermost;     // no long loop inside: all of the body counts
  Symbols leaves;     // variables of the loops with no long loop inside
  Symbols structure;  // what the extents of vectors, unrolled loops and allocations are made of
  Symbols windows;    // what the ranges of innermost loops are made of

  explicit Worth(const Stmt& body) {
    innermost = !visit(body.node());
    close(structure);
    close(windows);
  }

 private:
  static constexpr std::int64_t few = 16;

  /// Whether `n` has a long loop.
  bool visit(const ir::Ref& n) {
    bool has_long = false;
    for (const ir::Ref& a : n->args) {
      if (ir::is_statement(a->op)) has_long = visit(a) || has_long;
    }
    if (n->op == Op::Let) lets_.push_back({n->symbol, ir::free_symbols(n->args[0])});
    if (n->op == Op::Allocate) structure.merge(ir::free_symbols(n->args[0]));
    if (n->op != Op::For) return has_long;
    if (!has_long) leaves.insert(n->symbol);
    const auto kind = static_cast<LoopKind>(n->integer);
    const bool runs = kind == LoopKind::Serial || kind == LoopKind::Parallel;
    if (!runs) structure.merge(ir::free_symbols(n->args[1]));
    if (runs && !has_long) {
      windows.merge(ir::free_symbols(n->args[0]));
      windows.merge(ir::free_symbols(n->args[1]));
    }
    std::int64_t extent = 0;
    return has_long || (runs && !(ir::as_constant(Expr(n->args[1]), &extent) && extent <= few));
  }

  /// Lets were met from the inside out: one walk from the outside in would need them sorted, so
  /// until nothing changes.
  void close(Symbols& symbols) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [symbol, mentioned] : lets_) {
        if (!symbols.count(symbol)) continue;
        for (const Symbol& s : mentioned) changed = symbols.insert(s).second || changed;
      }
    }
  }

  std::vector<std::pair<Symbol, Symbols>> lets_;
};

/// Finds, in the body of one loop over `v`, what becomes simpler in a range of v: what is worth it;
/// or all that becomes simpler in the ranges `given`.
class Collector {
 public:
  Collector(const Stmt& loop, const Worth& worth, const Expressions* given = nullptr)
      : v_(loop->symbol), first_(ir::arg(loop, 0)), worth_(worth), given_(given) {
    const Stmt body = ir::stmt_arg(loop, 2);
    ir::for_each_node(body.node(), [&](const ir::Ref& n) {
      if (n->op == Op::For) extents_.merge(ir::free_symbols(n->args[1]));
      return ir::is_statement(n->op);
    });
  }

  std::vector<Expr> lowers, uppers;                        // v >= lower; v < upper
  std::unordered_map<const ir::Node*, Expr> replacements;  // in the middle part

  void statement(const Stmt& s) {
    if (s->op == Op::Let) {
      structure_ = worth_.structure.count(s->symbol) != 0;
      window_ = worth_.windows.count(s->symbol) != 0;
      const Expr value = likely(ir::arg(s, 0), extents_.count(s->symbol) != 0);
      structure_ = window_ = false;
      if (value->type.is_index() && value->type.is_scalar() && !reads_memory(value)) {
        if (!lets_.insert_or_assign(s->symbol, simplify(resolve(value))).second) facts_.clear();
      } else {
        opaque_.insert(s->symbol);
      }
      statement(ir::stmt_arg(s, 1));
      return;
    }
    if (s->op == Op::If) {
      condition(ir::arg(s, 0));
      for (std::size_t i = 1; i < s->args.size(); ++i) statement(ir::stmt_arg(s, i));
      return;
    }
    if (s->op == Op::For) {
      const auto kind = static_cast<LoopKind>(s->integer);
      window_ = worth_.leaves.count(s->symbol) != 0;
      const Expr min = likely(ir::arg(s, 0), false);
      structure_ = kind != LoopKind::Serial && kind != LoopKind::Parallel;
      const Expr extent = likely(ir::arg(s, 1), true);
      structure_ = window_ = false;
      const Expr first = resolve(min);
      inner_.insert_or_assign(
          s->symbol, Interval{first, simplify(first + resolve(extent) - ir::index_literal(1))});
      statement(ir::stmt_arg(s, 2));
      return;
    }
    structure_ = s->op == Op::Allocate;
    for (const ir::Ref& a : s->args) {
      if (ir::is_statement(a->op)) statement(Stmt(a));
      else likely(Expr(a), false);
      structure_ = false;
    }
  }

  Expressions ranges() const {
    Expressions all(lowers.begin(), lowers.end());
    all.insert(uppers.begin(), uppers.end());
    return all;
  }

 private:
  Expr resolve(const Expr& e) { return ir::substitute(e, lets_); }

  /// Of an expression with the values of lets in their places. Each node is looked at once: in
  /// chains of clamps, each asks about all before it.
  struct Facts {
    bool depends = false;  // on v
    bool reads = false;    // memory
    bool leaves = false;   // mentions the variable of such a loop
  };
  Facts facts(const ir::Ref& n) {
    if (n->args.empty() && n->op != Op::Symbol) return {};
    if (const auto it = facts_.find(n.get()); it != facts_.end()) return it->second.second;
    Facts result;
    const auto add = [&](const Facts& f) {
      result.depends = result.depends || f.depends;
      result.reads = result.reads || f.reads;
      result.leaves = result.leaves || f.leaves;
    };
    if (n->op == Op::Symbol) {
      if (const auto let = lets_.find(n->symbol); let != lets_.end())
        add(facts(let->second.node()));
      else result = {n->symbol == v_, false, worth_.leaves.count(n->symbol) != 0};
    }
    result.reads = result.reads || n->op == Op::Load || n->op == Op::Access;
    for (const ir::Ref& a : n->args) add(facts(a));
    facts_.emplace(n.get(), std::make_pair(n, result));
    return result;
  }
  bool depends(const Expr& e) { return facts(e.node()).depends; }
  bool reads(const Expr& e) { return facts(e.node()).reads; }

  /// Whether `e`, of which something would become simpler, is where that pays.
  bool pays(const Expr& e) {
    return worth_.innermost || structure_ || given_ || facts(e.node()).leaves;
  }

  /// Asks for slack >= 0; true when a range of v for it was found.
  bool ask(const Expr& slack_text) {
    if (reads(slack_text)) return false;
    const Expr slack = simplify(resolve(slack_text));
    const auto linear = algebra::linear_in(slack, v_);
    if (!linear || linear->coefficient == 0) return false;
    const Interval bounds = algebra::bounds_of(linear->rest, inner_);
    if (!bounds.min.defined()) return false;
    const Expr rest = simplify(bounds.min);
    if (!visible(rest)) return false;
    const std::int64_t c = linear->coefficient;
    const Expr range = c > 0 ? simplify((ir::index_literal(c - 1) - rest) / ir::index_literal(c))
                             : simplify(rest / ir::index_literal(-c) + ir::index_literal(1));
    std::int64_t above = 0;
    if (c > 0 && ir::as_constant(simplify(first_ - range), &above) && above >= 0) return true;
    if (given_ && !given_->count(range)) return false;
    (c > 0 ? lowers : uppers).push_back(range);
    return true;
  }

  bool visible(const Expr& e) const {
    for (const Symbol& s : ir::free_symbols(e.node())) {
      if (s == v_ || inner_.count(s) || opaque_.count(s)) return false;
    }
    return true;
  }

  /// A condition that is wanted true.
  void condition(const Expr& e) {
    if (e->op == Op::And) {
      condition(ir::arg(e, 0));
      condition(ir::arg(e, 1));
      return;
    }
    const Expr decisive =
        e->op == Op::Or ? ir::arg(e, 0) : e;  // a shifted split's guard: its first part
    if (is_index_comparison(decisive) && depends(decisive) && pays(e) && ask(slack_of(decisive))) {
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
    if ((!wanted_depends && !other_depends) || reads(e)) return e;
    // min(64, n - v*64) is 64 but for the last v: extents, and what shrinks below a literal.
    const bool literal = wanted->op == Op::Literal || other->op == Op::Literal;
    const bool constant =
        literal &&
        (extent || (e->op == Op::Min && decreases(wanted->op == Op::Literal ? other : wanted)));
    if (constant ? other->op == Op::Literal : (other_depends && !wanted_depends))
      std::swap(wanted, other);
    const Expr slack = e->op == Op::Min ? other - wanted : wanted - other;
    if (!pays(e) || !ask(slack)) return e;
    replacements.insert_or_assign(original.node().get(), wanted);
    return wanted;
  }

  Expr choose_arm(const Expr& original, const Expr& e) {
    const Expr c = ir::arg(e, 0);
    if (c->op == Op::Equal && ir::arg(c, 0)->type == Index() && depends(c)) {
      // The first iteration of a sliding window: wanted false, that is v > first.
      const Expr slack = ir::arg(c, 0) - ir::arg(c, 1) - ir::index_literal(1);
      if ((window_ || pays(e)) && ask(slack)) {
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
    if (!pays(c)) return e;
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
  Expr first_;
  const Worth& worth_;
  const Expressions* given_;
  bool structure_ = false, window_ = false;  // of what is being looked at: see Worth
  Symbols extents_;                          // what loops' extents mention
  ir::Substitution lets_;
  algebra::Scope inner_;
  Symbols opaque_;
  std::unordered_map<const ir::Node*, Expr> done_;
  std::vector<Expr> keep_;
  std::unordered_map<const ir::Node*, std::pair<ir::Ref, Facts>> facts_;
};

/// The body in the middle part: top-down, since a replacement stands for a node with its children.
class Replacer {
 public:
  explicit Replacer(const std::unordered_map<const ir::Node*, Expr>& replacements)
      : replacements_(replacements) {}

  ir::Ref operator()(const ir::Ref& n) {
    if (const auto it = replacements_.find(n.get()); it != replacements_.end())
      return it->second.node();
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
  Expressions seen;
  for (const Expr& e : list) {
    if (!seen.insert(e).second) continue;
    result = result.defined() ? ir::binary(op, result, e) : e;
  }
  return simplify(result);
}

/// for i { let..., if (i < e) body }: the loop ends at e. No copy of the body is needed.
class GuardsIntoRanges {
 public:
  explicit GuardsIntoRanges(const Symbols& never) : never_(never) {}

  Stmt operator()(const Stmt& s) const {
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : s->args)
      args.push_back(ir::is_statement(a->op) ? (*this)(Stmt(a)).node() : a);
    const Stmt result(ir::with_args(s.node(), std::move(args)));
    if (s->op != Op::For || never_.count(s->symbol)) return result;
    const auto kind = static_cast<LoopKind>(s->integer);
    return kind == LoopKind::Serial || kind == LoopKind::Parallel ? Loop(result).shrink(result)
                                                                  : result;
  }

 private:
  class Loop {
   public:
    explicit Loop(const Stmt& s) : v_(s->symbol) {}

    Stmt shrink(const Stmt& s) {
      const Stmt body = without_guards(ir::stmt_arg(s, 2));
      if (!changed_) return s;
      Expr first = ir::arg(s, 0), count = ir::arg(s, 1);
      if (first_.defined()) {
        const Expr moved = simplify(ir::binary(Op::Max, first, first_));
        count = count + first - moved;
        first = moved;
      }
      if (end_.defined()) count = ir::binary(Op::Min, count, end_ - first);
      count = simplify(ir::binary(Op::Max, count, ir::index_literal(0)));
      return ir::for_loop(v_, first, count, static_cast<LoopKind>(s->integer), body);
    }

   private:
    Stmt without_guards(const Stmt& s) {
      if (s->op == Op::Let) {
        const Expr value = ir::arg(s, 0);
        if (value->type == Index() && !reads_memory(value))
          lets_.insert_or_assign(s->symbol, simplify(ir::substitute(value, lets_)));
        else opaque_.insert(s->symbol);
        return Stmt(
            ir::with_args(s.node(), {s->args[0], without_guards(ir::stmt_arg(s, 1)).node()}));
      }
      if (s->op != Op::If || s->args.size() != 2) return s;
      const Stmt body = without_guards(ir::stmt_arg(s, 1));
      const Expr rest = remaining(ir::arg(s, 0));
      return rest.defined() ? Stmt(ir::with_args(s.node(), {rest.node(), body.node()})) : body;
    }

    /// What is left of a condition; undefined: nothing.
    Expr remaining(const Expr& e) {
      if (e->op == Op::And) {
        const Expr a = remaining(ir::arg(e, 0)), b = remaining(ir::arg(e, 1));
        return a.defined() && b.defined() ? ir::binary(Op::And, a, b) : a.defined() ? a : b;
      }
      if (!is_index_comparison(e) || reads_memory(e)) return e;
      const auto linear = algebra::linear_in(simplify(ir::substitute(slack_of(e), lets_)), v_);
      if (!linear || linear->coefficient == 0 || mentions(opaque_, linear->rest)) return e;
      const std::int64_t c = linear->coefficient;
      if (c > 0) {
        const Expr at = simplify((ir::index_literal(c - 1) - linear->rest) / ir::index_literal(c));
        first_ = first_.defined() ? ir::binary(Op::Max, first_, at) : at;
      } else {
        const Expr at = simplify(linear->rest / ir::index_literal(-c) + ir::index_literal(1));
        end_ = end_.defined() ? ir::binary(Op::Min, end_, at) : at;
      }
      changed_ = true;
      return {};
    }

    Symbol v_;
    ir::Substitution lets_;
    Symbols opaque_;
    Expr first_, end_;
    bool changed_ = false;
  };

  const Symbols& never_;
};

/// Divisions by literals with their dividend's constant in [0, divisor): (n - 1)/8 is (n + 7)/8
/// - 1.
Expr canonical(const Expr& e) {
  return ir::rewrite(e, [](const ir::Ref& n) {
    std::int64_t divisor = 0;
    if (n->op != Op::Div || n->type != Index() || !ir::as_constant(Expr(n->args[1]), &divisor) ||
        divisor <= 0)
      return n;
    const auto linear = algebra::linear_form(Expr(n->args[0]));
    if (!linear) return n;
    const std::int64_t left = (linear->constant % divisor + divisor) % divisor;
    const std::int64_t whole = (linear->constant - left) / divisor;
    if (whole == 0) return n;
    const Expr rest = Expr(n->args[0]) - ir::index_literal(whole * divisor);
    return (rest / ir::index_literal(divisor) + ir::index_literal(whole)).node();
  });
}

/// In a kernel, the body of a loop over `v`, knowing v < end: guards and clamps of what is known
/// go. Extents become constant that way: min(n - v, 1) is 1 where v < n.
class Below {
 public:
  Below(const Symbol& v, const Expr& end) : v_(v), end_(simplify(canonical(end))) {}

  Stmt statement(const Stmt& s) {
    if (s->op == Op::Let) {
      const Expr value = expression(ir::arg(s, 0));
      note(s->symbol, value);
      return ir::let(s->symbol, value, statement(ir::stmt_arg(s, 1)));
    }
    if (s->op == Op::If && s->args.size() == 2 && holds(ir::arg(s, 0)))
      return statement(ir::stmt_arg(s, 1));
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : s->args) {
      args.push_back(ir::is_statement(a->op) ? statement(Stmt(a)).node()
                                             : expression(Expr(a)).node());
    }
    return Stmt(ir::with_args(s.node(), std::move(args)));
  }

  /// Whether the body does nothing unless v < end: no store is outside loops and guards that see to
  /// it.
  bool idle_beyond(const Stmt& s) {
    if (s->op == Op::Let) {
      note(s->symbol, ir::arg(s, 0));
      return idle_beyond(ir::stmt_arg(s, 1));
    }
    if (s->op == Op::If && s->args.size() == 2) {
      const Expr c = ir::arg(s, 0);
      if (is_index_comparison(c) && excess(slack_of(c)) == -1) return true;
    }
    if (s->op == Op::For && ends(ir::arg(s, 1))) return true;
    if (s->op == Op::Free) return true;
    if (s->op != Op::Block && s->op != Op::Produce && s->op != Op::Allocate && s->op != Op::If &&
        s->op != Op::For)
      return false;
    return std::all_of(s->args.begin(), s->args.end(), [&](const ir::Ref& a) {
      return !ir::is_statement(a->op) || idle_beyond(Stmt(a));
    });
  }

 private:
  void note(const Symbol& symbol, const Expr& value) {
    if (value->type != Index() || reads_memory(value)) return;
    if (!lets_.insert_or_assign(symbol, simplify(ir::substitute(value, lets_))).second)
      memo_.clear();
  }

  /// d where e is end - v + d.
  std::optional<std::int64_t> excess(const Expr& e) const {
    if (reads_memory(e)) return std::nullopt;
    const auto linear = algebra::linear_in(simplify(ir::substitute(e, lets_)), v_);
    std::int64_t d = 0;
    if (!linear || linear->coefficient != -1 ||
        !ir::as_constant(simplify(canonical(linear->rest) - end_), &d))
      return std::nullopt;
    return d;
  }

  bool holds(const Expr& condition) const {
    return is_index_comparison(condition) && excess(slack_of(condition)).value_or(-2) >= -1;
  }

  /// Whether an extent is at most end - v.
  bool ends(const Expr& extent) const {
    const Expr e = simplify(ir::substitute(extent, lets_));
    if (e->op == Op::Min) return ends(ir::arg(e, 0)) || ends(ir::arg(e, 1));
    return excess(e).value_or(1) <= 0;
  }

  Expr expression(const Expr& e) {
    if (e->args.empty()) return e;
    if (const auto it = memo_.find(e.node().get()); it != memo_.end()) return it->second.second;
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : e->args) args.push_back(expression(Expr(a)).node());
    Expr result(ir::with_args(e.node(), std::move(args)));
    if (e->op == Op::Min && e->type == Index()) {
      for (const std::size_t literal : {std::size_t{0}, std::size_t{1}}) {
        std::int64_t c = 0;
        if (!ir::as_constant(ir::arg(e, literal), &c)) continue;
        const auto d = excess(ir::arg(e, 1 - literal));
        if (d && *d + 1 >= c) result = ir::arg(e, literal);
      }
    }
    memo_.emplace(e.node().get(), std::make_pair(e, result));
    return result;
  }

  Symbol v_;
  Expr end_;
  ir::Substitution lets_;
  std::unordered_map<const ir::Node*, std::pair<Expr, Expr>> memo_;
};

/// Kernels: blocks are as many as their loop says, and a loop that several stages share ends where
/// all of them are done.
class KernelLoops {
 public:
  Stmt operator()(const Stmt& s, bool in_grid = false) const {
    const bool is_loop = s->op == Op::For;
    const bool is_block = is_loop && static_cast<LoopKind>(s->integer) == LoopKind::GpuBlock;
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : s->args)
      args.push_back(ir::is_statement(a->op) ? (*this)(Stmt(a), in_grid || is_block).node() : a);
    const Stmt result(ir::with_args(s.node(), std::move(args)));
    if (!is_loop) return result;
    const Expr first = ir::arg(result, 0), count = ir::arg(result, 1);
    const Stmt body = ir::stmt_arg(result, 2);
    if (is_block) return below(result, count, first + count, body);
    if (!in_grid || static_cast<LoopKind>(s->integer) != LoopKind::Serial) return result;
    const Expr end = guard(s->symbol, body);
    if (!end.defined() || !Below(s->symbol, end).idle_beyond(body)) return result;
    const Expr fewer = simplify(
        ir::binary(Op::Max, ir::binary(Op::Min, count, end - first), ir::index_literal(0)));
    return below(result, fewer, end, body);
  }

 private:
  static Stmt below(const Stmt& loop, const Expr& count, const Expr& end, const Stmt& body) {
    const Stmt known = algebra::simplify(Below(loop->symbol, end).statement(body));
    return ir::for_loop(loop->symbol, ir::arg(loop, 0), count, static_cast<LoopKind>(loop->integer),
                        known);
  }

  /// The end that the first guard of the loop over `v` asks for.
  static Expr guard(const Symbol& v, const Stmt& body) {
    Expr end;
    ir::Substitution lets;
    Symbols inside;
    ir::for_each_node(body.node(), [&](const ir::Ref& n) {
      if (n->op == Op::Let) {
        const Expr value(n->args[0]);
        if (value->type == Index() && !reads_memory(value))
          lets.insert_or_assign(n->symbol, simplify(ir::substitute(value, lets)));
        else inside.insert(n->symbol);
      }
      if (n->op == Op::For) inside.insert(n->symbol);
      if (n->op == Op::If && !end.defined()) {
        const Expr c(n->args[0]);
        if (is_index_comparison(c) && !reads_memory(c)) {
          const auto linear = algebra::linear_in(simplify(ir::substitute(slack_of(c), lets)), v);
          if (linear && linear->coefficient == -1 && !mentions(inside, linear->rest))
            end = simplify(linear->rest + ir::index_literal(1));
        }
      }
      return !end.defined() && ir::is_statement(n->op);
    });
    return end;
  }
};

class Partitioner {
 public:
  explicit Partitioner(const Symbols& never) : never_(never) {}

  Stmt statement(const Stmt& s) {
    if (s->op == Op::For) return loop(s);
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : s->args)
      args.push_back(ir::is_statement(a->op) ? statement(Stmt(a)).node() : a);
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
    const Worth worth(body);
    Collector wanted(s, worth);
    wanted.statement(body);
    if (wanted.lowers.empty() && wanted.uppers.empty()) return inside(s, body);
    const Expressions ranges = wanted.ranges();
    Collector found(s, worth, &ranges);
    found.statement(body);

    const Expr first = ir::arg(s, 0), count = ir::arg(s, 1), end = simplify(first + count);
    struct LetBinding {
      Symbol symbol;
      Expr value;
    };
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
      start = named(
          ir::binary(Op::Min, ir::binary(Op::Max, extreme(Op::Max, found.lowers), first), last),
          ".start");
    }
    if (!found.uppers.empty()) {
      stop = named(
          ir::binary(Op::Max, ir::binary(Op::Min, extreme(Op::Min, found.uppers), last), start),
          ".stop");
    }
    const Stmt middle =
        statement(algebra::simplify(Stmt(Replacer(found.replacements)(body.node()))));
    const Stmt outer = count_nodes(body) <= small_body ? statement(body) : body;
    const Expr v = ir::index_symbol(s->symbol);
    Stmt result;
    if (kind == LoopKind::Parallel) {
      const Expr is_middle =
          ir::binary(Op::And, ir::binary(Op::LessEqual, start, v), ir::binary(Op::Less, v, stop));
      result = ir::for_loop(s->symbol, first, count, kind,
                            ir::if_then(simplify(is_middle), middle, outer));
    } else {
      std::vector<Stmt> parts;
      if (!found.lowers.empty())
        parts.push_back(ir::for_loop(s->symbol, first, simplify(start - first), kind, outer));
      parts.push_back(ir::for_loop(s->symbol, start, simplify(stop - start), kind, middle));
      if (!found.uppers.empty())
        parts.push_back(ir::for_loop(s->symbol, stop, simplify(last - stop), kind, outer));
      result = ir::block(std::move(parts));
    }
    for (auto l = lets.rbegin(); l != lets.rend(); ++l)
      result = ir::let(l->symbol, l->value, result);
    return result;
  }

  const Symbols& never_;
};

}  // namespace

ir::Module partition_loops(ir::Module module, const LowerOptions&) {
  if (!module.body.defined()) return module;
  module.body =
      Partitioner(module.never_partition)
          .statement(GuardsIntoRanges(module.never_partition)(KernelLoops()(module.body)));
  return module;
}

}  // namespace sinter::lowering
