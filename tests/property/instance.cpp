#include "tests/property/instance.h"

#include <algorithm>
#include <unordered_set>

#include "dsl/schedule/schedule_text.h"

namespace sinter::test {

namespace {

std::string box_text(const std::vector<Extent>& box) {
  std::string text;
  for (const Extent& e : box) {
    text += (text.empty() ? "" : ", ") + std::string("[") + std::to_string(e.min) + ", +" +
            std::to_string(e.extent) + ")";
  }
  return text.empty() ? "0-d" : text;
}

template <typename Visit>
void for_each_expr(const StageDefinition& stage, const Visit& visit) {
  for (const Definition& d : stage.definitions) {
    for (const Expr& e : d.coordinates) visit(e);
    for (const Expr& e : d.values) visit(e);
    for (const ReductionVariable& r : d.domain) {
      visit(r.min);
      visit(r.extent);
    }
    if (d.predicate.defined()) visit(d.predicate);
  }
}

}  // namespace

std::string to_string(const Instance& instance) {
  std::string text = to_string(instance.algorithm);
  for (std::size_t i = 0; i < instance.algorithm.outputs.size(); ++i) {
    text += "output " + instance.algorithm.stage(instance.algorithm.outputs[i]).name + " over " +
            box_text(instance.boxes[i]) + "\n";
  }
  for (const Image& image : instance.algorithm.images) {
    if (const auto box = instance.images.find(image.id); box != instance.images.end()) {
      text += "image " + image.name + " over " + box_text(box->second) + "\n";
    }
  }
  for (const ScalarParameter& s : instance.algorithm.scalars) {
    text += "scalar " + s.name + " = " + ir::to_string(instance.scalars.at(s.id)) + "\n";
  }
  try {
    return text + "schedule\n" + to_string(instance.schedule, instance.algorithm);
  } catch (const std::exception& e) {
    return text + "schedule that cannot be printed: " + e.what() + "\n";
  }
}

void drop_unused(Instance& instance) {
  Algorithm& a = instance.algorithm;
  std::unordered_set<Symbol> needed(a.outputs.begin(), a.outputs.end());
  std::unordered_set<Symbol> symbols;
  for (auto stage = a.stages.rbegin(); stage != a.stages.rend(); ++stage) {
    if (!needed.contains(stage->id)) continue;
    for_each_expr(*stage, [&](const Expr& e) {
      ir::for_each_node(e.node(), [&](const ir::Ref& n) {
        if (n->op == ir::Op::Access) needed.insert(n->symbol);
        if (n->op == ir::Op::Symbol) symbols.insert(n->symbol);
        return true;
      });
    });
  }
  const auto mention = [&](const Expr& e) {
    if (!e.defined()) return;
    for (const Symbol& s : ir::free_symbols(e.node())) symbols.insert(s);
  };
  for (const schedule::Entry& entry : instance.schedule.entries) {
    for (const Expr& e : entry.branch) mention(e);
    if (const auto* s = std::get_if<schedule::Specialize>(&entry.directive)) mention(s->condition);
    if (const auto* b = std::get_if<schedule::Bound>(&entry.directive)) {
      mention(b->min);
      mention(b->extent);
    }
    if (const auto* b = std::get_if<schedule::BoundExtent>(&entry.directive)) mention(b->extent);
  }
  std::erase_if(a.stages, [&](const StageDefinition& s) { return !needed.contains(s.id); });
  std::erase_if(a.images, [&](const Image& image) {
    if (needed.contains(image.id)) return false;
    for (const auto& field : image.fields) {
      for (const Symbol& s : field) {
        if (symbols.contains(s)) return false;
      }
    }
    return true;
  });
  std::erase_if(a.scalars, [&](const ScalarParameter& s) { return !symbols.contains(s.id); });
}

bool has_rewrites(const schedule::Schedule& schedule) {
  return std::any_of(schedule.entries.begin(), schedule.entries.end(),
                     [](const schedule::Entry& e) {
                       return std::holds_alternative<schedule::Rfactor>(e.directive) ||
                              std::holds_alternative<schedule::ReduceAcross>(e.directive);
                     });
}

}  // namespace sinter::test
