// Proves placements: the level exists, encloses every use of the stage, and storage encloses
// computation with no loop between them whose iterations run together.

#include <algorithm>
#include <functional>

#include "dsl/schedule/resolve.h"

namespace sinter::schedule {

namespace {

/// A definition that reads a stage.
struct Use {
  Symbol stage;
  int definition;
  bool operator==(const Use&) const = default;
};

struct PlacementChecker {
  State& state;
  const Schedule& entries;
  std::unordered_map<Symbol, std::vector<Use>> readers;  // direct ones, itself excluded
  std::unordered_map<Symbol, std::size_t> position;      // in the order of stages

  PlacementChecker(State& s, const Schedule& e) : state(s), entries(e) {
    const auto& stages = state.algorithm.stages;
    for (std::size_t i = 0; i < stages.size(); ++i) position.emplace(stages[i].id, i);
    for (const StageDefinition& stage : stages) {
      for (std::size_t k = 0; k < stage.definitions.size(); ++k) add_uses(stage, k);
    }
  }

  void add_uses(const StageDefinition& stage, std::size_t k) {
    const Use use{stage.id, static_cast<int>(k)};
    const Definition& definition = stage.definitions[k];
    const auto scan = [&](const Expr& e) {
      ir::for_each_node(e.node(), [&](const ir::Ref& node) {
        if (node->op == ir::Op::Access && !(node->symbol == stage.id)) {
          std::vector<Use>& list = readers[node->symbol];
          if (list.empty() || !(list.back() == use)) list.push_back(use);
        }
        return true;
      });
    };
    for (const Expr& e : definition.values) scan(e);
    for (const Expr& e : definition.coordinates) scan(e);
    if (definition.predicate.defined()) scan(definition.predicate);
  }

  const StageSchedule& of(const Symbol& stage) const { return state.schedules.at(stage); }
  bool is_inline(const Symbol& stage) const {
    return of(stage).compute.kind == Placement::Kind::Inline;
  }

  /// Reading definitions of stages that have loops of their own, through inlined stages.
  std::vector<Use> uses(const Symbol& stage) const {
    std::vector<Use> found;
    std::unordered_set<Symbol> seen{stage};
    std::vector<Symbol> pending{stage};
    while (!pending.empty()) {
      const Symbol current = pending.back();
      pending.pop_back();
      const auto it = readers.find(current);
      if (it == readers.end()) continue;
      for (const Use& use : it->second) {
        if (!is_inline(use.stage)) {
          if (std::find(found.begin(), found.end(), use) == found.end()) found.push_back(use);
        } else if (seen.insert(use.stage).second) {
          pending.push_back(use.stage);
        }
      }
    }
    return found;
  }

  template <typename D>
  [[noreturn]] void refuse_as(const Symbol& stage, const Placement& placement, Diagnostic problem) {
    refuse(std::move(problem), state, entries, StageRef{stage, 0}, placement.where,
           [](const Directive& d) { return std::holds_alternative<D>(d); });
  }
  [[noreturn]] void refuse_compute(const Symbol& stage, Diagnostic problem) {
    refuse_as<ComputeAt>(stage, of(stage).compute, std::move(problem));
  }
  [[noreturn]] void refuse_store(const Symbol& stage, Diagnostic problem) {
    const Placement& store = of(stage).store;
    if (store.kind == Placement::Kind::Root) {
      refuse_as<StoreRoot>(stage, store, std::move(problem));
    }
    refuse_as<StoreAt>(stage, store, std::move(problem));
  }
  std::string level_text(const Placement& p) const {
    return "loop '" + p.variable.name() + "' of '" +
           stage_text(state.algorithm, {p.consumer, std::max(p.definition, 0)}) + "'";
  }

