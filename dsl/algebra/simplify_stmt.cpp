// Simplification of statements: every expression is simplified under what its loops, lets and
// conditions tell; statements that do nothing go.

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/simplifier.h"

namespace sinter::algebra {

using ir::Op;
using ir::Stmt;

namespace {

bool is_nothing(const Stmt& s) { return !s.defined() || (s->op == Op::Block && s->args.empty()); }

Stmt nothing() { return ir::block({}); }

/// Whether a condition stays true while statements run: it reads no memory.
bool is_stable(const Expr& e) {
  bool stable = true;
  ir::for_each_node(e.node(), [&](const ir::Ref& n) {
    stable = stable && n->op != Op::Load && n->op != Op::Access;
    return stable;
  });
  return stable;
}

class StatementSimplifier {
 public:
  explicit StatementSimplifier(const ConstantScope& known) : simplify_(known) {}
  Stmt operator()(const Stmt&);

 private:
  Stmt visit_for(const Stmt&);
  Stmt visit_let(const Stmt&);
  Stmt visit_if(const Stmt&);
  Stmt visit_block(const Stmt&);
  Stmt with_body(const Stmt&);
  Stmt with_predicate(const Stmt&, std::size_t position);
  Stmt under(const Simplifier::Facts& facts, const Stmt& body) {
    Stmt result;
    simplify_.with_facts(facts, [&] { result = (*this)(body); });
    return result;
  }
  void learn(const Expr& condition, bool value, Simplifier::Facts& facts);
  void learn_range(const Expr& condition, Simplifier::Facts& facts);
  void learn_at_least(const Expr& e, std::int64_t least, Simplifier::Facts& facts);

