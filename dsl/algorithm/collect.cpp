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
    collection_.algorithm.images.push_back(std::move(result));
    collection_.images.push_back(image);
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
  return collection;
}

Algorithm collect(const std::vector<Func>& outputs, const References& extra) {
  return collect_all(outputs, extra).algorithm;
}

}  // namespace sinter