  /// Index of the loop by name in the definition and all its branches.
  static std::optional<Symbol> loop_named(const DefinitionSchedule& schedule, const Symbol& name) {
    const std::size_t index = find_loop(schedule, name);
    if (index == schedule.loops.size()) return std::nullopt;
    for (const auto& branch : schedule.specializations) {
      if (loop_named(branch.schedule, name) != schedule.loops[index].variable) return std::nullopt;
    }
    return schedule.loops[index].variable;
  }
  static std::size_t index_of(const DefinitionSchedule& schedule, const Symbol& variable) {
    std::size_t i = 0;
    while (i < schedule.loops.size() && !(schedule.loops[i].variable == variable)) ++i;
    return i;
  }

  /// Names in placements become loop variables; `complain` gets the reason when they cannot.
  template <typename Complain>
  void find_level(Placement& placement, const Symbol& stage, const Complain& complain) {
    const StageDefinition* consumer = state.algorithm.find(placement.consumer);
    if (consumer == nullptr) {
      complain(refusal("the pipeline has no stage '" + placement.consumer.name() + "'",
                       "name a stage that uses this one, or compute_root()"));
      return;
    }
    if (is_inline(consumer->id)) {
      complain(refusal("'" + consumer->name + "' is computed inline and has no loops of its own",
                       "place '" + consumer->name +
                           "' first with compute_root or compute_at, or "
                           "name the stage that it is inlined into"));
    }
    if (position.at(consumer->id) <= position.at(stage)) {
      complain(refusal("'" + consumer->name + "' does not use this stage",
                       "name a stage that uses it, or compute_root()"));
    }
    const auto& definitions = of(consumer->id).definitions;
    if (placement.definition >= static_cast<int>(definitions.size())) {
      complain(refusal(
          "'" + consumer->name + "' has " + std::to_string(definitions.size() - 1) + " updates",
          "name one of them"));
    }
    std::optional<Symbol> variable;
    bool differs = false;  // in a branch, or between definitions
    for (std::size_t k = 0; k < definitions.size(); ++k) {
      if (placement.definition >= 0 && placement.definition != static_cast<int>(k)) continue;
      const auto found = loop_named(definitions[k], placement.variable);
      differs = differs || (!found && has_loop(definitions[k], placement.variable)) ||
                (found && variable && !(*found == *variable));
      if (differs) {
        complain(refusal("the name '" + placement.variable.name() +
                             "' stands for differently "
                             "shaped loops in the definitions or branches of '" +
                             consumer->name + "'",
                         "give the new loops names of their own instead of reusing '" +
                             placement.variable.name() + "'"));
      }
      if (found) variable = found;
    }
    if (!variable) {
      const auto k = static_cast<std::size_t>(std::max(placement.definition, 0));
      complain(refusal("'" + stage_text(state.algorithm, {consumer->id, static_cast<int>(k)}) +
                           "' has no loop '" + placement.variable.name() + "'",
                       "name one of its loops (innermost first): " + loops_text(definitions[k])));
    }
    placement.variable = *variable;
  }

  /// How many loops stand around the loop of `level` that a fuse made one with a loop of the
  /// definition; empty when none did.
  std::optional<std::size_t> joined(const Use& use, const Placement& level) const {
    for (const FusedStages& group : state.fused) {
      const FusedColumn* column = group.column_of({use.stage, use.definition});
      if (column == nullptr) continue;
      const auto& definitions = of(level.consumer).definitions;
      for (std::size_t k = 0; k < definitions.size(); ++k) {
        if (level.definition >= 0 && level.definition != static_cast<int>(k)) continue;
        const std::size_t other = column->find({level.consumer, static_cast<int>(k)});
        const std::size_t index = index_of(definitions[k], level.variable);
        if (other == column->members.size() || index == definitions[k].loops.size()) continue;
        const std::size_t depth = definitions[k].loops.size() - 1 - index;
        if (column->common(other, column->find({use.stage, use.definition})) > depth) return depth;
      }
    }
    return std::nullopt;
  }

  /// Why a use is not inside the level; empty when it is.
  std::string outside(const Use& use, const Placement& level) const {
    if (use.stage == level.consumer) {
      if (level.definition >= 0 && use.definition != level.definition) {
        return "it is another definition";
      }
      const auto& schedule = of(use.stage).definitions[static_cast<std::size_t>(use.definition)];
      if (index_of(schedule, level.variable) < schedule.loops.size()) return "";
      return "it has no loop '" + level.variable.name() + "'";
    }
    if (joined(use, level)) return "";
    return stage_outside(use.stage, level);
  }

