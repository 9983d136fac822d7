#include "dsl/algorithm/collect.h"

#include <unordered_set>

#include "dsl/algorithm/buffer_access.h"
#include "dsl/algorithm/wording.h"

namespace sinter {

namespace {

/// Text names: letters, digits and '_', each used once.
class Names {
 public:
  std::string unique(const std::string& wanted) {
    const std::string base = cleaned(wanted);
    if (used_.insert(base).second) return base;
    for (int i = 1;; ++i) {
      std::string name = base + "_" + std::to_string(i);
      if (used_.insert(name).second) return name;
    }
  }
  /// f0, f1, ... for what the user did not name.
  std::string numbered(const std::string& base) {
    while (true) {
      std::string name = base + std::to_string(next_++);
      if (used_.insert(name).second) return name;
    }
  }

 private:
  static std::string cleaned(const std::string& name) {
    std::string text;
    for (const char c : name) {
      const bool keeps =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      text += keeps ? c : '_';
    }
    if (text.empty() || (text[0] >= '0' && text[0] <= '9')) text.insert(0, "_");
    return text;
  }
  std::unordered_set<std::string> used_;
  int next_ = 0;
};

class Collector {
 public:
  explicit Collector(Collection& collection) : collection_(collection) {}

  void visit(const std::shared_ptr<const FuncContents>& func) {
    if (!seen_.insert(func->definition.id).second) return;
    const std::string& given = func->definition.name;
    const std::size_t name = chosen_.size();  // an index: chains are long, and this recurses
    chosen_.push_back(func->is_named ? names_.unique(given) : names_.numbered(given));
    func->frozen = true;
    visit(func->references);
    collection_.algorithm.stages.push_back(func->definition);
    collection_.algorithm.stages.back().name = chosen_[name];
    collection_.funcs.push_back(func);
  }

  /// What constraints say of images takes the place of their fields; calls of images go through
  /// their copies.
  void finish() {
    if (facts_.empty() && copies_.empty()) return;
    for (StageDefinition& stage : collection_.algorithm.stages) {
      for (Definition& definition : stage.definitions) {
        ir::Rewriter rewriter([&](const ir::Ref& n) -> ir::Ref {
          if (n->op == ir::Op::Symbol) {
            const auto fact = facts_.find(n->symbol);
            return fact == facts_.end() ? n : fact->second.node();
          }
          const auto copy = copies_.find(n->symbol);
          if (n->op != ir::Op::Access || copy == copies_.end() || copy->second == stage.id)
            return n;
          ir::Node call = *n;
          call.symbol = copy->second;
          return ir::make(std::move(call));
        });
        for (Expr& e : definition.coordinates) e = rewriter(e);
        for (Expr& e : definition.values) e = rewriter(e);
        if (definition.predicate.defined()) definition.predicate = rewriter(definition.predicate);
        for (ReductionVariable& v : definition.domain) {
          v.min = rewriter(v.min);
          v.extent = rewriter(v.extent);
        }
      }
    }
  }

  void visit(const References& references) {
    for (const auto& image : references.images) visit(image);
    for (const auto& parameter : references.parameters) visit(parameter);
    for (const auto& func : references.funcs) visit(func);
  }

 private:
  void visit(const std::shared_ptr<const ImageContents>& image) {
    if (!seen_.insert(image->id).second) return;
    Image result{image->id, names_.unique(image->name), image->type, image->fields, nullptr};
    if (!image->is_parameter) result.bound = shared_view_of(image->buffer);
    result.constraints = image->constraints;
    for (std::size_t d = 0; d < image->constraints.size(); ++d) {
      for (std::size_t field = 0; field < 3; ++field) {
        const Expr& value = image->constraints[d][field];
        if (value.defined()) facts_.emplace(image->fields[d][field], value);
      }
    }
    collection_.algorithm.images.push_back(std::move(result));
    collection_.images.push_back(image);
    visit(image->references);
    if (image->copy) {
      copies_.emplace(image->id, image->copy->definition.id);
      visit(image->copy);
    }
  }
  void visit(const std::shared_ptr<const ParameterContents>& parameter) {
    if (!seen_.insert(parameter->id).second) return;
    collection_.algorithm.scalars.push_back({parameter->id, names_.unique(parameter->name),
                                             parameter->type, parameter->minimum,
                                             parameter->maximum});
    collection_.parameters.push_back(parameter);
  }

  Collection& collection_;
  Names names_;
  std::vector<std::string> chosen_;
  ir::Substitution facts_;
  std::unordered_map<Symbol, Symbol> copies_;
  std::unordered_set<Symbol> seen_;
};

}  // namespace

Collection collect_all(const std::vector<Func>& outputs, const References& extra) {
  Collection collection;
  Collector collector(collection);
  for (const Func& output : outputs) {
    const auto& contents = output.contents();
    if (!contents->is_defined()) {
      throw AlgorithmError(make_diagnostic(
          output.name(), "pipeline", "it is an output and is not defined", "define it first"));
    }
    if (contents->is_made) {
      throw AlgorithmError(make_diagnostic(output.name(), "pipeline",
                                           "it is an output, and a directive has made it",
                                           "give the Func that uses it"));
    }
    if (!collection.algorithm.is_output(contents->definition.id)) {
      collection.algorithm.outputs.push_back(contents->definition.id);
    }
    collector.visit(contents);
  }
  collector.visit(extra);
  collector.finish();
  return collection;
}

Algorithm collect(const std::vector<Func>& outputs, const References& extra) {
  return collect_all(outputs, extra).algorithm;
}

}  // namespace sinter
