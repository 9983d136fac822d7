#include "dsl/lowering/loops/build_loop_nest.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include <sinter/diagnostic.h>

#include "dsl/algebra/simplify.h"
#include "dsl/algorithm/evaluate.h"
#include "dsl/lowering/bounds/apply_constraints.h"
#include "dsl/lowering/bounds/insert_bounds_checks.h"
#include "dsl/lowering/bounds/regions.h"
#include "dsl/lowering/loops/definition_loops.h"
#include "dsl/lowering/loops/inline_calls.h"

namespace sinter::lowering {

namespace {

using algebra::Interval;
using algebra::simplify;
using ir::Stmt;
using schedule::Placement;
using schedule::StageSchedule;

/// A loop of a definition, by its schedule variable.
struct Level {
  Symbol stage;
  int definition = 0;
  Symbol variable;
};

/// What surrounds a place in the program, outermost first: loops and lets.
struct Frame {
  bool is_loop = false;
  bool is_predicate = false;  // what follows may be skipped in any iteration
  Symbol symbol;              // instance variable, or let
  Expr min;                   // loop: first value; let: value
  Expr extent;                // loop
  ir::LoopKind kind = ir::LoopKind::Serial;
  std::vector<Level> levels;  // loop: whose; several when a fuse made them one
};
using Context = std::vector<Frame>;

/// A statement and what it asks of its surroundings.
struct Built {
  Stmt body;
  Regions reads;    // stages and images read, not yet produced
  Regions storage;  // boxes written by stages whose storage lies further out
  Regions visited;  // coordinates of stages produced inside: the entry checks that they fit int32
  Regions written;  // of fused stages: what their pure definitions write
  Regions touched;  // of fused stages: what their updates read and write of themselves

  template <typename F>
  void for_each_region(const F& f) {
    for (Regions* r : {&reads, &storage, &visited, &written, &touched}) f(*r);
  }
  void take(const Built& o) {
    merge(reads, o.reads);
    merge(storage, o.storage);
    merge(visited, o.visited);
    merge(written, o.written);
    merge(touched, o.touched);
  }
};

std::string coordinate_name(const StageDefinition& stage, std::size_t d) {
  return stage.variables[d].name();
}

class NestBuilder {
 public:
  explicit NestBuilder(const schedule::ScheduledPipeline& pipeline)
      : pipeline_(pipeline), stages_(inline_calls(pipeline)) {
    for (auto s = stages_.rbegin(); s != stages_.rend(); ++s) {
      by_id_.emplace(s->id, &*s);
      const Placement& p = schedule_of(*s).compute;
      const bool root = p.kind == Placement::Kind::Root || pipeline.algorithm.is_output(s->id);
      if (!root && p.kind == Placement::Kind::Inline) everywhere_.push_back(&*s);
      else by_consumer_[root ? Symbol() : p.consumer].push_back(&*s);
    }
  }

  /// Also states the regions of the inputs without the lets of the nest.
  InputRegions run_for_regions() {
    closes_regions_ = true;
    InputRegions result;
    result.module = run();
    for (const ir::Argument& a : result.module.arguments) {
      if (a.kind != ir::Argument::Kind::Input) continue;
      if (const auto read = root_reads_.find(a.symbol); read != root_reads_.end()) {
        result.regions.push_back({a.symbol, read->second});
      }
    }
    return result;
  }

  ir::Module run() {
    ir::Module module;
    module.name = pipeline_.name;
    add_arguments(module);
    Built built = place_at(Site{}, Built{}, Context{});
    for (const auto& [target, box] : built.reads) {
      if (by_id_.count(target)) refuse_unplaced(*by_id_.at(target));
    }
    ensure(built.storage.empty(), "every stage has its storage by the end");
    std::vector<Stmt> all = failures();
    all.push_back(built.body);
    module.body = ir::block(std::move(all));
    module.constraints = constraints_of(pipeline_.algorithm);
    module.never_partition = std::move(never_partition_);
    module.kernel_limits = std::move(kernel_limits_);
    module.sources = std::move(sources_);
    for (const StageDefinition& stage : stages_) {
      module.sources.emplace(stage.id, source_of(stage, 0));
      const ir::StreamedAccesses& streamed = schedule_of(stage).streamed;
      if (!streamed.none()) module.streamed.emplace(stage.id, streamed);
    }
    return module;
  }

 private:
  /// Root (no levels), or inside a loop; `innermost`: around the body of a definition, for stages
  /// with updates that have no placement of their own.
  struct Site {
    std::vector<Level> levels;
    bool innermost = false;
    bool is_root() const { return levels.empty() && !innermost; }
  };

  const StageSchedule& schedule_of(const StageDefinition& s) const { return pipeline_.of(s.id); }

  void add_arguments(ir::Module& module) {
    for (const Image& image : pipeline_.algorithm.images) {
      ir::Argument a;
      a.kind = ir::Argument::Kind::Input;
      a.symbol = image.id;
      a.stage = image.id;
      a.name = image.name;
      a.type = image.type;
      for (const auto& [min, extent, stride] : image.fields)
        a.dimensions.push_back({min, extent, stride});
      module.arguments.push_back(std::move(a));
    }
    for (const ScalarParameter& scalar : pipeline_.algorithm.scalars) {
      ir::Argument a;
      a.kind = ir::Argument::Kind::Scalar;
      a.symbol = scalar.id;
      a.name = scalar.name;
      a.type = scalar.type;
      module.arguments.push_back(std::move(a));
    }
    for (const Symbol& id : pipeline_.algorithm.outputs) {
      const StageDefinition& stage = *by_id_.at(id);
      for (std::size_t c = 0; c < stage.types.size(); ++c) {
        ir::Argument a;
        a.kind = ir::Argument::Kind::Output;
        a.symbol = output_symbol(stage, c);
        a.stage = stage.id;
        a.name = stage.types.size() == 1 ? stage.name : stage.name + "." + std::to_string(c);
        a.type = stage.types[c];
        for (std::size_t d = 0; d < stage.rank(); ++d) {
          const std::string suffix = "." + std::to_string(d);
          a.dimensions.push_back({Symbol::fresh(a.name + ".min" + suffix),
                                  Symbol::fresh(a.name + ".extent" + suffix),
                                  Symbol::fresh(a.name + ".stride" + suffix)});
        }
        a.keeps_content = stage.definitions[0].is_undef();
        if (c == 0) output_box_[id] = box_of_argument(a);
        module.arguments.push_back(std::move(a));
      }
    }
    arguments_ = module.arguments;
  }

  /// Of specialize_fail: a call that no branch is for. Conditions are of what is known at the
  /// entry.
  std::vector<Stmt> failures() const {
    std::vector<Stmt> checks;
    const std::function<void(const StageDefinition&, const schedule::DefinitionSchedule&, Expr)>
        add = [&](const StageDefinition& stage, const schedule::DefinitionSchedule& s,
                  const Expr& otherwise) {
          Expr fine = otherwise;  // nothing of this schedule runs, or one of its branches
          for (const auto& branch : s.specializations) {
            const Expr skipped = ir::unary(ir::Op::Not, branch.condition);
            add(stage, branch.schedule,
                fine.defined() ? ir::binary(ir::Op::Or, fine, skipped) : skipped);
            fine =
                fine.defined() ? ir::binary(ir::Op::Or, fine, branch.condition) : branch.condition;
          }
          if (!s.failure) return;
          checks.push_back(
              ir::assert_that(fine, "stage '" + stage.name +
                                        "': specialize_fail(): no condition of its branches "
                                        "holds: " +
                                        s.failure->message +
                                        "\n  remedy: call with parameters and buffers that "
                                        "one of them is for, or drop this directive"));
        };
    for (const StageDefinition& stage : stages_) {
      for (const schedule::DefinitionSchedule& s : schedule_of(stage).definitions)
        add(stage, s, {});
    }
    return checks;
  }

