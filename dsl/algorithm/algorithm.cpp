#include "dsl/algorithm/algorithm.h"

#include <algorithm>

#include <sinter/diagnostic.h>

#include "dsl/algorithm/print_expr.h"

namespace sinter {

bool Definition::is_pure_in(std::size_t d, const std::vector<Symbol>& variables) const {
  const Expr& c = coordinates.at(d);
  return ir::is(c, ir::Op::Symbol) && c->symbol == variables.at(d);
}

const StageDefinition* Algorithm::find(const Symbol& id) const {
  const auto it = std::find_if(stages.begin(), stages.end(),
                               [&](const StageDefinition& s) { return s.id == id; });
  return it == stages.end() ? nullptr : &*it;
}
const StageDefinition& Algorithm::stage(const Symbol& id) const {
  const StageDefinition* found = find(id);
  ensure(found != nullptr, "a symbol that is not a stage of the algorithm");
  return *found;
}
const Image* Algorithm::find_image(const Symbol& id) const {
  const auto it =
      std::find_if(images.begin(), images.end(), [&](const Image& i) { return i.id == id; });
  return it == images.end() ? nullptr : &*it;
}
bool Algorithm::is_output(const Symbol& id) const {
  return std::find(outputs.begin(), outputs.end(), id) != outputs.end();
}

namespace {

template <typename Visit>
void for_each_expr(const StageDefinition& stage, Visit&& visit) {
  for (const Definition& definition : stage.definitions) {
    for (const Expr& e : definition.coordinates) visit(e);
    for (const Expr& e : definition.values) visit(e);
    for (const ReductionVariable& v : definition.domain) {
      visit(v.min);
      visit(v.extent);
    }
    if (definition.predicate.defined()) visit(definition.predicate);
  }
}

std::string types_text(const std::vector<Type>& types) {
  std::string text;
  for (const Type& t : types) text += (text.empty() ? "" : ", ") + to_string(t);
  return types.size() == 1 ? text : "(" + text + ")";
}

std::string list(const std::vector<Expr>& exprs, const ExprNames& names) {
  std::string text;
  for (const Expr& e : exprs) text += (text.empty() ? "" : ", ") + print_expr(e, names);
  return text;
}

std::string definition_text(const StageDefinition& stage, const Definition& definition,
                            const ExprNames& names) {
  std::string text = stage.name + "(" + list(definition.coordinates, names) + ") = ";
  if (definition.is_undef()) text += "undef";
  else if (definition.values.size() == 1) text += list(definition.values, names);
  else text += "(" + list(definition.values, names) + ")";
  for (const ReductionVariable& v : definition.domain) {
    text += "\n    over " + v.symbol.name() + " in [" + print_expr(v.min, names) + ", +" +
            print_expr(v.extent, names) + ")";
  }
  if (definition.predicate.defined())
    text += "\n    where " + print_expr(definition.predicate, names);
  return text + "\n";
}

/// ", stride(0) = 3"
std::string constraints_text(const Image& image, const ExprNames& names) {
  static constexpr const char* Fields[] = {"min", "extent", "stride"};
  std::string text;
  for (std::size_t d = 0; d < image.constraints.size(); ++d) {
    for (std::size_t field = 0; field < 3; ++field) {
      const Expr& e = image.constraints[d][field];
      if (!e.defined()) continue;
      text += std::string(", ") + Fields[field] + "(" + std::to_string(d) +
              ") = " + print_expr(e, names);
    }
  }
  return text;
}

}  // namespace

std::unordered_map<Symbol, std::string> text_names(const Algorithm& algorithm) {
  ExprNames names;
  for (const StageDefinition& s : algorithm.stages) names.emplace(s.id, s.name);
  for (const ScalarParameter& s : algorithm.scalars) names.emplace(s.id, s.name);
  for (const Image& image : algorithm.images) {
    names.emplace(image.id, image.name);
    for (std::size_t d = 0; d < image.fields.size(); ++d) {
      const std::string suffix = "(" + std::to_string(d) + ")";
      names.emplace(image.fields[d][0], image.name + ".min" + suffix);
      names.emplace(image.fields[d][1], image.name + ".extent" + suffix);
      names.emplace(image.fields[d][2], image.name + ".stride" + suffix);
    }
  }
  return names;
}

std::string to_string(const Algorithm& algorithm) {
  const ExprNames names = text_names(algorithm);
  std::string text;
  for (const Image& image : algorithm.images) {
    text += "image " + image.name + ": " + to_string(image.type) + ", " +
            std::to_string(image.fields.size()) + "-d" + constraints_text(image, names) + "\n";
  }
  for (const ScalarParameter& s : algorithm.scalars) {
    text += "scalar " + s.name + ": " + to_string(s.type);
    if (s.minimum) text += ", >= " + ir::to_string(*s.minimum);
    if (s.maximum) text += ", <= " + ir::to_string(*s.maximum);
    text += "\n";
  }
  for (const StageDefinition& s : algorithm.stages) {
    text += (algorithm.is_output(s.id) ? "output " : "stage ") + s.name + ": " +
            types_text(s.types) + "\n";
    for (const Definition& d : s.definitions) text += "  " + definition_text(s, d, names);
  }
  return text;
}

std::vector<Symbol> callees(const StageDefinition& stage, const Algorithm& algorithm) {
  std::vector<Symbol> found;
  for_each_expr(stage, [&](const Expr& e) {
    ir::for_each_node(e.node(), [&](const ir::Ref& n) {
      if (n->op == ir::Op::Access && n->symbol != stage.id &&
          algorithm.find(n->symbol) != nullptr &&
          std::find(found.begin(), found.end(), n->symbol) == found.end()) {
        found.push_back(n->symbol);
      }
      return true;
    });
  });
  return found;
}

}  // namespace sinter
