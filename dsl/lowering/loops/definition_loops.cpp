#include "dsl/lowering/loops/definition_loops.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <sinter/diagnostic.h>

#include "dsl/algebra/simplify.h"

namespace sinter::lowering {

namespace {

using algebra::Interval;
using algebra::simplify;
using ir::Op;
using schedule::Relation;
using schedule::Tail;

/// Vector and unrolled loops with a bounded extent run to the bound when it is at most this.
constexpr std::int64_t longest = 256;
constexpr std::int64_t most_threads = 1024;
/// No region is rounded up to more: it would leave int32, which the entry refuses.
constexpr std::int64_t most_coordinates = std::int64_t{1} << 32;

bool contains_require(const Definition& definition) {
  bool found = false;
  for (const Expr& v : definition.values) {
    ir::for_each_node(v.node(), [&](const ir::Ref& n) {
      found = found || n->op == Op::Require;
      return !found;
    });
  }
  return found;
}

const schedule::SplitRelation* split_of(const schedule::DefinitionSchedule& s,
                                        const Symbol& variable) {
  for (const Relation& r : s.relations) {
    if (r.kind == Relation::Kind::Split && r.split.old == variable) return &r.split;
  }
  return nullptr;
}

/// A variable of the schedule: its instance and range.
struct Variable {
  Symbol symbol;
  Expr min, extent;
  bool may_exceed = false;  // RoundUp may run past the extent: storage was rounded for it
  int depth = -1;           // innermost loop it depends on
};

class LoopMaker {
 public:
  LoopMaker(const StageDefinition& stage, int definition, const schedule::DefinitionSchedule& s,
            const algebra::ConstantScope& known, const std::unordered_set<Symbol>& produced_inside)
      : stage_(stage),
        index_(definition),
        definition_(stage.definitions[static_cast<std::size_t>(definition)]),
        schedule_(s),
        known_(known),
        produced_inside_(produced_inside) {}

  DefinitionLoops run(const Box& box, const std::vector<bool>& slid) {
    const bool rounding = !contains_require(definition_);
    for (std::size_t d = 0; d < stage_.rank(); ++d) {
      if (!definition_.is_pure_in(d, stage_.variables)) continue;
      const Interval& i = box.dimensions[d];
      add_variable(stage_.variables[d], i.min, extent_of(i), rounding && !slid[d]);
    }
    for (const ReductionVariable& r : definition_.domain)
      add_variable(r.symbol, r.min, r.extent, false);
    for (const Relation& r : schedule_.relations) derive(r);
    make_loop_list();
    for (auto r = schedule_.relations.rbegin(); r != schedule_.relations.rend(); ++r) invert(*r);
    make_body();
    return std::move(result_);
  }

 private:
  Variable& at(const Symbol& s) {
    const auto it = variables_.find(s);
    ensure(it != variables_.end(),
           "every loop variable of a schedule derives from the definition's own");
    return it->second;
  }

  void add_variable(const Symbol& s, const Expr& min, const Expr& extent, bool may_exceed) {
    Variable v;
    v.symbol = Symbol::fresh(stage_.name + "." + s.name());
    v.min = min;
    v.extent = simplify(extent);
    v.may_exceed = may_exceed;
    variables_.insert_or_assign(s, v);
  }

  static Expr ceil_div(const Expr& e, std::int64_t n) {
    return simplify((e + ir::index_literal(n - 1)) / ir::index_literal(n));
  }

  void derive(const Relation& r) {
    const Expr zero = ir::index_literal(0);
    if (r.kind == Relation::Kind::Fuse) {
      // Regions that nothing needs may have negative extents: their product is not.
      const auto some = [&](const Symbol& s) {
        return simplify(ir::binary(Op::Max, at(s).extent, zero));
      };
      add_variable(r.fuse.fused, zero, some(r.fuse.inner) * some(r.fuse.outer), false);
      return;
    }
    const Variable old = at(r.split.old);
    const bool rounds_up = r.split.tail == Tail::RoundUp && old.may_exceed;
    add_variable(r.split.outer, zero, ceil_div(old.extent, r.split.factor), rounds_up);
    add_variable(r.split.inner, zero, ir::index_literal(r.split.factor), false);
  }

  void make_loop_list() {
    int depth = 0;
    for (auto l = schedule_.loops.rbegin(); l != schedule_.loops.rend(); ++l, ++depth) {
      if (variables_.find(l->variable) == variables_.end()) {  // gpu_single_thread's own
        add_variable(l->variable, ir::index_literal(0), ir::index_literal(1), false);
      }
      Variable& v = at(l->variable);
      v.depth = depth;
      bound_extent(*l, v, depth);
      result_.loops.push_back({v.symbol, l->variable, v.min, v.extent, l->kind, l->partition});
    }
  }