  static Box box_of_argument(const ir::Argument& a) {
    Box box;
    for (const ir::DimensionSymbols& d : a.dimensions) {
      const Expr min = ir::index_symbol(d.min);
      box.dimensions.push_back({min, min + ir::index_symbol(d.extent) - ir::index_literal(1)});
    }
    return box;
  }

  // --- placing --------------------------------------------------------------------------------

  /// The stages computed at a site, consumers first.
  std::vector<const StageDefinition*> placed_at(const Site& site) const {
    std::vector<const StageDefinition*> result;
    if (site.innermost) return everywhere_;
    for (std::size_t l = 0; l < std::max<std::size_t>(site.levels.size(), 1); ++l) {
      const Level level = site.is_root() ? Level{} : site.levels[l];
      const auto at = by_consumer_.find(level.stage);
      if (at == by_consumer_.end()) continue;
      for (const StageDefinition* stage : at->second) {
        const Placement& p = schedule_of(*stage).compute;
        const bool here =
            site.is_root() || (p.variable == level.variable &&
                               (p.definition < 0 || p.definition == level.definition));
        if (here && std::find(result.begin(), result.end(), stage) == result.end())
          result.push_back(stage);
      }
    }
    if (site.levels.size() > 1) {
      std::sort(result.begin(), result.end(),
                [](const StageDefinition* a, const StageDefinition* b) { return a > b; });
    }
    return result;
  }

  /// Stages to produce at a site, consumers first: one by one, or those of a fuse in their order.
  std::vector<std::vector<const StageDefinition*>> units_at(const Site& site) const {
    const std::vector<const StageDefinition*> placed = placed_at(site);
    std::vector<std::vector<const StageDefinition*>> units;
    if (!site.is_root() || pipeline_.fused.empty()) {
      for (const StageDefinition* stage : placed) units.push_back({stage});
      return units;
    }
    std::unordered_map<Symbol, std::size_t> unit_of;
    for (const StageDefinition* stage : placed) {
      if (unit_of.count(stage->id)) continue;
      const schedule::FusedStages* group = group_of(stage->id);
      units.emplace_back();
      for (const Symbol& s : group ? group->stages : std::vector<Symbol>{stage->id}) {
        units.back().push_back(by_id_.at(s));
        unit_of.emplace(s, units.size() - 1);
      }
    }
    return consumers_first(units, unit_of);
  }

  std::vector<std::vector<const StageDefinition*>> consumers_first(
      const std::vector<std::vector<const StageDefinition*>>& units,
      const std::unordered_map<Symbol, std::size_t>& unit_of) const {
    std::vector<std::set<std::size_t>> consumers(units.size());
    for (std::size_t u = 0; u < units.size(); ++u) {
      std::unordered_set<Symbol> seen;
      const std::function<void(const StageDefinition&)> scan = [&](const StageDefinition& stage) {
        const auto visit = [&](const ir::Ref& n) {
          if (n->op != ir::Op::Access || !seen.insert(n->symbol).second) return true;
          if (const auto root = unit_of.find(n->symbol); root != unit_of.end()) {
            if (root->second != u) consumers[root->second].insert(u);
          } else if (const auto other = by_id_.find(n->symbol); other != by_id_.end()) {
            scan(*other->second);
          }
          return true;
        };
        for (const Definition& d : stage.definitions) {
          for (const Expr& e : d.values) ir::for_each_node(e.node(), visit);
          for (const Expr& e : d.coordinates) ir::for_each_node(e.node(), visit);
          if (d.predicate.defined()) ir::for_each_node(d.predicate.node(), visit);
        }
      };
      for (const StageDefinition* stage : units[u]) scan(*stage);
    }
    std::vector<std::vector<const StageDefinition*>> result;
    std::vector<bool> done(units.size(), false);
    while (result.size() < units.size()) {
      const std::size_t before = result.size();
      for (std::size_t u = 0; u < units.size(); ++u) {
        const bool ready = std::all_of(consumers[u].begin(), consumers[u].end(),
                                       [&](std::size_t c) { return bool(done[c]); });
        if (done[u] || !ready) continue;
        done[u] = true;
        result.push_back(units[u]);
        break;
      }
      ensure(result.size() > before, "resolve() refuses fuses that wait for each other");
    }
    return result;
  }

  const schedule::FusedStages* group_of(const Symbol& stage) const {
    for (const schedule::FusedStages& group : pipeline_.fused) {
      if (group.has(stage)) return &group;
    }
    return nullptr;
  }

  /// Position in `context` just inside the loop that holds `stage`'s storage; 0 for root.
  std::size_t storage_depth(const StageDefinition& stage, const Context& context) const {
    const StageSchedule& s = schedule_of(stage);
    if (s.store == s.compute) return context.size();
    if (s.store.kind == Placement::Kind::Root) return 0;
    for (std::size_t i = context.size(); i-- > 0;) {
      if (context[i].is_loop && holds(context[i].levels, s.store)) {
        std::size_t end = i + 1;
        while (end < context.size() && !context[end].is_loop) ++end;  // the lets of that loop
        return end;
      }
    }
    throw ScheduleError(Diagnostic{stage.name,
                                   "store_at",
                                   "its storage loop does not enclose the loop it is computed at",
                                   "store it at an outer loop of the same consumer, or at root",
                                   {},
                                   0}
                            .at(s.store.where));
  }

  static bool holds(const std::vector<Level>& levels, const Placement& p) {
    return std::any_of(levels.begin(), levels.end(), [&](const Level& l) {
      return l.stage == p.consumer && l.variable == p.variable;
    });
  }

  struct LetBinding {
    Symbol symbol;
    Expr value;
  };
  /// A stage to be produced, and for which box.
  struct Request {
    const StageDefinition* stage = nullptr;
    Box box;
    std::vector<bool> slid = {};
    bool output = false;
    std::size_t depth = 0;  // of its storage in the context
  };

