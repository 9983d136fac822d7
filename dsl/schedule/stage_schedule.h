#pragma once
// What a schedule has become after resolve(): per stage its placement, storage and, per definition,
// its loops and how their variables derive from the definition's own. Lowering reads only this.

#include <optional>
#include <source_location>
#include <string>
#include <unordered_map>
#include <vector>

#include "dsl/algorithm/algorithm.h"
#include "dsl/ir/module.h"

namespace sinter::schedule {

/// A definition of a stage: update 0 is the pure one, k >= 1 is `update(k - 1)`.
struct StageRef {
  Symbol stage;
  int definition = 0;
  bool operator==(const StageRef&) const = default;
};

enum class Tail { Auto, RoundUp, GuardWithIf, ShiftInwards };
enum class PartitionPolicy { Auto, Never, Always };

/// old = outer * factor + inner (+ old's min when old is a variable of the definition).
/// outer and inner start at 0. `tail` is never Auto here.
struct SplitRelation {
  Symbol old, outer, inner;
  std::int64_t factor;
  Tail tail;
};
/// fused = outer * extent(inner) + inner, from 0; inner and outer keep their mins.
struct FuseRelation {
  Symbol inner, outer, fused;
};
struct Relation {
  enum class Kind { Split, Fuse } kind;
  SplitRelation split;
  FuseRelation fuse;
};

struct Loop {
  Symbol variable;
  ir::LoopKind kind = ir::LoopKind::Serial;
  PartitionPolicy partition = PartitionPolicy::Auto;
  bool reduction = false;      // derives from a variable of the reduction domain
  std::source_location where;  // of the directive that last shaped it
  Symbol name;  // what the schedule calls it; differs from `variable` only when a name was reused
};

/// How one definition is run.
struct DefinitionSchedule {
  std::vector<Loop> loops;          // INNERMOST FIRST (as Halide's dims)
  std::vector<Relation> relations;  // in the order applied
  bool atomic = false;
  ir::KernelLimits limits;  // of the kernel that its loops over blocks are
  struct Specialization;
  std::vector<Specialization> specializations;  // first condition that holds wins
  struct Failure {
    std::string message;
    std::source_location where;
  };
  std::optional<Failure> failure;  // of a call for which none holds
};
struct DefinitionSchedule::Specialization {
  Expr condition;  // bool over parameters and buffer fields
  DefinitionSchedule schedule;
};

/// Where a stage is computed or stored.
struct Placement {
  enum class Kind {
    Inline,  // computed in the consumers' expressions; with updates: around each consuming Provide
    Root,
    At,  // inside loop `variable` of every definition of `consumer` that needs it
  } kind = Kind::Inline;
  Symbol consumer;
  Symbol variable;
  int definition = -1;  // >= 0: only that definition of the consumer
  std::source_location where;
  bool operator==(const Placement& o) const {
    return kind == o.kind && consumer == o.consumer && variable == o.variable &&
           definition == o.definition;
  }
};

/// bound, bound_extent, align_bounds of one dimension; undefined or 0 where not given.
struct DimensionBound {
  std::size_t dimension = 0;
  Expr min, extent;  // Index
  std::int64_t modulus = 0, remainder = 0;
  std::source_location where;
};

/// align_storage of one dimension: its extent in memory is a multiple, and `offset` more.
struct StorageAlignment {
  std::size_t dimension = 0;
  std::int64_t alignment = 1, offset = 0;
};

struct StageSchedule {
  Placement compute;
  Placement store;  // equal to compute unless store_at / store_root was given
  ir::MemoryKind memory = ir::MemoryKind::Auto;
  ir::StreamedAccesses streamed;
  std::vector<DimensionBound> bounds;
  std::vector<StorageAlignment> storage;
  std::vector<DefinitionSchedule> definitions;  // as StageDefinition::definitions
};

/// Definitions whose tiles are run one after the other by each iteration of the same outermost
/// loops.
struct FusedColumn {
  struct Member {
    StageRef ref;
    std::size_t shared = 0;  // outer loops that are one with those of the member before
  };
  std::vector<Member> members;               // in the order they run
  std::size_t grid = 0;                      // outer loops over blocks, or parallel ones
  ir::LoopKind kind = ir::LoopKind::Serial;  // of the grid; Serial when there is none

  /// Position of a definition; members.size() when it is not here.
  std::size_t find(const StageRef&) const;
  /// How many outer loops the members at the two positions have in common.
  std::size_t common(std::size_t a, std::size_t b) const;
};
/// Root stages in one grid: the grids of the columns stand one behind the other.
struct FusedStages {
  std::vector<Symbol> stages;
  std::vector<FusedColumn> columns;
  std::source_location where;

  bool has(const Symbol& stage) const;
  /// The column that holds the definition; null when none does.
  const FusedColumn* column_of(const StageRef&) const;
};

/// Estimated extents for tools; per stage or image, per dimension.
struct Estimate {
  Symbol symbol;
  std::size_t dimension;
  std::int64_t min, extent;
};

/// The second noun of the pipeline: a rewritten algorithm and how each stage runs. Immutable.
struct ScheduledPipeline {
  std::string name;
  Algorithm algorithm;  // after rfactor, reduce_across, in
  std::unordered_map<Symbol, StageSchedule> schedules;
  std::vector<FusedStages> fused;
  std::vector<Estimate> estimates;

  const StageSchedule& of(const Symbol& stage) const { return schedules.at(stage); }
};

/// Pseudo-code of the loop nests, outermost stage first.
std::string loop_nest(const ScheduledPipeline&);

}  // namespace sinter::schedule
