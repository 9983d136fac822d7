// The loops of each definition: over vectors, threads and blocks.

#include <algorithm>
#include <optional>

#include "dsl/schedule/default_gpu_builder.h"

namespace sinter::schedule {

namespace {

constexpr std::int64_t Threads = 128;    // of a block
constexpr std::int64_t RowThreads = 32;  // of them along memory, where there are rows
constexpr int MostLanes = 8;             // of a vector
/// Operations that the vectors of one thread may take: more of them would not fit in its registers.
constexpr double OperationsPerThread = 1024;
/// Steps that one thread runs alone sooner than the data would go to the host and back.
constexpr std::int64_t StepsOfOneThread = 4096;
/// Along the second and third dimension of a grid.
constexpr std::int64_t MostBlocks = 65535;

bool contains(const std::vector<Symbol>& list, const Symbol& s) {
  return std::find(list.begin(), list.end(), s) != list.end();
}

std::int64_t power_of_two_from(std::int64_t n) {
  std::int64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

}  // namespace

std::vector<Symbol> DefaultGpuBuilder::free_loops(const StageRef& ref) const {
  const StageDefinition& stage = facts_.stage(ref.stage);
  const Definition& definition = facts_.definition(ref);
  if (ref.definition == 0) return stage.variables;
  std::vector<Symbol> free;
  for (std::size_t d = 0; d < stage.rank(); ++d) {
    if (definition.is_pure_in(d, stage.variables) &&
        iterations_are_independent(stage, definition, stage.variables[d]))
      free.push_back(stage.variables[d]);
  }
  for (const ReductionVariable& r : definition.domain) {
    if (iterations_are_independent(stage, definition, r.symbol)) free.push_back(r.symbol);
  }
  return free;
}

DefaultGpuBuilder::Class DefaultGpuBuilder::class_of(const StageRef& ref) const {
  const StageDefinition& stage = facts_.stage(ref.stage);
  const Definition& definition = facts_.definition(ref);
  const auto update = as_self_update(stage, definition);
  const bool scatters = std::any_of(definition.coordinates.begin(), definition.coordinates.end(),
                                    [&](const Expr& e) { return depends_on_data(e); });
  if (scatters && update && update->exact && stage.types.size() == 1 &&
      !stage.types[0].is_float() && stage.types[0].bits >= 32 && !definition.domain.empty() &&
      retreat(ref.stage) == Retreat::None)
    return Class::Atomic;
  const bool spread = !free_loops(ref).empty();
  if (may_be_tree(ref) && (reduces_rows(ref) || !spread)) return Class::Tree;
  if (spread) return Class::Threads;
  std::optional<std::int64_t> steps = facts_.steps(ref);
  for (std::size_t d = 0; d < stage.rank(); ++d) {
    if (!definition.is_pure_in(d, stage.variables)) continue;
    const auto extent = facts_.extent(ref.stage, d);
    steps = steps && extent ? std::optional(*steps * *extent) : std::nullopt;
  }
  return steps && *steps <= StepsOfOneThread ? Class::OneThread : Class::Host;
}

std::optional<Symbol> DefaultGpuBuilder::one_reader(const StageDefinition& stage) const {
  if (facts_.is_inline(stage.id) || facts_.algorithm().is_output(stage.id) ||
      stage.definitions.size() < 2 || retreat(stage.id) != Retreat::None)
    return std::nullopt;
  const std::vector<CallSite> calls = facts_.calls_of(stage.id);
  if (calls.empty()) return std::nullopt;
  const CallSite& call = calls[0];
  for (const CallSite& other : calls) {
    if (!(other.consumer == call.consumer)) return std::nullopt;
    for (std::size_t d = 0; d < call.coordinates.size(); ++d) {
      if (!ir::equal(call.coordinates[d], other.coordinates[d])) return std::nullopt;
    }
  }
  const StageDefinition& reader = facts_.stage(call.consumer.stage);
  if (reader.definitions.size() > 1 || retreat(reader.id) != Retreat::None ||
      rows_.contains(reader.id) || reader.rank() != stage.rank() || reader.rank() == 0)
    return std::nullopt;
  std::vector<Symbol> used;
  for (const Expr& e : call.coordinates) {
    if (e->op != ir::Op::Symbol || !contains(reader.variables, e->symbol) ||
        contains(used, e->symbol))
      return std::nullopt;
    used.push_back(e->symbol);
  }
  return reader.id;
}

/// Elements of 16 bytes, of the widest type that moves along rows.
int DefaultGpuBuilder::vector_of(const StageRef& ref) const {
  const StageDefinition& stage = facts_.stage(ref.stage);
  if (retreat(ref.stage) != Retreat::None) return 1;
  for (const auto& [producer, reader] : readers_) {
    if (reader == ref.stage) return 1;
  }
  int bytes = 1;
  for (const Type& t : stage.types) bytes = std::max(bytes, t.bytes());
  for (const DefaultGpuAnalysis::Read& r : facts_.reads_of(ref)) {
    if (!r.coordinates.empty() && ir::uses_symbol(r.coordinates[0].node(), stage.variables[0]))
      bytes = std::max(bytes, r.type.bytes());
  }
  int lanes = std::min(target_.natural_vector_size(8 * bytes), MostLanes);
  while (lanes > 1 && lanes * facts_.cost_of(ref) > OperationsPerThread) lanes /= 2;
  if (const auto extent = facts_.extent(ref.stage, 0)) {
    while (lanes > 1 && lanes > *extent) lanes /= 2;
  }
  return lanes;
}

void DefaultGpuBuilder::pure(const StageRef& ref) {
  const StageDefinition& stage = facts_.stage(ref.stage);
  if (facts_.definition(ref).is_undef()) return;
  if (stage.rank() == 0) return add(ref, GpuSingleThread{});
  threads(ref, stage.variables, vector_of(ref));
}

void DefaultGpuBuilder::update(const StageRef& ref) {
  switch (class_of(ref)) {
    case Class::Threads:
      return threads(ref, free_loops(ref), 1);
    case Class::Atomic: {
      add(ref, Atomic{});
      std::vector<Symbol> all;
      for (const Loop& l : definition_schedule(state_, ref).loops) all.push_back(l.name);
      return threads(ref, all, 1);
    }
    case Class::Tree:
      return tree(ref);
    case Class::OneThread:
      return add(ref, GpuSingleThread{});
    case Class::Host:
      return;
  }
}

void DefaultGpuBuilder::threads(const StageRef& ref, const std::vector<Symbol>& free, int vector) {
  const StageDefinition& stage = facts_.stage(ref.stage);
  const auto extent = [&](const Symbol& loop) -> std::optional<std::int64_t> {
    for (std::size_t d = 0; d < stage.rank(); ++d) {
      if (stage.variables[d] == loop) return facts_.extent(ref.stage, d);
    }
    return std::nullopt;
  };
  // Dimensions of a few elements stay in the thread, where they share what does not depend on them.
  std::vector<Symbol> outer, few;
  for (const Symbol& loop : free) {
    const bool stays =
        loop != free[0] && retreat(ref.stage) == Retreat::None &&
        extent(loop).value_or(DefaultGpuAnalysis::Few + 1) <= DefaultGpuAnalysis::Few;
    (stays ? few : outer).push_back(loop);
  }
  const std::vector<Loop> before = definition_schedule(state_, ref).loops;
  const Symbol x = outer[0];
  std::vector<Symbol> order;
  if (vector > 1) {
    const Symbol v = name(ref, x.name() + "v");
    add(ref, Split{x, x, v, vector});
    add(ref, Vectorize{v, {}});
    order.push_back(v);
  }
  order.insert(order.end(), few.begin(), few.end());
  for (const Loop& l : before) {
    if (!contains(free, l.name)) order.push_back(l.name);
  }
  order.insert(order.end(), outer.begin(), outer.end());
  const auto& now = definition_schedule(state_, ref).loops;
  if (!std::equal(now.begin(), now.end(), order.begin(), order.end(),
                  [](const Loop& l, const Symbol& s) { return l.name == s; }))
    add(ref, Reorder{order});

  const auto needed = [&](const Symbol& loop, std::int64_t most, std::int64_t each) {
    const auto e = extent(loop);
    return e ? std::min(most, power_of_two_from((*e + each - 1) / each)) : most;
  };
  Tile tile;
  std::int64_t left = Threads;
  for (const Symbol& loop : outer) {
    const bool first = tile.old.empty();
    const std::int64_t size =
        needed(loop, first && outer.size() > 1 ? RowThreads : left, first ? vector : 1);
    left /= size;
    tile.old.push_back(loop);
    tile.outer.push_back(loop);
    tile.inner.push_back(name(ref, loop.name() + "i"));
    tile.factors.emplace_back(size);
    if (tile.old.size() == 2) break;
  }
  const std::vector<Symbol> inner = tile.inner;
  thread_loop_.insert_or_assign(ref.stage, few.empty() ? inner[0] : few[0]);
  add(ref, std::move(tile));
  grid(ref, outer);
  add(ref, GpuThreads{inner});
}

/// Blocks over the loops, outermost of the stage: three of them, of which only the first is long.
void DefaultGpuBuilder::grid(const StageRef& ref, std::vector<Symbol> loops) {
  const StageDefinition& stage = facts_.stage(ref.stage);
  const auto is_long = [&](const Symbol& loop) {
    for (std::size_t d = 0; d < stage.rank(); ++d) {
      if (stage.variables[d] == loop)
        return facts_.extent(ref.stage, d).value_or(0) > MostBlocks;  // whatever the tiles
    }
    return false;
  };
  bool merge = loops.size() > 1 && std::any_of(loops.begin() + 1, loops.end(), is_long);
  while (loops.size() > 3 || (merge && loops.size() > 1)) {
    const Symbol outer = loops.back();
    loops.pop_back();
    const Symbol both = name(ref, loops.back().name() + outer.name());
    add(ref, Fuse{loops.back(), outer, both});
    loops.back() = both;
  }
  grid_loop_.insert_or_assign(ref.stage, loops[0]);
  add(ref, GpuBlocks{std::move(loops)});
}

}  // namespace sinter::schedule