  Simplifier simplify_;
};

Stmt StatementSimplifier::operator()(const Stmt& s) {
  if (!s.defined()) return s;
  if (s->op == Op::Block) return visit_block(s);
  if (s->op == Op::For) return visit_for(s);
  if (s->op == Op::Let) return visit_let(s);
  if (s->op == Op::If) return visit_if(s);
  if (s->op == Op::Produce || s->op == Op::Realize || s->op == Op::Allocate) return with_body(s);
  std::vector<ir::Ref> args;
  for (const ir::Ref& a : s->args) args.push_back(simplify_(Expr(a)).node());
  const Stmt simplified(ir::with_args(s.node(), std::move(args)));
  if (s->op == Op::Assert)
    return ir::is_constant(ir::arg(simplified, 0), 1) ? nothing() : simplified;
  if (s->op == Op::Store || s->op == Op::AtomicStore) return with_predicate(simplified, 2);
  return simplified;
}

Stmt StatementSimplifier::with_predicate(const Stmt& s, std::size_t position) {
  std::int64_t value = 0;
  if (s->args.size() <= position || !ir::as_constant(ir::arg(s, position), &value)) return s;
  if (value == 0) return nothing();
  std::vector<ir::Ref> args = s->args;
  args.pop_back();
  return Stmt(ir::with_args(s.node(), std::move(args)));
}

Stmt StatementSimplifier::with_body(const Stmt& s) {
  std::vector<ir::Ref> args;
  for (std::size_t i = 0; i + 1 < s->args.size(); ++i)
    args.push_back(simplify_(ir::arg(s, i)).node());
  const Stmt body = (*this)(Stmt(s->args.back()));
  if (is_nothing(body)) return nothing();
  args.push_back(body.node());
  return Stmt(ir::with_args(s.node(), std::move(args)));
}

Stmt StatementSimplifier::visit_block(const Stmt& s) {
  std::vector<Stmt> list;
  bool changed = false;
  for (const ir::Ref& a : s->args) {
    Stmt inner = (*this)(Stmt(a));
    changed = changed || inner.node() != a || is_nothing(inner);
    if (!is_nothing(inner)) list.push_back(std::move(inner));
  }
  return changed || list.size() == 1 ? ir::block(std::move(list)) : s;
}

Stmt StatementSimplifier::visit_for(const Stmt& s) {
  const Expr min = simplify_(ir::arg(s, 0)), extent = simplify_(ir::arg(s, 1));
  const Stmt body = ir::stmt_arg(s, 2);
  const ConstantInterval count = simplify_.bounds(extent);
  if (count.has_max && count.max <= 0) return nothing();
  Simplifier::Facts facts;
  const bool is_grid =
      ir::is_gpu_loop(static_cast<ir::LoopKind>(s->integer));  // says where the body runs
  if (ir::is_constant(extent, 1) && !is_grid) {
    facts.replacements[s->symbol] = min;
    return under(facts, body);
  }
  // The body runs only for an extent of at least one.
  learn_at_least(extent, 1, facts);
  const ConstantInterval first = simplify_.bounds(min);
  const Expr last =
      simplify_(ir::binary(Op::Sub, ir::binary(Op::Add, min, extent), ir::index_literal(1)));
  const ConstantInterval end = simplify_.bounds(last);
  facts.ranges[s->symbol] = {first.has_min, end.has_max, first.min, end.max};
  const Stmt simplified = under(facts, body);
  if (is_nothing(simplified)) return nothing();
  return Stmt(ir::with_args(s.node(), {min.node(), extent.node(), simplified.node()}));
}

Stmt StatementSimplifier::visit_let(const Stmt& s) {
  const Expr value = simplify_(ir::arg(s, 0));
  const Stmt body = ir::stmt_arg(s, 1);
  Simplifier::Facts facts;
  const Expr scalar = value->op == Op::Broadcast ? ir::arg(value, 0) : value;
  if (scalar->op == Op::Literal || scalar->op == Op::Symbol) {
    facts.replacements[s->symbol] = value;
    return under(facts, body);
  }
  if (value->type.is_scalar()) {
    const ConstantInterval range = simplify_.bounds(value);
    if (range.has_min || range.has_max) facts.ranges[s->symbol] = range;
  }
  const Stmt simplified = under(facts, body);
  if (is_nothing(simplified)) return nothing();
  return Stmt(ir::with_args(s.node(), {value.node(), simplified.node()}));
}

Stmt StatementSimplifier::visit_if(const Stmt& s) {
  const Expr condition = simplify_(ir::arg(s, 0));
  const Stmt then_case = ir::stmt_arg(s, 1),
             else_case = s->args.size() > 2 ? ir::stmt_arg(s, 2) : Stmt();
  std::int64_t value = 0;
  if (ir::as_constant(condition, &value)) {
    const Stmt taken = value != 0 ? then_case : else_case;
    return taken.defined() ? (*this)(taken) : nothing();
  }
  Simplifier::Facts when_true, when_false;
  if (is_stable(condition)) {
    learn(condition, true, when_true);
    learn(condition, false, when_false);
  }
  const Stmt a = under(when_true, then_case);
  const Stmt b = else_case.defined() ? under(when_false, else_case) : Stmt();
  if (is_nothing(a) && is_nothing(b)) return nothing();
  if (is_nothing(a)) return ir::if_then(simplify_(ir::unary(Op::Not, condition)), b);
  std::vector<ir::Ref> args{condition.node(), a.node()};
  if (!is_nothing(b)) args.push_back(b.node());
  return Stmt(ir::with_args(s.node(), std::move(args)));
}

void StatementSimplifier::learn(const Expr& condition, bool value, Simplifier::Facts& facts) {
  if (condition->op == (value ? Op::And : Op::Or)) {
    learn(ir::arg(condition, 0), value, facts);
    learn(ir::arg(condition, 1), value, facts);
    return;
  }
  if (condition->op == Op::Not) return learn(ir::arg(condition, 0), !value, facts);
  if (condition->type != Bool()) return;
  const Expr opposite = simplify_(ir::unary(Op::Not, condition));
  facts.conditions.push_back({condition, value});
  facts.conditions.push_back({opposite, !value});
  if (ir::info(condition->op).op_class != ir::OpClass::Compare ||
      condition->args[0]->type != Index())
    return;
  learn_range(value ? condition : opposite, facts);
}

/// Of a comparison that holds.
void StatementSimplifier::learn_range(const Expr& condition, Simplifier::Facts& facts) {
  if (condition->op == Op::NotEqual) return;
  const Expr apart = simplify_(ir::binary(Op::Sub, ir::arg(condition, 1), ir::arg(condition, 0)));
  learn_at_least(apart, condition->op == Op::Less ? 1 : 0, facts);
  if (condition->op != Op::Equal) return;
  learn_at_least(simplify_(ir::binary(Op::Sub, ir::arg(condition, 0), ir::arg(condition, 1))), 0,
                 facts);
}

/// Narrows the range of a symbol when `e` is linear in it alone.
void StatementSimplifier::learn_at_least(const Expr& e, std::int64_t least,
                                         Simplifier::Facts& facts) {
  const auto form = linear_form(e);
  if (!form || form->terms.size() != 1 || form->terms[0].atom->op != Op::Symbol) return;
  const std::int64_t k = form->terms[0].coefficient;
  const auto rest = checked_sub(least, form->constant);  // k * s >= rest
  if (!rest || *rest == INT64_MIN || k == INT64_MIN) return;
  const Symbol& s = form->terms[0].atom->symbol;
  ConstantInterval range;
  if (const auto it = facts.ranges.find(s); it != facts.ranges.end()) range = it->second;
  else if (const auto outer = simplify_.known().find(s); outer != simplify_.known().end())
    range = outer->second;
  if (k > 0) range = intersect(range, {true, false, -floor_div(-*rest, k), 0});
  else range = intersect(range, {false, true, 0, floor_div(-*rest, -k)});
  if (range.has_min && range.has_max && range.min > range.max)
    return;  // never runs: nothing to gain
  facts.ranges[s] = range;
}

/// Drops Lets that nothing reads; bodies are walked before values, so that whole chains go at once.
class UnusedLets {
 public:
  Stmt operator()(const Stmt& s) {
    if (s->op == Op::Let) {
      const Stmt body = (*this)(ir::stmt_arg(s, 1));
      if (used_.erase(s->symbol) == 0) return body;
      use(s->args[0]);
      return Stmt(ir::with_args(s.node(), {s->args[0], body.node()}));
    }
    std::vector<ir::Ref> args = s->args;
    for (ir::Ref& a : args) {
      if (a && a->type.is_void()) a = (*this)(Stmt(a)).node();
    }
    for (const ir::Ref& a : s->args) {
      if (a && !a->type.is_void()) use(a);
    }
    return Stmt(ir::with_args(s.node(), std::move(args)));
  }

 private:
  void use(const ir::Ref& e) {
    ir::for_each_node(e, [&](const ir::Ref& n) {
      if (n->op == Op::Symbol) used_.insert(n->symbol);
      return true;
    });
  }
  std::unordered_set<Symbol> used_;
};

}  // namespace

Stmt simplify(const Stmt& s, const ConstantScope& known) {
  if (!s.defined()) return s;
  return UnusedLets()(StatementSimplifier(known)(s));
}

}  // namespace sinter::algebra
