#include "dsl/lowering/loops/vectorize_loops.h"

#include <algorithm>
#include <optional>

#include <sinter/diagnostic.h>

#include "dsl/algebra/linear_form.h"
#include "dsl/algebra/simplifier.h"

namespace sinter::lowering {

namespace {

using algebra::simplify;
using ir::LoopKind;
using ir::Op;
using ir::OpClass;
using ir::Stmt;

/// Thrown inside this file only: the loop runs lane by lane instead.
struct NotVectorizable {};

std::int64_t constant_extent(const Stmt& loop) {
  std::int64_t extent = 0;
  if (!ir::as_constant(simplify(ir::arg(loop, 1)), &extent)) {
    throw CompileError(Diagnostic{loop->symbol.name(),
                                  "vectorize or unroll",
                                  "the loop has no constant extent",
                                  "split it by a constant and vectorize or unroll the inner loop",
                                  {},
                                  0});
  }
  return std::max<std::int64_t>(extent, 0);
}

class Widener {
 public:
  Widener(const Symbol& variable, const Expr& min, int lanes) : lanes_(lanes) {
    wide_symbols_.emplace(variable, ir::ramp(min, ir::index_literal(1), lanes));
  }

  Stmt statement(const Stmt& s) {
    if (!varies(s.node()) && !mask_.defined() && !repeats(s)) return s;
    if (s->op == Op::Block) {
      std::vector<Stmt> list;
      for (const ir::Ref& a : s->args) list.push_back(statement(Stmt(a)));
      return ir::block(std::move(list));
    }
    if (s->op == Op::Let) return let(s);
    if (s->op == Op::Store) return store(s);
    if (s->op == Op::AtomicStore) return atomic_store(s);
    if (s->op == Op::If) return conditional(s);
    if (s->op == Op::For) return loop(s);
    if (s->op == Op::Allocate) return allocate(s);
    if (s->op == Op::Assert) return assertion(s);
    if (s->op == Op::Produce) return ir::produce(s->symbol, statement(ir::stmt_arg(s, 0)));
    if (s->op == Op::Free) return s;
    throw NotVectorizable{};
  }

 private:
  Stmt let(const Stmt& s) {
    const Expr value = expression(ir::arg(s, 0));
    // Partitioned loops hold several copies of a let: each has its own value.
    if (wide_symbols_.erase(s->symbol) != 0) memo_.clear();
    if (value->type.is_scalar()) {
      varies_memo_.clear();
      return ir::let(s->symbol, value, statement(ir::stmt_arg(s, 1)));
    }
    varies_memo_.clear();
    memo_.clear();  // the symbol may have been seen as a scalar in another copy
    if (value->type.is_index()) {
      // Coordinates are substituted, so that dense ramps show where memory is accessed.
      wide_symbols_.emplace(s->symbol, simplify(value));
      return statement(ir::stmt_arg(s, 1));
    }
    const Symbol wide_symbol = Symbol::fresh(s->symbol.name());
    wide_symbols_.emplace(s->symbol, ir::symbol(value->type, wide_symbol));
    return ir::let(wide_symbol, value, statement(ir::stmt_arg(s, 1)));
  }

  Stmt loop(const Stmt& s) {
    const Expr min = expression(ir::arg(s, 0)), extent = expression(ir::arg(s, 1));
    if (min->type.is_vector() || extent->type.is_vector()) throw NotVectorizable{};
    const auto kind = static_cast<LoopKind>(s->integer);
    if (kind == LoopKind::Parallel) throw NotVectorizable{};
    return ir::for_loop(s->symbol, min, extent, kind, statement(ir::stmt_arg(s, 2)));
  }

  /// One copy a lane, lanes side by side.
  Stmt allocate(const Stmt& s) {
    const Expr elements = expression(ir::arg(s, 0));
    if (elements->type.is_vector()) throw NotVectorizable{};
    per_lane_.insert(s->symbol);
    varies_memo_.clear();
    return ir::allocate(s->symbol, s->types[0], simplify(elements * ir::index_literal(lanes_)),
                        static_cast<ir::MemoryKind>(s->integer), statement(ir::stmt_arg(s, 1)));
  }

