#pragma once
// What bound, bound_extent, align_bounds, set_estimate and specialize share.

#include "dsl/schedule/state.h"

namespace sinter::schedule {

std::optional<std::size_t> dimension_of(const State&, const StageRef&, const Symbol& variable);
/// Refused unless `variable` is a pure variable of the stage.
std::optional<Diagnostic> check_dimension(const State&, const StageRef&, const Symbol& variable);
/// Refused unless `e` is made of literals, parameters and buffer fields only.
std::optional<Diagnostic> check_size(const State&, const StageRef&, const Expr& e,
                                     const char* what);
/// The stage's entry for that dimension, made when there is none.
DimensionBound& dimension_bound(State&, const StageRef&, const Symbol& variable);

}  // namespace sinter::schedule
