#pragma once
// What rfactor and reduce_across share: a reduction seen through the loops that the schedule has
// made of its variables, and the pieces that a rewritten reduction is put together from.

#include <optional>
#include <vector>

#include "dsl/schedule/loop_facts.h"

namespace sinter::schedule {

/// A reduction loop of the present schedule, as it becomes a variable of a rewritten reduction.
struct ReductionLoop {
  Symbol name;       // what the schedule calls it
  Expr min, extent;  // Index, over sizes
};

struct ReductionView {
  std::vector<ReductionLoop> loops;  // innermost first
  ir::Substitution from_loops;       // the domain's variables, over the names of the loops
  Expr guard;                        // the loops are inside the domain; undefined: always
};
/// Refuses when a loop of a reduction derives from pure variables too.
std::optional<Diagnostic> check_reduction_view(const State&, const StageRef&);
ReductionView reduction_view(const State&, const StageRef&);

/// Refusals that the rewrites share: the definition is an update f(a) = f(a) op g, its pure loops
/// and loop kinds are untouched, there is no branch, and `name` is one of its reduction loops.
std::optional<Diagnostic> check_rewritable(const State&, const StageRef&);
std::optional<Diagnostic> check_is_reduction_loop(const State&, const StageRef&,
                                                  const Symbol& name);

/// The value that changes nothing: x op identity == x, bit for bit.
Expr identity_of(ir::Op op, Type type);
/// a op b in the stage's type; narrow floats are computed in f32 and rounded once.
Expr fold_values(ir::Op op, const Expr& a, const Expr& b);

/// The update's values after `substitution`, with its own elements read from `partial` at
/// `coordinates`: what one step of a partial reduction computes.
std::vector<Expr> partial_values(const StageDefinition& stage, const Definition& update,
                                 const ir::Substitution& substitution, const Symbol& partial,
                                 const std::vector<Expr>& coordinates);
std::vector<Expr> substitute_all(const std::vector<Expr>&, const ir::Substitution&);
/// a and b; either may be undefined.
Expr both(const Expr& a, const Expr& b);
/// Coordinates at which the final update merges: the old ones where they do not depend on the
/// domain, else the stage's own variable.
std::vector<Expr> merge_coordinates(const StageDefinition&, const Definition&);

/// Puts `stage` right before (after) `neighbour` and gives it its initial schedule.
void insert_stage(State&, StageDefinition stage, const Symbol& neighbour, bool after);
/// Replaces a definition; its loops start anew.
void replace_definition(State&, const StageRef&, Definition);

}  // namespace sinter::schedule
