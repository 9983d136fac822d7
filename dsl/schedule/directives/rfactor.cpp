#include "dsl/schedule/directives/rfactor.h"

#include <algorithm>

#include "dsl/schedule/reduction_view.h"

namespace sinter::schedule {

namespace {

const Symbol* pure_name(const Rfactor& rfactor, const Symbol& loop) {
  for (const auto& [r, u] : rfactor.preserved) {
    if (r == loop) return &u;
  }
  return nullptr;
}

std::optional<Diagnostic> check_names(const Rfactor& rfactor, const StageDefinition& stage) {
  for (std::size_t i = 0; i < rfactor.preserved.size(); ++i) {
    const Symbol& u = rfactor.preserved[i].second;
    bool taken =
        std::find(stage.variables.begin(), stage.variables.end(), u) != stage.variables.end();
    for (std::size_t j = 0; j < i; ++j) {
      taken = taken || rfactor.preserved[j].second == u ||
              rfactor.preserved[j].first == rfactor.preserved[i].first;
    }
    if (taken) {
      return refusal("the pure variable '" + u.name() +
                         "' or its loop is named twice, or is a "
                         "variable of the stage",
                     "give each preserved loop a new pure variable of its own");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> check(const Rfactor& rfactor, const StageRef& ref, const State& state) {
  if (auto problem = check_rewritable(state, ref)) return problem;
  if (rfactor.preserved.empty()) {
    return refusal("no reduction loop is named", "name the loops that become pure variables");
  }
  for (const auto& [r, u] : rfactor.preserved) {
    if (auto problem = check_is_reduction_loop(state, ref, r)) return problem;
  }
  if (auto problem = check_names(rfactor, stage_of(state, ref))) return problem;
  if (state.algorithm.find(rfactor.intermediate) != nullptr) {
    return refusal("this rewrite was made already", "drop one of the two");
  }
  return std::nullopt;
}

void apply(const Rfactor& rfactor, const StageRef& ref, State& state) {
  const StageDefinition stage = stage_of(state, ref);
  const Definition update = definition_of(state, ref);
  const ir::Op op = as_self_update(stage, update)->op;
  const ReductionView view = reduction_view(state, ref);

  StageDefinition partial;
  partial.id = rfactor.intermediate;
  partial.name = rfactor_name(rfactor, ref, state.algorithm);
  partial.types = stage.types;
  partial.variables = stage.variables;
  Definition initial, fold, merge;
  initial.where = fold.where = merge.where = state.where;

  // Loops that stay reduce in the new stage; the named ones are its variables, and reduce it.
  ir::Substitution to_pure;
  std::vector<Expr> merged_at = merge_coordinates(stage, update);
  merge.coordinates = merged_at;
  for (const ReductionLoop& loop : view.loops) {
    if (const Symbol* u = pure_name(rfactor, loop.name)) {
      partial.variables.push_back(*u);
      to_pure[loop.name] = ir::index_symbol(*u);
      merged_at.push_back(ir::index_symbol(loop.name));
      merge.domain.push_back({loop.name, loop.min, loop.extent});
    } else {
      fold.domain.push_back({loop.name, loop.min, loop.extent});
    }
  }
  ir::Substitution substitution;
  for (const auto& [symbol, value] : view.from_loops) {
    substitution[symbol] = ir::substitute(value, to_pure);
  }
  fold.coordinates = substitute_all(update.coordinates, substitution);
  for (std::size_t d = stage.rank(); d < partial.variables.size(); ++d) {
    fold.coordinates.push_back(ir::index_symbol(partial.variables[d]));
  }
  for (const Symbol& v : partial.variables) initial.coordinates.push_back(ir::index_symbol(v));
  for (std::size_t k = 0; k < stage.types.size(); ++k) {
    const int component = static_cast<int>(k);
    initial.values.push_back(identity_of(op, stage.types[k]));
    merge.values.push_back(
        fold_values(op, ir::access(stage.types[k], stage.id, merge.coordinates, component),
                    ir::access(stage.types[k], partial.id, merged_at, component)));
  }
  fold.values = partial_values(stage, update, substitution, partial.id, fold.coordinates);
  Expr predicate = view.guard.defined() ? ir::substitute(view.guard, to_pure) : Expr();
  if (update.predicate.defined()) {
    predicate = both(predicate, ir::substitute(update.predicate, substitution));
  }
  fold.predicate = predicate;
  partial.definitions = {std::move(initial), std::move(fold)};
  insert_stage(state, std::move(partial), ref.stage, false);
  replace_definition(state, ref, std::move(merge));
}

std::string rfactor_name(const Rfactor& rfactor, const StageRef& ref, const Algorithm& algorithm) {
  std::string names;
  for (const auto& [r, u] : rfactor.preserved) names += (names.empty() ? "" : ", ") + r.name();
  const StageRef shown{ref.stage, ref.definition == 1 ? 0 : ref.definition};
  return stage_text(algorithm, shown) + ".rfactor(" + names + ")";
}

Symbol intermediate_symbol(const std::string& stage,
                           const std::vector<std::pair<Symbol, Symbol>>& preserved) {
  std::string id = stage + "_rfactor";
  for (const auto& [r, u] : preserved) id += "_" + r.name();
  return Symbol::fresh(id);
}

}  // namespace sinter::schedule