  /// Produces all stages that belong at `site` around `inner`.
  Built place_at(const Site& site, Built inner, const Context& context) {
    std::vector<LetBinding> lets;
    std::vector<Stmt> checks;
    std::vector<const StageDefinition*> stored_here;  // produced further in
    std::map<const StageDefinition*, Box> local_storage;
    std::vector<std::pair<std::vector<const StageDefinition*>, Stmt>> bodies;  // consumers first

    for (const auto& unit : units_at(site)) {
      if (const schedule::FusedStages* group = group_of(unit.front()->id)) {
        Built made = build_group(*group, unit, inner, context, lets, checks);
        for (const StageDefinition* stage : unit) {
          const auto box = made.storage.find(stage->id);
          if (box == made.storage.end()) continue;
          local_storage[stage] = box->second;
          made.storage.erase(box);
        }
        bodies.emplace_back(unit, made.body);
        inner.take(made);
        continue;
      }
      const StageDefinition& stage = *unit.front();
      std::optional<Request> request = request_for(stage, inner, inner, context, lets, checks);
      if (!request) continue;
      Built made =
          build_stage(stage, request->box, request->slid, request->output, context, checks);
      if (request->depth == context.size() && !request->output) {
        local_storage[&stage] = made.storage.at(stage.id);
      }
      made.storage.erase(stage.id);
      bodies.emplace_back(unit, made.body);
      inner.take(made);
    }

    // Storage that was asked for further in and belongs here.
    for (auto stored = inner.storage.begin(); stored != inner.storage.end();) {
      const StageDefinition& stage = *by_id_.at(stored->first);
      if (!storage_belongs(stage, site)) {
        ++stored;
        continue;
      }
      stored_here.push_back(&stage);
      local_storage[&stage] = stored->second;
      stored = inner.storage.erase(stored);
    }

    if (site.is_root()) {
      add_input_checks(inner.reads, checks);
      for (const auto& [stage, box] : inner.visited)
        append_coordinate_check(by_id_.at(stage)->name, box, checks);
      root_reads_ = inner.reads;
      for (auto l = lets.rbegin(); l != lets.rend(); ++l) {
        if (closes_regions_) substitute(root_reads_, l->symbol, l->value);
      }
    }

    // Each stage's storage starts where the stage is produced; what inner loops produce is stored
    // around all.
    const auto stored = [&](const StageDefinition* stage, const Stmt& body) {
      const auto box = local_storage.find(stage);
      if (box == local_storage.end()) return body;
      std::vector<ir::Range> ranges;
      for (const Interval& i : box->second.dimensions) ranges.push_back({i.min, extent_of(i)});
      for (const schedule::StorageAlignment& a : schedule_of(*stage).storage) {
        Expr& extent = ranges[a.dimension].extent;
        const Expr unit = ir::index_literal(a.alignment);
        extent = (extent + ir::index_literal(a.alignment - 1)) / unit * unit +
                 ir::index_literal(a.offset);
      }
      const ir::MemoryKind memory = schedule_of(*stage).memory;
      if (schedule_of(*stage).compute.kind != Placement::Kind::Inline)
        return ir::realize(stage->id, stage->types, ranges, memory, body);
      // Computed around each use, also inside another use's scope: each has a name of its own.
      const Symbol name = Symbol::fresh(stage->id.name());
      return ir::realize(name, stage->types, ranges, memory, renamed(body, stage->id, name));
    };
    Stmt body = inner.body;
    for (const auto& [unit, produced] : bodies) {
      body = ir::block({produced, body});
      for (const StageDefinition* stage : unit) {
        if (std::find(stored_here.begin(), stored_here.end(), stage) == stored_here.end())
          body = stored(stage, body);
      }
    }
    for (const StageDefinition* stage : stored_here) body = stored(stage, body);
    checks.push_back(body);
    body = ir::block(std::move(checks));
    for (auto l = lets.rbegin(); l != lets.rend(); ++l) {
      body = ir::let(l->symbol, l->value, body);
      if (!site.is_root())
        inner.for_each_region([&](Regions& r) { substitute(r, l->symbol, l->value); });
    }
    inner.body = body;
    return inner;
  }

  static Stmt renamed(const Stmt& body, const Symbol& stage, const Symbol& name) {
    return ir::rewrite(body, [&](const ir::Ref& n) -> ir::Ref {
      const bool names_it =
          n->op == ir::Op::Access || n->op == ir::Op::Provide || n->op == ir::Op::Produce;
      if (!names_it || !(n->symbol == stage)) return n;
      ir::Node copy = *n;
      copy.symbol = name;
      return ir::make(std::move(copy));
    });
  }

  bool storage_belongs(const StageDefinition& stage, const Site& site) const {
    const Placement& p = schedule_of(stage).store;
    if (p == schedule_of(stage).compute) return false;
    if (p.kind == Placement::Kind::Root) return site.is_root();
    return holds(site.levels, p);
  }

  /// The expression without the names.
  static Expr without(Expr e, const std::vector<LetBinding>& lets) {
    for (auto l = lets.rbegin(); l != lets.rend(); ++l)
      e = ir::substitute(e, {{l->symbol, l->value}});
    return simplify(e);
  }

  /// What `asked` needs of the stage, named by lets; nothing when it needs none. `around`: whose
  /// storage and visited regions take what lies further out.
  std::optional<Request> request_for(const StageDefinition& stage, Built& asked, Built& around,
                                     const Context& context, std::vector<LetBinding>& lets,
                                     std::vector<Stmt>& checks) {
    Request made;
    made.stage = &stage;
    made.output = pipeline_.algorithm.is_output(stage.id);
    made.slid.resize(stage.rank(), false);
    made.depth = context.size();
    const auto demand = asked.reads.find(stage.id);
    const bool demanded = demand != asked.reads.end();
    if (!demanded && !made.output) return std::nullopt;
    Box& box = made.box;
    if (demanded) {
      box = std::move(demand->second);
      box.dimensions.resize(stage.rank());
      asked.reads.erase(demand);
      require_bounded(stage, box);
    }
    const StageSchedule& s = schedule_of(stage);
    if (made.output) {
      const Box& buffer = output_box_.at(stage.id);
      if (demanded) check_covers(stage, buffer, box, checks);
      box = buffer;
      check_bounds_directives(stage, s, box, checks);
      return made;
    }
    apply_bounds_directives(stage, s, box, checks);
    if (!is_stored_in_tile(stage)) made.depth = storage_depth(stage, context);
    if (made.depth != context.size()) {
      const Box whole = box;
      slide(stage, box, made.slid, context, made.depth, lets);
      merge_box(around.storage[stage.id], needed_boxes(stage, s, whole, made.slid).front());
    }
    // Name the box, so that the stage's loops and its producers' regions stay small. The extent
    // is named rather than the maximum: it is often bounded by a constant, which vectors and
    // storage want.
    for (std::size_t d = 0; d < box.dimensions.size(); ++d) {
      Interval& i = box.dimensions[d];
      Expr extent = extent_of(i);
      algebra::ConstantInterval bound = algebra::constant_bounds(extent, known_);
      if (!context.empty() && !bound.has_max) {
        // Two consumers may need the same, the one by a name made here, the other by its value.
        const Interval spelt{without(i.min, lets), without(i.max, lets)};
        const Expr e = extent_of(spelt);
        if (const auto known = algebra::constant_bounds(e, known_); known.has_max) {
          i = spelt;
          extent = e;
          bound = known;
        }
      }
      name_end(i.min, stage.name + ".min." + std::to_string(d), lets);
      name_end(extent, stage.name + ".extent." + std::to_string(d), lets);
      if (ir::is(extent, ir::Op::Symbol) && bound.has_max)
        known_.insert_or_assign(extent->symbol, bound);
      i.max = simplify(i.min + extent - ir::index_literal(1));
    }
    merge_box(around.visited[stage.id], box);
    return made;
  }

  template <typename Lets>
  static void name_end(Expr& end, const std::string& name, Lets& lets) {
    if (ir::is(end, ir::Op::Literal) || ir::is(end, ir::Op::Symbol)) return;
    const Symbol symbol = Symbol::fresh(name);
    lets.push_back({symbol, end});
    end = ir::index_symbol(symbol);
  }

  // --- regions --------------------------------------------------------------------------------

