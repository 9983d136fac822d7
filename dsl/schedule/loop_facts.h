#pragma once
// What can be said about a definition and its loops: how variables derive from each other, constant
// extents, which iterations may touch the same element, and which updates may run in any order.

#include <cstdint>
#include <optional>
#include <vector>

#include "dsl/schedule/state.h"

namespace sinter::schedule {

/// The definition's values, coordinates or predicate read the stage itself.
bool reads_itself(const StageDefinition&, const Definition&);

/// Variables of the definition that loop variable `variable` derives from through the relations.
std::vector<Symbol> origins(const DefinitionSchedule&, const Symbol& variable);

/// Number of iterations, when the schedule and the algorithm make it a constant.
std::optional<std::int64_t> constant_extent(const StageSchedule&, const StageDefinition&,
                                            const Definition&, const DefinitionSchedule&,
                                            const Symbol& variable);

/// No two iterations with different values of `variable` (a variable of the definition) touch the
/// same element: some coordinate written determines it, and all reads of the stage itself have that
/// very coordinate.
bool iterations_are_independent(const StageDefinition&, const Definition&, const Symbol& variable);

/// The update is f(a) = f(a) op g with g, a and the predicate free of f. A difference f(a) - g
/// counts as a sum: that is how its partial results combine.
struct SelfUpdate {
  ir::Op op;                   // of every component
  bool exact;                  // any order of the steps gives the same bits
  std::vector<Expr> operands;  // g, per component; undefined for fma(a, b, f(a))
};
std::optional<SelfUpdate> as_self_update(const StageDefinition&, const Definition&);

}  // namespace sinter::schedule
