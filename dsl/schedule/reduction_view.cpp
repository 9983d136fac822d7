#include "dsl/schedule/reduction_view.h"

#include <algorithm>
#include <limits>

#include "dsl/algebra/simplify.h"

namespace sinter::schedule {

namespace {

Expr index_op(ir::Op op, const Expr& a, const Expr& b) { return ir::binary(op, a, b); }
Expr plus(const Expr& a, const Expr& b) { return index_op(ir::Op::Add, a, b); }
Expr times(const Expr& a, const Expr& b) { return index_op(ir::Op::Mul, a, b); }

/// A variable on its way from the domain to the loops: where it starts and how far it goes.
struct Span {
  Expr min, extent;
};

bool is_narrow_float(Type type) { return type.is_float() && type.bits < 32; }

bool derives_from_domain(const DefinitionSchedule& schedule, const Definition& definition,
                         const Symbol& variable, bool* from_pure) {
  bool from_domain = false;
  for (const Symbol& origin : origins(schedule, variable)) {
    bool in_domain = false;
    for (const ReductionVariable& r : definition.domain) in_domain |= r.symbol == origin;
    from_domain |= in_domain;
    *from_pure |= !in_domain;
  }
  return from_domain;
}

}  // namespace

std::optional<Diagnostic> check_reduction_view(const State& state, const StageRef& ref) {
  const DefinitionSchedule& schedule = definition_schedule(state, ref);
  const Definition& definition = definition_of(state, ref);
  for (const Loop& loop : schedule.loops) {
    bool from_pure = false;
    const bool from_domain = derives_from_domain(schedule, definition, loop.variable, &from_pure);
    if (from_domain && from_pure) {
      return refusal(
          "the loop '" + loop.name.name() + "' is fused from a reduction variable and a pure one",
          "fuse them after this rewrite");
    }
  }
  return std::nullopt;
}

ReductionView reduction_view(const State& state, const StageRef& ref) {
  const DefinitionSchedule& schedule = definition_schedule(state, ref);
  const Definition& definition = definition_of(state, ref);
  std::unordered_map<Symbol, Span> spans;
  for (const ReductionVariable& r : definition.domain) spans[r.symbol] = {r.min, r.extent};
  const Expr zero = ir::index_literal(0);
  for (const Relation& r : schedule.relations) {
    if (r.kind == Relation::Kind::Split) {
      const auto old = spans.find(r.split.old);
      if (old == spans.end()) continue;
      const Expr rounded = plus(old->second.extent, ir::index_literal(r.split.factor - 1));
      const Expr outer = index_op(ir::Op::Div, rounded, ir::index_literal(r.split.factor));
      spans[r.split.outer] = {zero, algebra::simplify(outer)};
      spans[r.split.inner] = {zero, ir::index_literal(r.split.factor)};
    } else if (spans.contains(r.fuse.inner) && spans.contains(r.fuse.outer)) {
      spans[r.fuse.fused] = {
          zero, algebra::simplify(times(spans[r.fuse.inner].extent, spans[r.fuse.outer].extent))};
    }
  }
  ReductionView view;
  ir::Substitution values;  // of loop variables and what they derive from, over loop names
  for (const Loop& loop : schedule.loops) {
    const auto span = spans.find(loop.variable);
    if (span == spans.end()) continue;
    view.loops.push_back({loop.name, span->second.min, span->second.extent});
    values[loop.variable] = ir::index_symbol(loop.name);
  }
  for (auto r = schedule.relations.rbegin(); r != schedule.relations.rend(); ++r) {
    if (r->kind == Relation::Kind::Split) {
      const auto old = spans.find(r->split.old);
      if (old == spans.end()) continue;
      const Expr steps = plus(times(values.at(r->split.outer), ir::index_literal(r->split.factor)),
                              values.at(r->split.inner));
      values[r->split.old] = algebra::simplify(plus(steps, old->second.min));
      std::int64_t extent = 0;
      const bool divides =
          ir::as_constant(old->second.extent, &extent) && extent % r->split.factor == 0;
      if (!divides) {
        view.guard = both(algebra::simplify(ir::binary(ir::Op::Less, steps, old->second.extent)),
                          view.guard);
      }
    } else if (spans.contains(r->fuse.fused)) {
      const Span& inner = spans.at(r->fuse.inner);
      const Span& outer = spans.at(r->fuse.outer);
      const Expr fused = values.at(r->fuse.fused);
      // Positive, so that the quotient's bounds are those of the outer variable.
      const Expr n = algebra::simplify(index_op(ir::Op::Max, inner.extent, ir::index_literal(1)));
      values[r->fuse.inner] = algebra::simplify(plus(index_op(ir::Op::Mod, fused, n), inner.min));
      values[r->fuse.outer] = algebra::simplify(plus(index_op(ir::Op::Div, fused, n), outer.min));
    }
  }
  for (const ReductionVariable& r : definition.domain)
    view.from_loops[r.symbol] = values.at(r.symbol);
  return view;
}

std::optional<Diagnostic> check_rewritable(const State& state, const StageRef& ref) {
  if (!state.branch.empty()) {
    return refusal("a rewrite changes the algorithm, which cannot depend on a condition",
                   "write it on the definition itself, before specialize");
  }
  if (ref.definition == 0) {
    return refusal("a pure definition is no reduction", "write it on an update");
  }
  const StageDefinition& stage = stage_of(state, ref);
  const Definition& definition = definition_of(state, ref);
  const DefinitionSchedule& schedule = definition_schedule(state, ref);
  if (stage.types.size() > 1 && !as_self_update(stage, definition)) {
    return refusal(
        "the update's components are chosen together, as argmin chooses a place and a value: it is "
        "not proved that such steps may be regrouped",
        "write the reduction of the parts as a Func of its own, and reduce that one");
  }
  if (!as_self_update(stage, definition)) {
    return refusal(
        "the update is not of the form f(a) = f(a) op g, with op one of + * min max & | ^ "
        "and g free of f",
        "restate the update in that form");
  }
  if (!schedule.specializations.empty() || schedule.atomic) {
    return refusal("the definition has branches or is atomic already",
                   "write this directive before specialize and atomic");
  }
  if (auto problem = check_reduction_view(state, ref)) return problem;
  for (const Loop& loop : schedule.loops) {
    bool from_pure = false;
    derives_from_domain(schedule, definition, loop.variable, &from_pure);
    bool split_pure = from_pure;
    for (const Symbol& v : stage.variables) split_pure = split_pure && !(v == loop.variable);
    if (split_pure || loop.kind != ir::LoopKind::Serial) {
      return refusal("the loop '" + loop.name.name() +
                         "' has been shaped already; the rewrite starts new loops",
                     "write the rewrite first; before it, only split, fuse and reorder the "
                     "reduction variables");
    }
  }
  return std::nullopt;
}

std::optional<Diagnostic> check_is_reduction_loop(const State& state, const StageRef& ref,
                                                  const Symbol& name) {
  if (auto problem = check_is_loop(state, ref, name)) return problem;
  const DefinitionSchedule& schedule = definition_schedule(state, ref);
  if (schedule.loops[find_loop(schedule, name)].reduction) return std::nullopt;
  return refusal("'" + name.name() + "' is a pure variable, not one of the reduction",
                 "name a reduction variable or a loop made of some");
}

Expr identity_of(ir::Op op, Type type) {
  const auto number = [&](std::int64_t integer, double real) {
    return type.is_float() ? ir::real_literal(type, real) : ir::literal(type, integer);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();  // min and max ignore it
  const bool is_unsigned = type.is_uint();
  if (op == ir::Op::Add) return number(0, -0.0);
  if (op == ir::Op::Mul) return number(1, 1.0);
  if (op == ir::Op::Min) return number(is_unsigned ? -1 : type.is_int() ? type.max_int() : 1, nan);
  if (op == ir::Op::Max) return number(type.is_int() ? type.min_int() : 0, nan);
  if (op == ir::Op::And) return ir::true_value();
  if (op == ir::Op::BitAnd) return number(-1, 0);
  return number(0, 0);  // Or, BitOr, BitXor
}

Expr fold_values(ir::Op op, const Expr& a, const Expr& b) {
  const Type type = a.type();
  if (!is_narrow_float(type)) return ir::binary(op, a, b);
  return ir::cast_to(type, ir::binary(op, ir::cast_to(Float(32), a), ir::cast_to(Float(32), b)));
}

std::vector<Expr> partial_values(const StageDefinition& stage, const Definition& update,
                                 const ir::Substitution& substitution, const Symbol& partial,
                                 const std::vector<Expr>& coordinates) {
  std::vector<Expr> values;
  for (const Expr& value : update.values) {
    values.push_back(ir::rewrite(ir::substitute(value, substitution), [&](const ir::Ref& node) {
      if (node->op != ir::Op::Access || !(node->symbol == stage.id)) return node;
      return ir::access(node->type, partial, coordinates, static_cast<int>(node->integer)).node();
    }));
  }
  return values;
}

std::vector<Expr> substitute_all(const std::vector<Expr>& list, const ir::Substitution& by) {
  std::vector<Expr> result;
  for (const Expr& e : list) result.push_back(ir::substitute(e, by));
  return result;
}

Expr both(const Expr& a, const Expr& b) {
  if (!a.defined()) return b;
  if (!b.defined()) return a;
  return ir::binary(ir::Op::And, a, b);
}

std::vector<Expr> merge_coordinates(const StageDefinition& stage, const Definition& definition) {
  std::vector<Expr> coordinates;
  for (std::size_t d = 0; d < definition.coordinates.size(); ++d) {
    const auto symbols = ir::free_symbols(definition.coordinates[d].node());
    bool depends = false;
    for (const ReductionVariable& r : definition.domain) depends |= symbols.contains(r.symbol);
    coordinates.push_back(depends ? ir::index_symbol(stage.variables[d])
                                  : definition.coordinates[d]);
  }
  return coordinates;
}

void insert_stage(State& state, StageDefinition stage, const Symbol& neighbour, bool after) {
  state.schedules.emplace(stage.id, initial_schedule(stage, false));
  state.schedules.at(stage.id).compute.where = state.where;
  auto& stages = state.algorithm.stages;
  auto at = std::find_if(stages.begin(), stages.end(),
                         [&](const StageDefinition& s) { return s.id == neighbour; });
  if (after && at != stages.end()) ++at;
  stages.insert(at, std::move(stage));
}

void replace_definition(State& state, const StageRef& ref, Definition definition) {
  for (StageDefinition& stage : state.algorithm.stages) {
    if (!(stage.id == ref.stage)) continue;
    const auto k = static_cast<std::size_t>(ref.definition);
    stage.definitions[k] = std::move(definition);
    state.schedules.at(stage.id).definitions[k] = initial_definition_schedule(stage, k);
    return;
  }
}

}  // namespace sinter::schedule