  void require_bounded(const StageDefinition& stage, const Box& box) const {
    for (std::size_t d = 0; d < box.dimensions.size(); ++d) {
      if (box.dimensions[d].bounded()) continue;
      throw CompileError(
          Diagnostic{stage.name,
                     "",
                     "an unbounded region of dimension " + std::to_string(d) + " (" +
                         coordinate_name(stage, d) +
                         ") is needed: a coordinate of a call depends on data or on a 32-bit value",
                     "wrap that coordinate in clamp(value, low, high)",
                     {},
                     0}
              .at(stage.definitions[0].where));
    }
  }

  void apply_bounds_directives(const StageDefinition& stage, const StageSchedule& s, Box& box,
                               std::vector<Stmt>& checks) const {
    for (const schedule::DimensionBound& b : s.bounds) {
      Interval& i = box.dimensions[b.dimension];
      const Interval needed = i;
      if (b.min.defined()) i.min = b.min;
      if (b.extent.defined()) i.max = simplify(i.min + b.extent - ir::index_literal(1));
      if (b.modulus > 1) align(i, b.modulus, b.remainder);
      if (b.min.defined() || b.extent.defined()) {
        checks.push_back(bounds_check(
            "stage '" + stage.name + "': " + directive_text(stage, b) + ": dimension " +
                std::to_string(b.dimension) + " (" + coordinate_name(stage, b.dimension) + ")",
            "is needed", needed, "the bound covers", i, "widen the bound, or drop it"));
      }
    }
  }

  static std::string directive_text(const StageDefinition& stage,
                                    const schedule::DimensionBound& b) {
    const std::string variable = coordinate_name(stage, b.dimension);
    if (b.min.defined())
      return "bound(" + variable + ", " + to_string(b.min) + ", " + to_string(b.extent) + ")";
    if (b.extent.defined()) return "bound_extent(" + variable + ", " + to_string(b.extent) + ")";
    return "align_bounds(" + variable + ", " + std::to_string(b.modulus) + ", " +
           std::to_string(b.remainder) + ")";
  }

  static void align(Interval& i, std::int64_t modulus, std::int64_t remainder) {
    const Expr m = ir::index_literal(modulus), r = ir::index_literal(remainder);
    i.min = simplify((i.min - r) / m * m + r);
    i.max = simplify((i.max - r) / m * m + r + m - ir::index_literal(1));
  }

  /// An output's box is its buffer's: the directives become requirements.
  void check_bounds_directives(const StageDefinition& stage, const StageSchedule& s, Box& box,
                               std::vector<Stmt>& checks) const {
    for (const schedule::DimensionBound& b : s.bounds) {
      const Interval i = box.dimensions[b.dimension];
      const std::string where = "stage '" + stage.name + "': " + directive_text(stage, b) +
                                ": dimension " + std::to_string(b.dimension) + " (" +
                                coordinate_name(stage, b.dimension) + ") of the output";
      const std::string remedy = "\n  remedy: give a buffer of that box, or drop this directive";
      if (b.min.defined()) {
        checks.push_back(ir::assert_that(
            ir::binary(ir::Op::Equal, i.min, b.min),
            where + " is bound to start at {}, the buffer starts at {}" + remedy, {b.min, i.min}));
      }
      const Expr extent = extent_of(i);
      if (b.extent.defined()) {
        checks.push_back(
            ir::assert_that(ir::binary(ir::Op::Equal, extent, b.extent),
                            where + " is bound to extent {}, the buffer has extent {}" + remedy,
                            {b.extent, extent}));
      }
      if (b.modulus > 1) {
        const Expr m = ir::index_literal(b.modulus);
        checks.push_back(ir::assert_that(
            ir::binary(ir::Op::And, ir::binary(ir::Op::Equal, extent % m, ir::index_literal(0)),
                       ir::binary(ir::Op::Equal, i.min % m, ir::index_literal(b.remainder))),
            where + " must start at a multiple of " + std::to_string(b.modulus) + " plus " +
                std::to_string(b.remainder) +
                " and have an extent that is a multiple; the buffer has min {}, extent {}" + remedy,
            {i.min, extent}));
      }
      // Past the checks the bounds are facts: loops over them have constant extents.
      Interval& known = box.dimensions[b.dimension];
      if (b.min.defined()) known.min = b.min;
      if (b.extent.defined()) known.max = simplify(known.min + b.extent - ir::index_literal(1));
    }
  }

  static void check_covers(const StageDefinition& stage, const Box& buffer, const Box& needed,
                           std::vector<Stmt>& checks) {
    for (std::size_t d = 0; d < needed.dimensions.size(); ++d) {
      checks.push_back(
          bounds_check("stage '" + stage.name + "': dimension " + std::to_string(d) + " (" +
                           coordinate_name(stage, d) + ") of the output",
                       "is accessed", needed.dimensions[d], "the buffer has", buffer.dimensions[d],
                       "give a buffer that holds all that the updates and consumers touch"));
    }
  }

  void add_input_checks(const Regions& reads, std::vector<Stmt>& checks) const {
    for (const ir::Argument& a : arguments_) {
      const auto read = reads.find(a.symbol);
      if (read == reads.end() || !a.is_buffer()) continue;
      const std::string chain = consumers_of(a.symbol);
      std::source_location reader;
      for (const StageDefinition& stage : stages_) {
        if (stage.name == chain.substr(0, chain.find(' '))) reader = stage.definitions.back().where;
      }
      append_input_checks(a, read->second, chain, reader, checks);
    }
  }

  /// "blur_x <- blur_y": the chain from the first reader of an image to an output.
  std::string consumers_of(const Symbol& image) const {
    std::string chain;
    Symbol current = image;
    for (const StageDefinition& stage :
         stages_) {  // producers come first, so one sweep follows the chain
      bool reads = false;
      for (const Definition& d : stage.definitions) {
        const auto look = [&](const Expr& e) {
          if (!e.defined()) return;
          ir::for_each_node(e.node(), [&](const ir::Ref& n) {
            reads = reads || (n->op == ir::Op::Access && n->symbol == current);
            return !reads;
          });
        };
        for (const Expr& e : d.values) look(e);
        for (const Expr& e : d.coordinates) look(e);
        look(d.predicate);
      }
      if (!reads) continue;
      chain += (chain.empty() ? "" : " <- ") + stage.name;
      if (pipeline_.algorithm.is_output(stage.id)) break;
      current = stage.id;
    }
    return chain;
  }

  // --- sliding --------------------------------------------------------------------------------

