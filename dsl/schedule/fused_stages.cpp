// Which loops the stages of a Pipeline::fuse share, and whether they may.

#include <algorithm>
#include <map>
#include <set>

#include "dsl/schedule/loop_facts.h"
#include "dsl/schedule/resolve.h"

namespace sinter::schedule {

std::size_t FusedColumn::find(const StageRef& ref) const {
  std::size_t i = 0;
  while (i < members.size() && !(members[i].ref == ref)) ++i;
  return i;
}

std::size_t FusedColumn::common(std::size_t a, std::size_t b) const {
  std::size_t least = static_cast<std::size_t>(-1);
  for (std::size_t i = std::min(a, b) + 1; i <= std::max(a, b); ++i)
    least = std::min(least, members[i].shared);
  return least;
}

bool FusedStages::has(const Symbol& stage) const {
  return std::find(stages.begin(), stages.end(), stage) != stages.end();
}

const FusedColumn* FusedStages::column_of(const StageRef& ref) const {
  for (const FusedColumn& column : columns) {
    if (column.find(ref) < column.members.size()) return &column;
  }
  return nullptr;
}

namespace {

class Joiner {
 public:
  Joiner(State& state, const Schedule& entries, FusedStages& group)
      : state_(state), entries_(entries), group_(group) {}

  void run() {
    for (const Symbol& s : group_.stages) check_stage(s);
    check_order();
    for (const std::vector<StageRef>& column : by_grid()) {
      group_.columns.emplace_back();
      group_.columns.back().grid = grid_of(column.front());
      if (group_.columns.back().grid > 0) group_.columns.back().kind = loop(column.front(), 0).kind;
      for (const StageRef& ref : column) add(group_.columns.back(), ref);
    }
    check_columns();
  }

 private:
  using Reads = std::set<Symbol>;

  [[noreturn]] void refuse_group(const Symbol& stage, Diagnostic problem) const {
    problem.stage = stage_text(state_.algorithm, {stage, 0});
    problem.at(group_.where);
    for (const Entry& e : entries_.entries) {
      const auto* fuse = std::get_if<FuseStages>(&e.directive);
      if (fuse == nullptr || fuse->stages != group_.stages) continue;
      problem.directive = to_string(e.directive, state_.algorithm);
      e.locate(problem);
    }
    throw ScheduleError(problem);
  }
  std::string name(const Symbol& stage) const {
    return "'" + stage_text(state_.algorithm, {stage, 0}) + "'";
  }
  const DefinitionSchedule& loops_of(const StageRef& ref) const {
    return state_.schedules.at(ref.stage).definitions[static_cast<std::size_t>(ref.definition)];
  }
  bool is_root(const Symbol& stage) const {
    return state_.algorithm.is_output(stage) ||
           state_.schedules.at(stage).compute.kind == Placement::Kind::Root;
  }

  void check_stage(const Symbol& s) {
    if (state_.algorithm.find(s) == nullptr) {
      refuse_group(group_.stages.front(), refusal("the pipeline has no stage '" + s.name() + "'",
                                                  "drop it from the list, or use the stage"));
    }
    if (!is_root(s)) {
      refuse_group(s, refusal("the stage is not computed at root",
                              "compute_root() it, or drop it from the list"));
    }
    for (const DefinitionSchedule& d : state_.schedules.at(s).definitions) {
      if (d.specializations.empty()) continue;
      refuse_group(s, refusal("branches of specialize have loops of their own",
                              "drop specialize, or drop the stage from the list"));
    }
    for (const FusedStages& other : state_.fused) {
      if (&other == &group_ || !other.has(s)) continue;
      refuse_group(s, refusal("the stage stands in another fuse", "name all stages in one list"));
    }
  }

