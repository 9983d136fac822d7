#include "dsl/algebra/arithmetic.h"

#include <algorithm>

namespace sinter::algebra {

namespace {

int rank(const ir::Node& n) {
  if (n.op == ir::Op::Literal) return 2;
  return n.op == ir::Op::Symbol ? 1 : 0;
}

template <typename T>
int three_way(const T& a, const T& b) {
  if (a < b) return -1;
  return b < a ? 1 : 0;
}

int compare_types(Type a, Type b) {
  if (const int c = three_way(a.kind, b.kind)) return c;
  if (const int c = three_way(a.bits, b.bits)) return c;
  return three_way(a.lanes, b.lanes);
}

int compare_nodes(const ir::Ref& a, const ir::Ref& b) {
  // Equal hashes are confirmed by equal(), which is linear; so only one path is descended.
  if (a == b || (a->hash == b->hash && ir::equal(a, b))) return 0;
  if (const int c = three_way(rank(*a), rank(*b))) return c;
  if (const int c = three_way(a->op, b->op)) return c;
  if (const int c = compare_types(a->type, b->type)) return c;
  if (const int c = three_way(a->symbol, b->symbol)) return c;
  if (const int c = three_way(a->integer, b->integer)) return c;
  if (const int c = three_way(a->real, b->real)) return c;
  if (const int c = three_way(a->args.size(), b->args.size())) return c;
  for (std::size_t i = 0; i < a->args.size(); ++i) {
    if (const int c = compare_nodes(a->args[i], b->args[i])) return c;
  }
  return three_way(a->hash,
                   b->hash);  // floats that compare equal without being the same (zeros, NaN)
}

}  // namespace

int compare(const Expr& a, const Expr& b) { return compare_nodes(a.node(), b.node()); }

namespace {
std::int64_t tree_size_of(const ir::Ref& n, std::int64_t limit,
                          std::unordered_map<const ir::Node*, std::int64_t>* memo) {
  if (memo) {
    if (const auto it = memo->find(n.get()); it != memo->end()) return it->second;
  }
  std::int64_t total = 1;
  for (const ir::Ref& a : n->args) {
    if (!memo && total >= limit) break;
    total += tree_size_of(a, limit - total, memo);
  }
  total = std::min<std::int64_t>(total, std::int64_t{1} << 30);
  if (memo) memo->emplace(n.get(), total);
  return total;
}
}  // namespace

std::int64_t tree_size(const Expr& e) {
  constexpr std::int64_t small = 128;  // small trees are counted without a table
  const std::int64_t count = tree_size_of(e.node(), small, nullptr);
  if (count < small) return count;
  std::unordered_map<const ir::Node*, std::int64_t> memo;
  return tree_size_of(e.node(), 0, &memo);
}

}  // namespace sinter::algebra
