#pragma once
// Regions: which box of each stage and image a statement reads, as a function of the symbols
// visible around it. Built bottom-up while the loop nest is: each construct has one operation here.

#include <map>
#include <vector>

#include "dsl/algebra/interval.h"

namespace sinter::lowering {

/// One interval per dimension.
struct Box {
  std::vector<algebra::Interval> dimensions;
  bool defined() const { return !dimensions.empty(); }
};

/// Boxes by stage or image.
using Regions = std::map<Symbol, Box>;

/// Points read by the Access nodes of an expression, hulled per target.
void add_accesses(Regions& regions, const Expr& expression);
/// regions = hull(regions, more), target by target.
void merge(Regions& regions, const Regions& more);
void merge_box(Box& box, const Box& more);
/// Leaving `for v in range`: every end is extremised over v.
void eliminate(Regions& regions, const Symbol& v, const algebra::Interval& range);
/// Leaving `let v = value`.
void substitute(Regions& regions, const Symbol& v, const Expr& value);
/// Leaving `if (condition)`: inside, v <= e means v == min(v, e), so v may be replaced by min(v,
/// e), which is what keeps guarded loops from asking for more than they touch. `order`: symbols by
/// nesting, outermost first; the innermost one that the condition bounds is used.
void restrict_by(Regions& regions, const Expr& condition, const std::vector<Symbol>& order);

/// max - min + 1, with min(a, b) - c written min(a - c, b - c) so that constants show.
Expr extent_of(const algebra::Interval&);

/// True when `e` surely never decreases as v grows. `first`: the value of v in the first iteration.
bool is_nondecreasing(const Expr& e, const Symbol& v, const Expr& first);

}  // namespace sinter::lowering