  // --- dependence
  /// Root stages that a definition reads, itself excluded, through stages without loops at root.
  const Reads& reads(const StageRef& ref) {
    const auto [known, added] = reads_.try_emplace({ref.stage, ref.definition});
    if (!added) return known->second;
    Reads found;
    std::unordered_set<Symbol> seen{ref.stage};
    const auto scan = [&](const Definition& definition, auto&& self) -> void {
      const auto visit = [&](const ir::Ref& n) {
        if (n->op != ir::Op::Access || !seen.insert(n->symbol).second) return true;
        const StageDefinition* stage = state_.algorithm.find(n->symbol);
        if (stage == nullptr) return true;
        if (is_root(stage->id)) found.insert(stage->id);
        else
          for (const Definition& d : stage->definitions) self(d, self);
        return true;
      };
      for (const Expr& e : definition.values) ir::for_each_node(e.node(), visit);
      for (const Expr& e : definition.coordinates) ir::for_each_node(e.node(), visit);
      if (definition.predicate.defined()) ir::for_each_node(definition.predicate.node(), visit);
    };
    const StageDefinition& stage = *state_.algorithm.find(ref.stage);
    scan(stage.definitions[static_cast<std::size_t>(ref.definition)], scan);
    return known->second = std::move(found);
  }
  /// Root stages that any definition reads.
  Reads reads_of_stage(const Symbol& s) {
    Reads all;
    const StageDefinition& stage = *state_.algorithm.find(s);
    for (std::size_t k = 0; k < stage.definitions.size(); ++k) {
      const Reads& own = reads({s, static_cast<int>(k)});
      all.insert(own.begin(), own.end());
    }
    return all;
  }
  bool independent(const StageRef& a, const StageRef& b) {
    return !(a.stage == b.stage) && !reads(a).contains(b.stage) && !reads(b).contains(a.stage);
  }

  void check_order() {
    // Stages outside the list that run after one of it, and that one. Those of another fuse run
    // together.
    std::unordered_map<Symbol, Symbol> after;
    std::size_t known = 0;
    do {
      known = after.size();
      for (const StageDefinition& stage : state_.algorithm.stages) {
        if (!is_root(stage.id) || group_.has(stage.id)) continue;
        for (const Symbol& r : reads_of_stage(stage.id)) {
          if (group_.has(r)) after.emplace(stage.id, r);
          else if (const auto via = after.find(r); via != after.end())
            after.emplace(stage.id, Symbol(via->second));
        }
      }
      for (const FusedStages& other : state_.fused) {
        for (const Symbol& s : other.stages) {
          const auto late = after.find(s);
          if (late == after.end()) continue;
          const Symbol of = late->second;
          for (const Symbol& t : other.stages) after.emplace(t, of);
        }
      }
    } while (after.size() > known);
    for (auto own = group_.stages.begin(); own != group_.stages.end(); ++own) {
      for (const Symbol& r : reads_of_stage(*own)) {
        if (std::find(own, group_.stages.end(), r) != group_.stages.end()) {
          refuse_group(
              *own, refusal("the stage reads " + name(r) + ", which stands behind it in the list",
                            "list " + name(r) + " first"));
        }
        const auto late = after.find(r);
        if (late == after.end()) continue;
        refuse_group(*own, refusal("the stage reads " + name(r) + ", computed at root after " +
                                       name(late->second) + ": it would have to run in between",
                                   "add " + name(r) +
                                       " to the list, or compute it inside the stage with "
                                       "compute_at"));
      }
    }
  }

  // --- loops
  const Loop& loop(const StageRef& ref, std::size_t depth) const {
    const auto& loops = loops_of(ref).loops;
    return loops[loops.size() - 1 - depth];
  }
  std::size_t depth(const StageRef& ref) const { return loops_of(ref).loops.size(); }

  /// Outermost loops whose iterations run together.
  std::size_t grid_of(const StageRef& ref) const {
    std::size_t n = 0;
    while (n < depth(ref) && loop(ref, n).kind == loop(ref, 0).kind &&
           (loop(ref, n).kind == ir::LoopKind::GpuBlock ||
            loop(ref, n).kind == ir::LoopKind::Parallel))
      ++n;
    for (std::size_t i = n; i < depth(ref); ++i) {
      if (loop(ref, i).kind != ir::LoopKind::GpuBlock) continue;
      refuse_group(ref.stage, refusal("the loop '" + loop(ref, 0).name.name() +
                                          "' stands outside the loops over blocks",
                                      "reorder the loops over blocks outwards"));
    }
    return n;
  }
  static bool alike(const Loop& a, const Loop& b) {
    return a.kind == b.kind && a.name.name() == b.name.name();
  }