  Stmt assertion(const Stmt& s) {
    const Expr condition = expression(ir::arg(s, 0));
    if (mask_.defined() || condition->type.is_vector())
      throw NotVectorizable{};  // asserts are scalar
    std::vector<Expr> values;
    for (std::size_t i = 1; i < s->args.size(); ++i) {
      if (varies(s->args[i])) throw NotVectorizable{};
      values.push_back(ir::arg(s, i));
    }
    return ir::assert_that(condition, s->symbol.name(), values);
  }

  Expr wide(const Expr& e) const { return e->type.is_vector() ? e : ir::broadcast(e, lanes_); }

  /// An invariant statement runs once for all lanes, except what counts its runs.
  static bool repeats(const Stmt& s) {
    bool found = false;
    ir::for_each_node(s.node(), [&](const ir::Ref& n) {
      found = found || n->op == Op::AtomicStore;
      return !found && ir::is_statement(n->op);
    });
    return found;
  }

  /// Whether the node may differ between lanes, as far as is known on the way down: the memo is
  /// dropped whenever a let or an allocation turns out to be wide.
  bool varies(const ir::Ref& n) {
    if (const auto it = varies_memo_.find(n.get()); it != varies_memo_.end()) return it->second;
    bool result = n->op == Op::Symbol && wide_symbols_.count(n->symbol) != 0;
    if (n->op == Op::Load || n->op == Op::Store || n->op == Op::AtomicStore)
      result = per_lane_.count(n->symbol) != 0;
    for (const ir::Ref& a : n->args) result = result || varies(a);
    varies_memo_.emplace(n.get(), result);
    return result;
  }

  Expr expression(const Expr& e) {
    const auto key = std::make_pair(e.node().get(), mask_.node().get());
    if (const auto it = memo_.find(key); it != memo_.end()) return it->second.second;
    const Expr result = widen(e);
    memo_.emplace(key, std::make_pair(e, result));
    return result;
  }

  Expr lane_index(const Symbol& buffer, const Expr& index) const {
    if (!per_lane_.count(buffer)) return index;
    const Expr lanes = ir::index_literal(lanes_);
    if (index->type.is_scalar())
      return ir::ramp(simplify(index * lanes), ir::index_literal(1), lanes_);
    return ir::binary(Op::Add, ir::binary(Op::Mul, index, ir::broadcast(lanes, lanes_)),
                      ir::ramp(ir::index_literal(0), ir::index_literal(1), lanes_));
  }

  Expr widen(const Expr& e) {
    if (e->op == Op::Symbol) {
      const auto it = wide_symbols_.find(e->symbol);
      return it == wide_symbols_.end() ? e : it->second;
    }
    if (e->args.empty()) return e;
    if (e->type.is_vector())
      throw NotVectorizable{};  // nested vector loops: the inner one is wide already
    std::vector<Expr> args;
    bool vector = false;
    for (const ir::Ref& a : e->args) {
      args.push_back(expression(Expr(a)));
      vector = vector || args.back()->type.is_vector();
    }
    if (e->op == Op::Load) {
      const Expr index = simplify_index_(lane_index(e->symbol, args[0]));
      if (args.size() > 1) throw NotVectorizable{};
      // Behind a predicate a load may be out of bounds in lanes that do not run.
      if (mask_.defined())
        return ir::load(e->type.with_lanes(lanes_), e->symbol, wide(index), mask_,
                        ir::cache_hint(*e));
      return ir::load(e->type.with_lanes(index->type.lanes), e->symbol, index, {},
                      ir::cache_hint(*e));
    }
    if (!vector) return e;
    std::vector<ir::Ref> refs;
    for (const Expr& a : args) refs.push_back(wide(a).node());
    ir::Node n = *e;
    n.args = std::move(refs);
    n.type = e->type.with_lanes(lanes_);
    return Expr(ir::make(std::move(n)));
  }