  std::string stage_outside(const Symbol& stage, const Placement& level) const {
    const Placement& own = of(stage).compute;
    const std::string name = "'" + stage_text(state.algorithm, {stage, 0}) + "'";
    if (own.kind == Placement::Kind::Root) return name + " is computed at root";
    if (own.kind == Placement::Kind::Inline) return name + " is computed around each of its uses";
    if (!(own.consumer == level.consumer)) {
      if (inside_joined(own, level)) return "";
      const std::string why = stage_outside(own.consumer, level);
      return why.empty() ? why : name + " is computed at " + level_text(own) + ", and " + why;
    }
    for (const Use& use : uses(stage)) {
      if (!(use.stage == level.consumer)) continue;  // inside another stage that is checked itself
      if (level.definition >= 0 && use.definition != level.definition) {
        return "it is also computed in another definition";
      }
      const auto& schedule =
          of(level.consumer).definitions[static_cast<std::size_t>(use.definition)];
      const std::size_t outer = index_of(schedule, level.variable);
      if (outer == schedule.loops.size()) return "that loop does not exist there";
      if (index_of(schedule, own.variable) > outer) {
        return "it is computed further out, at loop '" + own.variable.name() + "'";
      }
    }
    return "";
  }

  /// Whether all loops that `own` names lie inside a loop that is one with that of `level`.
  bool inside_joined(const Placement& own, const Placement& level) const {
    const auto& definitions = of(own.consumer).definitions;
    bool any = false;
    for (std::size_t k = 0; k < definitions.size(); ++k) {
      if (own.definition >= 0 && own.definition != static_cast<int>(k)) continue;
      const std::size_t index = index_of(definitions[k], own.variable);
      if (index == definitions[k].loops.size()) continue;
      const auto depth = joined({own.consumer, static_cast<int>(k)}, level);
      if (!depth || definitions[k].loops.size() - 1 - index < *depth) return false;
      any = true;
    }
    return any;
  }

  void check_uses(const Symbol& stage) {
    const Placement& compute = of(stage).compute;
    for (const Use& use : uses(stage)) {
      const std::string why = outside(use, compute);
      if (why.empty()) continue;
      refuse_compute(
          stage, refusal("its use in '" + stage_text(state.algorithm, {use.stage, use.definition}) +
                             "' lies outside " + level_text(compute) + ": " + why,
                         "compute_root(), or a level that encloses every use"));
    }
  }

  /// The loops of a placement's consumer, of each definition and branch that holds the level.
  template <typename Visit>
  void for_each_holder(const Placement& level, const Visit& visit) const {
    const std::function<void(const DefinitionSchedule&, int)> add = [&](const DefinitionSchedule& s,
                                                                        int k) {
      const std::size_t innermost = index_of(s, level.variable);
      if (innermost < s.loops.size()) visit(s.loops, innermost, k);
      for (const auto& branch : s.specializations) add(branch.schedule, k);
    };
    const auto& definitions = of(level.consumer).definitions;
    for (std::size_t k = 0; k < definitions.size(); ++k) {
      const int index = static_cast<int>(k);
      if (level.definition < 0 || level.definition == index) add(definitions[k], index);
    }
  }

  /// Ways of loops around the computation of `stage`, outermost first; those of the same kinds
  /// once.
  struct Around {
    Symbol stage;
    const Loop* loop;
  };
  using Way = std::vector<Around>;
  std::vector<Way> ways(const Symbol& stage) const {
    const Placement& compute = of(stage).compute;
    if (compute.kind != Placement::Kind::At) return {{}};
    const auto alike = [](const Way& a, const Way& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                        [](const Around& i, const Around& j) {
                          return i.stage == j.stage && i.loop->kind == j.loop->kind;
                        });
    };
    std::vector<Way> result;
    for (const Way& outer : ways(compute.consumer)) {
      for_each_holder(compute, [&](const std::vector<Loop>& loops, std::size_t innermost, int) {
        Way way = outer;
        for (std::size_t i = loops.size(); i-- > innermost;)
          way.push_back({compute.consumer, &loops[i]});
        for (const Way& known : result) {
          if (alike(known, way)) return;
        }
        result.push_back(std::move(way));
      });
    }
    return result;
  }