  /// Definitions in the order of the list, by grids that follow each other. Initial values that
  /// need no other stage come first, so that they part no loops.
  std::vector<std::vector<StageRef>> by_grid() {
    std::vector<std::vector<StageRef>> columns;
    for (const Symbol& s : group_.stages) {
      const StageDefinition& stage = *state_.algorithm.find(s);
      for (std::size_t k = 0; k < stage.definitions.size(); ++k) {
        if (stage.definitions[k].is_undef()) continue;
        const StageRef ref{s, static_cast<int>(k)};
        if (columns.empty() || !same_grid(columns.back().front(), ref)) columns.emplace_back();
        columns.back().push_back(ref);
      }
    }
    for (std::vector<StageRef>& column : columns) {
      std::stable_partition(column.begin(), column.end(), [&](const StageRef& ref) {
        const bool initial =
            ref.definition == 0 && state_.algorithm.find(ref.stage)->definitions.size() > 1;
        return initial && std::none_of(group_.stages.begin(), group_.stages.end(),
                                       [&](const Symbol& s) { return reads(ref).contains(s); });
      });
    }
    return columns;
  }
  bool same_grid(const StageRef& a, const StageRef& b) const {
    const std::size_t grid = grid_of(a);
    if (grid_of(b) != grid) return false;
    for (std::size_t i = 0; i < grid; ++i) {
      if (!alike(loop(a, i), loop(b, i))) return false;
    }
    return true;
  }

  void add(FusedColumn& column, const StageRef& ref) {
    std::size_t shared = 0;
    if (!column.members.empty()) {
      const StageRef& before = column.members.back().ref;
      shared = column.grid;
      while (shared < std::min(depth(ref), depth(before)) && joins(column, ref, shared)) ++shared;
    }
    column.members.push_back({ref, shared});
  }

  /// Whether the loop at `level` is one with that of the member before.
  bool joins(const FusedColumn& column, const StageRef& ref, std::size_t level) {
    const std::size_t last = column.members.size() - 1;
    const Loop& own = loop(ref, level);
    if (!alike(own, loop(column.members[last].ref, level))) return false;
    if (own.kind == ir::LoopKind::Vectorized || own.kind == ir::LoopKind::Unrolled) return false;
    for (std::size_t m = last + 1; m-- > 0;) {
      if (m < last && column.common(m, last) <= level) break;
      if (!independent(column.members[m].ref, ref)) return false;
    }
    return true;
  }

  void check_columns() {
    const auto& columns = group_.columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (const FusedColumn::Member& m : columns[i].members) check_tiles(columns[i], m.ref);
      for (std::size_t j = i + 1; j < columns.size(); ++j) check_apart(columns[i], columns[j]);
    }
  }

  void check_apart(const FusedColumn& a, const FusedColumn& b) {
    const Symbol second = b.members.front().ref.stage;
    if (a.kind != b.kind) {
      const auto runs = [&](const FusedColumn& c) {
        return name(c.members.front().ref.stage) +
               (c.kind == ir::LoopKind::GpuBlock   ? " runs over blocks"
                : c.kind == ir::LoopKind::Parallel ? " starts with a parallel loop"
                                                   : " starts with a serial loop");
      };
      refuse_group(second, refusal(runs(a) + ", " + runs(b),
                                   "run the outermost loops of all alike, or drop the stage from "
                                   "the list"));
    }
    for (const auto& m : a.members) {
      for (const auto& n : b.members) {
        if (a.kind == ir::LoopKind::Serial || independent(m.ref, n.ref)) continue;
        const std::string who =
            m.ref.stage == n.ref.stage
                ? "definitions of " + name(n.ref.stage) + " have"
                : name(n.ref.stage) + " reads " + name(m.ref.stage) + ", and they have";
        refuse_group(n.ref.stage,
                     refusal(who + " different loops over tiles: one would have to wait for all "
                                   "tiles of the other",
                             "give them the same outermost loops, by name, compute the one inside "
                             "the other with compute_at, or keep them apart"));
      }
    }
  }

