// Law 1 for loops: steps of a reduction keep their order unless any order gives the same bits, and
// loops whose iterations run together never touch the same element twice.

#include <algorithm>

#include "dsl/schedule/loop_facts.h"
#include "dsl/schedule/resolve.h"

namespace sinter::schedule {

namespace {

constexpr std::int64_t MaximumLanes = 1024;
constexpr std::int64_t MaximumCopies = 4096;   // of an unrolled body
constexpr std::int64_t MaximumThreads = 1024;  // of a block
constexpr std::int64_t MaximumGpuLanes = 32;

struct Checker {
  const State& state;
  const Schedule& entries;
  StageRef ref;
  const StageDefinition& stage;
  const Definition& definition;
  const StageSchedule& stage_schedule;

  std::vector<Symbol> ordered;  // variables whose steps interact, outermost first
  std::optional<SelfUpdate> update;

  void run() {
    if (ref.definition > 0) {
      update = as_self_update(stage, definition);
      for (std::size_t d = stage.rank(); d-- > 0;) add_if_ordered(stage.variables[d], d);
      for (auto r = definition.domain.rbegin(); r != definition.domain.rend(); ++r) {
        if (!iterations_are_independent(stage, definition, r->symbol)) ordered.push_back(r->symbol);
      }
    }
    check(stage_schedule.definitions[static_cast<std::size_t>(ref.definition)]);
  }

  void add_if_ordered(const Symbol& variable, std::size_t dimension) {
    if (definition.is_pure_in(dimension, stage.variables) &&
        !iterations_are_independent(stage, definition, variable)) {
      ordered.push_back(variable);
    }
  }

  bool is_ordered(const Symbol& s) const {
    return std::find(ordered.begin(), ordered.end(), s) != ordered.end();
  }
  bool any_order() const { return update && update->exact; }
  bool is_float_fold() const { return update && !update->exact; }

  void check(const DefinitionSchedule& schedule) const {
    if (!any_order()) check_order(schedule);
    bool inside_vector = false;
    for (auto loop = schedule.loops.rbegin(); loop != schedule.loops.rend(); ++loop) {
      check_race(schedule, *loop);
      check_extent(schedule, *loop);
      if (inside_vector && ir::is_concurrent(loop->kind)) {
        refuse_kind(*loop, refusal("a parallel loop inside a vectorised one cannot run",
                                   "reorder the parallel loop outwards"));
      }
      inside_vector = inside_vector || loop->kind == ir::LoopKind::Vectorized;
    }
    check_limits(schedule);
    for (const auto& branch : schedule.specializations) check(branch.schedule);
  }

  /// A kernel is held to one limit, and is there.
  void check_limits(const DefinitionSchedule& schedule) const {
    const ir::KernelLimits& limits = schedule.limits;
    if (limits == ir::KernelLimits{}) return;
    const auto refuse_limit = [&](const std::string& reason, const std::string& remedy) {
      refuse(refusal(reason, remedy), state, entries, ref, definition.where,
             [](const Directive& d) {
               return std::holds_alternative<GpuMaxRegisters>(d) ||
                      std::holds_alternative<GpuMinBlocks>(d);
             });
    };
    if (std::none_of(schedule.loops.begin(), schedule.loops.end(),
                     [](const Loop& l) { return l.kind == ir::LoopKind::GpuBlock; }))
      refuse_limit("the definition has no loops over blocks, so it is no kernel",
                   "write it where gpu_blocks or gpu_tile is");
    if (limits.max_registers > 0 && limits.min_blocks > 0)
      refuse_limit("a kernel is held to a number of registers or of blocks, not to both",
                   "drop one of the two: blocks follow from registers");
  }

  /// The ordered variables, followed through the relations, must appear in the loops in their
  /// order.
  void check_order(const DefinitionSchedule& schedule) const {
    std::vector<Symbol> expected = ordered;
    for (const Relation& r : schedule.relations) {
      if (r.kind == Relation::Kind::Split) {
        const auto old = std::find(expected.begin(), expected.end(), r.split.old);
        if (old == expected.end()) continue;
        *old = r.split.outer;
        expected.insert(old + 1, r.split.inner);
        continue;
      }
      const auto outer = std::find(expected.begin(), expected.end(), r.fuse.outer);
      const auto inner = std::find(expected.begin(), expected.end(), r.fuse.inner);
      if (outer == expected.end() && inner == expected.end()) continue;
      if (outer == expected.end()) {
        *inner = r.fuse.fused;
      } else if (inner == expected.end()) {
        *outer = r.fuse.fused;
      } else if (outer + 1 == inner) {
        *outer = r.fuse.fused;
        expected.erase(inner);
      } else {
        refuse_order(r.fuse.inner.name(), r.fuse.outer.name());
      }
    }
    std::size_t next = 0;
    for (auto loop = schedule.loops.rbegin(); loop != schedule.loops.rend(); ++loop) {
      if (std::find(expected.begin(), expected.end(), loop->variable) == expected.end()) continue;
      if (!(expected[next] == loop->variable)) {
        refuse_order(loop->variable.name(), expected[next].name());
      }
      ++next;
    }
  }

