#include "backends/driver/default_gpu.h"
#include "tests/property/drawer.h"

namespace sinter::test {

namespace {

using ir::LoopKind;
using ir::MemoryKind;

bool is_thread(const sched::Loop& l) { return ir::is_thread_loop(l.kind); }

class GpuDrawer : private Drawer {
 public:
  using Drawer::Drawer;

  DrawnSchedule run() {
    for (const StageDefinition& s : state_.algorithm.stages) intend(s.id);
    const std::vector<StageDefinition> before = state_.algorithm.stages;
    for (const StageDefinition& s : before) draw_reduce_across(s.id);
    std::vector<Symbol> all;
    for (const StageDefinition& s : state_.algorithm.stages) all.push_back(s.id);
    for (auto id = all.rbegin(); id != all.rend(); ++id) draw_stage(*id);  // consumers first
    for (const Symbol& id : all) draw_storage(id);
    draw_fuse();
    return std::move(result_);
  }

 private:
  // --- where

  void intend(const Symbol& id) {
    const int choice = is_output(id) ? 50 : random_.in(0, 99);
    intentions_[id] = choice < 25   ? Intention::Inline
                      : choice < 52 ? Intention::Root
                                    : Intention::At;
  }

  /// The partial results run on lanes and warps of the consumer's block, the tree mostly inline.
  void draw_reduce_across(const Symbol& id) {
    if (intention(id) == Intention::Inline) return;
    static const std::vector<std::vector<int>> Widths{{4, 32}, {2, 8, 4}, {1, 32, 2}, {4, 8},
                                                      {3, 2},  {2, 2, 2}, {1, 16, 4}, {2, 4, 2}};
    for (std::size_t k = 1; k < stage(id).definitions.size(); ++k) {
      const StageRef ref{id, static_cast<int>(k)};
      const auto reductions = loops(ref, {}, true);
      if (reductions.empty() || !random_.chance(30)) continue;
      sched::ReduceAcross r;
      r.loop = random_.pick(reductions);
      for (int w : random_.pick(Widths)) r.widths.emplace_back(w);
      sched::name_stages(r, id.name());
      if (!add(ref, r)) continue;
      intentions_[r.partial] = random_.chance(85) ? Intention::At : Intention::Root;
      partials_.insert(r.partial);
      for (const Symbol& level : r.levels) {
        intentions_[level] = random_.chance(25) ? Intention::At : Intention::Inline;
        partials_.insert(level);
      }
    }
  }

  void draw_stage(const Symbol& id) {
    if (intention(id) == Intention::Inline) return;
    const auto uses = uses_of(id);
    if (!is_output(id)) {
      if (intention(id) == Intention::At && !uses.empty() && draw_at(id, uses)) return;
      add({id, 0}, sched::ComputeRoot{});
      if (random_.chance(4))
        add({id, 0}, sched::StoreIn{random_.pick(std::vector{
                         MemoryKind::Heap, MemoryKind::GPUShared, MemoryKind::Register})});
    }
    const bool needed = is_output(id) && !on_device_;
    const bool host = !needed && random_.chance(20);
    for (std::size_t k = 0; k < stage(id).definitions.size(); ++k) {
      if (host != random_.chance(8)) draw_host({id, static_cast<int>(k)});
      else draw_kernel({id, static_cast<int>(k)});
    }
  }

  void draw_host(const StageRef& ref) {
    const auto names = loops(ref, {});
    if (names.empty() || !random_.chance(40)) return;
    add(ref, sched::Vectorize{names[0], random_.pick(std::vector{2, 4, 8}), tail()});
  }

  struct Level {
    StageRef use;
    Symbol loop;
    LoopKind kind;
  };

