// The preview: pseudo-code of a ScheduledPipeline's loops, with stages at their places.

#include <algorithm>

#include "dsl/algorithm/print_expr.h"
#include "dsl/schedule/state.h"

namespace sinter::schedule {

namespace {

struct Preview {
  const ScheduledPipeline& pipeline;
  ExprNames names = text_names(pipeline.algorithm);
  std::string text = {};

  void line(int indent, const std::string& content) {
    text += std::string(static_cast<std::size_t>(indent) * 2, ' ') + content + "\n";
  }

  static const char* kind_text(ir::LoopKind kind) {
    switch (kind) {
      case ir::LoopKind::Serial:
        return "for";
      case ir::LoopKind::Parallel:
        return "parallel";
      case ir::LoopKind::Vectorized:
        return "vectorized";
      case ir::LoopKind::Unrolled:
        return "unrolled";
      case ir::LoopKind::GpuBlock:
        return "gpu_block";
      case ir::LoopKind::GpuThread:
        return "gpu_thread";
      case ir::LoopKind::GpuLane:
        return "gpu_lane";
      case ir::LoopKind::GpuWarp:
        return "gpu_warp";
    }
    return "for";
  }
  static const char* tail_text(Tail tail) {
    switch (tail) {
      case Tail::Auto:
        return "";
      case Tail::RoundUp:
        return ", RoundUp";
      case Tail::GuardWithIf:
        return ", GuardWithIf";
      case Tail::ShiftInwards:
        return ", ShiftInwards";
    }
    return "";
  }

  std::string range(const StageDefinition& stage, const Definition& definition,
                    const DefinitionSchedule& schedule, const Loop& loop) const {
    for (const Relation& r : schedule.relations) {
      if (r.kind == Relation::Kind::Fuse) {
        if (r.fuse.fused == loop.variable) {
          return " fused from " + r.fuse.outer.name() + ", " + r.fuse.inner.name();
        }
        continue;
      }
      if (r.split.inner == loop.variable) return " in [0, " + std::to_string(r.split.factor) + ")";
      if (r.split.outer == loop.variable) {
        return " over " + r.split.old.name() + " / " + std::to_string(r.split.factor) +
               tail_text(r.split.tail);
      }
    }
    std::int64_t min = 0, extent = 0;
    for (const ReductionVariable& r : definition.domain) {
      if (!(r.symbol == loop.variable)) continue;
      if (ir::as_constant(r.min, &min) && ir::as_constant(r.extent, &extent)) {
        return " in [" + std::to_string(min) + ", " + std::to_string(min + extent) + ")";
      }
    }
    for (const DimensionBound& bound : pipeline.of(stage.id).bounds) {
      if (!(stage.variables[bound.dimension] == loop.variable)) continue;
      if (bound.min.defined() && ir::as_constant(bound.min, &min) &&
          ir::as_constant(bound.extent, &extent)) {
        return " in [" + std::to_string(min) + ", " + std::to_string(min + extent) + ")";
      }
    }
    return "";
  }

  static bool is_at(const Placement& p, const StageRef& ref, const Loop& loop) {
    const bool same_loop = p.variable == loop.variable || p.variable == loop.name;
    return p.kind == Placement::Kind::At && p.consumer == ref.stage && same_loop &&
           (p.definition < 0 || p.definition == ref.definition);
  }
  bool needs(const StageDefinition& consumer, const Definition& definition,
             const Symbol& producer) const {
    // Read by the definition, or by a stage that is inline or placed inside the same consumer.
    std::unordered_set<Symbol> seen;
    std::vector<Symbol> pending;
    const auto scan = [&](const Definition& d) {
      const auto visit = [&](const ir::Ref& node) {
        if (node->op == ir::Op::Access && seen.insert(node->symbol).second) {
          pending.push_back(node->symbol);
        }
        return true;
      };
      for (const Expr& e : d.values) ir::for_each_node(e.node(), visit);
      for (const Expr& e : d.coordinates) ir::for_each_node(e.node(), visit);
      if (d.predicate.defined()) ir::for_each_node(d.predicate.node(), visit);
    };
    scan(definition);
    while (!pending.empty()) {
      const Symbol next = pending.back();
      pending.pop_back();
      if (next == producer) return true;
      const StageDefinition* stage = pipeline.algorithm.find(next);
      if (stage == nullptr || next == consumer.id) continue;
      if (pipeline.of(next).compute.kind == Placement::Kind::Root) continue;
      for (const Definition& d : stage->definitions) scan(d);
    }
    return false;
  }