  [[noreturn]] void refuse_order(const std::string& early, const std::string& late) const {
    const std::string why =
        is_float_fold() ? "; the order of float additions and multiplications decides the rounding"
                        : "; a step may read what an earlier one wrote";
    const std::string remedy =
        is_float_fold()
            ? "keep these loops in their order, or use rfactor or reduce_across, which write "
              "another order into the algorithm"
            : "keep these loops in their order";
    refuse(refusal("the steps of the reduction would run in another order: '" + early +
                       "' would go around '" + late + "'" + why,
                   remedy),
           state, entries, ref, definition.where, [](const Directive& d) {
             return std::holds_alternative<Reorder>(d) || std::holds_alternative<Tile>(d) ||
                    std::holds_alternative<GpuTile>(d) || std::holds_alternative<Fuse>(d);
           });
  }

  void check_race(const DefinitionSchedule& schedule, const Loop& loop) const {
    if (!ir::is_concurrent(loop.kind) && loop.kind != ir::LoopKind::Vectorized) return;
    for (const Symbol& origin : origins(schedule, loop.variable)) {
      if (!is_ordered(origin)) continue;
      if (any_order()) {
        if (schedule.atomic) continue;
        const bool may_be_atomic = stage.types.size() == 1 && !stage.types[0].is_float();
        refuse_kind(
            loop,
            refusal("iterations of '" + loop.name.name() +
                        "' may update the same element at the same time",
                    may_be_atomic ? "add atomic(): any order of these updates gives the same bits"
                                  : "use rfactor, and run the partial reductions in parallel"));
      }
      if (is_float_fold()) {
        refuse_kind(loop, refusal("iterations of '" + loop.name.name() +
                                      "' may update the same element, and the order of float "
                                      "additions and multiplications decides the rounding",
                                  "use reduce_across or rfactor, which fix the order in the "
                                  "algorithm, and run their stages in parallel"));
      }
      refuse_kind(loop, refusal("iterations of '" + loop.name.name() +
                                    "' may touch the same element, and a step may read what "
                                    "another one wrote",
                                "keep the loop serial, or write elements by the coordinate '" +
                                    origin.name() + "' itself"));
    }
  }

  void check_extent(const DefinitionSchedule& schedule, const Loop& loop) const {
    const bool vector = loop.kind == ir::LoopKind::Vectorized;
    const bool threads = ir::is_thread_loop(loop.kind);
    if (!vector && !threads && loop.kind != ir::LoopKind::Unrolled) return;
    const auto extent = constant_extent(stage_schedule, stage, definition, schedule, loop.variable);
    if (!extent) {
      // The region of a producer may be constant all the same: bounds inference knows, lowering
      // asks.
      const auto from = origins(schedule, loop.variable);
      const bool pure = std::none_of(from.begin(), from.end(), [&](const Symbol& s) {
        return std::any_of(definition.domain.begin(), definition.domain.end(),
                           [&](const ReductionVariable& r) { return r.symbol == s; });
      });
      if (pure && !state.algorithm.is_output(stage.id)) return;
      refuse_kind(loop, refusal("the extent of '" + loop.name.name() + "' is not a constant",
                                "split it by a constant factor first, or give the dimension a "
                                "constant bound_extent"));
    }
    const std::int64_t limit = loop.kind == ir::LoopKind::GpuLane ? MaximumGpuLanes
                               : loop.kind == ir::LoopKind::GpuWarp
                                   ? MaximumThreads / MaximumGpuLanes
                               : threads ? MaximumThreads
                               : vector  ? MaximumLanes
                                         : MaximumCopies;
    if (*extent > limit) {
      const std::string count = std::to_string(*extent);
      refuse_kind(loop,
                  refusal((loop.kind == ir::LoopKind::GpuLane   ? "a warp of " + count + " lanes"
                           : loop.kind == ir::LoopKind::GpuWarp ? "a block of " + count + " warps"
                           : threads                            ? "a block of " + count + " threads"
                           : vector                             ? "a vector of " + count + " lanes"
                                                                : count + " copies of the body") +
                              " is beyond the limit of " + std::to_string(limit),
                          "split the loop by a smaller factor first"));
    }
  }

  [[noreturn]] void refuse_kind(const Loop& loop, Diagnostic problem) const {
    const auto names_loop = [&](const Directive& directive) {
      return std::visit(
          [&](const auto& d) {
            using D = std::decay_t<decltype(d)>;
            if constexpr (std::is_same_v<D, Parallel> || std::is_same_v<D, Vectorize> ||
                          std::is_same_v<D, Unroll>) {
              return d.loop == loop.name ||
                     (d.factor && loop.name.is_fresh() && loop.name.name() == d.loop.name() + "i");
            } else if constexpr (std::is_same_v<D, GpuBlocks> || std::is_same_v<D, GpuThreads>) {
              return std::find(d.loops.begin(), d.loops.end(), loop.name) != d.loops.end();
            } else if constexpr (std::is_same_v<D, GpuLanes> || std::is_same_v<D, GpuWarps>) {
              return d.loop == loop.name;
            } else if constexpr (std::is_same_v<D, GpuTile>) {
              const auto names = [&](const auto& list) {
                return std::find(list.begin(), list.end(), loop.name) != list.end();
              };
              return names(d.tile.outer) || names(d.tile.inner);
            } else {
              return false;
            }
          },
          directive);
    };
    refuse(std::move(problem), state, entries, ref, loop.where, names_loop);
  }
};

}  // namespace

void check_legality(const State& state, const Schedule& schedule) {
  for (const StageDefinition& stage : state.algorithm.stages) {
    for (std::size_t k = 0; k < stage.definitions.size(); ++k) {
      Checker{state,
              schedule,
              StageRef{stage.id, static_cast<int>(k)},
              stage,
              stage.definitions[k],
              state.schedules.at(stage.id),
              {},
              {}}
          .run();
    }
  }
}

}  // namespace sinter::schedule
