#pragma once
// Algorithm: a pipeline's stages as data, frozen. Definitions are elaborated: coordinates are Index
// expressions, data carries its roundings and contractions, so nothing below asks the front end.

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <unordered_map>
#include <vector>

#include "dsl/ir/interpret.h"
#include "dsl/ir/node.h"

namespace sinter {

/// One variable of a reduction domain; runs over [min, min + extent), in order.
struct ReductionVariable {
  Symbol symbol;
  Expr min, extent;  // Index, over parameters, buffer fields (never data)
};

/// The pure definition or one update.
struct Definition {
  std::vector<Expr> coordinates;  // Index; of the pure definition: the stage's variables
  std::vector<Expr> values;       // one per component, of the component's type; empty for undef
  std::vector<ReductionVariable> domain;  // first varies fastest
  Expr predicate;                         // bool; undefined: everywhere. (RDom::where)
  std::source_location where;

  bool is_undef() const { return values.empty(); }
  /// Coordinate `d` is just the stage's pure variable `variables[d]`.
  bool is_pure_in(std::size_t d, const std::vector<Symbol>& variables) const;
};

struct StageDefinition {
  Symbol id;
  std::string name;                     // text name, unique in the algorithm
  std::vector<Type> types;              // of the components
  std::vector<Symbol> variables;        // pure variables, dimension 0 (dense) first
  std::vector<Definition> definitions;  // [0] pure, then updates in order
  std::size_t rank() const { return variables.size(); }
};

/// An ImageParam, or a concrete Buffer used in an expression (`bound` then).
struct Image {
  Symbol id;
  std::string name;
  Type type;
  std::vector<std::array<Symbol, 3>> fields;  // per dimension: min, extent, stride (Index symbols)
  std::shared_ptr<const ir::BufferView> bound;        // shares ownership of the memory
  std::vector<std::array<Expr, 3>> constraints = {};  // as fields: what each must be, or undefined
};

struct ScalarParameter {
  Symbol id;
  std::string name;
  Type type;
  std::optional<ir::Scalar> minimum, maximum;
};

struct Algorithm {
  std::vector<StageDefinition> stages;  // producers before consumers
  std::vector<Symbol> outputs;
  std::vector<Image> images;
  std::vector<ScalarParameter> scalars;  // symbols of their own type; in coordinates: cast to index

  const StageDefinition& stage(const Symbol&) const;
  const StageDefinition* find(const Symbol&) const;
  const Image* find_image(const Symbol&) const;
  bool is_output(const Symbol&) const;
};

std::string to_string(const Algorithm&);
/// How expressions call its stages, images and parameters in text.
std::unordered_map<Symbol, std::string> text_names(const Algorithm&);

/// Stages that the definition reads, in order of first use (itself excluded).
std::vector<Symbol> callees(const StageDefinition&, const Algorithm&);

}  // namespace sinter