  Stmt store(const Stmt& s) {
    if (s->args.size() > 2) throw NotVectorizable{};
    const Expr value = expression(ir::arg(s, 0));
    const Expr index = simplify_index_(lane_index(s->symbol, expression(ir::arg(s, 1))));
    if (index->type.is_scalar()) {
      // Every lane writes the same element; only a value that all lanes agree on has one meaning.
      if (value->type.is_vector() || mask_.defined()) throw NotVectorizable{};
      return ir::store(s->symbol, value, index, {}, ir::cache_hint(*s));
    }
    return ir::store(s->symbol, wide(value), index, mask_, ir::cache_hint(*s));
  }

  Stmt atomic_store(const Stmt& s) {
    if (s->args.size() > 2) throw NotVectorizable{};
    return ir::atomic_store(static_cast<Op>(s->integer), s->symbol, wide(expression(ir::arg(s, 0))),
                            wide(lane_index(s->symbol, expression(ir::arg(s, 1)))), mask_);
  }

  Stmt conditional(const Stmt& s) {
    const Expr condition = expression(ir::arg(s, 0));
    const bool has_else = s->args.size() > 2;
    if (condition->type.is_scalar()) {
      return ir::if_then(condition, statement(ir::stmt_arg(s, 1)),
                         has_else ? statement(ir::stmt_arg(s, 2)) : Stmt{});
    }
    const Expr outer = mask_;
    const auto under = [&](const Expr& m, const Stmt& body) {
      mask_ = outer.defined() ? ir::binary(Op::And, outer, m) : m;
      const Stmt result = statement(body);
      mask_ = outer;
      return result;
    };
    std::vector<Stmt> parts{under(condition, ir::stmt_arg(s, 1))};
    if (has_else) parts.push_back(under(ir::unary(Op::Not, condition), ir::stmt_arg(s, 2)));
    return ir::block(std::move(parts));
  }

  struct KeyHash {
    std::size_t operator()(const std::pair<const ir::Node*, const ir::Node*>& k) const {
      return std::hash<const void*>{}(k.first) * 31 + std::hash<const void*>{}(k.second);
    }
  };
  int lanes_;
  Expr mask_;
  algebra::Simplifier simplify_index_;  // an index may hold loads with simplified indices
  std::unordered_map<Symbol, Expr> wide_symbols_;
  std::unordered_set<Symbol> per_lane_;
  std::unordered_map<const ir::Node*, bool> varies_memo_;
  std::unordered_map<std::pair<const ir::Node*, const ir::Node*>, std::pair<Expr, Expr>, KeyHash>
      memo_;
};

template <typename Visit>
Stmt map_statements(const Stmt& s, const Visit& visit) {
  std::vector<ir::Ref> args;
  for (const ir::Ref& a : s->args)
    args.push_back(ir::is_statement(a->op) ? visit(Stmt(a)).node() : a);
  return Stmt(ir::with_args(s.node(), std::move(args)));
}

/// Memory accesses of 8 and 16 bits under a condition: vector units before AVX-512 have no
/// predicate for them, and a compiled branch per lane is longer and no faster than the loop.
bool wants_narrow_predicates(const Stmt& body) {
  bool conditional = false, narrow = false;
  ir::for_each_node(body.node(), [&](const ir::Ref& n) {
    conditional = conditional || n->op == Op::If;
    narrow = narrow || (n->op == Op::Load && n->type.bits < 32) ||
             (n->op == Op::Store && n->args[0]->type.bits < 32);
    return true;
  });
  return conditional && narrow;
}

/// The chain of lets and guards at the start of a body, with the lets substituted: a vector whose
/// guards hold in the first and last lane (they are linear, so in all) needs no mask.
struct GuardedChain {
  Expr all_lanes;  // undefined: no guard depends on the lane
  Stmt inside;     // the body without those guards

  GuardedChain(const Symbol& lane, const Expr& min, std::int64_t lanes, const Stmt& body) {
    inside = walk(lane, min, lanes, body);
  }

