#pragma once
// The simplifier's working state: one per scope of known ranges, with every result memoised by
// node. simplify() and bounds_of() are its public faces; its methods are spread over simplify_*.cpp
// by the kind of expression they know.

#include <functional>

#include "dsl/algebra/constant_bounds.h"
#include "dsl/algebra/simplify.h"

namespace sinter::algebra {

class Simplifier {
 public:
  explicit Simplifier(ConstantScope known = {}) : known_(std::move(known)), constants_(known_) {}
  Simplifier(const Simplifier&) = delete;
  Simplifier& operator=(const Simplifier&) = delete;

  Expr operator()(const Expr&);
  /// Of expressions this simplifier has returned.
  ConstantInterval bounds(const Expr& e) { return constants_.of(e); }
  /// Bounds of a - b.
  ConstantInterval difference_bounds(const Expr& a, const Expr& b) {
    return constants_.difference(a, b);
  }
  const ConstantScope& known() const { return known_; }
  /// What more is known about symbols and conditions inside a scope.
  struct Facts {
    ConstantScope ranges;           // in place of what was known
    ir::Substitution replacements;  // by simplified expressions
    std::vector<std::pair<Expr, bool>> conditions;
    bool empty() const { return ranges.empty() && replacements.empty() && conditions.empty(); }
  };
  /// Runs `body` with the facts; they are forgotten afterwards.
  void with_facts(const Facts&, const std::function<void()>& body);

 private:
  // One step: children are simplified, the node itself is improved once.
  Expr step(const Expr&);
  Expr with_simplified_args(const Expr&);

  // simplify_sum.cpp: sums of coordinates; each returns whether it made the form smaller
  Expr from_form(LinearForm, bool& is_plain);
  bool recombine_division(LinearForm&);
  bool cancel_pair(LinearForm&);
  bool push_into_choice(LinearForm&);
  bool merge_selects(LinearForm&);
  bool expand_products(LinearForm&);

  // simplify_index.cpp: coordinates, scalar
  Expr step_linear(const Expr&);
  Expr rewrite_region(const Expr&, int& budget, std::unordered_map<const ir::Node*, Expr>& memo);
  Expr step_product(const Expr&);
  Expr step_divide(const Expr&);
  Expr step_modulo(const Expr&);

  // simplify_choice.cpp: min, max and select of coordinates
  Expr step_extremum(const Expr&);
  Expr step_select(const Expr&);

  // simplify_compare.cpp: comparisons of coordinates, and logic
  Expr step_compare(const Expr&);
  bool drop_decided_alternative(LinearForm&);
  Expr step_logic(const Expr&);

  // simplify_vector.cpp
  Expr step_vector(const Expr&);
  Expr step_vector_sum(const Expr&);
  Expr step_ramp_operands(const Expr&);

  // simplify_value.cpp: wrapping integers, floats, conversions; constant folding of all types
  Expr fold_constants(const Expr&);
  Expr step_value(const Expr&);
  Expr step_cast(const Expr&);

  /// What no step may increase: nodes written out as a tree, then symbols among them.
  std::int64_t size(const Expr&);

  using Memo = std::unordered_map<const ir::Node*, std::pair<ir::Ref, Expr>>;
  ConstantScope known_;
  ir::Substitution replacements_;
  std::unordered_map<Expr, bool, ir::ExprHash, ir::ExprEqual> conditions_;
  ConstantBounds constants_;
  Memo memo_;
  bool is_settled_ = false;  // set by a step whose result another step would leave as it is
  std::unordered_map<const ir::Node*, std::pair<ir::Ref, std::int64_t>> sizes_;
};

}  // namespace sinter::algebra