  /// Tiles that overlap would write what another one has handed on.
  void check_tiles(const FusedColumn& column, const StageRef& ref) {
    if (column.grid == 0) return;
    const bool alone =
        std::all_of(column.members.begin(), column.members.end(),
                    [&](const auto& m) { return m.ref == ref || independent(m.ref, ref); });
    if (alone) return;
    const DefinitionSchedule& schedule = loops_of(ref);
    for (const Relation& r : schedule.relations) {
      if (r.kind != Relation::Kind::Split || r.split.tail != Tail::ShiftInwards) continue;
      for (std::size_t i = 0; i < column.grid; ++i) {
        const std::vector<Symbol> from = origins(schedule, loop(ref, i).variable);
        const std::vector<Symbol> of = origins(schedule, r.split.old);
        const bool meets = std::any_of(of.begin(), of.end(), [&](const Symbol& s) {
          return std::find(from.begin(), from.end(), s) != from.end();
        });
        if (!meets) continue;
        refuse_group(ref.stage, refusal("with TailStrategy::ShiftInwards tiles of '" +
                                            loop(ref, i).name.name() +
                                            "' overlap, and other stages of the list use them",
                                        "use TailStrategy::GuardWithIf"));
      }
    }
    if (ref.definition == 0) check_boxes(column, ref);
  }

  /// What a tile has written is known by its box: tiles must be boxes, without elements of others
  /// in between.
  void check_boxes(const FusedColumn& column, const StageRef& ref) {
    const bool used = std::any_of(column.members.begin(), column.members.end(), [&](const auto& m) {
      return !(m.ref == ref) && (m.ref.stage == ref.stage || reads(m.ref).contains(ref.stage));
    });
    if (!used) return;
    for (const Symbol& x : state_.algorithm.find(ref.stage)->variables) {
      if (part_of(column, ref, x) != Part::Scattered) continue;
      refuse_group(ref.stage,
                   refusal("tiles do not have all '" + x.name() +
                               "' between their first and last, and other stages of the list use "
                               "them",
                           "make tiles of the outer loops that split() and tile() give, without "
                           "splitting what fuse() has joined"));
    }
  }

  /// What a tile has of a variable's range: all, one value, a run of neighbours, or others.
  enum class Part { All, One, Run, Scattered };
  Part part_of(const FusedColumn& column, const StageRef& ref, const Symbol& variable) const {
    for (const Relation& r : loops_of(ref).relations) {
      if (r.kind == Relation::Kind::Split && r.split.old == variable) {
        const Part outer = part_of(column, ref, r.split.outer);
        const Part inner = part_of(column, ref, r.split.inner);
        if (outer == Part::One) return inner == Part::All ? Part::Run : inner;
        return inner == Part::All ? outer : Part::Scattered;
      }
      if (r.kind == Relation::Kind::Fuse &&
          (r.fuse.outer == variable || r.fuse.inner == variable)) {
        const Part joined = part_of(column, ref, r.fuse.fused);
        return joined == Part::Run ? Part::Scattered : joined;
      }
    }
    for (std::size_t i = 0; i < column.grid; ++i) {
      if (loop(ref, i).variable == variable) return Part::One;
    }
    return Part::All;
  }

  State& state_;
  const Schedule& entries_;
  FusedStages& group_;
  std::map<std::pair<Symbol, int>, Reads> reads_;
};

}  // namespace

void join_fused_stages(State& state, const Schedule& schedule) {
  for (FusedStages& group : state.fused) Joiner(state, schedule, group).run();
}

}  // namespace sinter::schedule
