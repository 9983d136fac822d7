#pragma once
// Makes a second schedule of a definition, used when the condition holds; directives on the handle
// it returns shape that branch only. It starts as a copy of the schedule so far.
//
//   before                  after  f.specialize(width >= 8).vectorize(x, 8)
//     for x:                  if (width >= 8):
//       f(x)                    for x: vectorized xi: f(x * 8 + xi)
//                             else:
//                               for x: f(x)

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct Specialize {
  Expr condition;  // bool, over parameters and buffer fields
};

/// Refused when the condition is not a bool of parameters and sizes, and after specialize_fail.
std::optional<Diagnostic> check(const Specialize&, const StageRef&, const State&);
void apply(const Specialize&, const StageRef&, State&);
/// The branch with that condition, if the definition has one.
std::optional<std::size_t> find_specialization(const DefinitionSchedule&, const Expr& condition);

}  // namespace sinter::schedule
