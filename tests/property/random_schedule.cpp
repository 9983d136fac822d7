#include "tests/property/random_schedule.h"

#include <algorithm>
#include <functional>

#include "tests/property/drawer.h"

namespace sinter::test {

namespace {

class HostDrawer : private Drawer {
 public:
  using Drawer::Drawer;

  DrawnSchedule run() {
    busy_ = random_.in(20, 90);
    std::vector<Symbol> pending;
    for (const StageDefinition& s : state_.algorithm.stages) pending.push_back(s.id);
    for (std::size_t i = 0; i < pending.size(); ++i) {
      const std::size_t before = state_.algorithm.stages.size();
      intend(pending[i]);
      make_stages(pending[i]);
      shape(pending[i]);
      if (state_.algorithm.stages.size() == before) continue;
      for (const StageDefinition& s : state_.algorithm.stages) {
        const bool known = std::find(pending.begin(), pending.end(), s.id) != pending.end();
        if (!known && made_.count(s.id)) pending.push_back(s.id);
        if (!known && !made_.count(s.id))
          intentions_[s.id] = Intention::Inline;  // nothing can name it
      }
    }
    for (const Symbol& id : pending) place(id);
    for (const Symbol& id : pending) {
      add_bounds(id);
      draw_storage(id);
    }
    draw_fuse();
    return std::move(result_);
  }

 private:
  // --- intentions

  void intend(const Symbol& id) {
    if (intentions_.count(id)) return;
    Intention i = Intention::Root;
    if (!is_output(id)) {
      const int choice = random_.in(0, 99);
      i = choice < 28 ? Intention::Inline : choice < 62 ? Intention::Root : Intention::At;
    }
    intentions_[id] = i;
  }

  // --- directives that make stages

  void make_stages(const Symbol& id) {
    if (random_.chance(8)) draw_in(id);
    const std::size_t count = stage(id).definitions.size();
    for (std::size_t k = 1; k < count; ++k) {
      if (stage(id).definitions[k].domain.empty() || !random_.chance(30)) continue;
      const StageRef ref{id, static_cast<int>(k)};
      if (random_.chance(50)) draw_shape(ref, {}, true);
      const auto reductions = loops(ref, {}, true);
      if (reductions.empty()) continue;
      if (random_.chance(50)) {
        sched::Rfactor r;
        r.preserved.emplace_back(random_.pick(reductions), new_name());
        if (reductions.size() > 2 && random_.chance(30))
          r.preserved.emplace_back(reductions[0], new_name());
        r.intermediate = sched::intermediate_symbol(id.name(), r.preserved);
        made_.insert(r.intermediate);
        add(ref, r);
      } else {
        static const std::vector<std::vector<int>> Widths{{4, 2}, {1, 4},  {3, 2}, {2, 2, 2},
                                                          {1, 8}, {16, 2}, {5, 1}, {2}};
        sched::ReduceAcross r;
        r.loop = random_.pick(reductions);
        for (int w : random_.pick(Widths)) r.widths.emplace_back(w);
        sched::name_stages(r, id.name());
        made_.insert(r.partial);
        add(ref, r);
      }
    }
  }

  void draw_in(const Symbol& id) {
    sched::In in;
    if (random_.chance(60)) {
      const auto readers = readers_of(id);
      if (readers.empty()) return;
      in.consumers.push_back(random_.pick(readers));
    }
    in.wrapper = sched::wrapper_symbol(id.name(), in.consumers);
    made_.insert(in.wrapper);
    add({id, 0}, in);
  }

  // --- loops

  void shape(const Symbol& id) {
    if (intention(id) == Intention::Inline && !random_.chance(4)) return;
    const std::size_t count = stage(id).definitions.size();
    for (std::size_t k = 0; k < count; ++k) {
      const StageRef ref{id, static_cast<int>(k)};
      while (random_.chance(busy_)) draw_shape(ref, {}, false);
      if (random_.chance(7)) {
        const Expr condition = size_condition();
        if (condition.defined() && add(ref, sched::Specialize{condition})) {
          while (random_.chance(busy_)) draw_shape(ref, {condition}, false);
          if (random_.chance(25)) draw_shape(ref, {}, false);
        }
      }
    }
  }

  Expr size_condition() {
    std::vector<std::function<Expr()>> makers;
    for (const Image& image : instance_.algorithm.images) {
      for (const auto& field : image.fields) {
        makers.push_back([&] {
          return ir::binary(ir::Op::Less, ir::index_symbol(field[1]),
                            ir::index_literal(random_.in(1, 12)));
        });
      }
    }
    for (const ScalarParameter& s : instance_.algorithm.scalars) {
      makers.push_back([&] {
        const Expr e = ir::symbol(s.type, s.id);
        if (s.type.is_bool()) return e;
        const Expr limit =
            s.type.is_float() ? ir::real_literal(s.type, 0.5) : ir::literal(s.type, 1);
        return ir::binary(ir::Op::LessEqual, limit, e);
      });
    }
    return makers.empty() ? Expr() : random_.pick(makers)();
  }

