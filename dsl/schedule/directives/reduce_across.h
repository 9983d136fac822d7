#pragma once
// Reduces along a loop in a tree (a rewrite). With widths {n0, n1, ..., nm}, step r - min of the
// loop is ((t * nm + im) * ... + i1) * n0 + i0. Partial (i1, ..., im) folds over t (outer) and i0
// from the identity, steps beyond the extent left out; then for l = 1..m, s = nl / 2, ..., 1: p[i]
// = p[i] op p[i + s] along il; the update adds p[0] to the value before it. The partials are a
// stage with variables i1 ... im, each level of the tree is one too, inline unless placed.
//
//   before                      after  f.update().reduce_across(r, {4, 2})
//     for x:                      for x, i1: p(x, i1) = identity
//       for r:                    for x, i1:
//         f(x) += g(x, r)           for t: for i0: p(x, i1) += g(x, (t * 2 + i1) * 4 + i0)
//                                 for x: f(x) += p(x, 0) + p(x, 1)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct ReduceAcross {
  Symbol loop;
  std::vector<IntegerArg> widths;
  Symbol partial;  // id of the stage of partials
  std::vector<Symbol> levels =
      {};  // of the stages of the tree, in order: l = 1 with s = n1 / 2, ..., 1, then l = 2, ...
};

/// Refused unless the definition is an update f(a) = f(a) op g with an associative op, `loop` is
/// one of its reduction loops, n0 >= 1 and the other widths are powers of two. Refused inside
/// specialize.
std::optional<Diagnostic> check(const ReduceAcross&, const StageRef&, const State&);
void apply(const ReduceAcross&, const StageRef&, State&);
/// Gives new ids to the partial results of a stage and to the levels of their tree.
void name_stages(ReduceAcross&, const std::string& stage);
/// "tree_level(1, 16)" for each of the levels, l = 1 and s = 16 here.
std::vector<std::string> level_names(const ReduceAcross&);
/// "f.reduce_across(r)", "f.update(1).reduce_across(r)".
std::string reduce_across_name(const ReduceAcross&, const StageRef&, const Algorithm&);

}  // namespace sinter::schedule
