#pragma once
// Builds a LinearForm term by term. Internal to algebra.

#include "dsl/algebra/linear_form.h"

namespace sinter::algebra {

/// Each add_ returns false when a coefficient leaves int64; the collector is then of no use.
class LinearCollector {
 public:
  bool add_constant(std::int64_t value, std::int64_t coefficient);
  bool add_atom(const Expr& atom, std::int64_t coefficient);
  bool add_form(const LinearForm&, std::int64_t coefficient);
  /// The linear form of an expression, scaled.
  bool add_expr(const Expr&, std::int64_t coefficient);
  /// Terms that cancelled are dropped, the others brought into their order.
  std::optional<LinearForm> finish();
  /// In the order of first mention: enough for bounds.
  LinearForm finish_unordered();

 private:
  LinearForm form_;
};

}  // namespace sinter::algebra
