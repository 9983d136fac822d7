#pragma once
// Checked and Euclidean arithmetic on int64, and the total order on expressions. Internal to
// algebra.

#include <cstdint>
#include <numeric>
#include <optional>

#include "dsl/ir/node.h"

namespace sinter::algebra {

inline std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) return {};
  return r;
}
inline std::optional<std::int64_t> checked_sub(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_sub_overflow(a, b, &r)) return {};
  return r;
}
inline std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) return {};
  return r;
}
/// Rounds towards minus infinity; b > 0.
inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
/// In [0, b); b > 0.
inline std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  const std::int64_t r = a % b;
  return r < 0 ? r + b : r;
}

/// A total order on the structure of expressions that does not depend on addresses or hashes of
/// names: compound expressions before symbols before literals. 0 exactly for equal ones.
int compare(const Expr& a, const Expr& b);

/// Nodes of the expression written out as a tree; saturates at 2^30.
std::int64_t tree_size(const Expr& e);

}  // namespace sinter::algebra