  static std::string limits_text(const ir::KernelLimits& limits, ir::LoopKind kind) {
    if (kind != ir::LoopKind::GpuBlock) return "";
    if (limits.max_registers > 0)
      return ", at most " + std::to_string(limits.max_registers) + " registers";
    return limits.min_blocks > 0 ? ", at least " + std::to_string(limits.min_blocks) + " at a time"
                                 : "";
  }

  std::string streams_text(const ir::StreamedAccesses& streamed) const {
    std::string result = streamed.all_loads ? ", streaming loads" : "";
    if (!streamed.all_loads) {
      for (const Symbol& producer : streamed.producers)
        result += (result.empty() ? ", streaming loads of " : " and ") + names.at(producer);
    }
    if (streamed.stores) result += ", streaming stores";
    return result;
  }

  std::string provide_text(const StageDefinition& stage, const Definition& definition) const {
    std::string coordinates;
    for (const Expr& c : definition.coordinates) {
      coordinates += (coordinates.empty() ? "" : ", ") + print_expr(c, names);
    }
    return stage.name + "(" + coordinates + ") = ...";
  }

  /// The loops of a definition from its `first` one inwards.
  void body(const StageDefinition& stage, int index, const DefinitionSchedule& schedule, int indent,
            std::size_t first = 0) {
    const Definition& definition = stage.definitions[static_cast<std::size_t>(index)];
    const StageRef ref{stage.id, index};
    if (!schedule.specializations.empty()) {
      for (const auto& branch : schedule.specializations) {
        line(indent, "if " + print_expr(branch.condition, names) + ":");
        body(stage, index, branch.schedule, indent + 1);
      }
      if (schedule.failure) return line(indent, "else: the call fails");
      line(indent++, "else:");
    }
    for (std::size_t depth = first; depth < schedule.loops.size(); ++depth) {
      loop_line(ref, schedule, depth, indent++);
      std::unordered_set<Symbol> shown;
      placed_at(ref, schedule, depth, indent, shown);
    }
    line(indent, (schedule.atomic ? "atomic " : "") + provide_text(stage, definition));
  }

  static const Loop& loop_at(const DefinitionSchedule& schedule, std::size_t depth) {
    return schedule.loops[schedule.loops.size() - 1 - depth];
  }

  void loop_line(const StageRef& ref, const DefinitionSchedule& schedule, std::size_t depth,
                 int indent) {
    const StageDefinition& stage = *pipeline.algorithm.find(ref.stage);
    const Loop& loop = loop_at(schedule, depth);
    line(indent, std::string(kind_text(loop.kind)) + " " + loop.name.name() +
                     range(stage, stage.definitions[static_cast<std::size_t>(ref.definition)],
                           schedule, loop) +
                     limits_text(schedule.limits, loop.kind) + ":");
  }