  void check_storage(const Symbol& stage) {
    if (of(stage).compute.kind == Placement::Kind::Inline) {
      refuse_store(stage, refusal("the stage is computed inline and stored nowhere",
                                  "say where it is computed: compute_at or compute_root"));
    }
    std::unordered_set<Symbol> seen;
    check_between(stage, of(stage).compute, seen);
  }

  /// A stage of a fuse, stored at the innermost loop of the grid: each tile has its own.
  bool is_stored_in_tile(const Symbol& stage) {
    const Placement& store = of(stage).store;
    for (const FusedStages& group : state.fused) {
      if (!group.has(stage)) continue;
      for (const FusedColumn& column : group.columns) {
        const bool here = std::any_of(
            column.members.begin(), column.members.end(),
            [&](const FusedColumn::Member& m) { return m.ref.stage == store.consumer; });
        if (!here) continue;
        for (std::size_t k = 0; k < of(stage).definitions.size(); ++k) {
          const auto depth = joined({stage, static_cast<int>(k)}, store);
          if (!depth || *depth + 1 != column.grid) return false;
        }
        for (const Use& use : uses(stage)) {
          const std::string why = outside(use, store);
          if (why.empty()) continue;
          refuse_store(stage, refusal("its use in '" +
                                          stage_text(state.algorithm, {use.stage, use.definition}) +
                                          "' lies outside " + level_text(store) + ": " + why,
                                      "store it at root, or add what uses it to the fuse"));
        }
        return true;
      }
    }
    return false;
  }

  /// From `level` outwards to the storage of `stage`, in all definitions and branches on the way.
  void check_between(const Symbol& stage, const Placement& level,
                     std::unordered_set<Symbol>& seen) {
    const Placement& store = of(stage).store;
    if (level.kind != Placement::Kind::At) {
      if (store.kind == Placement::Kind::Root || is_stored_in_tile(stage)) return;
      refuse_store(stage, refusal("the stage is not computed inside " + level_text(store),
                                  "store it at a loop around the one it is computed at"));
    }
    bool leaves = false;  // past the consumer's outermost loop
    for_each_holder(level, [&](const std::vector<Loop>& loops, std::size_t innermost, int k) {
      for (std::size_t i = innermost; i < loops.size(); ++i) {
        const Loop& loop = loops[i];
        if (store.kind == Placement::Kind::At && store.consumer == level.consumer &&
            store.variable == loop.variable) {
          return;
        }
        const bool parallel = ir::is_concurrent(loop.kind);
        if (!parallel && loop.kind != ir::LoopKind::Vectorized) continue;
        refuse_store(stage,
                     refusal(std::string("the ") + (parallel ? "parallel" : "vectorised") +
                                 " loop '" + loop.name.name() + "' of '" +
                                 stage_text(state.algorithm, {level.consumer, k}) +
                                 "' lies between storage and computation: its iterations would "
                                 "share one buffer",
                             "store it at '" + loop.name.name() + "' or further in"));
      }
      leaves = true;
    });
    if (leaves && seen.insert(level.consumer).second)
      check_between(stage, of(level.consumer).compute, seen);
  }

