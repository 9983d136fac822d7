#include "dsl/lowering/loops/inline_calls.h"

#include <sinter/diagnostic.h>

#include "dsl/algebra/simplify.h"

namespace sinter::lowering {

bool is_inlined(const StageDefinition& stage, const schedule::ScheduledPipeline& pipeline) {
  const schedule::StageSchedule& s = pipeline.of(stage.id);
  return s.compute.kind == schedule::Placement::Kind::Inline && stage.definitions.size() == 1 &&
         !stage.definitions[0].is_undef() && !pipeline.algorithm.is_output(stage.id);
}

namespace {

/// Far beyond what compiles in a reasonable time: 2^17 nodes take minutes.
constexpr std::size_t MaxNodes = std::size_t{1} << 17;

/// An inlined stage, and in how many places of the present definition.
struct Template {
  const StageDefinition* stage;
  std::size_t nodes;
  std::size_t places = 0;
};
using Templates = std::unordered_map<Symbol, Template>;

std::size_t count_nodes(const Definition& definition) {
  std::size_t count = 0;
  for (const Expr& e : definition.values) {
    ir::for_each_node(e.node(), [&](const ir::Ref&) { return ++count != 0; });
  }
  return count;
}

/// Expands the calls of one definition. Calls of the same element are expanded once, whatever way
/// leads to them: their coordinates are compared in normal form. So f(x - 1) + f(x + 1), nested
/// forty times, has 40 * 40 / 2 places and not 2^40.
class Inliner {
 public:
  Inliner(Templates& templates, const std::string& consumer, const std::source_location& where)
      : templates_(templates), consumer_(consumer), where_(where), rewriter_(visitor()) {
    for (auto& [id, t] : templates_) t.places = 0;
  }
  Expr operator()(const Expr& e) { return rewriter_(e); }

 private:
  struct Visitor {
    Inliner* self;
    ir::Ref operator()(const ir::Ref& n) const { return self->visit(n); }
  };
  Visitor visitor() { return {this}; }

  ir::Ref visit(const ir::Ref& n) {
    if (n->op != ir::Op::Access) return n;
    const auto it = templates_.find(n->symbol);
    if (it == templates_.end()) return n;
    Template& callee = it->second;
    std::vector<ir::Ref> coordinates;
    for (const ir::Ref& a : n->args) coordinates.push_back(algebra::simplify(Expr(a)).node());
    const Expr call{ir::with_args(n, std::move(coordinates))};
    if (const auto known = done_.find(call); known != done_.end()) return known->second.node();
    ++callee.places;
    nodes_ += callee.nodes;
    if (nodes_ > MaxNodes) refuse_size();
    const StageDefinition& stage = *callee.stage;
    ir::Substitution arguments;
    for (std::size_t d = 0; d < stage.variables.size(); ++d) {
      arguments.emplace(stage.variables[d], ir::arg(call, d));
    }
    const Expr value = ir::substitute(
        stage.definitions[0].values[static_cast<std::size_t>(n->integer)], arguments);
    if (++nesting_ > ir::MaxDepth) refuse_nesting(stage.name);
    const Expr expanded = ir::Rewriter(visitor())(value);
    --nesting_;
    if (expanded->depth > ir::MaxDepth) refuse_nesting(stage.name);
    done_.emplace(call, expanded);
    return expanded.node();
  }

  [[noreturn]] void refuse(const std::string& stage, const std::string& reason) const {
    throw CompileError(Diagnostic{stage, "", reason,
                                  "compute_root() or compute_at() for '" + stage +
                                      "' or another stage of this chain, in a long one for several",
                                  "", 0}
                           .at(where_));
  }
  /// Names the stage whose placement helps most: half way to the explosion.
  [[noreturn]] void refuse_size() const {
    const Template* middle = nullptr;
    const auto distance = [](const Template& t) {
      const std::size_t square = t.places * t.places;
      return square < MaxNodes ? MaxNodes - square : square - MaxNodes;
    };
    for (const auto& [id, t] : templates_) {
      const bool closer = middle == nullptr || distance(t) < distance(*middle) ||
                          (distance(t) == distance(*middle) && t.stage->name < middle->stage->name);
      if (closer) middle = &t;
    }
    refuse(middle->stage->name, "inlined into '" + consumer_ +
                                    "', it and the stages it calls are more than " +
                                    std::to_string(MaxNodes) + " operations");
  }
  [[noreturn]] void refuse_nesting(const std::string& stage) const {
    refuse(stage, "inlined into '" + consumer_ + "', it and the stages it calls nest more than " +
                      std::to_string(ir::MaxDepth) + " operations deep");
  }

  Templates& templates_;
  const std::string& consumer_;
  std::source_location where_;
  std::unordered_map<Expr, Expr, ir::ExprHash, ir::ExprEqual> done_;
  std::size_t nodes_ = 0;
  int nesting_ = 0;
  ir::Rewriter<Visitor> rewriter_;  // what the definition's expressions share stays shared
};

}  // namespace

std::vector<StageDefinition> inline_calls(const schedule::ScheduledPipeline& pipeline) {
  std::vector<StageDefinition> remaining;
  Templates templates;
  for (const StageDefinition& stage : pipeline.algorithm.stages) {
    if (is_inlined(stage, pipeline)) {
      templates.emplace(stage.id, Template{&stage, count_nodes(stage.definitions[0])});
    } else {
      remaining.push_back(stage);
    }
  }
  if (templates.empty()) return remaining;
  for (StageDefinition& stage : remaining) {
    for (Definition& definition : stage.definitions) {
      Inliner expand(templates, stage.name, definition.where);
      for (Expr& e : definition.coordinates) e = expand(e);
      for (Expr& e : definition.values) e = expand(e);
      if (definition.predicate.defined()) definition.predicate = expand(definition.predicate);
    }
  }
  return remaining;
}

}  // namespace sinter::lowering
