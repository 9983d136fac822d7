#pragma once
// Constant intervals of float expressions: what clamps and literals say about data, so that its
// conversion to an integer is known to be in range.

#include <functional>
#include <limits>

#include "dsl/algebra/interval.h"

namespace sinter::algebra {

/// Numbers from min to max, infinities included; and NaN, unless excluded.
struct FloatInterval {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool may_be_nan = true;
};

/// Remembers every node it has seen.
class FloatBounds {
 public:
  using OfInteger = std::function<ConstantInterval(const Expr&)>;
  /// `of_integer`: bounds of integers that are converted; without it, what their types say.
  explicit FloatBounds(OfInteger of_integer = {}) : of_integer_(std::move(of_integer)) {}

  /// Of a float expression, for all lanes together.
  FloatInterval of(const Expr&);
  /// Of a float converted to an integer type: truncated, saturated, NaN gives 0.
  ConstantInterval converted(const Expr&, Type to);
  /// Whether that conversion only truncates.
  bool only_truncates(const Expr&, Type to);

  using Memo = std::unordered_map<const ir::Node*, std::pair<ir::Ref, FloatInterval>>;
  void swap(Memo& other) { std::swap(memo_, other); }

 private:
  FloatInterval node(const Expr&);
  FloatInterval choice(const Expr&);
  FloatInterval promised(const Expr&);
  FloatInterval exponential(const Expr&);
  FloatInterval arithmetic(const Expr&);
  FloatInterval cast(const Expr&);

  OfInteger of_integer_;
  Memo memo_;
};

}  // namespace sinter::algebra