 private:
  Stmt walk(const Symbol& lane, const Expr& min, std::int64_t lanes, const Stmt& s) {
    if (s->op == Op::Let && ir::arg(s, 0).type().is_index()) {
      lets_.insert_or_assign(s->symbol, ir::substitute(ir::arg(s, 0), lets_));
      return ir::let(s->symbol, ir::arg(s, 0), walk(lane, min, lanes, ir::stmt_arg(s, 1)));
    }
    if (s->op != Op::If || s->args.size() > 2) return s;
    const Expr condition = ir::substitute(ir::arg(s, 0), lets_);
    const bool compares = (condition->op == Op::Less || condition->op == Op::LessEqual) &&
                          ir::arg(condition, 0).type() == Index();
    if (compares && ir::uses_symbol(condition.node(), lane) && !reads_memory(condition)) {
      const auto slope =
          algebra::linear_in(simplify(ir::arg(condition, 1) - ir::arg(condition, 0)), lane);
      if (slope) {
        const std::int64_t worst = slope->coefficient < 0 ? lanes - 1 : 0;
        const Expr holds =
            simplify(ir::substitute(condition, {{lane, min + ir::index_literal(worst)}}));
        all_lanes = all_lanes.defined() ? ir::binary(Op::And, all_lanes, holds) : holds;
        return walk(lane, min, lanes, ir::stmt_arg(s, 1));
      }
    }
    return ir::if_then(ir::arg(s, 0), walk(lane, min, lanes, ir::stmt_arg(s, 1)));
  }

  static bool reads_memory(const Expr& e) {
    bool found = false;
    ir::for_each_node(e.node(),
                      [&](const ir::Ref& n) { return !(found = found || n->op == Op::Load); });
    return found;
  }

