#include "dsl/schedule/directives/bound_checks.h"

#include <algorithm>

#include "dsl/schedule/directives/placement_checks.h"

namespace sinter::schedule {

std::optional<std::size_t> dimension_of(const State& state, const StageRef& ref,
                                        const Symbol& variable) {
  const StageDefinition& stage = stage_of(state, ref);
  for (std::size_t d = 0; d < stage.rank(); ++d) {
    if (stage.variables[d] == variable) return d;
  }
  return std::nullopt;
}

std::optional<Diagnostic> check_dimension(const State& state, const StageRef& ref,
                                          const Symbol& variable) {
  if (auto problem = check_whole_stage(ref)) return problem;
  if (dimension_of(state, ref, variable)) return std::nullopt;
  std::string names;
  for (const Symbol& v : stage_of(state, ref).variables) {
    names += (names.empty() ? "" : ", ") + v.name();
  }
  return refusal("'" + variable.name() + "' is not a variable of the stage's pure definition",
                 names.empty() ? "the stage has no dimensions: drop this directive"
                               : "name one of its variables: " + names);
}

namespace {

bool is_size(const State& state, const StageRef& ref, const Symbol& symbol) {
  if (state.partial) {  // what the pipeline's parameters are is known at resolve()
    const auto& variables = stage_of(state, ref).variables;
    bool is_loop = std::find(variables.begin(), variables.end(), symbol) != variables.end();
    for (const Definition& d : stage_of(state, ref).definitions) {
      for (const ReductionVariable& r : d.domain) is_loop = is_loop || r.symbol == symbol;
    }
    return !is_loop;
  }
  for (const ScalarParameter& s : state.algorithm.scalars) {
    if (s.id == symbol) return true;
  }
  for (const Image& image : state.algorithm.images) {
    for (const auto& dimension : image.fields) {
      if (std::find(dimension.begin(), dimension.end(), symbol) != dimension.end()) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Diagnostic> check_size(const State& state, const StageRef& ref, const Expr& e,
                                     const char* what) {
  if (!e.defined()) {
    return refusal(std::string("the ") + what + " is undefined", "write a number or a size");
  }
  bool reads_data = false;
  ir::for_each_node(e.node(), [&](const ir::Ref& node) {
    reads_data = reads_data || node->op == ir::Op::Access;
    return true;
  });
  if (reads_data) {
    return refusal(std::string("the ") + what + " depends on data",
                   "use literals, parameters and buffer extents only");
  }
  for (const Symbol& s : ir::free_symbols(e.node())) {
    if (is_size(state, ref, s)) continue;
    return refusal(std::string("the ") + what + " depends on '" + s.name() +
                       "', which is no parameter and no size of a buffer",
                   "use literals, parameters and buffer extents only");
  }
  return std::nullopt;
}

DimensionBound& dimension_bound(State& state, const StageRef& ref, const Symbol& variable) {
  const std::size_t dimension = *dimension_of(state, ref, variable);
  std::vector<DimensionBound>& bounds = state.schedules.at(ref.stage).bounds;
  for (DimensionBound& bound : bounds) {
    if (bound.dimension == dimension) {
      bound.where = state.where;
      return bound;
    }
  }
  DimensionBound bound;
  bound.dimension = dimension;
  bound.where = state.where;
  bounds.push_back(bound);
  return bounds.back();
}

}  // namespace sinter::schedule
