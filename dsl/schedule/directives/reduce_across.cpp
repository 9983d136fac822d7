#include "dsl/schedule/directives/reduce_across.h"

#include <algorithm>

#include "dsl/algebra/simplify.h"
#include "dsl/schedule/reduction_view.h"

namespace sinter::schedule {

namespace {

Expr add(const Expr& a, const Expr& b) { return ir::binary(ir::Op::Add, a, b); }
Expr scale(const Expr& a, std::int64_t n) {
  return ir::binary(ir::Op::Mul, a, ir::index_literal(n));
}

/// Named `name` unless the stage or its loops use that name.
Symbol new_variable(const State& state, const StageRef& ref, const std::string& name) {
  return unused_variable(state, ref, Symbol::named(name));
}

/// The parts of the rewrite, made once and shared by the functions that build its stages.
struct Tree {
  const StageDefinition stage;
  const Definition update;
  const ir::Op op;
  const ReductionView view;
  std::vector<Symbol> kept;   // other reduction loops: variables of the partials
  std::vector<Symbol> lanes;  // i1 ... im
  std::vector<std::int64_t> widths;

  std::vector<Expr> at(const std::vector<Expr>& coordinates, std::size_t first_lane) const {
    std::vector<Expr> all = coordinates;
    for (const Symbol& k : kept) all.push_back(ir::index_symbol(k));
    for (std::size_t l = first_lane; l < lanes.size(); ++l) {
      all.push_back(ir::index_symbol(lanes[l]));
    }
    return all;
  }
  std::vector<Symbol> variables(std::size_t first_lane) const {
    std::vector<Symbol> all = stage.variables;
    all.insert(all.end(), kept.begin(), kept.end());
    all.insert(all.end(), lanes.begin() + static_cast<std::ptrdiff_t>(first_lane), lanes.end());
    return all;
  }
};

StageDefinition partials(const Tree& tree, const ReduceAcross& directive, const StageRef& ref,
                         const State& state) {
  StageDefinition partial;
  partial.id = directive.partial;
  partial.name = reduce_across_name(directive, ref, state.algorithm);
  partial.types = tree.stage.types;
  partial.variables = tree.variables(0);
  Definition initial, fold;
  initial.where = fold.where = state.where;
  for (const Symbol& v : partial.variables) initial.coordinates.push_back(ir::index_symbol(v));
  for (const Type& type : tree.stage.types) initial.values.push_back(identity_of(tree.op, type));

  const Symbol t = new_variable(state, ref, "t");
  const Symbol i0 = new_variable(state, ref, "i0");
  Expr step = ir::index_symbol(t);
  std::int64_t product = tree.widths[0];
  for (std::size_t l = tree.lanes.size(); l-- > 0;) {
    step = add(scale(step, tree.widths[l + 1]), ir::index_symbol(tree.lanes[l]));
    product *= tree.widths[l + 1];
  }
  step = add(scale(step, tree.widths[0]), ir::index_symbol(i0));
  ir::Substitution to_step;
  Expr inside;
  for (const ReductionLoop& loop : tree.view.loops) {
    if (!(loop.name == directive.loop)) continue;
    to_step[loop.name] = algebra::simplify(add(step, loop.min));
    const Expr rounded = add(loop.extent, ir::index_literal(product - 1));
    const Expr turns = ir::binary(ir::Op::Div, rounded, ir::index_literal(product));
    fold.domain = {{i0, ir::index_literal(0), ir::index_literal(tree.widths[0])},
                   {t, ir::index_literal(0), algebra::simplify(turns)}};
    std::int64_t extent = 0;
    if (!ir::as_constant(loop.extent, &extent) || extent % product != 0) {
      inside = algebra::simplify(ir::binary(ir::Op::Less, step, loop.extent));
    }
  }
  ir::Substitution substitution;
  for (const auto& [symbol, value] : tree.view.from_loops) {
    substitution[symbol] = algebra::simplify(ir::substitute(value, to_step));
  }
  fold.coordinates = tree.at(substitute_all(tree.update.coordinates, substitution), 0);
  fold.values = partial_values(tree.stage, tree.update, substitution, partial.id, fold.coordinates);
  fold.predicate = inside;
  if (tree.view.guard.defined()) {
    fold.predicate = both(fold.predicate, ir::substitute(tree.view.guard, to_step));
  }
  if (tree.update.predicate.defined()) {
    fold.predicate = both(fold.predicate, ir::substitute(tree.update.predicate, substitution));
  }
  partial.definitions = {std::move(initial), std::move(fold)};
  return partial;
}

/// q(..., i, rest) = p(..., i, rest) op p(..., i + half, rest), i being lane `lane`. The source's
/// lanes begin with `first`; those before `lane` are reduced to their element 0 already.
StageDefinition halving(const Tree& tree, const StageDefinition& source, std::size_t first,
                        std::size_t lane, std::int64_t half, const Symbol& id,
                        const std::string& name) {
  StageDefinition level;
  level.id = id;
  level.name = name;
  level.types = tree.stage.types;
  level.variables = tree.variables(lane);
  Definition definition;
  definition.where = source.definitions[0].where;
  for (const Symbol& v : level.variables) definition.coordinates.push_back(ir::index_symbol(v));
  const auto lanes_begin = static_cast<std::ptrdiff_t>(tree.stage.rank() + tree.kept.size());
  std::vector<Expr> low = definition.coordinates;
  low.insert(low.begin() + lanes_begin, lane - first, ir::index_literal(0));
  std::vector<Expr> high = low;
  Expr& other = high[static_cast<std::size_t>(lanes_begin) + lane - first];
  other = add(other, ir::index_literal(half));
  for (std::size_t k = 0; k < level.types.size(); ++k) {
    const int component = static_cast<int>(k);
    definition.values.push_back(
        fold_values(tree.op, ir::access(level.types[k], source.id, low, component),
                    ir::access(level.types[k], source.id, high, component)));
  }
  level.definitions.push_back(std::move(definition));
  return level;
}

}  // namespace

std::optional<Diagnostic> check(const ReduceAcross& across, const StageRef& ref,
                                const State& state) {
  if (auto problem = check_rewritable(state, ref)) return problem;
  if (auto problem = check_is_reduction_loop(state, ref, across.loop)) return problem;
  if (across.widths.empty()) {
    return refusal("no widths are given", "give at least the serial width n0: {n0, n1, ...}");
  }
  std::int64_t product = 1;
  for (std::size_t l = 0; l < across.widths.size(); ++l) {
    if (auto problem = check_factor(across.widths[l])) return problem;
    const std::int64_t n = across.widths[l].constant();
    if (l > 0 && (n & (n - 1)) != 0) {
      return refusal("the width " + std::to_string(n) + " is not a power of two",
                     "n1, n2, ... are powers of two; n0 and the number of turns take the rest");
    }
    if (l > 0) product *= n;
    if (product > 1 << 16) {
      return refusal("the tree has more than 65536 leaves", "give smaller widths n1, n2, ...");
    }
  }
  if (state.algorithm.find(across.partial) != nullptr) {
    return refusal("this rewrite was made already", "drop one of the two");
  }
  return std::nullopt;
}

void apply(const ReduceAcross& across, const StageRef& ref, State& state) {
  const StageDefinition& stage = stage_of(state, ref);
  const Definition& update = definition_of(state, ref);
  Tree tree{stage, update, as_self_update(stage, update)->op, reduction_view(state, ref), {},
            {},    {}};
  Definition merge;
  merge.where = state.where;
  for (const ReductionLoop& loop : tree.view.loops) {
    if (loop.name == across.loop) continue;
    tree.kept.push_back(loop.name);
    merge.domain.push_back({loop.name, loop.min, loop.extent});
  }
  for (std::size_t l = 0; l < across.widths.size(); ++l) {
    tree.widths.push_back(across.widths[l].constant());
    if (l > 0) tree.lanes.push_back(new_variable(state, ref, "i" + std::to_string(l)));
  }
  StageDefinition source = partials(tree, across, ref, state);
  const std::string name = source.name;
  insert_stage(state, source, ref.stage, false);
  std::size_t next = 0;
  std::size_t first = 0;  // lane that the source's lanes begin with
  for (std::size_t lane = 0; lane < tree.lanes.size(); ++lane) {
    for (std::int64_t half = tree.widths[lane + 1] / 2; half >= 1; half /= 2) {
      const std::string level_name =
          name + ".tree_level(" + std::to_string(lane + 1) + ", " + std::to_string(half) + ")";
      StageDefinition level = halving(
          tree, source, first, lane, half,
          next < across.levels.size() ? across.levels[next] : Symbol::fresh("level"), level_name);
      ++next;
      insert_stage(state, level, ref.stage, false);
      source = std::move(level);
      first = lane;
    }
  }
  merge.coordinates = merge_coordinates(tree.stage, tree.update);
  std::vector<Expr> at = merge.coordinates;
  for (const Symbol& k : tree.kept) at.push_back(ir::index_symbol(k));
  while (at.size() < source.rank()) at.push_back(ir::index_literal(0));
  for (std::size_t k = 0; k < tree.stage.types.size(); ++k) {
    const Type type = tree.stage.types[k];
    const int component = static_cast<int>(k);
    merge.values.push_back(
        fold_values(tree.op, ir::access(type, tree.stage.id, merge.coordinates, component),
                    ir::access(type, source.id, at, component)));
  }
  replace_definition(state, ref, std::move(merge));
}

std::string reduce_across_name(const ReduceAcross& across, const StageRef& ref,
                               const Algorithm& algorithm) {
  const StageRef shown{ref.stage, ref.definition == 1 ? 0 : ref.definition};
  return stage_text(algorithm, shown) + ".reduce_across(" + across.loop.name() + ")";
}

std::vector<std::string> level_names(const ReduceAcross& across) {
  std::vector<std::string> names;
  for (std::size_t l = 1; l < across.widths.size(); ++l) {
    const std::int64_t width = across.widths[l].is_constant() ? across.widths[l].constant() : 1;
    for (std::int64_t half = width / 2; half >= 1; half /= 2)
      names.push_back("tree_level(" + std::to_string(l) + ", " + std::to_string(half) + ")");
  }
  return names;
}

void name_stages(ReduceAcross& across, const std::string& stage) {
  const std::string name = stage + "_reduce_" + across.loop.name();
  across.partial = Symbol::fresh(name);
  for (std::size_t i = 0; i < level_names(across).size(); ++i)
    across.levels.push_back(Symbol::fresh(name + "_level"));
}

}  // namespace sinter::schedule