  /// Computed at a loop over blocks of a consumer, inside it, or at a loop over threads.
  bool draw_at(const Symbol& id, const std::vector<StageRef>& uses) {
    for (const StageRef& u : uses) {
      if (!(u.stage == uses[0].stage) && random_.chance(75)) return false;
    }
    const StageRef use = random_.pick(uses);
    std::vector<Level> blocks, serial, threads;
    bool in_block = at_.count(use.stage) != 0;
    if (in_block) blocks.push_back(at_.at(use.stage));
    const auto& list = schedule_of(use, {}).loops;
    for (auto l = list.rbegin(); l != list.rend(); ++l) {
      if (!has_name(use, *l)) continue;
      const Level level{use, l->name, l->kind};
      if (l->kind == LoopKind::GpuBlock) {
        blocks = {level};
        in_block = true;
      } else if (is_thread(*l)) {
        threads.push_back(level);
      } else if (in_block) {
        serial.push_back(level);
      }
    }
    const int choice = random_.in(0, 99);
    const bool everywhere = std::any_of(uses.begin(), uses.end(), [&](const StageRef& u) {
      return u.definition != use.definition;
    });
    const std::vector<Level>& wanted = choice < 60 || partials_.count(id) || everywhere ? blocks
                                       : choice < 72 && !serial.empty()                 ? serial
                                                                                        : threads;
    if (wanted.empty()) return false;
    if (everywhere && random_.chance(60)) return false;
    const Level level = random_.pick(wanted);
    const int definition = !everywhere && random_.chance(85) ? level.use.definition : -1;
    if (!add({id, 0}, sched::ComputeAt{level.use.stage, level.loop, definition})) return false;
    const bool of_thread = ir::is_thread_loop(level.kind) ||
                           (&wanted == &serial && !threads.empty() && random_.chance(20));
    if (!of_thread) at_.insert_or_assign(id, level);
    const int memory = random_.in(0, 99);
    if (of_thread) {
      if (memory < 30) add({id, 0}, sched::StoreIn{MemoryKind::Register});
      else if (memory < 40) add({id, 0}, sched::StoreIn{MemoryKind::Stack});
      else if (memory < 42) add({id, 0}, sched::StoreIn{MemoryKind::GPUShared});
    } else {
      if (memory < 35) add({id, 0}, sched::StoreIn{MemoryKind::GPUShared});
      else if (memory < 60) add({id, 0}, sched::StoreIn{MemoryKind::Register});
      else if (memory < 64) add({id, 0}, sched::StoreIn{MemoryKind::Heap});
    }
    for (std::size_t k = 0; k < stage(id).definitions.size(); ++k) {
      const StageRef ref{id, static_cast<int>(k)};
      if (of_thread) draw_inside_thread(ref);
      else if (partials_.count(id)) draw_partial(ref);
      else draw_threads(ref, false);
    }
    return true;
  }

  // --- loops

  sched::Tail tail() {
    const int choice = random_.in(0, 99);
    return choice < 60   ? sched::Tail::Auto
           : choice < 91 ? sched::Tail::GuardWithIf
           : choice < 97 ? sched::Tail::RoundUp
                         : sched::Tail::ShiftInwards;
  }
  int size() { return random_.pick(std::vector{2, 2, 3, 4, 4, 5, 7, 8, 8, 8, 16, 16, 32, 64}); }

  /// Loops that blocks or threads may share, innermost first; all with atomic(), and now and then.
  std::vector<Symbol> free_loops(const StageRef& ref) {
    const bool any = schedule_of(ref, {}).atomic || random_.chance(2);
    std::vector<Symbol> names;
    const StageDefinition& s = stage(ref.stage);
    const Definition& d = s.definitions[static_cast<std::size_t>(ref.definition)];
    for (const sched::Loop& l : schedule_of(ref, {}).loops) {
      const bool serial = l.kind == LoopKind::Serial && has_name(ref, l);
      const bool independent = ref.definition == 0 || !is_variable(s, l.name)
                                   ? !l.reduction
                                   : sched::iterations_are_independent(s, d, l.name);
      if (serial && (any || independent)) names.push_back(l.name);
    }
    return names;
  }
  static bool is_variable(const StageDefinition& s, const Symbol& name) {
    return std::find(s.variables.begin(), s.variables.end(), name) != s.variables.end();
  }

  /// The split's inner loop; the outer one keeps the name.
  std::optional<Symbol> split(const StageRef& ref, const Symbol& loop, int factor) {
    const Symbol inner = new_name();
    if (!add(ref, sched::Split{loop, loop, inner, factor, tail()})) return std::nullopt;
    return inner;
  }

  void maybe_atomic(const StageRef& ref) {
    if (ref.definition == 0) return;
    const StageDefinition& s = stage(ref.stage);
    const auto folds =
        sched::as_self_update(s, s.definitions[static_cast<std::size_t>(ref.definition)]);
    if (folds && (folds->exact || random_.chance(5)) &&
        (s.types[0].bits >= 32 || random_.chance(15)) && random_.chance(65))
      add(ref, sched::Atomic{});
  }

