#pragma once
// Tuple: several Exprs that are defined and computed together.

#include <type_traits>
#include <utility>
#include <vector>

#include <sinter/expr.h>

namespace sinter {

class FuncRef;

class Tuple {
 public:
  Tuple() = default;
  explicit Tuple(std::vector<Expr> values) : values_(std::move(values)) {}
  template <typename... Rest>
    requires(std::is_convertible_v<Rest, Expr> && ...)
  Tuple(const Expr& a, const Expr& b, Rest&&... rest)
      : values_{a, b, static_cast<Expr>(std::forward<Rest>(rest))...} {}
  /// All components of a call.
  Tuple(const FuncRef&);

  std::size_t size() const { return values_.size(); }
  Expr& operator[](std::size_t i) { return values_[existing(i)]; }
  const Expr& operator[](std::size_t i) const { return values_[existing(i)]; }
  const std::vector<Expr>& as_vector() const { return values_; }

 private:
  /// Refuses an index of no component.
  std::size_t existing(std::size_t i) const;
  std::vector<Expr> values_;
};

Tuple select_tuple(const LocatedExpr& condition, const Tuple& if_true, const Tuple& if_false);
/// Component by component.
template <typename A, typename B>
  requires(std::is_same_v<A, Tuple> || std::is_same_v<B, Tuple>)
Tuple select(const LocatedExpr& condition, const A& if_true, const B& if_false) {
  return select_tuple(condition, Tuple(if_true), Tuple(if_false));
}

}  // namespace sinter
