#pragma once
// What drawing a schedule needs: the directives drawn so far are replayed, so that the loops are
// known; what is refused at once is noted and left out.

#include <algorithm>
#include <set>

#include "dsl/schedule/loop_facts.h"
#include "dsl/schedule/state.h"
#include "tests/property/random.h"
#include "tests/property/random_schedule.h"

namespace sinter::test {

namespace sched = sinter::schedule;
using sched::StageRef;

enum class Intention { Inline, Root, At };

class Drawer {
 public:
  Drawer(const Instance& instance, std::uint64_t seed)
      : instance_(instance), random_(seed), state_(sched::initial_state(instance.algorithm)) {}

 protected:
  bool add(const StageRef& ref, sched::Directive directive, const std::vector<Expr>& branch = {}) {
    sched::Entry entry{ref, std::move(directive), {}, branch};
    if (auto problem = sched::check(entry, state_)) {
      result_.refused.push_back(*problem);
      return false;
    }
    sched::replay(entry, state_);
    result_.schedule.entries.push_back(std::move(entry));
    return true;
  }

  /// Root stages that follow each other, in one grid; the last draw, so that others stay as they
  /// were.
  void draw_fuse() {
    if (!random_.chance(25)) return;
    std::vector<Symbol> roots;
    for (const StageDefinition& s : state_.algorithm.stages) {
      if (state_.schedules.at(s.id).compute.kind == sched::Placement::Kind::Root)
        roots.push_back(s.id);
    }
    if (roots.empty()) return;
    const int count = random_.in(1, 3);
    sched::FuseStages fuse;
    for (std::size_t i =
             static_cast<std::size_t>(random_.in(0, static_cast<int>(roots.size()) - 1));
         i < roots.size() && static_cast<int>(fuse.stages.size()) < count; ++i)
      fuse.stages.push_back(roots[i]);
    add({fuse.stages.front(), 0}, fuse);
  }

  Symbol new_name() { return Symbol::named("l" + std::to_string(++names_)); }

  const StageDefinition& stage(const Symbol& id) const { return state_.algorithm.stage(id); }
  bool is_output(const Symbol& id) const { return state_.algorithm.is_output(id); }

  Intention intention(const Symbol& id) const {
    const auto it = intentions_.find(id);
    return it == intentions_.end() ? Intention::Root : it->second;
  }

  std::vector<Symbol> readers_of(const Symbol& id) const {
    std::vector<Symbol> found;
    for (const StageDefinition& s : state_.algorithm.stages) {
      const auto called = callees(s, state_.algorithm);
      if (std::find(called.begin(), called.end(), id) != called.end()) found.push_back(s.id);
    }
    return found;
  }

  const sched::DefinitionSchedule& schedule_of(const StageRef& ref,
                                               const std::vector<Expr>& branch) const {
    const sched::DefinitionSchedule* s =
        &state_.schedules.at(ref.stage).definitions.at(static_cast<std::size_t>(ref.definition));
    for (const Expr& condition : branch) {
      for (const auto& special : s->specializations) {
        if (ir::equal(special.condition, condition)) {
          s = &special.schedule;
          break;
        }
      }
    }
    return *s;
  }

  std::vector<Symbol> loops(const StageRef& ref, const std::vector<Expr>& branch,
                            bool reductions_only = false) const {
    std::vector<Symbol> names;
    for (const sched::Loop& l : schedule_of(ref, branch).loops) {
      if ((!reductions_only || l.reduction) && has_name(ref, l)) names.push_back(l.name);
    }
    return names;
  }

  /// The inner loop of vectorize(x, 8) has none.
  bool has_name(const StageRef& ref, const sched::Loop& l) const {
    if (!l.name.is_fresh()) return true;
    for (const ReductionVariable& r :
         stage(ref.stage).definitions.at(static_cast<std::size_t>(ref.definition)).domain) {
      if (r.symbol == l.name) return true;
    }
    return false;
  }

  /// How often vectorised and unrolled loops repeat the body so far.
  std::int64_t copies(const StageRef& ref, const std::vector<Expr>& branch) const {
    const auto& s = schedule_of(ref, branch);
    std::int64_t product = 1;
    for (const sched::Loop& l : s.loops) {
      if (l.kind != ir::LoopKind::Vectorized && l.kind != ir::LoopKind::Unrolled) continue;
      const auto& definition =
          stage(ref.stage).definitions[static_cast<std::size_t>(ref.definition)];
      product *= sched::constant_extent(state_.schedules.at(ref.stage), stage(ref.stage),
                                        definition, s, l.variable)
                     .value_or(1);
    }
    return product;
  }

  /// Stages with loops that read `id`, through inlined ones.
  std::vector<StageRef> uses_of(const Symbol& id) const {
    std::vector<StageRef> found;
    std::vector<Symbol> pending{id}, seen{id};
    while (!pending.empty()) {
      const Symbol current = pending.back();
      pending.pop_back();
      for (const Symbol& reader : readers_of(current)) {
        if (intention(reader) == Intention::Inline && !is_output(reader)) {
          if (std::find(seen.begin(), seen.end(), reader) == seen.end()) {
            seen.push_back(reader);
            pending.push_back(reader);
          }
          continue;
        }
        const StageDefinition& s = stage(reader);
        for (std::size_t k = 0; k < s.definitions.size(); ++k) {
          if (reads(s.definitions[k], current)) found.push_back({reader, static_cast<int>(k)});
        }
      }
    }
    return found;
  }

  static bool reads(const Definition& d, const Symbol& id) {
    bool found = false;
    const auto scan = [&](const Expr& e) {
      if (!e.defined()) return;
      ir::for_each_node(e.node(), [&](const ir::Ref& n) {
        found = found || (n->op == ir::Op::Access && n->symbol == id);
        return !found;
      });
    };
    for (const Expr& e : d.values) scan(e);
    for (const Expr& e : d.coordinates) scan(e);
    scan(d.predicate);
    return found;
  }

  /// What moves elements and hints, and never a value.
  void draw_storage(const Symbol& id) {
    if (intention(id) != Intention::Inline) {
      const StageRef ref{id, 0};
      if (!is_output(id) && stage(id).rank() > 0 && random_.chance(12)) {
        const Symbol v = random_.pick(stage(id).variables);
        add(ref, sched::AlignStorage{v, random_.pick(std::vector{2, 3, 8, 16}), random_.in(0, 2)});
      }
      if (random_.chance(8)) add(ref, sched::StreamStores{});
      if (random_.chance(8)) add(ref, sched::StreamLoads{});
    }
    for (std::size_t k = 0; k < stage(id).definitions.size(); ++k) {
      const StageRef kernel{id, static_cast<int>(k)};
      const auto& list = schedule_of(kernel, {}).loops;
      const bool blocks = std::any_of(list.begin(), list.end(), [](const sched::Loop& l) {
        return l.kind == ir::LoopKind::GpuBlock;
      });
      if (!blocks || !random_.chance(10)) continue;
      if (random_.chance(50)) add(kernel, sched::GpuMinBlocks{random_.in(1, 4)});
      else add(kernel, sched::GpuMaxRegisters{random_.in(32, 128)});
    }
  }

  const Instance& instance_;
  Random random_;
  sched::State state_;
  DrawnSchedule result_;
  std::map<Symbol, Intention> intentions_;
  std::set<Symbol> made_;  // stages that directives make and name
  int names_ = 0;
};

/// With loops over blocks and threads; for an instance that runs on a GPU.
DrawnSchedule random_gpu_schedule(const Instance&, std::uint64_t seed);

}  // namespace sinter::test
