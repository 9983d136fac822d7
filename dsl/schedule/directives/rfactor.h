#pragma once
// Splits a reduction in two (a rewrite): the named reduction loops become pure variables of a new
// stage, which reduces along the others; the update then reduces the new stage along the named
// ones. Splits, fuses and reorders of the reduction variables before it become part of the rewrite.
//
//   before                          after  f.update().rfactor(ro, u)      (r split into ro, ri)
//     for x: f(x) = 0                 for x, u: f.rfactor(ro)(x, u) = identity
//     for x:                          for x, u:
//       for ro:                         for ri: f.rfactor(ro)(x, u) += g(x, u * 8 + ri)
//         for ri:                     for x: f(x) = 0
//           f(x) += g(x, ro * 8 + ri) for x:
//                                       for ro: f(x) += f.rfactor(ro)(x, ro)

#include <utility>

#include "dsl/schedule/state.h"

namespace sinter::schedule {

struct Rfactor {
  std::vector<std::pair<Symbol, Symbol>> preserved;  // reduction loop -> pure variable
  Symbol intermediate;                               // id of the new stage
};

/// Refused unless the definition is an update f(a) = f(a) op g with an associative op, the names
/// are reduction loops, and at least one other reduction loop is left. Refused inside specialize.
std::optional<Diagnostic> check(const Rfactor&, const StageRef&, const State&);
void apply(const Rfactor&, const StageRef&, State&);
/// A new id for the intermediate of a stage.
Symbol intermediate_symbol(const std::string& stage,
                           const std::vector<std::pair<Symbol, Symbol>>& preserved);
/// "f.rfactor(ro)", "f.update(1).rfactor(ro)".
std::string rfactor_name(const Rfactor&, const StageRef&, const Algorithm&);

}  // namespace sinter::schedule