  /// Refuses what the loop's kind asks for, naming the directive that gave it.
  [[noreturn]] void refuse_loop(const StageRef& ref, const Loop& loop, Diagnostic problem) {
    const auto has = [&](const std::vector<Symbol>& list) {
      return std::find(list.begin(), list.end(), loop.name) != list.end();
    };
    refuse(std::move(problem), state, entries, ref, loop.where, [&](const Directive& d) {
      if (const auto* blocks = std::get_if<GpuBlocks>(&d)) return has(blocks->loops);
      if (const auto* threads = std::get_if<GpuThreads>(&d)) return has(threads->loops);
      if (const auto* lanes = std::get_if<GpuLanes>(&d)) return lanes->loop == loop.name;
      if (const auto* warps = std::get_if<GpuWarps>(&d)) return warps->loop == loop.name;
      if (const auto* tile = std::get_if<GpuTile>(&d))
        return has(tile->tile.outer) || has(tile->tile.inner);
      if (const auto* parallel = std::get_if<Parallel>(&d)) return parallel->loop == loop.name;
      return std::holds_alternative<GpuSingleThread>(d);
    });
  }

  /// Blocks stand outside threads and next to each other, threads of one stage in blocks.
  void check_gpu_loops(const StageDefinition& stage) {
    const StageSchedule& schedule = of(stage.id);
    if (schedule.compute.kind == Placement::Kind::Inline && !state.algorithm.is_output(stage.id)) {
      for (std::size_t k = 0; k < stage.definitions.size(); ++k) {
        check_inline_gpu_loops({stage.id, static_cast<int>(k)}, schedule.definitions[k]);
      }
      return;
    }
    for (const Way& outer : ways(stage.id)) {
      for (std::size_t k = 0; k < stage.definitions.size(); ++k) {
        check_gpu_loops(stage, {stage.id, static_cast<int>(k)}, schedule.definitions[k], outer);
      }
    }
  }

  /// The loops of updates run around each use, wherever that is.
  void check_inline_gpu_loops(const StageRef& ref, const DefinitionSchedule& schedule) {
    for (const auto& branch : schedule.specializations)
      check_inline_gpu_loops(ref, branch.schedule);
    for (const Loop& loop : schedule.loops) {
      if (!ir::is_gpu_loop(loop.kind)) continue;
      refuse_loop(
          ref, loop,
          refusal("the stage is computed inline: its loops run inside each thread that uses it",
                  "place it with compute_root or compute_at"));
    }
  }

  void check_gpu_loops(const StageDefinition& stage, const StageRef& ref,
                       const DefinitionSchedule& schedule, const Way& outer) {
    for (const auto& branch : schedule.specializations)
      check_gpu_loops(stage, ref, branch.schedule, outer);
    Way nest = outer;
    for (auto loop = schedule.loops.rbegin(); loop != schedule.loops.rend(); ++loop)
      nest.push_back({stage.id, &*loop});
    const Around *block = nullptr, *between = nullptr, *thread = nullptr, *parallel = nullptr;
    int blocks = 0;
    for (const Around& around : nest) {
      const Loop& loop = *around.loop;
      const bool own = around.stage == stage.id;
      if (loop.kind == ir::LoopKind::GpuBlock) {
        if (own && thread) {
          refuse_loop(ref, loop,
                      refusal("a loop over blocks stands inside the loop over threads '" +
                                  thread->loop->name.name() + "'",
                              "reorder the loops over blocks outwards"));
        }
        if (own && between) {
          refuse_loop(ref, *block->loop,
                      refusal("the loop '" + between->loop->name.name() +
                                  "' stands between two loops over blocks",
                              "reorder it inwards or outwards, or run it over blocks too"));
        }
        if (own && parallel) {
          refuse_loop(ref, loop,
                      refusal("the parallel loop '" + parallel->loop->name.name() +
                                  "' of the host stands around the blocks",
                              "make it serial, or run it over blocks too"));
        }
        if (own && ++blocks > 3) {
          refuse_loop(
              ref, loop,
              refusal("a grid has three dimensions at most", "fuse two of the loops over blocks"));
        }
        if (own && !outer.empty() && std::any_of(outer.begin(), outer.end(), [](const Around& a) {
              return a.loop->kind == ir::LoopKind::GpuBlock;
            })) {
          refuse_loop(
              ref, loop,
              refusal("the stage is computed inside blocks of '" + outer.back().stage.name() + "'",
                      "run its loops over threads, or compute it at root"));
        }
        block = &around;
      } else if (ir::is_thread_loop(loop.kind)) {
        if (own && !block) {
          refuse_loop(ref, loop,
                      refusal("no loop over blocks stands around the threads",
                              "run an outer loop over gpu_blocks, or compute the stage at one"));
        }
        if (own && thread && !(thread->stage == stage.id)) {
          refuse_loop(ref, loop,
                      refusal("the stage is computed inside the loop over threads '" +
                                  thread->loop->name.name() + "' of '" +
                                  stage_text(state.algorithm, {thread->stage, 0}) + "'",
                              "compute it at a loop over blocks, or keep its loops serial"));
        }
        thread = &around;
      } else {
        if (block && own && loop.kind == ir::LoopKind::Parallel) {
          refuse_loop(ref, loop,
                      refusal("a parallel loop of the host stands inside a loop over blocks",
                              "use gpu_threads"));
        }
        if (loop.kind == ir::LoopKind::Parallel) parallel = &around;
        if (block) between = &around;
      }
    }
    check_gpu_tails(ref, schedule);
  }