  /// A loop of its own inside all others for vectors or copies of the body.
  void draw_innermost(const StageRef& ref) {
    const auto names = free_loops(ref);
    if (names.empty() || !random_.chance(35)) return;
    const Symbol loop = random_.chance(92) ? names[0] : random_.pick(names);
    if (random_.chance(65))
      add(ref, sched::Vectorize{loop, random_.pick(std::vector{2, 4, 4, 8}), tail()});
    else add(ref, sched::Unroll{loop, random_.in(2, 4), tail()});
  }

  void draw_kernel(const StageRef& ref) {
    on_device_ = true;
    maybe_atomic(ref);
    auto names = free_loops(ref);
    if (names.empty() || random_.chance(5)) {
      add(ref, sched::GpuSingleThread{});
      if (!loops(ref, {}).empty() && random_.chance(20))
        add(ref, sched::Unroll{loops(ref, {})[0], 2, tail()});
      return;
    }
    if (names.size() > 1 && random_.chance(10)) {
      const Symbol fused = new_name();
      add(ref, sched::Fuse{names[0], names[1], fused});
      names = free_loops(ref);
    }
    if (names.empty()) return;
    draw_innermost(ref);
    if (random_.chance(30)) return draw_tile(ref);
    draw_threads(ref, true);
  }

  void draw_tile(const StageRef& ref) {
    const auto names = free_loops(ref);
    sched::GpuTile d;
    std::int64_t threads = 1;
    for (std::size_t i = 0;
         i < std::min<std::size_t>(names.size(), 3) && (i == 0 || random_.chance(75)); ++i) {
      const int factor = threads > 64 ? 2 : size();
      threads *= factor;
      d.tile.old.push_back(names[i]);
      d.tile.outer.push_back(random_.chance(50) ? names[i] : new_name());
      d.tile.inner.push_back(new_name());
      d.tile.factors.emplace_back(factor);
    }
    d.tile.tail = tail();
    if (!d.tile.old.empty()) add(ref, d);
  }

  /// Splits loops and gives the parts to blocks (with `grid`), threads, lanes, warps.
  void draw_threads(const StageRef& ref, bool grid) {
    if (!grid) {
      maybe_atomic(ref);
      draw_innermost(ref);
    }
    const auto names = free_loops(ref);
    std::vector<Symbol> threads, blocks, rest;
    std::int64_t count = 1;
    bool lanes = random_.chance(20), warps = lanes && random_.chance(60);
    std::optional<Symbol> lane, warp;
    for (const Symbol& name : names) {
      if (threads.size() < 3 && (count == 1 || random_.chance(40))) {
        const bool whole = !grid && random_.chance(30);
        int factor = count > 32 ? 2 : size();
        if (lanes && !lane) factor = random_.pick(std::vector{32, 16, 8, 4, 32, 2});
        else if (warps && !warp) factor = random_.pick(std::vector{2, 4, 8});
        count *= factor;
        std::optional<Symbol> inner = name;
        if (!whole) {
          inner = split(ref, name, factor);
          if (!inner) continue;
        }
        if (lanes && !lane) lane = inner;
        else if (warps && !warp) warp = inner;
        else threads.push_back(*inner);
        if (whole) continue;
        if (random_.chance(12)) {  // a loop inside a thread
          if (const auto serial = split(ref, *inner, random_.in(2, 4))) rest.push_back(*serial);
        }
        if (warps && lane && !warp && lane == inner &&
            random_.chance(50)) {  // warps along the same loop
          if (const auto outer = split(ref, name, 2)) warp = outer;
        }
      }
      if (grid && blocks.size() < 3 && (blocks.empty() || random_.chance(70)))
        blocks.push_back(name);
    }
    arrange(ref, blocks, threads, lane, warp);
    if (!blocks.empty()) add(ref, sched::GpuBlocks{blocks});
    if (lane) add(ref, sched::GpuLanes{*lane});
    if (warp) add(ref, sched::GpuWarps{*warp});
    if (!threads.empty()) add(ref, sched::GpuThreads{threads});
    if (random_.chance(15) && !rest.empty())
      add(ref, sched::Unroll{rest[0], {}, sched::Tail::Auto});
  }

