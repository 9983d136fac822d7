#include "dsl/algebra/divisibility.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace sinter::algebra {

using ir::Op;

namespace {

/// m * n, or a divisor of it that fits.
std::int64_t product(std::int64_t m, std::int64_t n) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(m, n, &result) ? std::max(m, n) : result;
}

}  // namespace

std::int64_t multiple_of(const ir::Ref& n, const Multiples& known) {
  if (!n->type.is_index()) return 1;
  const auto of = [&](std::size_t i) { return multiple_of(n->args[i], known); };
  if (n->op == Op::Literal)
    return n->integer == std::numeric_limits<std::int64_t>::min() ? 1 : std::abs(n->integer);
  if (n->op == Op::Symbol) {
    const auto it = known.find(n->symbol);
    return it == known.end() ? 1 : it->second;
  }
  if (n->op == Op::Add || n->op == Op::Sub || n->op == Op::Min || n->op == Op::Max) {
    const std::int64_t first = of(0);
    return first == 1 ? 1 : std::gcd(first, of(1));
  }
  if (n->op == Op::Mul) return product(of(0), of(1));
  if (n->op == Op::Select) return std::gcd(of(1), of(2));
  if (n->op == Op::Ramp || n->op == Op::Broadcast) return of(0);
  return 1;
}

}  // namespace sinter::algebra