  /// A tile that is shifted inwards covers elements of its neighbour: both would write them.
  void check_gpu_tails(const StageRef& ref, const DefinitionSchedule& schedule) {
    for (const Relation& r : schedule.relations) {
      if (r.kind != Relation::Kind::Split || r.split.tail != Tail::ShiftInwards) continue;
      for (const Loop& loop : schedule.loops) {
        const bool part = derives(schedule, loop.variable, r.split.outer) ||
                          derives(schedule, loop.variable, r.split.inner);
        if (!ir::is_gpu_loop(loop.kind) || !part) continue;
        refuse_loop(ref, loop,
                    refusal("with TailStrategy::ShiftInwards two blocks or threads would write the "
                            "same element",
                            "use TailStrategy::GuardWithIf"));
      }
    }
  }
  static bool derives(const DefinitionSchedule& schedule, const Symbol& variable,
                      const Symbol& ancestor) {
    if (variable == ancestor) return true;
    for (const Relation& r : schedule.relations) {
      const bool made = r.kind == Relation::Kind::Split
                            ? variable == r.split.outer || variable == r.split.inner
                            : variable == r.fuse.fused;
      if (!made) continue;
      if (r.kind == Relation::Kind::Split) return derives(schedule, r.split.old, ancestor);
      return derives(schedule, r.fuse.outer, ancestor) || derives(schedule, r.fuse.inner, ancestor);
    }
    return false;
  }

  /// Directives on loops that will not exist are refused, not ignored.
  void check_inline(const StageDefinition& stage) {
    const StageSchedule& schedule = of(stage.id);
    if (stage.definitions.size() > 1) return;  // its loops run around each use
    const DefinitionSchedule own = initial_definition_schedule(stage, 0);
    const DefinitionSchedule& shaped = schedule.definitions[0];
    bool differs = !shaped.relations.empty() || !shaped.specializations.empty() ||
                   schedule.memory != ir::MemoryKind::Auto || !schedule.bounds.empty() ||
                   shaped.limits != ir::KernelLimits{} || !schedule.streamed.none();
    for (std::size_t i = 0; i < own.loops.size() && !differs; ++i) {
      differs = !(own.loops[i].name == shaped.loops[i].name) ||
                shaped.loops[i].kind != ir::LoopKind::Serial ||
                shaped.loops[i].partition != PartitionPolicy::Auto;
    }
    if (!differs) return;
    refuse(refusal("the stage is computed inline: it has no loops, storage or bounds of its own",
                   "place it with compute_root or compute_at, or drop this directive"),
           state, entries, StageRef{stage.id, 0}, schedule.compute.where, [](const Directive& d) {
             return !std::holds_alternative<ComputeInline>(d) &&
                    !std::holds_alternative<SetEstimate>(d);
           });
  }