  /// Blocks outermost, then loops that all threads run, threads, and what each thread runs.
  void arrange(const StageRef& ref, const std::vector<Symbol>& blocks,
               const std::vector<Symbol>& threads, const std::optional<Symbol>& lane,
               const std::optional<Symbol>& warp) {
    std::vector<Symbol> inside, around, order;
    const auto has = [](const std::vector<Symbol>& list, const Symbol& s) {
      return std::find(list.begin(), list.end(), s) != list.end();
    };
    const bool loops_in_threads = random_.chance(65);
    for (const sched::Loop& l : schedule_of(ref, {}).loops) {
      if (!has_name(ref, l)) continue;
      if (has(blocks, l.name) || has(threads, l.name) || lane == l.name || warp == l.name) continue;
      (l.kind != LoopKind::Serial || loops_in_threads ? inside : around).push_back(l.name);
    }
    order = inside;
    if (lane) order.push_back(*lane);
    if (warp) order.push_back(*warp);
    order.insert(order.end(), threads.begin(), threads.end());
    order.insert(order.end(), around.begin(), around.end());
    order.insert(order.end(), blocks.begin(), blocks.end());
    if (order.size() > 1 && random_.chance(95)) add(ref, sched::Reorder{order});
  }

  /// Partial results and levels of trees: one lane, one warp for each.
  void draw_partial(const StageRef& ref) {
    const StageDefinition& s = stage(ref.stage);
    std::vector<Symbol> widths;
    const auto names = loops(ref, {});
    const std::size_t rank = s.rank();
    for (std::size_t i = 0; i < rank; ++i) {
      const Symbol& v = s.variables[i];
      if (std::find(names.begin(), names.end(), v) != names.end() && v.name().rfind('i', 0) == 0)
        widths.push_back(v);
    }
    if (widths.empty()) return draw_threads(ref, false);
    if (random_.chance(80)) add(ref, sched::GpuLanes{widths[0]});
    else add(ref, sched::GpuThreads{{widths[0]}});
    if (widths.size() > 1) add(ref, sched::GpuWarps{widths[1]});
    if (ref.definition > 0 && random_.chance(20))
      add(ref, sched::Unroll{loops(ref, {})[0], {}, sched::Tail::Auto});
  }

  void draw_inside_thread(const StageRef& ref) {
    const auto names = loops(ref, {});
    if (names.empty()) return;
    const int choice = random_.in(0, 99);
    if (choice < 20) add(ref, sched::Unroll{names[0], {}, sched::Tail::Auto});
    else if (choice < 35)
      add(ref, sched::Vectorize{names[0], random_.pick(std::vector{2, 4}), tail()});
    else if (choice < 42) add(ref, sched::Vectorize{names[0], {}, sched::Tail::Auto});
  }

  std::set<Symbol> partials_;   // made by reduce_across
  std::map<Symbol, Level> at_;  // stages computed inside a block, and the loop they are computed at
  bool on_device_ = false;      // a kernel was drawn
};

}  // namespace

DrawnSchedule random_gpu_schedule(const Instance& instance, std::uint64_t seed) {
  return GpuDrawer(instance, seed).run();
}

schedule::Schedule default_gpu_schedule_of(const Instance& instance, std::uint64_t seed) {
  Random random(seed);
  schedule::Schedule estimates;
  const bool known = random.chance(60);
  for (std::size_t i = 0; i < instance.algorithm.outputs.size() && known; ++i) {
    const StageDefinition& stage = instance.algorithm.stage(instance.algorithm.outputs[i]);
    for (std::size_t d = 0; d < stage.rank(); ++d) {
      const Extent& e = instance.boxes[i][d];
      if (e.extent > 0)
        estimates.entries.push_back(
            {{stage.id, 0}, sched::SetEstimate{stage.variables[d], e.min, e.extent}, {}, {}});
    }
  }
  sched::DefaultGpuOptions options{.allow_rewrites = random.chance(40)};
  if (random.chance(60)) options.steps_of_trees = 2;
  return driver::default_gpu_schedule(instance.algorithm, estimates,
                                      Target("emulated-nvptx-sm_90a"), options)
      .schedule;
}

}  // namespace sinter::test