  /// Vector and unrolled loops run to a constant: a bound of the extent, and a guard for the rest.
  void bound_extent(const schedule::Loop& loop, Variable& v, int depth) {
    const bool vector = loop.kind == ir::LoopKind::Vectorized;
    std::int64_t constant = 0;
    const bool threads = ir::is_thread_loop(loop.kind);
    if ((!vector && !threads && loop.kind != ir::LoopKind::Unrolled) ||
        ir::as_constant(v.extent, &constant))
      return;
    const algebra::ConstantInterval bound = algebra::constant_bounds(v.extent, known_);
    if (!bound.has_max || bound.max > (threads ? most_threads : longest)) {
      const std::string stage =
          index_ == 0 ? stage_.name : stage_.name + ".update(" + std::to_string(index_ - 1) + ")";
      throw ScheduleError(Diagnostic{
          stage,
          (vector    ? "vectorize("
           : threads ? "gpu_threads("
                     : "unroll(") +
              loop.name.name() + ")",
          "the extent of '" + loop.name.name() + "' is not a constant and has no small bound",
          "split the loop by a constant first, or give the dimension a constant bound_extent",
          {},
          0}
                              .at(loop.where));
    }
    const Expr last = simplify(v.min + v.extent - ir::index_literal(1));
    const Expr condition = ir::binary(Op::LessEqual, ir::index_symbol(v.symbol), last);
    v.extent = ir::index_literal(std::max<std::int64_t>(bound.max, 0));
    guard(depth, condition, condition);
  }

  void let(const Variable& v, const Expr& value) {
    LevelItem item;
    item.level = v.depth;
    item.symbol = v.symbol;
    item.value = simplify(value);
    result_.items.push_back(std::move(item));
  }

  void guard(int level, const Expr& condition, const Expr& implies) {
    LevelItem item;
    item.level = level;
    item.value = condition;
    item.implies = implies;
    result_.items.push_back(std::move(item));
  }

  /// Computes what a relation was applied to from what it made.
  void invert(const Relation& r) {
    if (r.kind == Relation::Kind::Fuse) {
      const Variable fused = at(r.fuse.fused);
      Variable& inner = at(r.fuse.inner);
      Variable& outer = at(r.fuse.outer);
      inner.depth = outer.depth = fused.depth;
      const Expr f = ir::index_symbol(fused.symbol);
      // Positive, so that the quotient's bounds are those of the outer loop: with an extent of
      // which nothing is known f / n would be anything from -f to f. Where it is 0 nothing runs.
      const Expr n = simplify(ir::binary(Op::Max, inner.extent, ir::index_literal(1)));
      let(outer, f / n + outer.min);
      let(inner, f % n + inner.min);
      return;
    }
    const schedule::SplitRelation& s = r.split;
    Variable& old = at(s.old);
    const Variable& outer = at(s.outer);
    const Variable& inner = at(s.inner);
    old.depth = std::max(outer.depth, inner.depth);
    const Expr factor = ir::index_literal(s.factor);
    const Expr start = ir::is_constant(outer.extent, 1) ? ir::index_literal(0)
                                                        : ir::index_symbol(outer.symbol) * factor;
    const Expr offset = ir::index_symbol(inner.symbol) + old.min;
    const Expr variable = ir::index_symbol(old.symbol);
    const bool exact = ir::is_constant(simplify(old.extent % factor), 0);
    const bool rounds_up = s.tail == Tail::RoundUp && old.may_exceed;
    if (exact || rounds_up) {
      let(old, start + offset);
      return;
    }
    const Expr last = simplify(old.min + old.extent - ir::index_literal(1));
    const Expr in_bounds = ir::binary(Op::LessEqual, variable, last);
    if (s.tail == Tail::ShiftInwards) {
      // The last full tile is moved inwards to end at the last element; shorter than one tile:
      // guarded.
      const Expr limit = simplify(old.extent - factor);
      let(old,
          ir::binary(Op::Max, ir::binary(Op::Min, start, limit), ir::index_literal(0)) + offset);
      guard(old.depth, ir::binary(Op::Or, ir::binary(Op::LessEqual, start, limit), in_bounds),
            in_bounds);
      return;
    }
    let(old, start + offset);
    guard(old.depth, in_bounds, in_bounds);
  }

  void split_conjunction(const Expr& e, std::vector<Expr>& out) {
    if (ir::is(e, Op::And)) {
      split_conjunction(ir::arg(e, 0), out);
      split_conjunction(ir::arg(e, 1), out);
    } else {
      out.push_back(e);
    }
  }

