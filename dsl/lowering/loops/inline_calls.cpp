#include "dsl/lowering/loops/inline_calls.h"

#include <sinter/diagnostic.h>

namespace sinter::lowering {

bool is_inlined(const StageDefinition& stage, const schedule::ScheduledPipeline& pipeline) {
  const schedule::StageSchedule& s = pipeline.of(stage.id);
  return s.compute.kind == schedule::Placement::Kind::Inline && stage.definitions.size() == 1 &&
         !stage.definitions[0].is_undef() && !pipeline.algorithm.is_output(stage.id);
}

namespace {

using Templates = std::unordered_map<Symbol, const StageDefinition*>;

/// One rewriter for a whole definition, so that what its expressions share stays shared.
auto inliner(const Templates& templates) {
  std::unordered_map<Expr, Expr, ir::ExprHash, ir::ExprEqual> done;
  return [&templates, done](const ir::Ref& n) mutable -> ir::Ref {
    if (n->op != ir::Op::Access) return n;
    const auto it = templates.find(n->symbol);
    if (it == templates.end()) return n;
    const Expr call{n};
    if (const auto known = done.find(call); known != done.end()) return known->second.node();
    const StageDefinition& callee = *it->second;
    ir::Substitution arguments;
    for (std::size_t d = 0; d < callee.variables.size(); ++d) {
      arguments.emplace(callee.variables[d], Expr(n->args[d]));
    }
    const Expr value =
        ir::substitute(callee.definitions[0].values[static_cast<std::size_t>(n->integer)], arguments);
    done.emplace(call, value);
    return value.node();
  };
}

}  // namespace

std::vector<StageDefinition> inline_calls(const schedule::ScheduledPipeline& pipeline) {
  std::vector<StageDefinition> all = pipeline.algorithm.stages;
  Templates templates;
  std::vector<StageDefinition> remaining;
  for (StageDefinition& stage : all) {
    for (Definition& definition : stage.definitions) {
      ir::Rewriter rewriter(inliner(templates));
      for (Expr& e : definition.coordinates) e = rewriter(e);
      for (Expr& e : definition.values) e = rewriter(e);
      if (definition.predicate.defined()) definition.predicate = rewriter(definition.predicate);
    }
    if (is_inlined(stage, pipeline)) templates.emplace(stage.id, &stage);
    else remaining.push_back(stage);
  }
  return remaining;
}

}  // namespace sinter::lowering
