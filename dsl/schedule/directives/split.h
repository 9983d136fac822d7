#pragma once
// Splits a loop in two: the outer one steps over tiles of `factor` iterations, the inner one runs
// inside a tile. `tail` says what happens when the factor does not divide the extent. Realised by
// lowering's loop nest builder.
//
//   before                  after  f.split(x, xo, xi, 8)
//     for x:                  for xo:
//       f(x)                    for xi in [0, 8):
//                                 f(xo * 8 + xi)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct Split {
  Symbol old, outer, inner;
  IntegerArg factor;
  Tail tail = Tail::Auto;
};

/// Refused when `old` is no loop, a new name is taken (reusing old's for one of the two is fine),
/// the factor is not a positive constant, or the tail would run reduction steps twice or beyond the
/// domain.
std::optional<Diagnostic> check(const Split&, const StageRef&, const State&);
void apply(const Split&, const StageRef&, State&);

}  // namespace sinter::schedule