  /// Loops between storage and computation: only what the previous iteration has not produced yet
  /// is computed, when that is possible; see store_at. `lets`: of the stages produced at the same
  /// place, consumers first. A region that is made of these, and does not move in one direction, is
  /// computed each time.
  void slide(const StageDefinition& stage, Box& box, std::vector<bool>& slid,
             const Context& context, std::size_t depth, const std::vector<LetBinding>& lets) const {
    Box full = box;
    bool is_bound_here = false;
    for (auto l = lets.rbegin(); l != lets.rend(); ++l) {
      const ir::Substitution map{{l->symbol, l->value}};
      for (Interval& interval : full.dimensions) {
        for (Expr* end : {&interval.min, &interval.max}) {
          if (!ir::uses_symbol(end->node(), l->symbol)) continue;
          is_bound_here = true;
          *end = simplify(ir::substitute(*end, map));
        }
      }
    }
    const auto give_up = [&](const std::string& why) {
      if (!is_bound_here) refuse_slide(stage, why);
    };
    for (std::size_t i = context.size(); i-- > depth;) {
      if (context[i].is_loop || !context[i].symbol) continue;
      for (Interval& interval : full.dimensions) {
        const ir::Substitution map{{context[i].symbol, context[i].min}};
        interval.min = simplify(ir::substitute(interval.min, map));
        interval.max = simplify(ir::substitute(interval.max, map));
      }
    }
    const Frame* loop = nullptr;
    const auto depends = [&](const Interval& i, const Symbol& v) {
      return ir::uses_symbol(i.min.node(), v) || ir::uses_symbol(i.max.node(), v);
    };
    for (std::size_t f = depth; f < context.size(); ++f) {
      if (!context[f].is_loop) continue;
      if (ir::is_constant(context[f].extent, 1)) continue;
      const bool used =
          std::any_of(full.dimensions.begin(), full.dimensions.end(),
                      [&](const Interval& i) { return depends(i, context[f].symbol); });
      if (!used) continue;
      if (loop)
        return give_up("the region depends on more than one loop between storage and computation");
      loop = &context[f];
    }
    if (!loop) return;  // every iteration needs the same box: computed again each time
    if (loop->kind != ir::LoopKind::Serial)
      return give_up("the loop between storage and computation is not serial");
    std::optional<std::size_t> dimension;
    for (std::size_t d = 0; d < full.dimensions.size(); ++d) {
      if (!depends(full.dimensions[d], loop->symbol)) continue;
      if (dimension) return give_up("more than one dimension of the region moves with the loop");
      dimension = d;
    }
    if (std::any_of(context.begin() + static_cast<std::ptrdiff_t>(depth), context.end(),
                    [](const Frame& f) { return f.is_predicate; })) {
      return give_up("a predicate may skip iterations between storage and computation");
    }
    const Interval& moving = full.dimensions[*dimension];
    if (!is_nondecreasing(moving.min, loop->symbol, loop->min) ||
        !is_nondecreasing(moving.max, loop->symbol, loop->min)) {
      return give_up("the region does not move in one direction");
    }
    for (std::size_t k = 1; k < stage.definitions.size(); ++k) {
      if (!stage.definitions[k].is_pure_in(*dimension, stage.variables)) {
        return give_up("an update writes more than its own " + coordinate_name(stage, *dimension));
      }
    }
    // first iteration: everything; later: from just after the previous maximum
    const Expr v = ir::index_symbol(loop->symbol);
    const Expr previous =
        simplify(ir::substitute(moving.max, {{loop->symbol, v - ir::index_literal(1)}}) +
                 ir::index_literal(1));
    box = full;
    box.dimensions[*dimension].min =
        ir::select(ir::binary(ir::Op::Equal, v, loop->min), moving.min,
                   simplify(ir::binary(ir::Op::Max, moving.min, previous)));
    slid[*dimension] = true;
  }

  [[noreturn]] void refuse_slide(const StageDefinition& stage, const std::string& why) const {
    throw ScheduleError(
        Diagnostic{stage.name,
                   "store_at",
                   why,
                   "store it where it is computed, or compute it at the loop where it is stored",
                   {},
                   0}
            .at(schedule_of(stage).store.where));
  }

  [[noreturn]] void refuse_unplaced(const StageDefinition& stage) const {
    const Placement& p = schedule_of(stage).compute;
    throw ScheduleError(
        Diagnostic{stage.name,
                   "compute_at(" + p.consumer.name() + ", " + p.variable.name() + ")",
                   "this loop does not enclose all uses of the stage",
                   "compute it at an outer loop that encloses them, or compute_root()",
                   {},
                   0}
            .at(p.where));
  }

  // --- one stage ------------------------------------------------------------------------------

  /// needed[k]: what must be there once definition k has run, for all later ones and the consumers.
  std::vector<Box> needed_boxes(const StageDefinition& stage, const StageSchedule& s,
                                const Box& box, const std::vector<bool>& no_rounding) const {
    std::vector<Box> needed(stage.definitions.size());
    Box current = box;
    for (std::size_t k = stage.definitions.size(); k-- > 0;) {
      const Definition& definition = stage.definitions[k];
      for (std::size_t d = 0; d < stage.rank(); ++d) {
        if (no_rounding[d] || !definition.is_pure_in(d, stage.variables)) continue;
        const std::int64_t multiple =
            rounding_of_branches(s.definitions[k], definition, stage.variables[d]);
        if (multiple <= 1) continue;
        Interval& i = current.dimensions[d];
        const Expr m = ir::index_literal(multiple);
        i.max = simplify(i.min + (extent_of(i) + m - ir::index_literal(1)) / m * m -
                         ir::index_literal(1));
      }
      needed[k] = current;
      if (k == 0) break;
      Regions own, asked;
      Box written;
      for (const Expr& c : definition.coordinates)
        written.dimensions.push_back(algebra::bounds_of(c, {}));
      own[stage.id] = written;
      Regions all;
      for (const Expr& e : definition.values) add_accesses(all, e);
      for (const Expr& e : definition.coordinates) add_accesses(all, e);
      if (const auto self = all.find(stage.id); self != all.end())
        merge_box(own[stage.id], self->second);
      std::vector<Symbol> order = stage.variables;
      for (const ReductionVariable& r : definition.domain) order.push_back(r.symbol);
      if (definition.predicate.defined()) {
        restrict_by(own, definition.predicate, order);
        add_accesses(asked, definition.predicate);  // read whether it holds or not
        if (const auto self = asked.find(stage.id); self != asked.end())
          merge_box(own[stage.id], self->second);
      }
      for (const ReductionVariable& r : definition.domain) {
        eliminate(own, r.symbol, {r.min, simplify(r.min + r.extent - ir::index_literal(1))});
      }
      for (std::size_t d = 0; d < stage.rank(); ++d)
        eliminate(own, stage.variables[d], current.dimensions[d]);
      if (stage.rank() > 0) {
        require_bounded(stage, own[stage.id]);
        merge_box(current, own[stage.id]);
      }
    }
    return needed;
  }

  /// The whole nest of a stage for `box`. Its storage request is under its own id.
  Built build_stage(const StageDefinition& stage, const Box& box, const std::vector<bool>& slid,
                    bool output, const Context& context, std::vector<Stmt>& checks) {
    const StageSchedule& s = schedule_of(stage);
    const std::vector<Box> needed =
        needed_boxes(stage, s, box, output ? std::vector<bool>(stage.rank(), true) : slid);
    if (output) {
      if (stage.definitions.size() > 1) check_covers(stage, box, needed[0], checks);
      for (std::size_t k = 0; k < stage.definitions.size(); ++k)
        check_round_up(stage, s.definitions[k], k, box, {}, checks);
    }
    Built all;
    std::vector<Stmt> parts;
    for (std::size_t k = 0; k < stage.definitions.size(); ++k) {
      if (stage.definitions[k].is_undef()) continue;
      // The output's own box: what lies outside was refused by the checks.
      Built one = build_specialized(stage, static_cast<int>(k), s.definitions[k],
                                    output ? box : needed[k], slid, context);
      parts.push_back(one.body);
      all.take(one);
    }
    all.reads.erase(stage.id);
    all.storage[stage.id] = needed[0];
    all.body = ir::produce(stage.id, ir::block(std::move(parts)));
    return all;
  }