  sched::IntegerArg factor() {
    static const std::vector<int> Factors{1, 2, 2, 3, 4, 4, 5, 7, 8, 8, 16, 24};
    return random_.pick(Factors);
  }

  sched::Tail tail(const StageRef& ref) {
    const int choice = random_.in(0, 99);
    if (choice < 50) return sched::Tail::Auto;
    if (choice < 72) return sched::Tail::GuardWithIf;
    if (choice < 86)
      return ref.definition > 0 && random_.chance(60) ? sched::Tail::GuardWithIf
                                                      : sched::Tail::ShiftInwards;
    return is_output(ref.stage) && random_.chance(70) ? sched::Tail::GuardWithIf
                                                      : sched::Tail::RoundUp;
  }

  /// Loops whose extent is a constant, or, now and then, any.
  std::vector<Symbol> constant_loops(const StageRef& ref, const std::vector<Expr>& branch) {
    const auto& s = schedule_of(ref, branch);
    const StageDefinition& definition = stage(ref.stage);
    std::vector<Symbol> names;
    const bool any = random_.chance(6);
    for (const sched::Loop& l : s.loops) {
      const auto extent = sched::constant_extent(
          state_.schedules.at(ref.stage), definition,
          definition.definitions[static_cast<std::size_t>(ref.definition)], s, l.variable);
      if (has_name(ref, l) && (any || (extent && *extent <= 16))) names.push_back(l.name);
    }
    return names;
  }

  /// Mostly loops whose iterations may run together.
  Symbol free_loop(const StageRef& ref, const std::vector<Symbol>& among,
                   const std::vector<Expr>& branch) {
    const auto& s = schedule_of(ref, branch);
    std::vector<Symbol> good;
    for (const sched::Loop& l : s.loops) {
      const bool wanted = std::find(among.begin(), among.end(), l.name) != among.end();
      if (wanted && !l.reduction) good.push_back(l.name);
    }
    return good.empty() || random_.chance(15) ? random_.pick(among) : random_.pick(good);
  }

  std::vector<Symbol> loops_outside_vectors(const StageRef& ref,
                                            const std::vector<Expr>& branch) const {
    std::vector<Symbol> names;
    for (const sched::Loop& l : schedule_of(ref, branch).loops) {  // innermost first
      if (l.kind == ir::LoopKind::Vectorized) names.clear();
      else if (has_name(ref, l)) names.push_back(l.name);
    }
    return names;
  }

  void draw_shape(const StageRef& ref, const std::vector<Expr>& branch, bool before_rewrite) {
    const auto names = loops(ref, branch, before_rewrite);
    if (names.empty()) return;
    int choice = random_.in(0, 99);
    if (before_rewrite) choice = choice % 40;
    const auto split = [&] {
      sched::Split d{random_.pick(names), new_name(), new_name(), factor(), tail(ref)};
      if (random_.chance(12)) d.inner = d.old;
      else if (random_.chance(12)) d.outer = d.old;
      add(ref, d, branch);
    };
    if (choice < 22) {
      split();
      if (!before_rewrite && random_.chance(20)) split();
    } else if (choice < 30) {
      if (names.size() < 2) return;
      const std::size_t i = random_.index(names.size() - 1);
      std::size_t j = random_.chance(80) ? i + 1 : random_.index(names.size());
      add(ref, sched::Fuse{names[i], names[j], random_.chance(10) ? names[i] : new_name()}, branch);
    } else if (choice < 40) {
      if (names.size() < 2) return;
      std::vector<Symbol> order = names;
      for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random_.index(i + 1)]);
      if (random_.chance(50)) order.resize(2);
      if (order.size() > 1) add(ref, sched::Reorder{order}, branch);
    } else if (choice < 47) {
      if (names.size() < 2) return;
      sched::Tile t;
      const std::size_t i = random_.index(names.size() - 1);
      t.old = {names[i], names[i + 1]};
      for (int n = 0; n < 2; ++n) {
        t.outer.push_back(new_name());
        t.inner.push_back(new_name());
        t.factors.push_back(factor());
      }
      t.tail = tail(ref);
      add(ref, t, branch);
    } else if (choice < 59) {
      const auto outside = loops_outside_vectors(ref, branch);
      sched::Parallel d{
          free_loop(ref, outside.empty() || random_.chance(5) ? names : outside, branch),
          {},
          tail(ref)};
      if (random_.chance(30)) d.factor = factor();
      else d.tail = sched::Tail::Auto;
      add(ref, d, branch);
    } else if (choice < 86 && copies(ref, branch) > 16) {
      split();  // the code would grow beyond reason
    } else if (choice < 77) {
      sched::Vectorize d;
      const auto constant = constant_loops(ref, branch);
      const bool whole = !constant.empty() && random_.chance(50);
      d.loop = free_loop(ref, whole ? constant : names, branch);
      if (!whole) {
        d.factor = factor();
        d.tail = tail(ref);
      }
      add(ref, d, branch);
    } else if (choice < 86) {
      sched::Unroll d;
      const auto constant = constant_loops(ref, branch);
      const bool whole = !constant.empty() && random_.chance(50);
      d.loop = random_.pick(whole ? constant : names);
      if (!whole) {
        d.factor = random_.in(1, 5);
        d.tail = tail(ref);
      }
      add(ref, d, branch);
    } else if (choice < 91) {
      add(ref,
          sched::PartitionLoop{random_.pick(names),
                               static_cast<sched::PartitionPolicy>(random_.in(0, 2))},
          branch);
    } else if (choice < 93) {
      add(ref, sched::Serial{random_.pick(names)}, branch);
    } else if (choice < 95) {
      add(ref, sched::Rename{random_.pick(names), new_name()}, branch);
    } else if (ref.definition > 0) {
      const StageDefinition& s = stage(ref.stage);
      const bool folds =
          sched::as_self_update(s, s.definitions[static_cast<std::size_t>(ref.definition)])
              .has_value();
      if ((folds || random_.chance(10)) && add(ref, sched::Atomic{}, branch)) {
        if (random_.chance(60))
          add(ref, sched::Parallel{random_.pick(names), {}, sched::Tail::Auto}, branch);
        else
          add(ref, sched::Vectorize{random_.pick(names), factor(), sched::Tail::GuardWithIf},
              branch);
      }
    } else {
      split();
    }
  }

