#pragma once
// What stands behind the nodes of a user's expression: Funcs, images, parameters, reduction
// domains. A node of the front end carries its entity as payload; elaboration reads and drops it.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sinter/buffer.h>

#include "dsl/algorithm/algorithm.h"

namespace sinter {

struct Entity {
  enum class Kind { Func, Image, Field, Parameter, Domain };
  explicit Entity(Kind k) : kind(k) {}
  Kind kind;
};

struct FuncContents;
struct ImageContents;
struct ParameterContents;

/// Everything outside a definition that it mentions, each once, in order of first use.
struct References {
  std::vector<std::shared_ptr<const FuncContents>> funcs;
  std::vector<std::shared_ptr<const ImageContents>> images;
  std::vector<std::shared_ptr<const ParameterContents>> parameters;
};

/// An ImageParam, or a Buffer used in an expression.
struct ImageContents : Entity {
  ImageContents() : Entity(Kind::Image) {}
  Symbol id;
  std::string name;
  Type type;
  std::vector<std::array<Symbol, 3>> fields;  // per dimension: min, extent, stride
  bool is_parameter = true;                   // false: a concrete Buffer
  Buffer<> buffer;                            // the concrete one, or what the ImageParam was set to
  std::vector<std::array<Expr, 3>> constraints;  // as fields; Index, undefined where there is none
  References references;                         // of the constraints; itself excluded
  std::uint64_t constrained = 0;                 // number of the last constraint, among directives
  /// What in() copies: every call of the image goes through it. Made by the first in(); its own
  /// reference to the image does not keep it alive.
  std::shared_ptr<FuncContents> copy;
};

/// A min, extent or stride of an image, read in an expression.
struct ImageField : Entity {
  ImageField() : Entity(Kind::Field) {}
  std::shared_ptr<const ImageContents> image;
  Symbol symbol;
};

struct ParameterContents : Entity {
  ParameterContents() : Entity(Kind::Parameter) {}
  Symbol id;
  std::string name;
  Type type;
  std::optional<ir::Scalar> value, minimum, maximum, estimate;
};

/// The variables of one RDom, with bounds and predicate as the user wrote them.
struct DomainContents : Entity {
  struct Variable {
    Symbol symbol;
    Expr min, extent;
  };
  DomainContents() : Entity(Kind::Domain) {}
  std::vector<Variable> variables;
  Expr predicate;
};

/// The entity of a front-end node; null when it has none.
inline const Entity* entity_of(const ir::Node& node) {
  return static_cast<const Entity*>(node.payload.get());
}
/// The entity as `T` when it is of that kind; keeps it alive.
template <typename T>
std::shared_ptr<const T> entity_as(const ir::Node& node, Entity::Kind kind) {
  const Entity* entity = entity_of(node);
  if (entity == nullptr || entity->kind != kind) return nullptr;
  return std::shared_ptr<const T>(node.payload, static_cast<const T*>(entity));
}
/// `node` with `entity` as its payload.
template <typename T>
Expr with_entity(ir::Node node, const std::shared_ptr<T>& entity) {
  node.payload = std::shared_ptr<const Entity>(entity);
  return Expr(ir::make(std::move(node)));
}
/// The front end's node for a symbol.
template <typename T>
Expr symbol_of(Type type, const Symbol& symbol, const std::shared_ptr<T>& entity) {
  ir::Node node;
  node.op = ir::Op::Symbol;
  node.type = type;
  node.symbol = symbol;
  return with_entity(std::move(node), entity);
}

}  // namespace sinter