  /// `active`: this schedule is the one that runs; undefined: always.
  void check_round_up(const StageDefinition& stage, const schedule::DefinitionSchedule& s,
                      std::size_t k, const Box& box, Expr active, std::vector<Stmt>& checks) const {
    const auto both = [](const Expr& a, const Expr& b) {
      return a.defined() ? ir::binary(ir::Op::And, a, b) : b;
    };
    for (const auto& branch : s.specializations) {
      check_round_up(stage, branch.schedule, k, box, both(active, branch.condition), checks);
      active = both(active, ir::unary(ir::Op::Not, branch.condition));
    }
    for (std::size_t d = 0; d < stage.rank(); ++d) {
      if (!stage.definitions[k].is_pure_in(d, stage.variables)) continue;
      const std::int64_t multiple = rounding_of(s, stage.definitions[k], stage.variables[d]);
      if (multiple <= 1) continue;
      const Expr extent = extent_of(box.dimensions[d]);
      Expr suits =
          ir::binary(ir::Op::Equal, extent % ir::index_literal(multiple), ir::index_literal(0));
      if (active.defined()) suits = ir::binary(ir::Op::Or, ir::unary(ir::Op::Not, active), suits);
      checks.push_back(ir::assert_that(
          suits,
          "stage '" + stage.name + "': TailStrategy::RoundUp: the extent of dimension " +
              std::to_string(d) + " (" + coordinate_name(stage, d) +
              ") of the output must be a multiple of " + std::to_string(multiple) +
              "; the buffer has extent {}\n  remedy: give such a buffer, or use "
              "TailStrategy::GuardWithIf",
          {extent}));
    }
  }

  Built build_specialized(const StageDefinition& stage, int k,
                          const schedule::DefinitionSchedule& s, const Box& box,
                          const std::vector<bool>& slid, const Context& context) {
    Built result;
    if (!s.failure) result = build_definition(stage, k, s, box, slid, context);
    for (auto it = s.specializations.rbegin(); it != s.specializations.rend(); ++it) {
      Built special = build_specialized(stage, k, it->schedule, box, slid, context);
      result.body = ir::if_then(it->condition, special.body, result.body);
      result.take(special);
    }
    return result;
  }

  Built build_definition(const StageDefinition& stage, int k, const schedule::DefinitionSchedule& s,
                         const Box& box, const std::vector<bool>& slid, const Context& context) {
    return build_strand(
        {&stage, k, &s, make_loops(stage, k, s, box, slid, known_, produced_inside({&stage}))}, 0,
        context);
  }

  /// A definition with its loops. Of a fuse: `shared` outer ones are those of the strand before.
  struct Strand {
    const StageDefinition* stage;
    int definition;
    const schedule::DefinitionSchedule* schedule;
    DefinitionLoops loops;
    std::size_t shared = 0;

    Level level(std::size_t l) const { return {stage->id, definition, loops.loops[l].variable}; }
  };

  void note_loop(const Strand& strand, const InstanceLoop& own, const Symbol& loop) {
    const ir::KernelLimits& limits = strand.schedule->limits;
    if (own.partition == schedule::PartitionPolicy::Never) never_partition_.insert(loop);
    if (own.kind == ir::LoopKind::GpuBlock && limits != ir::KernelLimits{})
      kernel_limits_.emplace(loop, limits);
    sources_.emplace(loop, source_of(*strand.stage, strand.definition));
  }
  static ir::Source source_of(const StageDefinition& stage, int definition) {
    return {stage.id, definition, stage.definitions[static_cast<std::size_t>(definition)].where};
  }

  /// The strand from its loop `first` inwards; `context` ends with one frame for each loop further
  /// out, and what belongs into those stands around the rest.
  Built build_strand(const Strand& strand, int first, const Context& context) {
    const StageDefinition& stage = *strand.stage;
    const DefinitionLoops& loops = strand.loops;
    const int depth = static_cast<int>(loops.loops.size());

    // Frames of this definition, and where each level's frames end.
    Context frames = context;
    std::vector<Symbol> order;
    std::vector<std::size_t> end_of_level(static_cast<std::size_t>(depth) + 1);
    const auto push_items = [&](int level) {
      for (const LevelItem& item : loops.items) {
        if (item.level != level) continue;
        Frame f;
        f.symbol = item.symbol;
        f.min = item.value;
        f.is_predicate = item.is_predicate;
        frames.push_back(f);
        if (item.symbol) order.push_back(item.symbol);
      }
      end_of_level[static_cast<std::size_t>(level + 1)] = frames.size();
    };
    push_items(-1);
    for (int level = 0; level < depth; ++level) {
      const InstanceLoop& l = loops.loops[static_cast<std::size_t>(level)];
      if (level < first) {
        order.push_back(context[context.size() - static_cast<std::size_t>(first - level)].symbol);
        push_items(level);
        continue;
      }
      Frame f;
      f.is_loop = true;
      f.symbol = l.symbol;
      f.min = l.min;
      f.extent = l.extent;
      f.kind = l.kind;
      f.levels = {strand.level(static_cast<std::size_t>(level))};
      frames.push_back(f);
      note_loop(strand, l, l.symbol);
      order.push_back(l.symbol);
      push_items(level);
    }

    Built built;
    built.body = loops.body;
    for (const Expr& e : loops.reads) add_accesses(built.reads, e);
    if (group_of(stage.id)) note_tile(strand, built);
    const auto wrap_items = [&](int level) {
      for (auto item = loops.items.rbegin(); item != loops.items.rend(); ++item) {
        if (item->level == level) wrap_item(built, *item, loops.items, order);
      }
      built.reads.erase(stage.id);
    };
    wrap_items(depth);
    built = place_at(Site{{}, true}, std::move(built), frames);
    for (int level = depth - 1; level >= first; --level) {
      const auto end =
          static_cast<std::ptrdiff_t>(end_of_level[static_cast<std::size_t>(level + 1)]);
      built = place_at(Site{{strand.level(static_cast<std::size_t>(level))}}, std::move(built),
                       Context(frames.begin(), frames.begin() + end));
      wrap_items(level);
      wrap_loop(built, loops.loops[static_cast<std::size_t>(level)]);
    }
    for (int level = first - 1; level >= -1; --level) wrap_items(level);
    return built;
  }

  static void wrap_item(Built& built, const LevelItem& item, const std::vector<LevelItem>& items,
                        const std::vector<Symbol>& order) {
    if (item.symbol) {
      built.body = ir::let(item.symbol, item.value, built.body);
      built.for_each_region([&](Regions& r) { substitute(r, item.symbol, item.value); });
      return;
    }
    built.body = ir::if_then(item.value, built.body);
    Expr condition = item.implies.defined() ? item.implies : item.value;
    built.for_each_region([&](Regions& r) { restrict_by(r, condition, order); });
    // Sliding writes regions in terms of the loops, not of the variables made from them: say it so
    // too.
    for (auto let = items.rbegin(); let != items.rend(); ++let) {
      if (let->symbol) condition = ir::substitute(condition, {{let->symbol, let->value}});
    }
    restrict_by(built.reads, condition, order);
    restrict_by(built.storage, condition, order);
    if (item.is_predicate) add_accesses(built.reads, item.value);  // read whether it holds or not
  }

  /// Stages that may be produced inside the loops of these.
  std::unordered_set<Symbol> produced_inside(
      const std::vector<const StageDefinition*>& consumers) const {
    std::unordered_set<Symbol> found;
    for (const StageDefinition* s : everywhere_) found.insert(s->id);
    for (const StageDefinition* consumer : consumers) {
      const auto at = by_consumer_.find(consumer->id);
      if (at == by_consumer_.end()) continue;
      for (const StageDefinition* s : at->second) found.insert(s->id);
    }
    return found;
  }

