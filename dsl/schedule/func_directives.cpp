// The fluent methods of Func and Stage: each makes its directive and records it.

#include <algorithm>

#include <sinter/func.h>

#include "dsl/algorithm/elaborate.h"
#include "dsl/schedule/fluent.h"

namespace sinter {

namespace {

using namespace schedule;

IntegerArg integer(const Expr& e) {
  std::int64_t value = 0;
  if (ir::as_constant(e, &value)) return IntegerArg(value);
  return IntegerArg::expression(e);
}

Tail tail_of(TailStrategy tail) { return static_cast<Tail>(tail); }

/// Refuses an Expr that was never given a value.
void require_defined(const std::shared_ptr<FuncContents>& contents, const Expr& e) {
  if (e.defined()) return;
  throw ScheduleError(Diagnostic{contents->definition.name,
                                 "",
                                 "an expression without a value is given",
                                 "give a number, a Param or an extent",
                                 {},
                                 0});
}

/// A size that the schedule mentions; what it refers to becomes an argument of the pipeline.
Expr size_of(const std::shared_ptr<FuncContents>& contents, const Expr& e) {
  require_defined(contents, e);
  gather_references(e, contents->references, contents.get());
  return Elaborator().coordinate(e);
}

/// A handle on a stage that a directive of this Func's family has made.
Func made_stage(const std::shared_ptr<FuncContents>& source, const Symbol& id) {
  auto contents = std::make_shared<FuncContents>();
  const auto family = std::static_pointer_cast<Family>(source->schedule);
  contents->definition = family->state.algorithm.stage(id);
  contents->is_named = true;
  contents->is_made = true;
  contents->schedule = family;
  return Func(contents);
}

}  // namespace

// The enumerators of the public words and of the schedule's are the same, in the same order.
static_assert(static_cast<int>(TailStrategy::ShiftInwards) == static_cast<int>(Tail::ShiftInwards));
static_assert(static_cast<int>(TailStrategy::GuardWithIf) == static_cast<int>(Tail::GuardWithIf));
static_assert(static_cast<int>(TailStrategy::RoundUp) == static_cast<int>(Tail::RoundUp));
static_assert(static_cast<int>(Partition::Never) == static_cast<int>(PartitionPolicy::Never));
static_assert(static_cast<int>(Partition::Always) == static_cast<int>(PartitionPolicy::Always));
static_assert(static_cast<int>(MemoryType::Heap) == static_cast<int>(ir::MemoryKind::Heap));
static_assert(static_cast<int>(MemoryType::Stack) == static_cast<int>(ir::MemoryKind::Stack));
static_assert(static_cast<int>(MemoryType::Register) == static_cast<int>(ir::MemoryKind::Register));
static_assert(static_cast<int>(MemoryType::GPUShared) ==
              static_cast<int>(ir::MemoryKind::GPUShared));

// --- loops: on a Stage, and on a Func for its pure definition

Stage& Stage::split(const VarOrRVar& old, const VarOrRVar& outer, const VarOrRVar& inner,
                    const Expr& factor, TailStrategy tail, Location where) {
  record(contents_, definition_, branch_,
         Split{old.symbol, outer.symbol, inner.symbol, integer(factor), tail_of(tail)}, where);
  return *this;
}

Stage& Stage::fuse(const VarOrRVar& inner, const VarOrRVar& outer, const VarOrRVar& fused,
                   Location where) {
  record(contents_, definition_, branch_, Fuse{inner.symbol, outer.symbol, fused.symbol}, where);
  return *this;
}

Stage& Stage::tile(const VarOrRVar& x, const VarOrRVar& y, const VarOrRVar& xo, const VarOrRVar& yo,
                   const VarOrRVar& xi, const VarOrRVar& yi, const Expr& x_factor,
                   const Expr& y_factor, TailStrategy tail, Location where) {
  record(contents_, definition_, branch_,
         Tile{{x.symbol, y.symbol},
              {xo.symbol, yo.symbol},
              {xi.symbol, yi.symbol},
              {integer(x_factor), integer(y_factor)},
              tail_of(tail)},
         where);
  return *this;
}

Stage& Stage::rename(const VarOrRVar& old, const VarOrRVar& now, Location where) {
  record(contents_, definition_, branch_, Rename{old.symbol, now.symbol}, where);
  return *this;
}

Stage& Stage::serial(const VarOrRVar& loop, Location where) {
  record(contents_, definition_, branch_, Serial{loop.symbol}, where);
  return *this;
}

Stage& Stage::parallel(const VarOrRVar& loop, Location where) {
  record(contents_, definition_, branch_, Parallel{loop.symbol, {}, {}}, where);
  return *this;
}

Stage& Stage::parallel(const VarOrRVar& loop, const Expr& factor, TailStrategy tail,
                       Location where) {
  record(contents_, definition_, branch_, Parallel{loop.symbol, integer(factor), tail_of(tail)},
         where);
  return *this;
}

Stage& Stage::vectorize(const VarOrRVar& loop, Location where) {
  record(contents_, definition_, branch_, Vectorize{loop.symbol, {}, {}}, where);
  return *this;
}

Stage& Stage::vectorize(const VarOrRVar& loop, const Expr& factor, TailStrategy tail,
                        Location where) {
  record(contents_, definition_, branch_, Vectorize{loop.symbol, integer(factor), tail_of(tail)},
         where);
  return *this;
}

Stage& Stage::unroll(const VarOrRVar& loop, Location where) {
  record(contents_, definition_, branch_, Unroll{loop.symbol, {}, {}}, where);
  return *this;
}

Stage& Stage::unroll(const VarOrRVar& loop, const Expr& factor, TailStrategy tail, Location where) {
  record(contents_, definition_, branch_, Unroll{loop.symbol, integer(factor), tail_of(tail)},
         where);
  return *this;
}

Stage& Stage::gpu_loops(GpuLevel level, const std::vector<VarOrRVar>& loops) {
  std::vector<Symbol> symbols;
  for (const VarOrRVar& loop : loops) symbols.push_back(loop.symbol);
  const std::source_location where = loops.front().where;
  switch (level) {
    case GpuLevel::Blocks:
      record(contents_, definition_, branch_, GpuBlocks{std::move(symbols)}, where);
      break;
    case GpuLevel::Threads:
      record(contents_, definition_, branch_, GpuThreads{std::move(symbols)}, where);
      break;
    case GpuLevel::Lanes:
      record(contents_, definition_, branch_, GpuLanes{symbols.front()}, where);
      break;
    case GpuLevel::Warps:
      record(contents_, definition_, branch_, GpuWarps{symbols.front()}, where);
      break;
  }
  return *this;
}

Stage& Stage::gpu_limit(GpuLimit limit, const Expr& number, Location where) {
  if (limit == GpuLimit::MaxRegisters)
    record(contents_, definition_, branch_, GpuMaxRegisters{integer(number)}, where);
  else record(contents_, definition_, branch_, GpuMinBlocks{integer(number)}, where);
  return *this;
}

Stage& Stage::gpu_one_thread(Location where) {
  record(contents_, definition_, branch_, GpuSingleThread{}, where);
  return *this;
}

Stage& Stage::gpu_tiles(const std::vector<VarOrRVar>& old, const std::vector<VarOrRVar>& blocks,
                        const std::vector<VarOrRVar>& threads, const std::vector<Expr>& sizes,
                        TailStrategy tail, Location where) {
  Tile tile;
  tile.tail = tail_of(tail);
  for (std::size_t i = 0; i < old.size(); ++i) {
    tile.old.push_back(old[i].symbol);
    tile.outer.push_back(blocks[i].symbol);
    tile.inner.push_back(threads[i].symbol);
    tile.factors.push_back(integer(sizes[i]));
  }
  record(contents_, definition_, branch_, GpuTile{std::move(tile)}, where);
  return *this;
}

Stage& Stage::partition(const VarOrRVar& loop, Partition policy, Location where) {
  record(contents_, definition_, branch_,
         PartitionLoop{loop.symbol, static_cast<PartitionPolicy>(policy)}, where);
  return *this;
}

Stage& Stage::atomic(Location where) {
  record(contents_, definition_, branch_, Atomic{}, where);
  return *this;
}

Stage& Stage::tile(const VarOrRVar& x, const VarOrRVar& y, const VarOrRVar& xi, const VarOrRVar& yi,
                   const Expr& x_factor, const Expr& y_factor, TailStrategy tail, Location where) {
  return tile(x, y, x, y, xi, yi, x_factor, y_factor, tail, where);
}

Stage& Stage::reorder(const std::vector<VarOrRVar>& loops) {
  if (loops.empty()) return *this;
  Reorder reorder;
  for (const VarOrRVar& loop : loops) reorder.loops.push_back(loop.symbol);
  record(contents_, definition_, branch_, std::move(reorder), loops.front().where);
  return *this;
}

Stage Stage::specialize(const Expr& condition, Location where) {
  require_defined(contents_, condition);
  gather_references(condition, contents_->references, contents_.get());
  const Expr elaborated = Elaborator().condition(condition);
  record(contents_, definition_, branch_, Specialize{elaborated}, where);
  std::vector<Expr> branch = branch_;
  branch.push_back(elaborated);
  return Stage(contents_, definition_, std::move(branch));
}

void Stage::specialize_fail(const std::string& message, Location where) {
  record(contents_, definition_, branch_, SpecializeFail{message}, where);
}

Func Stage::rfactor(const std::vector<std::pair<RVar, Var>>& preserved, Location where) {
  Rfactor rfactor;
  for (const auto& [r, u] : preserved) rfactor.preserved.emplace_back(r.symbol(), u.symbol());
  rfactor.intermediate = intermediate_symbol(contents_->definition.name, rfactor.preserved);
  record(contents_, definition_, branch_, rfactor, where);
  return made_stage(contents_, rfactor.intermediate);
}

Func Stage::rfactor(const RVar& r, const Var& u, Location where) {
  return rfactor({{r, u}}, where);
}

Func Stage::reduce_across(const RVar& r, const std::vector<int>& widths, Location where) {
  ReduceAcross across;
  across.loop = r.symbol();
  for (const int n : widths) across.widths.emplace_back(std::int64_t{n});
  name_stages(across, contents_->definition.name);
  record(contents_, definition_, branch_, across, where);
  return made_stage(contents_, across.partial);
}

Func Func::tree_level(int level, int half, Location where) const {
  const auto family = std::static_pointer_cast<Family>(contents_->schedule);
  const std::string call =
      "tree_level(" + std::to_string(level) + ", " + std::to_string(half) + ")";
  if (family) {
    for (const Family::Numbered& numbered : family->entries) {
      const auto* across = std::get_if<ReduceAcross>(&numbered.entry.directive);
      if (across == nullptr || !(across->partial == contents_->definition.id)) continue;
      const std::vector<std::string> names = level_names(*across);
      const auto last = std::find(names.begin(), names.end(), call);
      if (last != names.end())
        return made_stage(contents_,
                          across->levels[static_cast<std::size_t>(last - names.begin())]);
    }
  }
  Diagnostic problem =
      refusal("the stage has no tree with this level",
              "call it on what reduce_across returned, for a width greater than 1");
  problem.stage = name();
  problem.directive = call;
  throw ScheduleError(problem.at(where));
}

Func& Func::split(const VarOrRVar& old, const VarOrRVar& outer, const VarOrRVar& inner,
                  const Expr& factor, TailStrategy tail, Location where) {
  Stage(contents_, 0).split(old, outer, inner, factor, tail, where);
  return *this;
}

Func& Func::fuse(const VarOrRVar& inner, const VarOrRVar& outer, const VarOrRVar& fused,
                 Location where) {
  Stage(contents_, 0).fuse(inner, outer, fused, where);
  return *this;
}

Func& Func::tile(const VarOrRVar& x, const VarOrRVar& y, const VarOrRVar& xo, const VarOrRVar& yo,
                 const VarOrRVar& xi, const VarOrRVar& yi, const Expr& x_factor,
                 const Expr& y_factor, TailStrategy tail, Location where) {
  Stage(contents_, 0).tile(x, y, xo, yo, xi, yi, x_factor, y_factor, tail, where);
  return *this;
}

Func& Func::rename(const VarOrRVar& old, const VarOrRVar& now, Location where) {
  Stage(contents_, 0).rename(old, now, where);
  return *this;
}

Func& Func::serial(const VarOrRVar& loop, Location where) {
  Stage(contents_, 0).serial(loop, where);
  return *this;
}

Func& Func::parallel(const VarOrRVar& loop, Location where) {
  Stage(contents_, 0).parallel(loop, where);
  return *this;
}

Func& Func::parallel(const VarOrRVar& loop, const Expr& factor, TailStrategy tail, Location where) {
  Stage(contents_, 0).parallel(loop, factor, tail, where);
  return *this;
}

Func& Func::vectorize(const VarOrRVar& loop, Location where) {
  Stage(contents_, 0).vectorize(loop, where);
  return *this;
}

Func& Func::vectorize(const VarOrRVar& loop, const Expr& factor, TailStrategy tail,
                      Location where) {
  Stage(contents_, 0).vectorize(loop, factor, tail, where);
  return *this;
}

Func& Func::unroll(const VarOrRVar& loop, Location where) {
  Stage(contents_, 0).unroll(loop, where);
  return *this;
}

Func& Func::unroll(const VarOrRVar& loop, const Expr& factor, TailStrategy tail, Location where) {
  Stage(contents_, 0).unroll(loop, factor, tail, where);
  return *this;
}

Func& Func::partition(const VarOrRVar& loop, Partition policy, Location where) {
  Stage(contents_, 0).partition(loop, policy, where);
  return *this;
}

Func& Func::gpu_loops(GpuLevel level, const std::vector<VarOrRVar>& loops) {
  Stage(contents_, 0).gpu_loops(level, loops);
  return *this;
}

Func& Func::gpu_limit(GpuLimit limit, const Expr& number, Location where) {
  Stage(contents_, 0).gpu_limit(limit, number, where);
  return *this;
}

Func& Func::gpu_one_thread(Location where) {
  Stage(contents_, 0).gpu_one_thread(where);
  return *this;
}

Func& Func::gpu_tiles(const std::vector<VarOrRVar>& old, const std::vector<VarOrRVar>& blocks,
                      const std::vector<VarOrRVar>& threads, const std::vector<Expr>& sizes,
                      TailStrategy tail, Location where) {
  Stage(contents_, 0).gpu_tiles(old, blocks, threads, sizes, tail, where);
  return *this;
}

Func& Func::atomic(Location where) {
  Stage(contents_, 0).atomic(where);
  return *this;
}

Func& Func::tile(const VarOrRVar& x, const VarOrRVar& y, const VarOrRVar& xi, const VarOrRVar& yi,
                 const Expr& x_factor, const Expr& y_factor, TailStrategy tail, Location where) {
  Stage(contents_, 0).tile(x, y, xi, yi, x_factor, y_factor, tail, where);
  return *this;
}

Func& Func::reorder(const std::vector<VarOrRVar>& loops) {
  Stage(contents_, 0).reorder(loops);
  return *this;
}

Stage Func::specialize(const Expr& condition, Location where) {
  return Stage(contents_, 0).specialize(condition, where);
}

void Func::specialize_fail(const std::string& message, Location where) {
  Stage(contents_, 0).specialize_fail(message, where);
}

// --- the whole stage

Func& Func::compute_inline(Location where) {
  record(contents_, 0, {}, ComputeInline{}, where);
  return *this;
}

Func& Func::compute_root(Location where) {
  record(contents_, 0, {}, ComputeRoot{}, where);
  return *this;
}

Func& Func::compute_at(const Func& consumer, const VarOrRVar& loop, Location where) {
  record(contents_, 0, {}, ComputeAt{consumer.contents()->definition.id, loop.symbol}, where);
  return *this;
}

Func& Func::store_root(Location where) {
  record(contents_, 0, {}, StoreRoot{}, where);
  return *this;
}

Func& Func::store_at(const Func& consumer, const VarOrRVar& loop, Location where) {
  record(contents_, 0, {}, StoreAt{consumer.contents()->definition.id, loop.symbol}, where);
  return *this;
}

Func& Func::stream_loads(Location where) {
  record(contents_, 0, {}, StreamLoads{}, where);
  return *this;
}

Func& Func::stream_loads(const Func& producer, Location where) {
  record(contents_, 0, {}, StreamLoads{producer.contents()->definition.id}, where);
  return *this;
}

Func& Func::stream_loads(const ImageParam& producer, Location where) {
  record(contents_, 0, {}, StreamLoads{producer.contents()->id}, where);
  return *this;
}

Func& Func::stream_stores(Location where) {
  record(contents_, 0, {}, StreamStores{}, where);
  return *this;
}

Func& Func::store_in(MemoryType memory, Location where) {
  record(contents_, 0, {}, StoreIn{static_cast<ir::MemoryKind>(memory)}, where);
  return *this;
}

Func& Func::bound(const Var& variable, const Expr& min, const Expr& extent, Location where) {
  record(contents_, 0, {},
         Bound{variable.symbol(), size_of(contents_, min), size_of(contents_, extent)}, where);
  return *this;
}

Func& Func::bound_extent(const Var& variable, const Expr& extent, Location where) {
  record(contents_, 0, {}, BoundExtent{variable.symbol(), size_of(contents_, extent)}, where);
  return *this;
}

Func& Func::align_storage(const Var& variable, const Expr& alignment, const Expr& offset,
                          Location where) {
  record(contents_, 0, {}, AlignStorage{variable.symbol(), integer(alignment), integer(offset)},
         where);
  return *this;
}

Func& Func::align_bounds(const Var& variable, const Expr& modulus, const Expr& remainder,
                         Location where) {
  record(contents_, 0, {}, AlignBounds{variable.symbol(), integer(modulus), integer(remainder)},
         where);
  return *this;
}

Func& Func::compute_at(const LoopLevel& level, Location where) {
  if (level.is_root()) return compute_root(where);
  if (level.is_inlined()) return compute_inline(where);
  record(contents_, 0, {}, ComputeAt{level.consumer(), level.loop(), level.definition()}, where);
  return *this;
}

Func& Func::store_at(const LoopLevel& level, Location where) {
  if (level.is_root()) return store_root(where);
  if (level.is_inlined()) return *this;
  record(contents_, 0, {}, StoreAt{level.consumer(), level.loop(), level.definition()}, where);
  return *this;
}

Func& Func::set_estimate(const Var& variable, const Expr& min, const Expr& extent, Location where) {
  SetEstimate estimate{variable.symbol(), 0, 0};
  if (!ir::as_constant(min, &estimate.min) || !ir::as_constant(extent, &estimate.extent)) {
    Diagnostic problem = refusal("an estimate is a number", "write constants for min and extent");
    problem.stage = name();
    problem.directive = "set_estimate(" + variable.name() + ", ...)";
    throw ScheduleError(problem.at(where));
  }
  record(contents_, 0, {}, estimate, where);
  return *this;
}

Func& Func::set_estimates(const std::vector<std::pair<Expr, Expr>>& estimates, Location where) {
  const std::vector<Var> variables = args(where);
  if (estimates.size() != variables.size()) {
    Diagnostic problem =
        refusal("the Func has " + std::to_string(variables.size()) + " dimensions, and " +
                    std::to_string(estimates.size()) + " estimates are given",
                "give one (min, extent) for each dimension");
    problem.stage = name();
    problem.directive = "set_estimates(...)";
    throw ScheduleError(problem.at(where));
  }
  for (std::size_t d = 0; d < estimates.size(); ++d) {
    set_estimate(variables[d], estimates[d].first, estimates[d].second, where);
  }
  return *this;
}

namespace {

/// The wrapper for these callers; made when there is none.
Func wrapper_for(const std::shared_ptr<FuncContents>& contents, std::vector<Symbol> callers,
                 const std::source_location& where) {
  if (contents->schedule) {
    const auto family = std::static_pointer_cast<Family>(contents->schedule);
    for (const Family::Numbered& numbered : family->entries) {
      const auto* in = std::get_if<In>(&numbered.entry.directive);
      if (in != nullptr && numbered.entry.stage.stage == contents->definition.id &&
          in->consumers == callers) {
        return made_stage(contents, in->wrapper);
      }
    }
  }
  const Symbol wrapper = wrapper_symbol(contents->definition.name, callers);
  In in{std::move(callers), wrapper};
  record(contents, 0, {}, in, where);
  return made_stage(contents, in.wrapper);
}

}  // namespace

Func Func::in(Location where) { return wrapper_for(contents_, {}, where); }

Func Func::in(const Func& caller, Location where) {
  return wrapper_for(contents_, {caller.contents()->definition.id}, where);
}

Func Func::in(const std::vector<Func>& callers, Location where) {
  std::vector<Symbol> ids;
  for (const Func& caller : callers) ids.push_back(caller.contents()->definition.id);
  return wrapper_for(contents_, std::move(ids), where);
}

}  // namespace sinter