  // --- placement

  void place(const Symbol& id) {
    if (is_output(id)) {
      if (random_.chance(3)) add({id, 0}, sched::ComputeRoot{});
      return;
    }
    const StageRef ref{id, 0};
    const Intention wanted = intention(id);
    if (wanted == Intention::Inline) {
      if (random_.chance(10)) add(ref, sched::ComputeInline{});
      return;
    }
    const auto uses = uses_of(id);
    bool at = wanted == Intention::At && !uses.empty();
    if (at) {
      bool one = true;
      for (const StageRef& u : uses) one = one && u.stage == uses[0].stage;
      at = one || random_.chance(25);
    }
    if (at) {
      const StageRef use = random_.pick(uses);
      const auto names = loops(use, {});
      if (names.empty()) at = false;
      else place_at(ref, use, names, uses);
    }
    if (!at) add(ref, sched::ComputeRoot{});
    if (random_.chance(15)) add(ref, sched::StoreIn{static_cast<ir::MemoryKind>(random_.in(0, 3))});
  }

  void place_at(const StageRef& ref, const StageRef& use, const std::vector<Symbol>& names,
                const std::vector<StageRef>& uses) {
    std::size_t level = random_.index(names.size());
    const bool several = std::any_of(uses.begin(), uses.end(), [&](const StageRef& u) {
      return u.definition != use.definition;
    });
    if (several && random_.chance(70)) {
      // A loop that all definitions have, if there is one.
      for (std::size_t i = names.size(); i-- > 0;) {
        bool everywhere = true;
        for (const StageRef& u : uses) {
          const auto other = loops(u, {});
          everywhere = everywhere && std::find(other.begin(), other.end(), names[i]) != other.end();
        }
        if (everywhere) level = i;
      }
    }
    const int definition = !several && random_.chance(25) ? use.definition : -1;
    if (!add(ref, sched::ComputeAt{use.stage, names[level], definition})) return;
    if (random_.chance(45)) {
      if (random_.chance(40)) add(ref, sched::StoreRoot{});
      else {
        const std::size_t outer = level + random_.index(names.size() - level);
        add(ref, sched::StoreAt{use.stage, names[outer], random_.chance(80) ? -1 : definition});
      }
    }
  }

  // --- bounds

  void add_bounds(const Symbol& id) {
    const StageDefinition& s = stage(id);
    if (s.rank() == 0 || !random_.chance(is_output(id) ? 12 : 10)) return;
    if (intention(id) == Intention::Inline && !random_.chance(5)) return;
    const std::size_t d = random_.index(s.rank());
    const Symbol& v = s.variables[d];
    const StageRef ref{id, 0};
    if (random_.chance(10)) add(ref, sched::SetEstimate{v, 0, random_.in(1, 100)});
    Extent box{random_.in(-20, 0), random_.in(24, 64)};
    if (is_output(id)) {
      const auto& outputs = instance_.algorithm.outputs;
      const auto index =
          static_cast<std::size_t>(std::find(outputs.begin(), outputs.end(), id) - outputs.begin());
      box = instance_.boxes[index][d];
    }
    switch (random_.in(0, 2)) {
      case 0:
        add(ref, sched::Bound{v, ir::index_literal(box.min), ir::index_literal(box.extent)});
        break;
      case 1:
        add(ref, sched::BoundExtent{v, ir::index_literal(box.extent)});
        break;
      default: {
        int modulus = random_.in(1, 6), remainder = random_.in(0, modulus - 1);
        if (is_output(id)) {
          while (modulus > 1 && box.extent % modulus != 0) --modulus;
          remainder = ((box.min % modulus) + modulus) % modulus;
        }
        add(ref, sched::AlignBounds{v, modulus, remainder});
      }
    }
  }

  int busy_ = 50;
};

}  // namespace

DrawnSchedule random_schedule(const Instance& instance, std::uint64_t seed) {
  return instance.gpu ? random_gpu_schedule(instance, seed) : HostDrawer(instance, seed).run();
}

}  // namespace sinter::test