  void make_body() {
    ir::Substitution instance;
    for (std::size_t d = 0; d < stage_.rank(); ++d) {
      if (definition_.is_pure_in(d, stage_.variables)) {
        instance.emplace(stage_.variables[d], ir::index_symbol(at(stage_.variables[d]).symbol));
      }
    }
    for (const ReductionVariable& r : definition_.domain) {
      instance.emplace(r.symbol, ir::index_symbol(at(r.symbol).symbol));
    }
    // One rewriter for all expressions, so that what they share stays shared.
    ir::Rewriter rewriter([&](const ir::Ref& n) -> ir::Ref {
      if (n->op != Op::Symbol) return n;
      const auto it = instance.find(n->symbol);
      return it == instance.end() ? n : it->second.node();
    });
    if (definition_.predicate.defined()) {
      std::vector<Expr> conjuncts;
      split_conjunction(rewriter(definition_.predicate), conjuncts);
      for (const Expr& c : conjuncts) add_predicate(c);
    }
    std::vector<Expr> values, coordinates;
    std::vector<ir::Stmt> statements;
    for (const Expr& v : definition_.values) values.push_back(rewriter(v));
    for (const Expr& c : definition_.coordinates) coordinates.push_back(simplify(rewriter(c)));
    for (Expr& v : values) v = take_requirements(v, statements);
    statements.push_back(ir::provide(stage_.id, values, coordinates));
    if (schedule_.atomic) {
      ir::Node n = *statements.back();
      n.integer = -n.integer;  // an indivisible update; see Op::Provide
      statements.back() = ir::Stmt(ir::make(std::move(n)));
    }
    result_.body = ir::block(std::move(statements));
    result_.reads.insert(result_.reads.end(), values.begin(), values.end());
    result_.reads.insert(result_.reads.end(), coordinates.begin(), coordinates.end());
  }

  /// require(c, v): the check becomes a statement before the Provide.
  Expr take_requirements(const Expr& value, std::vector<ir::Stmt>& statements) const {
    std::vector<ir::Ref> found;
    ir::for_each_node(value.node(), [&](const ir::Ref& n) {
      if (n->op == Op::Require) found.push_back(n);
      return true;
    });
    if (found.empty()) return value;
    ir::Rewriter drop([](const ir::Ref& n) { return n->op == Op::Require ? n->args[1] : n; });
    for (const ir::Ref& n : found) {
      statements.push_back(ir::assert_that(
          drop(Expr(n->args[0])), "stage '" + stage_.name + "': require: " + n->symbol.name()));
    }
    return drop(value);
  }

  void add_predicate(const Expr& condition) {
    LevelItem item;
    item.is_predicate = true;
    item.value = condition;
    int level = -1;
    bool reads_self = false, reads_inside = false;
    ir::for_each_node(condition.node(), [&](const ir::Ref& n) {
      reads_self = reads_self || (n->op == Op::Access && n->symbol == stage_.id);
      reads_inside = reads_inside || (n->op == Op::Access && produced_inside_.count(n->symbol));
      if (n->op == Op::Symbol) {
        for (const auto& [name, v] : variables_) {
          if (v.symbol == n->symbol) level = std::max(level, v.depth);
        }
      }
      return true;
    });
    // What the update writes may change from iteration to iteration: asked again each time.
    const int depth = static_cast<int>(result_.loops.size());
    item.level = reads_inside ? depth : reads_self ? depth - 1 : level;
    result_.items.push_back(item);
  }

  const StageDefinition& stage_;
  int index_;
  const Definition& definition_;
  const schedule::DefinitionSchedule& schedule_;
  const algebra::ConstantScope& known_;
  const std::unordered_set<Symbol>& produced_inside_;
  std::map<Symbol, Variable> variables_;
  DefinitionLoops result_;
};

}  // namespace

std::int64_t rounding_of(const schedule::DefinitionSchedule& s, const Definition& definition,
                         const Symbol& variable) {
  if (contains_require(definition)) return 1;  // nothing may be checked that is not needed
  std::int64_t multiple = 1;
  Symbol current = variable;
  while (const schedule::SplitRelation* split = split_of(s, current)) {
    if (split->tail != Tail::RoundUp) break;
    multiple = std::min(multiple * split->factor, most_coordinates);
    current = split->outer;
  }
  return multiple;
}

std::int64_t rounding_of_branches(const schedule::DefinitionSchedule& s,
                                  const Definition& definition, const Symbol& variable) {
  std::int64_t multiple = rounding_of(s, definition, variable);
  for (const auto& branch : s.specializations) {
    const std::int64_t other = rounding_of_branches(branch.schedule, definition, variable);
    multiple = multiple / std::gcd(multiple, other) > most_coordinates / other
                   ? most_coordinates
                   : std::lcm(multiple, other);
  }
  return multiple;
}

DefinitionLoops make_loops(const StageDefinition& stage, int definition,
                           const schedule::DefinitionSchedule& s, const Box& box,
                           const std::vector<bool>& slid, const algebra::ConstantScope& known,
                           const std::unordered_set<Symbol>& produced_inside) {
  return LoopMaker(stage, definition, s, known, produced_inside).run(box, slid);
}

}  // namespace sinter::lowering