  /// Stages stored and computed at the loop, but for those in `shown`.
  void placed_at(const StageRef& ref, const DefinitionSchedule& schedule, std::size_t depth,
                 int indent, std::unordered_set<Symbol>& shown) {
    const StageDefinition& stage = *pipeline.algorithm.find(ref.stage);
    const Loop& loop = loop_at(schedule, depth);
    for (const StageDefinition& other : pipeline.algorithm.stages) {
      const StageSchedule& placed = pipeline.of(other.id);
      const bool stored_here = is_at(placed.store, ref, loop);
      const bool computed_here = is_at(placed.compute, ref, loop);
      if (!stored_here && !computed_here) continue;
      if (!needs(stage, stage.definitions[static_cast<std::size_t>(ref.definition)], other.id))
        continue;
      if (!shown.insert(other.id).second) continue;
      if (stored_here && !computed_here) line(indent, "store " + other.name + ":");
      if (computed_here) produce(other, indent);
    }
  }

  // --- fused stages
  void fused(const FusedStages& group) {
    std::string list;
    for (const Symbol& s : group.stages)
      list += (list.empty() ? "" : ", ") + pipeline.algorithm.find(s)->name;
    line(0, "fused " + list + ":");
    for (const FusedColumn& column : group.columns) {
      if (group.columns.size() > 1)
        line(1, &column == &group.columns[0] ? "tiles:" : "then tiles:");
      joined(column, 0, column.members.size(), 0, group.columns.size() > 1 ? 2 : 1);
    }
  }

  /// Members [first, last), whose loops outside `depth` are one.
  void joined(const FusedColumn& column, std::size_t first, std::size_t last, std::size_t depth,
              int indent) {
    for (std::size_t begin = first; begin < last;) {
      std::size_t end = begin + 1;
      while (end < last && column.members[end].shared > depth) ++end;
      const StageRef& ref = column.members[begin].ref;
      const StageDefinition& stage = *pipeline.algorithm.find(ref.stage);
      const auto schedule_of = [&](const StageRef& r) -> const DefinitionSchedule& {
        return pipeline.of(r.stage).definitions[static_cast<std::size_t>(r.definition)];
      };
      if (end - begin == 1 && depth >= column.grid) {
        line(indent, "produce " + stage.name + streams_text(pipeline.of(stage.id).streamed) + ":");
        body(stage, ref.definition, schedule_of(ref), indent + 1, depth);
      } else {
        loop_line(ref, schedule_of(ref), depth, indent);
        std::unordered_set<Symbol> shown;
        for (std::size_t m = begin; m < end; ++m)
          placed_at(column.members[m].ref, schedule_of(column.members[m].ref), depth, indent + 1,
                    shown);
        joined(column, begin, end, depth + 1, indent + 1);
      }
      begin = end;
    }
  }

  void produce(const StageDefinition& stage, int indent) {
    const StageSchedule& schedule = pipeline.of(stage.id);
    line(indent, "produce " + stage.name + streams_text(schedule.streamed) + ":");
    for (std::size_t k = 0; k < stage.definitions.size(); ++k) {
      if (k == 0 && stage.definitions[0].is_undef()) continue;
      body(stage, static_cast<int>(k), schedule.definitions[k], indent + 1);
    }
  }
};

}  // namespace

std::string loop_nest(const ScheduledPipeline& pipeline) {
  Preview preview{pipeline};
  std::unordered_set<const FusedStages*> shown;
  for (const StageDefinition& stage : pipeline.algorithm.stages) {
    const StageSchedule& schedule = pipeline.of(stage.id);
    if (schedule.store.kind == Placement::Kind::Root &&
        schedule.compute.kind == Placement::Kind::At) {
      preview.line(0, "store " + stage.name + ":");
    }
  }
  for (const StageDefinition& stage : pipeline.algorithm.stages) {
    if (pipeline.of(stage.id).compute.kind != Placement::Kind::Root) continue;
    const auto group = std::find_if(pipeline.fused.begin(), pipeline.fused.end(),
                                    [&](const FusedStages& f) { return f.has(stage.id); });
    if (group == pipeline.fused.end()) preview.produce(stage, 0);
    else if (shown.insert(&*group).second) preview.fused(*group);
  }
  return preview.text;
}

}  // namespace sinter::schedule
