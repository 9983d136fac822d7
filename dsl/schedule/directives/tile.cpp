#include "dsl/schedule/directives/tile.h"

#include "dsl/schedule/directives/local_state.h"

namespace sinter::schedule {

namespace {

Split split_of(const Tile& tile, std::size_t i) {
  return {tile.old[i], tile.outer[i], tile.inner[i], tile.factors[i], tile.tail};
}

Reorder reorder_of(const Tile& tile) {
  Reorder reorder{tile.inner};
  reorder.loops.insert(reorder.loops.end(), tile.outer.begin(), tile.outer.end());
  return reorder;
}

}  // namespace

std::optional<Diagnostic> check(const Tile& tile, const StageRef& ref, const State& state) {
  const std::size_t n = tile.old.size();
  if (n == 0 || tile.outer.size() != n || tile.inner.size() != n || tile.factors.size() != n) {
    return refusal("the lists of loops, outer loops, inner loops and factors differ in length",
                   "give one outer loop, one inner loop and one factor for each loop");
  }
  State local = local_state(state, ref);
  for (std::size_t i = 0; i < n; ++i) {
    if (auto problem = check(split_of(tile, i), ref, local)) return problem;
    apply(split_of(tile, i), ref, local);
  }
  return check(reorder_of(tile), ref, local);
}

void apply(const Tile& tile, const StageRef& ref, State& state) {
  for (std::size_t i = 0; i < tile.old.size(); ++i) apply(split_of(tile, i), ref, state);
  apply(reorder_of(tile), ref, state);
}

}  // namespace sinter::schedule