  static void wrap_loop(Built& built, const InstanceLoop& l) {
    built.body = ir::for_loop(l.symbol, l.min, l.extent, l.kind, built.body);
    const Interval range{l.min, simplify(l.min + l.extent - ir::index_literal(1))};
    built.for_each_region([&](Regions& r) { eliminate(r, l.symbol, range); });
  }

  // --- fused stages ---------------------------------------------------------------------------

  /// Each tile of the grid has its own instance of the stage.
  bool is_stored_in_tile(const StageDefinition& stage) const {
    const StageSchedule& s = schedule_of(stage);
    return !(s.store == s.compute) && s.store.kind == Placement::Kind::At && group_of(stage.id);
  }

  /// What the body of a strand touches of its own stage: other tiles may not.
  void note_tile(const Strand& strand, Built& built) const {
    const StageDefinition& stage = *strand.stage;
    Regions own;
    ir::for_each_node(strand.loops.body.node(), [&](const ir::Ref& n) {
      if (n->op != ir::Op::Provide || !(n->symbol == stage.id)) return ir::is_statement(n->op);
      std::vector<Expr> coordinates;
      for (std::size_t i = n->args.size() - stage.rank(); i < n->args.size(); ++i)
        coordinates.emplace_back(n->args[i]);
      add_accesses(own, ir::access(stage.types[0], stage.id, coordinates));
      return false;
    });
    if (const auto self = built.reads.find(stage.id); self != built.reads.end())
      merge_box(own[stage.id], self->second);
    merge(strand.definition == 0 ? built.written : built.touched, own);
    if (is_stored_in_tile(stage)) merge(built.storage, own);
  }

  /// One grid for the stages of a fuse. Asks `around` for what it needs of them, as request_for.
  Built build_group(const schedule::FusedStages& group,
                    const std::vector<const StageDefinition*>& unit, Built& around,
                    const Context& context, std::vector<LetBinding>& lets,
                    std::vector<Stmt>& checks) {
    // Consumers first: what later stages need of an earlier one shows when they are built.
    std::vector<Request> requests;  // in the order of the list
    for (std::size_t k = unit.size(); k-- > 0;) {
      Built asked;
      const bool output = pipeline_.algorithm.is_output(unit[k]->id);
      if (!output && !requests.empty()) {
        std::vector<Stmt> ignored;
        asked = build_columns(group, requests, context, lets, ignored);
      }
      Regions needed;
      for (const Regions* r : {&asked.reads, &around.reads}) {
        if (const auto box = r->find(unit[k]->id); box != r->end())
          merge_box(needed[unit[k]->id], box->second);
      }
      around.reads.erase(unit[k]->id);
      asked.reads = std::move(needed);
      if (auto request = request_for(*unit[k], asked, around, context, lets, checks))
        requests.insert(requests.begin(), std::move(*request));
    }
    Built built = build_columns(group, requests, context, lets, checks);
    for (const Request& r : requests) {
      if (const auto read = built.reads.find(r.stage->id); read != built.reads.end()) {
        if (r.output) check_covers(*r.stage, output_box_.at(r.stage->id), read->second, checks);
        built.reads.erase(read);
      }
      if (!r.output && !is_stored_in_tile(*r.stage)) {
        built.storage[r.stage->id] =
            needed_boxes(*r.stage, schedule_of(*r.stage), r.box, r.slid).front();
      }
    }
    built.written.clear();
    built.touched.clear();
    if (!requests.empty()) built.body = ir::produce(requests.front().stage->id, built.body);
    return built;
  }

  /// The loops of a grid that stands beside others: each block's number gives their values.
  struct Digits {
    std::vector<InstanceLoop> loops;  // outermost first
  };

  Built build_columns(const schedule::FusedStages& group, const std::vector<Request>& requests,
                      const Context& context, const std::vector<LetBinding>& lets,
                      std::vector<Stmt>& checks) {
    std::vector<const StageDefinition*> stages;
    for (const Request& r : requests) stages.push_back(r.stage);
    std::vector<std::vector<Strand>> columns;
    std::vector<const schedule::FusedColumn*> shapes;
    for (const schedule::FusedColumn& column : group.columns) {
      std::vector<Strand> strands;
      std::size_t before = 0;  // position of the last strand in the column
      for (std::size_t m = 0; m < column.members.size(); ++m) {
        const schedule::StageRef& ref = column.members[m].ref;
        const auto r = std::find_if(requests.begin(), requests.end(),
                                    [&](const Request& q) { return q.stage->id == ref.stage; });
        if (r == requests.end()) continue;
        const StageSchedule& s = schedule_of(*r->stage);
        const auto k = static_cast<std::size_t>(ref.definition);
        const std::vector<Box> needed = needed_boxes(
            *r->stage, s, r->box, r->output ? std::vector<bool>(r->stage->rank(), true) : r->slid);
        if (r->output) {
          if (k == 1) check_covers(*r->stage, r->box, needed[0], checks);
          check_round_up(*r->stage, s.definitions[k], k, r->box, {}, checks);
        }
        strands.push_back(
            {r->stage, ref.definition, &s.definitions[k],
             make_loops(*r->stage, ref.definition, s.definitions[k], r->output ? r->box : needed[k],
                        r->slid, known_, produced_inside(stages)),
             strands.empty() ? 0 : column.common(before, m)});
        before = m;
      }
      if (strands.empty()) continue;
      columns.push_back(std::move(strands));
      shapes.push_back(&column);
    }
    Built all;
    if (columns.size() == 1)
      return build_joined(columns[0], 0, columns[0].size(), 0, context,
                          {shapes[0], nullptr, &lets});
    // Grids that differ stand one behind the other.
    const Symbol tile = Symbol::fresh("tile");
    const ir::LoopKind kind = shapes.empty() ? ir::LoopKind::Serial : shapes[0]->kind;
    std::vector<std::pair<Expr, Stmt>> cases;  // the first tile behind it, and the column
    Expr end = ir::index_literal(0);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      Digits digits;
      Built one =
          build_joined(columns[c], 0, columns[c].size(), 0, context, {shapes[c], &digits, &lets});
      Expr count = ir::index_literal(1), rest = ir::index_symbol(tile) - end;
      for (std::size_t l = digits.loops.size(); l-- > 0;) {
        const InstanceLoop& loop = digits.loops[l];
        const Expr extent = simplify(ir::binary(ir::Op::Max, loop.extent, ir::index_literal(0)));
        one.body =
            ir::let(loop.symbol, simplify((l > 0 ? rest % extent : rest) + loop.min), one.body);
        rest = rest / extent;
        count = count * extent;
      }
      for (const Strand& strand : columns[c]) {
        if (kind == ir::LoopKind::GpuBlock && strand.schedule->limits != ir::KernelLimits{})
          kernel_limits_.emplace(tile, strand.schedule->limits);
      }
      end = simplify(end + count);
      cases.emplace_back(end, one.body);
      all.take(one);
    }
    Stmt body;
    for (std::size_t c = cases.size(); c-- > 0;) {
      body = body.defined()
                 ? ir::if_then(ir::binary(ir::Op::Less, ir::index_symbol(tile), cases[c].first),
                               cases[c].second, body)
                 : cases[c].second;
    }
    never_partition_.insert(tile);
    all.body = ir::for_loop(tile, ir::index_literal(0), end, kind, body);
    return all;
  }

