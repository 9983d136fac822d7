#include "dsl/lowering/loops/build_loop_nest.h"

#include <algorithm>
#include <functional>
#include <optional>

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

/// What surrounds a place in the program, outermost first: loops and lets.
struct Frame {
  bool is_loop = false;
  bool is_predicate = false;  // what follows may be skipped in any iteration
  Symbol symbol;              // instance variable, or let
  Expr min;                   // loop: first value; let: value
  Expr extent;                // loop
  ir::LoopKind kind = ir::LoopKind::Serial;
  Symbol stage;  // loop: whose, and by which schedule variable
  int definition = 0;
  Symbol variable;
};
using Context = std::vector<Frame>;

/// A statement and what it asks of its surroundings.
struct Built {
  Stmt body;
  Regions reads;    // stages and images read, not yet produced
  Regions storage;  // boxes written by stages whose storage lies further out
  Regions visited;  // coordinates of stages produced inside: the entry checks that they fit int32
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
  /// Root (no stage), or inside loop `variable` of a definition; `innermost` also serves stages
  /// with updates that have no placement of their own.
  struct Site {
    Symbol stage;
    int definition = 0;
    Symbol variable;
    bool innermost = false;
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
    const auto at = by_consumer_.find(site.stage);
    if (at == by_consumer_.end()) return result;
    for (const StageDefinition* stage : at->second) {
      const Placement& p = schedule_of(*stage).compute;
      const bool here = !site.stage || (p.variable == site.variable &&
                                        (p.definition < 0 || p.definition == site.definition));
      if (here) result.push_back(stage);
    }
    return result;
  }