  ir::Substitution lets_;
};

using Registers = std::unordered_set<Symbol>;

/// What is stored in MemoryType::Register.
Registers registers_of(const Stmt& s) {
  Registers found;
  ir::for_each_node(s.node(), [&](const ir::Ref& n) {
    if (n->op == Op::Allocate &&
        static_cast<ir::MemoryKind>(n->integer) == ir::MemoryKind::Register)
      found.insert(n->symbol);
    return ir::is_statement(n->op);
  });
  return found;
}

/// Iterations of a loop as copies of its body.
Stmt copies_of(const Stmt& loop) {
  std::vector<Stmt> copies;
  for (std::int64_t i = 0; i < constant_extent(loop); ++i) {
    const Expr value = simplify(ir::arg(loop, 0) + ir::index_literal(i));
    copies.push_back(ir::substitute(ir::stmt_arg(loop, 2), {{loop->symbol, value}}));
  }
  return ir::block(std::move(copies));
}

/// Iterations of a kernel's loop one by one. What touches elements that a thread holds is copied:
/// registers have no addresses.
Stmt iterations(const Stmt& loop, const Registers& registers) {
  bool holds = false;
  ir::for_each_node(ir::arg(loop, 2).node(), [&](const ir::Ref& n) {
    holds = holds || ((n->op == Op::Load || n->op == Op::Store) && registers.count(n->symbol) != 0);
    return !holds;
  });
  if (holds) return copies_of(loop);
  return ir::for_loop(loop->symbol, ir::arg(loop, 0), ir::arg(loop, 1), LoopKind::Serial,
                      ir::stmt_arg(loop, 2));
}

Stmt vectorize(const Stmt& s, const LowerOptions& options, const Registers& registers,
               bool in_grid = false) {
  const bool is_grid = s->op == Op::For && ir::is_gpu_loop(static_cast<LoopKind>(s->integer));
  const Stmt inner = map_statements(
      s, [&](const Stmt& part) { return vectorize(part, options, registers, in_grid || is_grid); });
  if (inner->op != Op::For || static_cast<LoopKind>(inner->integer) != LoopKind::Vectorized)
    return inner;
  const std::int64_t lanes = constant_extent(inner);
  const Expr min = ir::arg(inner, 0);
  const Stmt body = ir::stmt_arg(inner, 2);
  if (in_grid && lanes > 1) {
    // A GPU has no masks: whole vectors, and the lanes of others one by one.
    const GuardedChain chain(inner->symbol, min, lanes, body);
    if (chain.all_lanes.defined()) {
      const Stmt whole =
          ir::for_loop(inner->symbol, min, ir::arg(inner, 1), LoopKind::Vectorized, chain.inside);
      return ir::if_then(chain.all_lanes, vectorize(whole, options, registers, in_grid),
                         iterations(inner, registers));
    }
  }
  const bool one_by_one = !in_grid && options.vector_bits < 512 && wants_narrow_predicates(body);
  if (lanes > 1 && lanes <= 1024 && !one_by_one) {
    try {
      return Widener(inner->symbol, min, static_cast<int>(lanes)).statement(body);
    } catch (const NotVectorizable&) {
    }
  }
  return ir::for_loop(inner->symbol, min, ir::arg(inner, 1), LoopKind::Serial, body);
}

/// A decision inside a body that all copies of it take alike.
struct Decision {
  Expr condition;
  Stmt taken, otherwise;
};

/// The first one below lets and guards; `lets`: of indices, `others`: bound on the way.
std::optional<Decision> common_decision(const Symbol& variable, const Stmt& s,
                                        ir::Substitution& lets,
                                        std::unordered_set<Symbol>& others) {
  if (s->op == Op::Let) {
    const Expr value = ir::arg(s, 0);
    if (value.type().is_index()) lets.insert_or_assign(s->symbol, ir::substitute(value, lets));
    else others.insert(s->symbol);
    auto found = common_decision(variable, ir::stmt_arg(s, 1), lets, others);
    if (!found) return std::nullopt;
    return Decision{found->condition, ir::let(s->symbol, value, found->taken),
                    ir::let(s->symbol, value, found->otherwise)};
  }
  if (s->op != Op::If) return std::nullopt;
  const Expr condition = ir::substitute(ir::arg(s, 0), lets);
  bool common = !ir::uses_symbol(condition.node(), variable);
  ir::for_each_node(condition.node(), [&](const ir::Ref& n) {
    return common = common && n->op != Op::Load && others.count(n->symbol) == 0;
  });
  if (common && s->args.size() > 2)
    return Decision{condition, ir::stmt_arg(s, 1), ir::stmt_arg(s, 2)};
  if (s->args.size() > 2) return std::nullopt;
  auto found = common_decision(variable, ir::stmt_arg(s, 1), lets, others);
  if (!found) return std::nullopt;
  return Decision{found->condition, ir::if_then(ir::arg(s, 0), found->taken),
                  ir::if_then(ir::arg(s, 0), found->otherwise)};
}

Stmt unroll(const Stmt& s, const Registers& registers, bool in_grid = false) {
  const bool is_grid = s->op == Op::For && ir::is_gpu_loop(static_cast<LoopKind>(s->integer));
  const Stmt inner = map_statements(
      s, [&](const Stmt& part) { return unroll(part, registers, in_grid || is_grid); });
  if (inner->op != Op::For || static_cast<LoopKind>(inner->integer) != LoopKind::Unrolled)
    return inner;
  const std::int64_t extent = constant_extent(inner);
  if (in_grid && extent > 1) {
    // Copies without guards can share wide accesses.
    const GuardedChain chain(inner->symbol, ir::arg(inner, 0), extent, ir::stmt_arg(inner, 2));
    if (chain.all_lanes.defined()) {
      const Stmt whole = ir::for_loop(inner->symbol, ir::arg(inner, 0), ir::arg(inner, 1),
                                      LoopKind::Unrolled, chain.inside);
      return ir::if_then(chain.all_lanes, unroll(whole, registers, in_grid),
                         iterations(inner, registers));
    }
    // What is decided before the copies does not stand between their accesses.
    ir::Substitution lets;
    std::unordered_set<Symbol> others;
    if (const auto found = common_decision(inner->symbol, ir::stmt_arg(inner, 2), lets, others)) {
      const auto with = [&](const Stmt& body) {
        return ir::for_loop(inner->symbol, ir::arg(inner, 0), ir::arg(inner, 1), LoopKind::Unrolled,
                            body);
      };
      return ir::if_then(found->condition, unroll(with(found->taken), registers, in_grid),
                         iterations(with(found->otherwise), registers));
    }
  }
  return copies_of(inner);
}

}  // namespace

ir::Module vectorize_loops(ir::Module module, const LowerOptions& options) {
  if (module.body.defined())
    module.body = vectorize(module.body, options, registers_of(module.body));
  return module;
}

ir::Module unroll_loops(ir::Module module, const LowerOptions&) {
  if (module.body.defined()) module.body = unroll(module.body, registers_of(module.body));
  return module;
}

}  // namespace sinter::lowering
