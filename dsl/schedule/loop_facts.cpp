#include "dsl/schedule/loop_facts.h"

#include <algorithm>

#include "dsl/algebra/linear_form.h"

namespace sinter::schedule {

namespace {

std::vector<Expr> expressions_of(const Definition& definition) {
  std::vector<Expr> all = definition.values;
  all.insert(all.end(), definition.coordinates.begin(), definition.coordinates.end());
  if (definition.predicate.defined()) all.push_back(definition.predicate);
  return all;
}

bool reads(const Expr& e, const Symbol& stage) {
  bool found = false;
  ir::for_each_node(e.node(), [&](const ir::Ref& node) {
    found = found || (node->op == ir::Op::Access && node->symbol == stage);
    return !found;
  });
  return found;
}

bool is_narrow_float(Type type) { return type.is_float() && type.bits < 32; }

/// The f32 value that is rounded to a narrow float at the end; others as they are.
Expr without_rounding(const Expr& value) {
  const bool rounds = ir::is(value, ir::Op::Cast) && is_narrow_float(value.type()) &&
                      ir::arg(value, 0).type() == Float(32);
  return rounds ? ir::arg(value, 0) : value;
}

/// `value` is component `component` of the stage at the definition's own coordinates.
bool is_self_access(const Expr& value, const StageDefinition& stage, const Definition& definition,
                    std::size_t component) {
  const bool widened = ir::is(value, ir::Op::Cast) && value.type() == Float(32) &&
                       is_narrow_float(ir::arg(value, 0).type());
  const Expr e = widened ? ir::arg(value, 0) : value;
  if (!ir::is(e, ir::Op::Access) || !(e->symbol == stage.id)) return false;
  if (e->integer != static_cast<std::int64_t>(component)) return false;
  if (e->args.size() != definition.coordinates.size()) return false;
  for (std::size_t d = 0; d < e->args.size(); ++d) {
    if (!ir::equal(e->args[d], definition.coordinates[d].node())) return false;
  }
  return true;
}

bool is_foldable(ir::Op op) {
  using ir::Op;
  constexpr Op Foldable[] = {Op::Add, Op::Mul,    Op::Min,   Op::Max,   Op::And,
                             Op::Or,  Op::BitAnd, Op::BitOr, Op::BitXor};
  return std::find(std::begin(Foldable), std::end(Foldable), op) != std::end(Foldable);
}

}  // namespace

bool reads_itself(const StageDefinition& stage, const Definition& definition) {
  for (const Expr& e : expressions_of(definition)) {
    if (reads(e, stage.id)) return true;
  }
  return false;
}

std::vector<Symbol> origins(const DefinitionSchedule& schedule, const Symbol& variable) {
  std::vector<Symbol> current{variable};
  for (auto r = schedule.relations.rbegin(); r != schedule.relations.rend(); ++r) {
    std::vector<Symbol> next;
    const auto add = [&](const Symbol& s) {
      if (std::find(next.begin(), next.end(), s) == next.end()) next.push_back(s);
    };
    for (const Symbol& s : current) {
      if (r->kind == Relation::Kind::Split && (s == r->split.outer || s == r->split.inner)) {
        add(r->split.old);
      } else if (r->kind == Relation::Kind::Fuse && s == r->fuse.fused) {
        add(r->fuse.outer);
        add(r->fuse.inner);
      } else {
        add(s);
      }
    }
    current = std::move(next);
  }
  return current;
}

std::optional<std::int64_t> constant_extent(const StageSchedule& stage_schedule,
                                            const StageDefinition& stage,
                                            const Definition& definition,
                                            const DefinitionSchedule& schedule,
                                            const Symbol& variable) {
  for (auto r = schedule.relations.rbegin(); r != schedule.relations.rend(); ++r) {
    const auto extent_of = [&](const Symbol& s) {
      return constant_extent(stage_schedule, stage, definition, schedule, s);
    };
    if (r->kind == Relation::Kind::Split) {
      const SplitRelation& split = r->split;
      if (variable == split.inner) return split.factor;
      if (variable == split.outer) {
        const auto old = extent_of(split.old);
        if (!old) return std::nullopt;
        return (*old + split.factor - 1) / split.factor;
      }
    } else if (variable == r->fuse.fused) {
      const auto inner = extent_of(r->fuse.inner);
      const auto outer = extent_of(r->fuse.outer);
      if (!inner || !outer) return std::nullopt;
      return *inner * *outer;
    }
  }
  std::int64_t value = 0;
  for (const ReductionVariable& r : definition.domain) {
    if (r.symbol == variable && ir::as_constant(r.extent, &value)) return value;
  }
  for (const DimensionBound& bound : stage_schedule.bounds) {
    if (stage.variables[bound.dimension] == variable && bound.extent.defined() &&
        ir::as_constant(bound.extent, &value)) {
      return value;
    }
  }
  const auto is_own = [&](const Symbol& s) {
    return std::find(stage.variables.begin(), stage.variables.end(), s) != stage.variables.end() ||
           std::any_of(definition.domain.begin(), definition.domain.end(),
                       [&](const ReductionVariable& r) { return r.symbol == s; });
  };
  // A loop that derives from no variable (gpu_single_thread) has one iteration.
  return is_own(variable) ? std::nullopt : std::optional<std::int64_t>(1);
}

bool iterations_are_independent(const StageDefinition& stage, const Definition& definition,
                                const Symbol& variable) {
  std::vector<std::size_t> candidates;  // dimensions whose coordinate determines `variable`
  for (std::size_t d = 0; d < definition.coordinates.size(); ++d) {
    const auto linear = algebra::linear_in(definition.coordinates[d], variable);
    if (!linear || linear->coefficient == 0) continue;
    bool alone = true;
    const auto symbols = ir::free_symbols(linear->rest.node());
    for (const Symbol& v : stage.variables) alone = alone && !symbols.contains(v);
    for (const ReductionVariable& r : definition.domain) {
      alone = alone && !symbols.contains(r.symbol);
    }
    ir::for_each_node(linear->rest.node(), [&](const ir::Ref& node) {
      alone = alone && node->op != ir::Op::Access;  // may differ from step to step
      return alone;
    });
    if (alone) candidates.push_back(d);
  }
  for (const Expr& e : expressions_of(definition)) {
    ir::for_each_node(e.node(), [&](const ir::Ref& node) {
      if (node->op == ir::Op::Access && node->symbol == stage.id) {
        std::erase_if(candidates, [&](std::size_t d) {
          return !ir::equal(node->args[d], definition.coordinates[d].node());
        });
      }
      return true;
    });
  }
  return !candidates.empty();
}

std::optional<SelfUpdate> as_self_update(const StageDefinition& stage,
                                         const Definition& definition) {
  SelfUpdate result{ir::Op::Count_, true, {}};
  for (const Expr& c : definition.coordinates) {
    if (reads(c, stage.id)) return std::nullopt;
  }
  if (definition.predicate.defined() && reads(definition.predicate, stage.id)) return std::nullopt;
  if (definition.is_undef()) return std::nullopt;
  for (std::size_t k = 0; k < definition.values.size(); ++k) {
    const Expr value = without_rounding(definition.values[k]);
    ir::Op op = value->op;
    Expr operand;
    if (op == ir::Op::Fma && is_self_access(ir::arg(value, 2), stage, definition, k)) {
      if (reads(ir::arg(value, 0), stage.id) || reads(ir::arg(value, 1), stage.id)) {
        return std::nullopt;
      }
      op = ir::Op::Add;
    } else if (op == ir::Op::Sub && is_self_access(ir::arg(value, 0), stage, definition, k)) {
      operand = ir::arg(value, 1);
      if (reads(operand, stage.id)) return std::nullopt;
      op = ir::Op::Add;  // partial results of differences add up
    } else if (is_foldable(op)) {
      const bool left = is_self_access(ir::arg(value, 0), stage, definition, k);
      const bool right = is_self_access(ir::arg(value, 1), stage, definition, k);
      if (!left && !right) return std::nullopt;
      operand = ir::arg(value, left ? 1 : 0);
      if (reads(operand, stage.id)) return std::nullopt;
    } else {
      return std::nullopt;
    }
    if (k > 0 && op != result.op) return std::nullopt;
    result.op = op;
    const bool selects = op == ir::Op::Min || op == ir::Op::Max;
    result.exact = result.exact && (selects || !value.type().is_float());
    if (selects && operand.defined() && is_narrow_float(definition.values[k].type()) &&
        !(ir::is(operand, ir::Op::Cast) && is_narrow_float(ir::arg(operand, 0).type()))) {
      result.exact = false;  // the smaller of two is rounded after each step
    }
    result.operands.push_back(operand);
  }
  return result;
}

}  // namespace sinter::schedule