  /// Position in `context` just inside the loop that holds `stage`'s storage; 0 for root.
  std::size_t storage_depth(const StageDefinition& stage, const Context& context) const {
    const StageSchedule& s = schedule_of(stage);
    if (s.store == s.compute) return context.size();
    if (s.store.kind == Placement::Kind::Root) return 0;
    for (std::size_t i = context.size(); i-- > 0;) {
      if (context[i].is_loop && context[i].stage == s.store.consumer &&
          context[i].variable == s.store.variable) {
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

  struct LetBinding {
    Symbol symbol;
    Expr value;
  };

  /// Produces all stages that belong at `site` around `inner`.
  Built place_at(const Site& site, Built inner, const Context& context) {
    std::vector<LetBinding> lets;
    std::vector<Stmt> checks;
    std::vector<const StageDefinition*> stored_here;  // produced further in
    std::map<const StageDefinition*, Box> local_storage;
    std::vector<std::pair<const StageDefinition*, Stmt>> bodies;  // consumers first

    for (const StageDefinition* candidate : placed_at(site)) {
      const StageDefinition& stage = *candidate;
      const bool output = pipeline_.algorithm.is_output(stage.id);
      const auto demand = inner.reads.find(stage.id);
      const bool demanded = demand != inner.reads.end();
      if (!demanded && !output) continue;
      Box box;
      if (demanded) {
        box = std::move(demand->second);
        box.dimensions.resize(stage.rank());
        inner.reads.erase(demand);
        require_bounded(stage, box);
      }
      const StageSchedule& s = schedule_of(stage);
      std::vector<bool> slid(stage.rank(), false);
      std::size_t depth = context.size();
      if (output) {
        const Box& buffer = output_box_.at(stage.id);
        if (demanded) check_covers(stage, buffer, box, checks);
        box = buffer;
        check_bounds_directives(stage, s, box, checks);
      } else {
        apply_bounds_directives(stage, s, box, checks);
        depth = storage_depth(stage, context);
        if (depth != context.size()) {
          const Box whole = box;
          slide(stage, box, slid, context, depth, lets);
          merge_box(inner.storage[stage.id], needed_boxes(stage, s, whole, slid).front());
        }
      }
      // Name the box, so that the stage's loops and its producers' regions stay small. The extent
      // is named rather than the maximum: it is often bounded by a constant, which vectors and
      // storage want.
      if (!output) {
        for (std::size_t d = 0; d < box.dimensions.size(); ++d) {
          Interval& i = box.dimensions[d];
          Expr extent = extent_of(i);
          const algebra::ConstantInterval bound = algebra::constant_bounds(extent, known_);
          name_end(i.min, stage.name + ".min." + std::to_string(d), lets);
          name_end(extent, stage.name + ".extent." + std::to_string(d), lets);
          if (ir::is(extent, ir::Op::Symbol) && bound.has_max)
            known_.insert_or_assign(extent->symbol, bound);
          i.max = simplify(i.min + extent - ir::index_literal(1));
        }
      }
      if (!output) merge_box(inner.visited[stage.id], box);
      Built made = build_stage(stage, box, slid, output, context, checks);
      if (depth == context.size() && !output) {
        local_storage[&stage] = made.storage.at(stage.id);
      }
      made.storage.erase(stage.id);
      bodies.emplace_back(&stage, made.body);
      merge(inner.reads, made.reads);
      merge(inner.storage, made.storage);
      merge(inner.visited, made.visited);
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

    if (!site.stage) {
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
      const ir::MemoryKind memory = schedule_of(*stage).memory;
      if (schedule_of(*stage).compute.kind != Placement::Kind::Inline)
        return ir::realize(stage->id, stage->types, ranges, memory, body);
      // Computed around each use, also inside another use's scope: each has a name of its own.
      const Symbol name = Symbol::fresh(stage->id.name());
      return ir::realize(name, stage->types, ranges, memory, renamed(body, stage->id, name));
    };
    Stmt body = inner.body;
    for (const auto& [stage, produced] : bodies) {
      body = ir::block({produced, body});
      if (std::find(stored_here.begin(), stored_here.end(), stage) == stored_here.end())
        body = stored(stage, body);
    }
    for (const StageDefinition* stage : stored_here) body = stored(stage, body);
    checks.push_back(body);
    body = ir::block(std::move(checks));
    for (auto l = lets.rbegin(); l != lets.rend(); ++l) {
      body = ir::let(l->symbol, l->value, body);
      if (site.stage) {
        substitute(inner.reads, l->symbol, l->value);
        substitute(inner.storage, l->symbol, l->value);
        substitute(inner.visited, l->symbol, l->value);
      }
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
    if (p.kind == Placement::Kind::Root) return !site.stage;
    return site.variable && p.consumer == site.stage && p.variable == site.variable;
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
      for (const schedule::StorageAlignment& a : schedule_of(*stage).storage) {
        Expr& extent = ranges[a.dimension].extent;
        const Expr unit = ir::index_literal(a.alignment);
        extent = (extent + ir::index_literal(a.alignment - 1)) / unit * unit +
                 ir::index_literal(a.offset);
      }
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
      merge(all.reads, one.reads);
      merge(all.storage, one.storage);
      merge(all.visited, one.visited);
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
      merge(result.reads, special.reads);
      merge(result.storage, special.storage);
      merge(result.visited, special.visited);
    }
    return result;
  }

  static ir::Source source_of(const StageDefinition& stage, int definition) {
    return {stage.id, definition, stage.definitions[static_cast<std::size_t>(definition)].where};
  }

  Built build_definition(const StageDefinition& stage, int k, const schedule::DefinitionSchedule& s,
                         const Box& box, const std::vector<bool>& slid, const Context& context) {
    const DefinitionLoops loops =
        make_loops(stage, k, s, box, slid, known_, produced_inside(stage));
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
      Frame f;
      f.is_loop = true;
      f.symbol = l.symbol;
      f.min = l.min;
      f.extent = l.extent;
      f.kind = l.kind;
      f.stage = stage.id;
      f.definition = k;
      f.variable = l.variable;
      frames.push_back(f);
      if (l.partition == schedule::PartitionPolicy::Never) never_partition_.insert(l.symbol);
      if (l.kind == ir::LoopKind::GpuBlock && s.limits != ir::KernelLimits{})
        kernel_limits_.emplace(l.symbol, s.limits);
      sources_.emplace(l.symbol, source_of(stage, k));
      order.push_back(l.symbol);
      push_items(level);
    }

    Built built;
    built.body = loops.body;
    for (const Expr& e : loops.reads) add_accesses(built.reads, e);
    const auto wrap_items = [&](int level) {
      for (auto item = loops.items.rbegin(); item != loops.items.rend(); ++item) {
        if (item->level == level) wrap_item(built, *item, loops.items, order);
      }
      built.reads.erase(stage.id);
    };
    wrap_items(depth);
    Site site;
    site.stage = stage.id;
    site.definition = k;
    site.innermost = true;
    built = place_at(site, std::move(built), frames);
    site.innermost = false;
    for (int level = depth - 1; level >= -1; --level) {
      if (level >= 0) {
        site.variable = loops.loops[static_cast<std::size_t>(level)].variable;
        const auto end =
            static_cast<std::ptrdiff_t>(end_of_level[static_cast<std::size_t>(level + 1)]);
        built = place_at(site, std::move(built), Context(frames.begin(), frames.begin() + end));
      }
      wrap_items(level);
      if (level >= 0) wrap_loop(built, loops.loops[static_cast<std::size_t>(level)]);
    }
    return built;
  }

  static void wrap_item(Built& built, const LevelItem& item, const std::vector<LevelItem>& items,
                        const std::vector<Symbol>& order) {
    if (item.symbol) {
      built.body = ir::let(item.symbol, item.value, built.body);
      substitute(built.reads, item.symbol, item.value);
      substitute(built.storage, item.symbol, item.value);
      substitute(built.visited, item.symbol, item.value);
      return;
    }
    built.body = ir::if_then(item.value, built.body);
    Expr condition = item.implies.defined() ? item.implies : item.value;
    restrict_by(built.reads, condition, order);
    restrict_by(built.storage, condition, order);
    restrict_by(built.visited, condition, order);
    // Sliding writes regions in terms of the loops, not of the variables made from them: say it so
    // too.
    for (auto let = items.rbegin(); let != items.rend(); ++let) {
      if (let->symbol) condition = ir::substitute(condition, {{let->symbol, let->value}});
    }
    restrict_by(built.reads, condition, order);
    restrict_by(built.storage, condition, order);
    if (item.is_predicate) add_accesses(built.reads, item.value);  // read whether it holds or not
  }

  /// Stages that may be produced inside this one's loops.
  std::unordered_set<Symbol> produced_inside(const StageDefinition& stage) const {
    std::unordered_set<Symbol> found;
    for (const StageDefinition* s : everywhere_) found.insert(s->id);
    if (const auto at = by_consumer_.find(stage.id); at != by_consumer_.end()) {
      for (const StageDefinition* s : at->second) found.insert(s->id);
    }
    return found;
  }

  static void wrap_loop(Built& built, const InstanceLoop& l) {
    built.body = ir::for_loop(l.symbol, l.min, l.extent, l.kind, built.body);
    const Interval range{l.min, simplify(l.min + l.extent - ir::index_literal(1))};
    eliminate(built.reads, l.symbol, range);
    eliminate(built.storage, l.symbol, range);
    eliminate(built.visited, l.symbol, range);
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
