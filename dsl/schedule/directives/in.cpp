#include "dsl/schedule/directives/in.h"

#include <algorithm>

#include "dsl/schedule/directives/placement_checks.h"
#include "dsl/schedule/reduction_view.h"

namespace sinter::schedule {

namespace {

std::vector<Expr*> expressions_of(StageDefinition& stage) {
  std::vector<Expr*> all;
  for (Definition& d : stage.definitions) {
    for (Expr& e : d.values) all.push_back(&e);
    for (Expr& e : d.coordinates) all.push_back(&e);
    if (d.predicate.defined()) all.push_back(&d.predicate);
  }
  return all;
}

bool calls(const StageDefinition& stage, const Symbol& callee) {
  bool found = false;
  StageDefinition copy = stage;  // handles only
  for (const Expr* e : expressions_of(copy)) {
    ir::for_each_node(e->node(), [&](const ir::Ref& node) {
      found = found || (node->op == ir::Op::Access && node->symbol == callee);
      return !found;
    });
  }
  return found;
}

/// Calls of `callee` in `stage` become calls of `wrapper`.
void redirect(StageDefinition& stage, const Symbol& callee, const Symbol& wrapper) {
  for (Expr* e : expressions_of(stage)) {
    *e = ir::rewrite(*e, [&](const ir::Ref& node) {
      if (node->op != ir::Op::Access || !(node->symbol == callee)) return node;
      ir::Node copy = *node;
      copy.symbol = wrapper;
      return ir::make(std::move(copy));
    });
  }
}

bool is_wrapper_of(const State& state, const Symbol& stage, const Symbol& callee) {
  const auto it = state.wrapper_of.find(stage);
  return it != state.wrapper_of.end() && it->second == callee;
}

/// What in() without names redirects: every reader but the stage itself and its wrappers.
bool is_reader(const State& state, const StageDefinition& stage, const Symbol& callee) {
  return !(stage.id == callee) && !is_wrapper_of(state, stage.id, callee) && calls(stage, callee);
}

}  // namespace

std::optional<Diagnostic> check(const In& in, const StageRef& ref, const State& state) {
  if (auto problem = check_whole_stage(ref)) return problem;
  if (state.algorithm.find(in.wrapper) != nullptr) {
    return refusal("the stage has this wrapper already", "use the one that exists");
  }
  for (const Symbol& consumer : in.consumers) {
    if (consumer == ref.stage) {
      return refusal("a stage cannot call itself through a wrapper", "name another stage");
    }
    if (state.partial) continue;
    const StageDefinition* stage = state.algorithm.find(consumer);
    if (stage == nullptr || !calls(*stage, ref.stage)) {
      return refusal("'" + (stage ? stage->name : consumer.name()) + "' does not call this stage",
                     "name a stage that calls it (a rewrite or another in() may have moved the "
                     "calls), or in() for all");
    }
  }
  if (state.partial || !in.consumers.empty()) return std::nullopt;
  for (const StageDefinition& stage : state.algorithm.stages) {
    if (is_reader(state, stage, ref.stage)) return std::nullopt;
  }
  return refusal("no stage calls this one", "drop in()");
}

void apply(const In& in, const StageRef& ref, State& state) {
  for (StageDefinition& stage : state.algorithm.stages) {
    const bool named =
        std::find(in.consumers.begin(), in.consumers.end(), stage.id) != in.consumers.end();
    if (in.consumers.empty() ? is_reader(state, stage, ref.stage) : named) {
      redirect(stage, ref.stage, in.wrapper);
    }
  }
  const StageDefinition& source = stage_of(state, ref);
  StageDefinition wrapper;
  wrapper.id = in.wrapper;
  wrapper.name = in_name(in, ref, state.algorithm);
  wrapper.types = source.types;
  wrapper.variables = source.variables;
  Definition copy;
  copy.where = state.where;
  for (const Symbol& v : source.variables) copy.coordinates.push_back(ir::index_symbol(v));
  for (std::size_t k = 0; k < source.types.size(); ++k) {
    copy.values.push_back(
        ir::access(source.types[k], source.id, copy.coordinates, static_cast<int>(k)));
  }
  wrapper.definitions.push_back(std::move(copy));
  insert_stage(state, std::move(wrapper), ref.stage, true);
  state.wrapper_of.emplace(in.wrapper, ref.stage);
}

std::string in_name(const In& in, const StageRef& ref, const Algorithm& algorithm) {
  std::string names;
  for (const Symbol& consumer : in.consumers) {
    names += (names.empty() ? "" : ", ") + stage_text(algorithm, {consumer, 0});
  }
  if (in.consumers.size() > 1) names = "{" + names + "}";
  return stage_text(algorithm, {ref.stage, 0}) + ".in(" + names + ")";
}

Symbol wrapper_symbol(const std::string& stage, const std::vector<Symbol>& consumers) {
  std::string id = stage + "_in";
  for (const Symbol& consumer : consumers) id += "_" + consumer.name();
  return Symbol::fresh(id);
}

}  // namespace sinter::schedule
