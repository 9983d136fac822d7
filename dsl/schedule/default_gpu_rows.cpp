// Reductions as trees of reduce_across: where any order gives the same bits, or where rewrites are
// allowed. Of a row by the block that computes with its result; of all data by many blocks.

#include <algorithm>

#include "dsl/schedule/default_gpu_builder.h"

namespace sinter::schedule {

namespace {

constexpr std::int64_t Lanes = 32;
constexpr std::int64_t Warps = 8;
constexpr std::int64_t Blocks = 256;  // of a grid that reduces to one value
constexpr std::int64_t Turns = 16;    // elements that a thread folds before the next ones, there

Symbol last(const std::vector<Symbol>& list, std::size_t from_end) {
  return list[list.size() - 1 - from_end];
}

}  // namespace

bool DefaultGpuBuilder::may_be_tree(const StageRef& ref) const {
  const StageDefinition& stage = facts_.stage(ref.stage);
  const Definition& definition = facts_.definition(ref);
  if (retreat(ref.stage) != Retreat::None || definition.domain.empty() ||
      (stage.rank() > 0 && definition.domain.size() > 1))
    return false;
  for (std::size_t d = 0; d < stage.rank(); ++d) {
    if (!definition.is_pure_in(d, stage.variables)) return false;
  }
  const auto update = as_self_update(stage, definition);
  return update && (update->exact || options_.allow_rewrites) &&
         facts_.steps(ref).value_or(options_.steps_of_trees) >= options_.steps_of_trees;
}

/// The steps go along memory. Where the results do, neighbouring threads read neighbouring columns.
bool DefaultGpuBuilder::reduces_rows(const StageRef& ref) const {
  const Symbol step = facts_.definition(ref).domain[0].symbol;
  bool rows = false;
  for (const DefaultGpuAnalysis::Read& r : facts_.reads_of(ref)) {
    const auto uses = [&](std::size_t d, const Symbol& s) {
      return ir::uses_symbol(r.coordinates[d].node(), s);
    };
    if (r.coordinates.empty()) continue;
    rows = rows || uses(0, step);
    for (std::size_t d = 1; d < r.coordinates.size(); ++d) {
      const auto& results = facts_.stage(ref.stage).variables;
      if (uses(d, step) &&
          std::any_of(results.begin(), results.end(), [&](const Symbol& v) { return uses(0, v); }))
        return false;
    }
  }
  return rows;
}

/// Elements of 16 bytes of what the steps go along.
std::int64_t DefaultGpuBuilder::lanes_of_steps(const StageRef& ref) const {
  int bytes = 2;
  for (const DefaultGpuAnalysis::Read& r : facts_.reads_of(ref)) {
    if (!r.coordinates.empty() &&
        ir::uses_symbol(r.coordinates[0].node(), facts_.definition(ref).domain[0].symbol))
      bytes = std::max(bytes, r.type.bytes());
  }
  return std::max(target_.natural_vector_size(8 * bytes), 2);
}

/// Every call of `stage` is by `kernel` with its coordinates but the first, or by a member with its
/// own.
bool DefaultGpuBuilder::belongs_to_rows(const StageDefinition& stage, const StageDefinition& kernel,
                                        const std::vector<Symbol>& members) const {
  if (facts_.is_inline(stage.id) || facts_.algorithm().is_output(stage.id) ||
      retreat(stage.id) != Retreat::None || stage.rank() + 1 != kernel.rank() ||
      stage.definitions.size() > 2)
    return false;
  if (stage.definitions.size() == 2 && !(may_be_tree({stage.id, 1}) && reduces_rows({stage.id, 1})))
    return false;
  const std::vector<CallSite> calls = facts_.calls_of(stage.id);
  if (calls.empty()) return false;
  return std::all_of(calls.begin(), calls.end(), [&](const CallSite& call) {
    const bool of_kernel = call.consumer.stage == kernel.id;
    const bool of_member =
        std::find(members.begin(), members.end(), call.consumer.stage) != members.end();
    if (!of_kernel && !of_member) return false;
    const auto& variables = facts_.stage(call.consumer.stage).variables;
    for (std::size_t d = 0; d < stage.rank(); ++d) {
      const Expr& e = call.coordinates[d];
      if (e->op != ir::Op::Symbol || !(e->symbol == variables[d + of_kernel])) return false;
    }
    return true;
  });
}

void DefaultGpuBuilder::find_rows() {
  const auto& stages = facts_.algorithm().stages;
  for (const StageDefinition& kernel : stages) {
    if (facts_.is_inline(kernel.id) || kernel.definitions.size() > 1 || kernel.rank() < 2 ||
        retreat(kernel.id) != Retreat::None || rows_.contains(kernel.id))
      continue;
    std::vector<Symbol> members;
    bool reduces = false;
    for (auto s = stages.rbegin(); s != stages.rend(); ++s) {
      if (rows_.contains(s->id) || !belongs_to_rows(*s, kernel, members)) continue;
      members.push_back(s->id);
      reduces = reduces || s->definitions.size() == 2;
    }
    if (!reduces) continue;
    for (const Symbol& m : members) rows_.insert_or_assign(m, kernel.id);
    rows_.insert_or_assign(kernel.id, kernel.id);
  }
}

/// The stage with the rows: a block each, whose threads go along it together.
void DefaultGpuBuilder::row_kernel(const StageRef& ref) {
  const StageDefinition& stage = facts_.stage(ref.stage);
  const Symbol x = stage.variables[0];
  const int vector = vector_of(ref);
  if (vector > 1) {
    const Symbol v = name(ref, x.name() + "v");
    add(ref, Split{x, x, v, vector});
    add(ref, Vectorize{v, {}});
  }
  const Symbol xi = name(ref, x.name() + "i");
  add(ref, Split{x, x, xi, Lanes * Warps});
  grid(ref, std::vector<Symbol>(stage.variables.begin() + 1, stage.variables.end()));
  add(ref, GpuThreads{{xi}});
}

/// A reduction, or what is computed from one, in the block of its row.
void DefaultGpuBuilder::row_member(const StageDefinition& stage, const Symbol& kernel) {
  const Symbol level = grid_loop_.at(kernel);
  const ComputeAt place{kernel, level};
  if (stage.definitions.size() == 2) {
    const ReduceAcross tree = reduce({stage.id, 1}, {lanes_of_steps({stage.id, 1}), Lanes, Warps});
    in_blocks(tree, place);
  }
  add({stage.id, 0}, place);
  add({stage.id, 0}, StoreIn{ir::MemoryKind::Register});
}

ReduceAcross DefaultGpuBuilder::reduce(const StageRef& ref,
                                       const std::vector<std::int64_t>& widths) {
  ReduceAcross tree;
  tree.loop = definition_of(state_, ref).domain[0].symbol;
  for (const std::int64_t w : widths) tree.widths.emplace_back(w);
  name_stages(tree, facts_.stage(ref.stage).name);
  add(ref, tree);
  return tree;
}

/// What each thread folds by itself: a lane and a warp for each.
void DefaultGpuBuilder::partials(const ReduceAcross& tree, const ComputeAt& place) {
  const StageDefinition stage = state_.algorithm.stage(tree.partial);
  const std::size_t levels = tree.widths.size() - 1;
  const Symbol lanes = last(stage.variables, levels - 1), warps = last(stage.variables, levels - 2);
  const StageRef initial{tree.partial, 0}, fold{tree.partial, 1};
  add(initial, place);
  add(initial, StoreIn{ir::MemoryKind::Register});
  for (const StageRef& ref : {initial, fold}) {
    add(ref, GpuLanes{lanes});
    add(ref, GpuWarps{warps});
  }
  add(fold, Unroll{stage.definitions[1].domain[0].symbol, {}});
}

/// The last stage of the tree over lanes: a value of each warp.
Symbol DefaultGpuBuilder::first_lane_level(const ReduceAcross& tree) {
  std::size_t count = 0;
  for (std::int64_t w = tree.widths[1].constant(); w > 1; w /= 2) ++count;
  return tree.levels[count - 1];
}

/// The partial results and the warps' at the loop over blocks, which is the innermost of `place`.
void DefaultGpuBuilder::in_blocks(const ReduceAcross& tree, const ComputeAt& place) {
  partials(tree, place);
  const Symbol warps = first_lane_level(tree);
  const std::vector<Symbol> variables = state_.algorithm.stage(warps).variables;
  add({warps, 0}, place);
  add({warps, 0}, StoreIn{ir::MemoryKind::GPUShared});
  add({warps, 0}, GpuWarps{last(variables, tree.widths.size() - 3)});
}

/// A reduction at root: to several values by a block each, to one by a grid of blocks.
void DefaultGpuBuilder::tree(const StageRef& ref) {
  const StageDefinition& stage = facts_.stage(ref.stage);
  if (stage.rank() > 0) {
    const ReduceAcross tree = reduce(ref, {lanes_of_steps(ref), Lanes, Warps});
    grid(ref, stage.variables);
    return in_blocks(tree, {ref.stage, grid_loop_.at(ref.stage), ref.definition});
  }
  // Of several dimensions the first is reduced by a block for each element of the others.
  while (definition_of(state_, ref).domain.size() > 1) {
    const ReduceAcross tree = reduce(ref, {Turns, Lanes, Warps});
    const StageRef rows{tree.levels.back(), 0};
    add(rows, ComputeRoot{});
    grid(rows, state_.algorithm.stage(rows.stage).variables);
    in_blocks(tree, {rows.stage, grid_loop_.at(rows.stage)});
  }
  const ReduceAcross tree = reduce(ref, {Turns, Lanes, Warps, Blocks});
  std::size_t levels = 0;  // over lanes and warps
  for (std::int64_t w = Lanes * Warps; w > 1; w /= 2) ++levels;
  const Symbol blocks = tree.levels[levels - 1];
  const Symbol block = last(state_.algorithm.stage(blocks).variables, 0);
  add({blocks, 0}, ComputeRoot{});
  add({blocks, 0}, GpuBlocks{{block}});
  in_blocks(tree, {blocks, block});
  add(ref, GpuSingleThread{});
}

}  // namespace sinter::schedule