  /// What has its storage shaped has some.
  void check_storage() {
    for (const Entry& entry : entries.entries) {
      if (!std::holds_alternative<AlignStorage>(entry.directive)) continue;
      const Symbol& stage = entry.stage.stage;
      if (!is_inline(stage) || state.algorithm.stage(stage).definitions.size() > 1) continue;
      Diagnostic problem = refusal("the stage is computed inline: it is never stored",
                                   "place it with compute_root or compute_at");
      problem.stage = stage_text(state.algorithm, entry.stage);
      problem.directive = to_string(entry.directive, state.algorithm);
      entry.locate(problem);
      throw ScheduleError(problem);
    }
  }

  /// Streamed accesses exist, in memory that caches stand before.
  void check_streams() {
    for (const Entry& entry : entries.entries) {
      const auto refuse_entry = [&](const std::string& reason, const std::string& remedy) {
        Diagnostic problem = refusal(reason, remedy);
        problem.stage = stage_text(state.algorithm, entry.stage);
        problem.directive = to_string(entry.directive, state.algorithm);
        entry.locate(problem);
        throw ScheduleError(problem);
      };
      const auto in_memory = [&](const Symbol& stage, const std::string& name) {
        const ir::MemoryKind memory = of(stage).memory;
        if (memory == ir::MemoryKind::Register || memory == ir::MemoryKind::GPUShared)
          refuse_entry(name + " is in " +
                           (memory == ir::MemoryKind::Register ? "registers" : "shared memory") +
                           ", which no cache stands before",
                       "drop this directive, or store_in(MemoryType::Heap)");
      };
      const Symbol& stage = entry.stage.stage;
      const auto* loads = std::get_if<StreamLoads>(&entry.directive);
      if (loads == nullptr && !std::holds_alternative<StreamStores>(entry.directive)) continue;
      if (is_inline(stage) && !state.algorithm.is_output(stage))
        refuse_entry("the stage is computed inline: loads and stores are those of its consumers",
                     "write it on a consumer, or place the stage with compute_root or compute_at");
      if (loads == nullptr) {
        in_memory(stage, "the stage");
        continue;
      }
      if (!loads->producer) continue;
      const Symbol& producer = *loads->producer;
      const StageDefinition* made = state.algorithm.find(producer);
      const std::string name = "'" + (made ? made->name : producer.name()) + "'";
      if (made && is_inline(producer) && !state.algorithm.is_output(producer))
        refuse_entry(name + " is computed inline, and never loaded", "name what it loads");
      const std::vector<Use> reading = uses(producer);
      if (std::none_of(reading.begin(), reading.end(),
                       [&](const Use& use) { return use.stage == stage; }))
        refuse_entry(
            "the stage does not load " + name,
            "name a stage or an image that it reads, or write it on the stage that reads " + name);
      if (made) in_memory(producer, name);
    }
  }

  void run() {
    for (const StageDefinition& stage : state.algorithm.stages) {
      StageSchedule& schedule = state.schedules.at(stage.id);
      if (schedule.compute.kind == Placement::Kind::At) {
        find_level(schedule.compute, stage.id,
                   [&](Diagnostic d) { refuse_compute(stage.id, std::move(d)); });
      }
      if (!state.stored_explicitly.contains(stage.id)) {
        schedule.store = schedule.compute;
      } else if (schedule.store.kind == Placement::Kind::At) {
        find_level(schedule.store, stage.id,
                   [&](Diagnostic d) { refuse_store(stage.id, std::move(d)); });
      }
    }
    for (const StageDefinition& stage : state.algorithm.stages) {
      const StageSchedule& schedule = of(stage.id);
      if (schedule.compute.kind == Placement::Kind::Inline) check_inline(stage);
      if (schedule.compute.kind == Placement::Kind::At) check_uses(stage.id);
      if (state.stored_explicitly.contains(stage.id)) check_storage(stage.id);
      check_gpu_loops(stage);
    }
    check_storage();
    check_streams();
  }
};

}  // namespace

void settle_placements(State& state, const Schedule& schedule) {
  PlacementChecker(state, schedule).run();
}

}  // namespace sinter::schedule
