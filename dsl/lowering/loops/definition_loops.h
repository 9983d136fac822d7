#pragma once
// One definition with its schedule applied: loops, the lets that compute the definition's own
// variables from them, the guards of tails and predicates, and the body. No placement here.
//
//   x.split(x, xo, xi, 8, GuardWithIf)      loops  xo in [0, ceil(extent/8)), xi in [0, 8)
//                                           items  let x = xo*8 + xi + min;  if (x <= max)

#include <string>
#include <unordered_set>
#include <vector>

#include "dsl/lowering/bounds/regions.h"
#include "dsl/schedule/stage_schedule.h"

namespace sinter::lowering {

struct InstanceLoop {
  Symbol symbol;    // fresh for this instance
  Symbol variable;  // the schedule's name
  Expr min, extent;
  ir::LoopKind kind;
  schedule::PartitionPolicy partition;
};

/// Something that stands just inside loop `level` (-1: outside all; as many as there are loops:
/// around the body, inside all that is produced for it): a let when `symbol` is set, else a guard.
struct LevelItem {
  int level = -1;
  Symbol symbol;
  Expr value;    // of the let, or the guard's condition
  Expr implies;  // guard: the plain bound that holds inside (undefined: the condition itself)
  bool is_predicate = false;
};

struct DefinitionLoops {
  std::vector<InstanceLoop> loops;  // outermost first
  std::vector<LevelItem> items;     // in order of dependence, outermost first
  ir::Stmt body;
  std::vector<Expr> reads;  // expressions whose accesses the body performs
};

/// `box`: per dimension of the stage the range that this definition must cover in its pure
/// variables. `slid`: dimensions in which nothing may be computed beyond the box. `known`: constant
/// bounds of symbols in the box. `produced_inside`: stages that may be produced in these loops, so
/// that a predicate can read them around the body only. Throws ScheduleError for a vectorised or
/// unrolled loop without a constant bound.
DefinitionLoops make_loops(const StageDefinition&, int definition,
                           const schedule::DefinitionSchedule&, const Box& box,
                           const std::vector<bool>& slid, const algebra::ConstantScope& known,
                           const std::unordered_set<Symbol>& produced_inside);

/// How far RoundUp splits round up the extent of a pure variable: the multiple, 1 when they do not.
std::int64_t rounding_of(const schedule::DefinitionSchedule&, const Definition&,
                         const Symbol& variable);
/// A multiple that suits the schedule and all its specializations.
std::int64_t rounding_of_branches(const schedule::DefinitionSchedule&, const Definition&,
                                  const Symbol& variable);

}  // namespace sinter::lowering