  struct Column {
    const schedule::FusedColumn* shape;
    Digits* digits;  // null: its grid stands alone
    const std::vector<LetBinding>* lets;
  };

  /// Strands [first, last), whose loops outside `level` are one.
  Built build_joined(std::vector<Strand>& strands, std::size_t first, std::size_t last,
                     std::size_t level, const Context& context, const Column& column) {
    const std::size_t grid = column.shape->grid;
    if (level < grid) return build_joined_loop(strands, first, last, level, context, column);
    Built all;
    std::vector<Stmt> parts;
    for (std::size_t begin = first; begin < last;) {
      std::size_t end = begin + 1;
      while (end < last && strands[end].shared > level) ++end;
      Built one;
      if (end - begin > 1) {
        one = build_joined_loop(strands, begin, end, level, context, column);
      } else {
        one = build_strand(strands[begin], static_cast<int>(level), context);
        one.body = ir::produce(strands[begin].stage->id, one.body);
      }
      if (level == grid && grid > 0)
        require_same_tile(strands, first, begin, end, all, one, column);
      parts.push_back(one.body);
      all.take(one);
      begin = end;
    }
    all.body = ir::block(std::move(parts));
    return all;
  }

  Built build_joined_loop(std::vector<Strand>& strands, std::size_t first, std::size_t last,
                          std::size_t level, const Context& context, const Column& column) {
    InstanceLoop joined = strands[first].loops.loops[level];
    const auto same = [&](const Expr& a, const Expr& b) {
      return ir::is_constant(without(a - b, *column.lets), 0);
    };
    bool equal = true;
    for (std::size_t s = first + 1; s < last; ++s) {
      const Expr extent = strands[s].loops.loops[level].extent;
      if (same(extent, joined.extent)) continue;
      equal = false;
      joined.extent = simplify(ir::binary(ir::Op::Max, joined.extent, extent));
    }
    Frame frame;
    frame.is_loop = true;
    frame.symbol = joined.symbol;
    frame.min = joined.min;
    frame.extent = joined.extent;
    frame.kind = joined.kind;
    for (std::size_t s = first; s < last; ++s) {
      const InstanceLoop own = strands[s].loops.loops[level];
      note_loop(strands[s], own, joined.symbol);
      frame.levels.push_back(strands[s].level(level));
      std::vector<LevelItem> items;
      if (!(own.symbol == joined.symbol)) {
        LevelItem let;
        let.level = static_cast<int>(level);
        let.symbol = own.symbol;
        const Expr shift = same(own.min, joined.min) ? ir::index_literal(0) : own.min - joined.min;
        let.value = simplify(ir::index_symbol(joined.symbol) + shift);
        items.push_back(let);
      }
      if (!equal && !same(own.extent, joined.extent)) {
        LevelItem guard;
        guard.level = static_cast<int>(level);
        guard.value = ir::binary(ir::Op::LessEqual, ir::index_symbol(own.symbol),
                                 simplify(own.min + own.extent - ir::index_literal(1)));
        guard.implies = guard.value;
        items.push_back(guard);
      }
      std::vector<LevelItem>& all = strands[s].loops.items;
      all.insert(all.begin(), items.begin(), items.end());
    }
    Context inside = context;
    inside.push_back(frame);
    Built built = build_joined(strands, first, last, level + 1, inside, column);
    built = place_at(Site{frame.levels}, std::move(built), inside);
    if (level < column.shape->grid && column.digits != nullptr) {
      column.digits->loops.insert(column.digits->loops.begin(), joined);
      const Interval range{joined.min, simplify(joined.min + joined.extent - ir::index_literal(1))};
      built.for_each_region([&](Regions& r) { eliminate(r, joined.symbol, range); });
    } else {
      wrap_loop(built, joined);
    }
    return built;
  }

  /// Nobody waits for another tile: what a tile reads of the stages before it, it has written.
  void require_same_tile(const std::vector<Strand>& strands, std::size_t first, std::size_t begin,
                         std::size_t end, const Built& before, Built& one,
                         const Column& column) const {
    std::set<Symbol> stages;
    for (std::size_t s = first; s < end; ++s) stages.insert(strands[s].stage->id);
    for (const Symbol& id : stages) {
      Box asked;
      for (const Regions* r : {&one.reads, &one.touched}) {
        if (const auto box = r->find(id); box != r->end()) merge_box(asked, box->second);
      }
      const bool earlier = std::any_of(strands.begin() + static_cast<std::ptrdiff_t>(first),
                                       strands.begin() + static_cast<std::ptrdiff_t>(begin),
                                       [&](const Strand& s) { return s.stage->id == id; });
      if (!asked.defined() || !earlier) continue;
      const auto written = before.written.find(id);
      const StageDefinition& producer = *by_id_.at(id);
      if (written == before.written.end() || !covers(written->second, asked, *column.lets))
        refuse_tile(producer, *strands[begin].stage);
      one.reads.erase(id);
    }
  }

  bool covers(const Box& outer, const Box& inner, const std::vector<LetBinding>& lets) const {
    const auto not_negative = [&](const Expr& e) {
      const algebra::ConstantInterval bounds = algebra::constant_bounds(without(e, lets), known_);
      return bounds.has_min && bounds.min >= 0;
    };
    for (std::size_t d = 0; d < inner.dimensions.size(); ++d) {
      const Interval &o = outer.dimensions[d], &i = inner.dimensions[d];
      if (!i.bounded() || !o.bounded()) return false;
      if (!not_negative(i.min - o.min) || !not_negative(o.max - i.max)) return false;
    }
    return true;
  }

  [[noreturn]] void refuse_tile(const StageDefinition& producer,
                                const StageDefinition& consumer) const {
    const schedule::FusedStages& group = *group_of(consumer.id);
    std::string list;
    for (const Symbol& s : group.stages)
      list += (list.empty() ? "" : ", ") + pipeline_.algorithm.stage(s).name;
    throw ScheduleError(Diagnostic{consumer.name,
                                   "fuse({" + list + "})",
                                   "a tile of it may need what another tile writes of '" +
                                       producer.name + "', and blocks never wait for each other",
                                   "compute '" + producer.name + "' inside '" + consumer.name +
                                       "' with compute_at, or keep the two apart",
                                   {},
                                   0}
                            .at(group.where));
  }

  const schedule::ScheduledPipeline& pipeline_;
  std::vector<StageDefinition> stages_;
  std::unordered_map<Symbol, const StageDefinition*> by_id_;
  std::unordered_map<Symbol, std::vector<const StageDefinition*>>
      by_consumer_;  // empty symbol: at root
  std::vector<const StageDefinition*>
      everywhere_;  // with updates and without placement: around each use
  std::unordered_map<Symbol, Box> output_box_;
  std::vector<ir::Argument> arguments_;
  std::unordered_set<Symbol> never_partition_;
  std::unordered_map<Symbol, ir::KernelLimits> kernel_limits_;
  ir::Sources sources_;
  bool closes_regions_ = false;
  algebra::ConstantScope known_;  // constant bounds of named extents
  Regions root_reads_;
};

}  // namespace

ir::Module build_loop_nest(const schedule::ScheduledPipeline& pipeline) {
  return NestBuilder(pipeline).run();
}

InputRegions required_inputs(const schedule::ScheduledPipeline& pipeline) {
  return NestBuilder(pipeline).run_for_regions();
}

}  // namespace sinter::lowering
