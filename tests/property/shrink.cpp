#include "tests/property/shrink.h"

#include <algorithm>

#include "tests/property/trial.h"

namespace sinter::test {

namespace {

class Shrinker {
 public:
  Shrinker(Instance instance, const std::function<bool(const Instance&)>& still_fails,
           std::chrono::seconds limit)
      : best_(std::move(instance)),
        still_fails_(still_fails),
        end_(std::chrono::steady_clock::now() + limit) {}

  Instance run() {
    for (int v = 1; v <= 2; ++v) attempt(variant_of(best_, v));
    bool progress = true;
    while (progress && !late()) {
      progress = false;
      progress = drop_entries() || progress;
      progress = change_outputs() || progress;
      progress = drop_definitions() || progress;
      progress = simplify_expressions() || progress;
      progress = smaller_sizes() || progress;
    }
    return best_;
  }

 private:
  bool late() const { return std::chrono::steady_clock::now() > end_; }

  bool attempt(Instance candidate) {
    if (late()) return false;
    drop_unused(candidate);
    if (!still_fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  bool drop_entries() {
    bool progress = false;
    for (std::size_t width = std::max<std::size_t>(best_.schedule.entries.size() / 2, 1);
         width >= 1; width /= 2) {
      for (std::size_t i = best_.schedule.entries.size(); i-- > 0;) {
        if (i + width > best_.schedule.entries.size()) continue;
        Instance candidate = best_;
        const auto first = candidate.schedule.entries.begin() + static_cast<std::ptrdiff_t>(i);
        candidate.schedule.entries.erase(first, first + static_cast<std::ptrdiff_t>(width));
        progress = attempt(std::move(candidate)) || progress;
      }
    }
    return progress;
  }

  bool change_outputs() {
    bool progress = false;
    for (std::size_t i = best_.algorithm.outputs.size();
         i-- > 0 && best_.algorithm.outputs.size() > 1;) {
      Instance candidate = best_;
      candidate.algorithm.outputs.erase(candidate.algorithm.outputs.begin() +
                                        static_cast<std::ptrdiff_t>(i));
      candidate.boxes.erase(candidate.boxes.begin() + static_cast<std::ptrdiff_t>(i));
      progress = attempt(std::move(candidate)) || progress;
    }
    for (std::size_t i = 0; i < best_.algorithm.stages.size(); ++i) {
      const StageDefinition& stage = best_.algorithm.stages[i];
      if (best_.algorithm.is_output(stage.id)) continue;
      Instance candidate = best_;
      candidate.algorithm.outputs = {stage.id};
      candidate.boxes = {std::vector<Extent>(stage.rank(), Extent{-1, 14})};
      if (attempt(std::move(candidate))) return true;
    }
    return progress;
  }

  bool drop_definitions() {
    bool progress = false;
    for (std::size_t i = 0; i < best_.algorithm.stages.size(); ++i) {
      for (std::size_t k = best_.algorithm.stages[i].definitions.size(); k-- > 1;) {
        Instance candidate = best_;
        StageDefinition& stage = candidate.algorithm.stages[i];
        stage.definitions.erase(stage.definitions.begin() + static_cast<std::ptrdiff_t>(k));
        std::erase_if(candidate.schedule.entries, [&](const schedule::Entry& e) {
          return e.stage.stage == stage.id && e.stage.definition == static_cast<int>(k);
        });
        for (schedule::Entry& e : candidate.schedule.entries) {
          if (e.stage.stage == stage.id && e.stage.definition > static_cast<int>(k))
            --e.stage.definition;
        }
        progress = attempt(std::move(candidate)) || progress;
        if (i >= best_.algorithm.stages.size()) return progress;
      }
    }
    return progress;
  }

  /// Every expression slot of the algorithm, by position.
  static std::vector<Expr*> slots(Algorithm& algorithm) {
    std::vector<Expr*> all;
    for (StageDefinition& s : algorithm.stages) {
      for (std::size_t k = 0; k < s.definitions.size(); ++k) {
        Definition& d = s.definitions[k];
        for (Expr& e : d.values) all.push_back(&e);
        if (k > 0) {
          for (Expr& e : d.coordinates) all.push_back(&e);
        }
        if (d.predicate.defined()) all.push_back(&d.predicate);
        for (ReductionVariable& r : d.domain) all.push_back(&r.extent);
      }
    }
    return all;
  }

  static Expr zero_of(Type type) {
    return type.is_float() ? ir::real_literal(type, 0) : ir::literal(type, 0);
  }

  /// `whole` with the first occurrence of `node` replaced.
  static Expr replaced(const Expr& whole, const ir::Ref& node, const Expr& by) {
    return ir::rewrite(whole, [&](const ir::Ref& n) { return ir::equal(n, node) ? by.node() : n; });
  }

  bool simplify_expressions() {
    bool progress = false;
    for (std::size_t i = 0; i < slots(best_.algorithm).size() && !late(); ++i)
      progress = simplify_slot(i) || progress;
    return progress;
  }

  bool simplify_slot(std::size_t i) {
    bool progress = false, again = true;
    while (again && !late()) {
      again = false;
      if (i >= slots(best_.algorithm).size()) return progress;
      const Expr whole = *slots(best_.algorithm)[i];
      std::vector<ir::Ref> nodes;
      ir::for_each_node(whole.node(), [&](const ir::Ref& n) { return nodes.push_back(n), true; });
      for (const ir::Ref& node : nodes) {
        if (node->op == ir::Op::Literal || node->op == ir::Op::Symbol) continue;
        std::vector<Expr> smaller;
        if (node->op != ir::Op::Access || !node->args.empty())
          smaller.push_back(zero_of(node->type));
        for (const ir::Ref& a : node->args) {
          if (a->type == node->type) smaller.emplace_back(a);
        }
        for (const Expr& e : smaller) {
          const Expr changed = replaced(whole, node, e);
          if (ir::equal(changed, whole)) continue;
          Instance candidate = best_;
          *slots(candidate.algorithm)[i] = changed;
          if (attempt(std::move(candidate))) {
            again = progress = true;
            break;
          }
        }
        if (again) break;
      }
    }
    return progress;
  }

  bool smaller_sizes() {
    bool progress = false;
    for (std::size_t i = 0; i < best_.boxes.size(); ++i) {
      for (std::size_t d = 0; d < best_.boxes[i].size(); ++d) {
        progress = smaller_extent([&](Instance& x) {
                     return i < x.boxes.size() && d < x.boxes[i].size() ? &x.boxes[i][d] : nullptr;
                   }) ||
                   progress;
      }
    }
    for (const auto& [id, box] : std::map(best_.images)) {
      for (std::size_t d = 0; d < box.size(); ++d) {
        progress =
            smaller_extent([&, key = id](Instance& x) { return &x.images.at(key)[d]; }) || progress;
      }
    }
    return progress;
  }

  bool smaller_extent(const std::function<Extent*(Instance&)>& slot) {
    bool progress = false;
    if (slot(best_) == nullptr) return false;
    for (bool again = true; again && !late();) {
      again = false;
      const Extent now = *slot(best_);
      for (const Extent& e :
           {Extent{0, now.extent}, Extent{now.min, 1}, Extent{now.min, now.extent / 2},
            Extent{now.min, now.extent - 1}, Extent{now.min + 1, now.extent - 1}}) {
        if (e.extent < 1 || (e.extent == now.extent && e.min == now.min)) continue;
        Instance candidate = best_;
        *slot(candidate) = e;
        if (attempt(std::move(candidate))) {
          again = progress = true;
          break;
        }
      }
    }
    return progress;
  }

  Instance best_;
  const std::function<bool(const Instance&)>& still_fails_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace

Instance shrink(Instance instance, const std::function<bool(const Instance&)>& still_fails,
                std::chrono::seconds limit) {
  return Shrinker(std::move(instance), still_fails, limit).run();
}

}  // namespace sinter::test
