// The loops of each definition: over vectors, threads and blocks.

#include <algorithm>
#include <optional>

#include "dsl/algebra/linear_form.h"
#include "dsl/schedule/default_gpu_builder.h"

namespace sinter::schedule {

namespace {

constexpr std::int64_t Threads = 128;    // of a block
constexpr std::int64_t RowThreads = 32;  // of them along memory, where there are rows
constexpr int MostLanes = 8;             // of a vector
constexpr std::int64_t MostSteps = 16;   // of a reduction that a thread takes at once
constexpr int MostRows = 4;              // of a thread, in a stencil
/// Operations that the vectors of one thread may take: more of them would not fit in its registers.
constexpr double OperationsPerThread = 1024;
/// So few threads leave most of the device idle; with so many steps each, they share the steps.
constexpr std::int64_t FewThreads = 8192;
constexpr std::int64_t LongForFew = 64;
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

/// Any order of the steps gives the same bits, and the device has the indivisible operation.
bool DefaultGpuBuilder::may_be_atomic(const StageRef& ref) const {
  const StageDefinition& stage = facts_.stage(ref.stage);
  const Definition& definition = facts_.definition(ref);
  const auto update = as_self_update(stage, definition);
  return retreat(ref.stage) == Retreat::None && update && update->exact &&
         stage.types.size() == 1 && !stage.types[0].is_float() && stage.types[0].bits >= 32 &&
         !definition.domain.empty();
}

DefaultGpuBuilder::Class DefaultGpuBuilder::class_of(const StageRef& ref) const {
  const StageDefinition& stage = facts_.stage(ref.stage);
  const Definition& definition = facts_.definition(ref);
  const bool scatters = std::any_of(definition.coordinates.begin(), definition.coordinates.end(),
                                    [&](const Expr& e) { return depends_on_data(e); });
  if (scatters && may_be_atomic(ref)) return Class::Atomic;
  const std::vector<Symbol> free = free_loops(ref);
  if (may_be_tree(ref) && (reduces_rows(ref) || free.empty())) return Class::Tree;
  // How much there is to do side by side, and how much in order, as far as that is known.
  std::optional<std::int64_t> side_by_side = 1, in_order = facts_.steps(ref);
  for (std::size_t d = 0; d < stage.rank(); ++d) {
    if (!definition.is_pure_in(d, stage.variables)) continue;
    auto& all = contains(free, stage.variables[d]) ? side_by_side : in_order;
    all = product(all, facts_.extent(ref.stage, d));
  }
  if (!free.empty()) {
    const bool few = side_by_side.value_or(FewThreads) < FewThreads &&
                     in_order.value_or(LongForFew) >= LongForFew;
    return few && may_be_atomic(ref) ? Class::Atomic : Class::Threads;
  }
  return in_order.value_or(StepsOfOneThread + 1) <= StepsOfOneThread ? Class::OneThread
                                                                     : Class::Host;
}

std::optional<Symbol> DefaultGpuBuilder::one_reader(const StageDefinition& stage) const {
  if (facts_.is_inline(stage.id) || facts_.algorithm().is_output(stage.id) ||
      stage.definitions.size() < 2 || retreat(stage.id) != Retreat::None)
    return std::nullopt;
  for (const Definition& d : stage.definitions) {  // an element's own steps, not a scan of others
    for (std::size_t i = 0; i < stage.rank(); ++i) {
      if (!d.is_pure_in(i, stage.variables)) return std::nullopt;
    }
  }
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

/// Whether the definition reads neighbours of one source along variable `d`.
bool DefaultGpuBuilder::is_stencil(const StageRef& ref, std::size_t d) const {
  const Symbol v = facts_.stage(ref.stage).variables[d];
  const auto reads = facts_.reads_of(ref);
  for (const auto& a : reads) {
    for (const auto& b : reads) {
      if (!(a.source == b.source)) continue;
      for (std::size_t i = 0; i < a.coordinates.size(); ++i) {
        if (!ir::equal(a.coordinates[i], b.coordinates[i]) &&
            ir::uses_symbol(a.coordinates[i].node(), v))
          return true;
      }
    }
  }
  return false;
}

/// Whether a reduction is computed in its threads: each of them has one element.
bool DefaultGpuBuilder::reads_in_threads(const StageRef& ref) const {
  return std::any_of(readers_.begin(), readers_.end(),
                     [&](const auto& r) { return r.second == ref.stage; });
}

/// Lanes of a vector: 16 bytes where whole rows are read and written. Where vectors are loaded in
/// parts, as those of stencils and clamped coordinates are, 8 of small elements, else one.
int DefaultGpuBuilder::vector_of(const StageRef& ref) const {
  const StageDefinition& stage = facts_.stage(ref.stage);
  const Symbol x = stage.variables[0];
  if (retreat(ref.stage) != Retreat::None) return 1;
  if (reads_in_threads(ref)) return 1;
  int bytes = 1;
  bool whole = !is_stencil(ref, 0);
  for (const Type& t : stage.types) bytes = std::max(bytes, t.bytes());
  for (const DefaultGpuAnalysis::Read& r : facts_.reads_of(ref)) {
    for (std::size_t d = 0; d < r.coordinates.size(); ++d) {
      const Expr& e = r.coordinates[d];
      if (!ir::uses_symbol(e.node(), x) || depends_on_data(e)) continue;
      const auto form = algebra::linear_in(e, x);
      whole = whole && d == 0 && form && form->coefficient == 1;
      bytes = std::max(bytes, r.type.bytes());
    }
  }
  int lanes = whole       ? std::min(target_.natural_vector_size(8 * bytes), MostLanes)
              : bytes < 4 ? 8 / bytes
                          : 1;
  while (lanes > 1 && lanes * facts_.cost_of(ref) > OperationsPerThread) lanes /= 2;
  if (const auto extent = facts_.extent(ref.stage, 0)) {
    while (lanes > 1 && lanes > *extent) lanes /= 2;
  }
  return lanes;
}

/// Rows that a thread computes, which share what they read of each other's.
int DefaultGpuBuilder::rows_of(const StageRef& ref, int vector) const {
  if (retreat(ref.stage) != Retreat::None || facts_.stage(ref.stage).rank() < 2 ||
      reads_in_threads(ref))
    return 1;
  const Symbol y = facts_.stage(ref.stage).variables[1];
  for (const DefaultGpuAnalysis::Read& r : facts_.reads_of(ref)) {
    for (const Expr& e : r.coordinates) {
      const auto form = algebra::linear_in(e, y);
      if (!form || form->coefficient > 1) return 1;
    }
  }
  int rows = is_stencil(ref, 1) ? MostRows : 1;
  while (rows > 1 && rows * vector * facts_.cost_of(ref) > 2 * OperationsPerThread) rows /= 2;
  if (const auto extent = facts_.extent(ref.stage, 1)) {
    while (rows > 1 && rows > *extent) rows /= 2;
  }
  return rows;
}

void DefaultGpuBuilder::pure(const StageRef& ref) {
  const StageDefinition& stage = facts_.stage(ref.stage);
  if (facts_.definition(ref).is_undef()) return;
  if (stage.rank() == 0) return add(ref, GpuSingleThread{});
  const int vector = vector_of(ref);
  threads(ref, stage.variables, vector, rows_of(ref, vector));
}

void DefaultGpuBuilder::update(const StageRef& ref) {
  switch (class_of(ref)) {
    case Class::Threads:
      return threads(ref, free_loops(ref), 1, 1);
    case Class::Atomic: {
      add(ref, Atomic{});
      // Neighbouring threads write neighbouring elements, where that can be told.
      std::vector<Symbol> all = free_loops(ref);
      const bool scatters = depends_on_data(facts_.definition(ref).coordinates[0]);
      std::vector<Symbol> steps;
      for (const Loop& l : definition_schedule(state_, ref).loops) {
        if (!contains(all, l.name)) steps.push_back(l.name);
      }
      all.insert(scatters ? all.begin() : all.end(), steps.begin(), steps.end());
      return threads(ref, all, 1, 1);
    }
    case Class::Tree:
      return tree(ref);
    case Class::OneThread:
      return add(ref, GpuSingleThread{});
    case Class::Host:
      return;
  }
}

/// Steps that two loads of 16 bytes feed, where they go along rows.
std::int64_t DefaultGpuBuilder::steps_at_once(const StageRef& ref, const Symbol& loop) const {
  int bytes = 4;
  for (const DefaultGpuAnalysis::Read& r : facts_.reads_of(ref)) {
    if (!r.coordinates.empty() && ir::uses_symbol(r.coordinates[0].node(), loop))
      bytes = std::min(bytes, r.type.bytes());
  }
  return std::min<std::int64_t>(32 / bytes, MostSteps);
}

void DefaultGpuBuilder::threads(const StageRef& ref, const std::vector<Symbol>& free, int vector,
                                int rows) {
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
  // A grid has three dimensions, and only the first may be long: more, the shortest that is known,
  // and several of what is long stay in the thread too.
  while (outer.size() > 3) {
    auto shortest = outer.end() - 1;
    for (auto l = outer.begin() + 1; l != outer.end(); ++l) {
      if (extent(*l) && (!extent(*shortest) || *extent(*l) < *extent(*shortest))) shortest = l;
    }
    few.push_back(*shortest);
    outer.erase(shortest);
  }
  int each_row = 1;
  const std::vector<Loop> before = definition_schedule(state_, ref).loops;
  const Symbol x = outer[0];
  std::vector<Symbol> order;
  if (vector > 1) {
    const Symbol v = name(ref, x.name() + "v");
    add(ref, Split{x, x, v, vector});
    add(ref, Vectorize{v, {}});
    order.push_back(v);
  }
  if (rows > 1 && outer.size() > 1 && outer[1] == stage.variables[1]) {
    const Symbol r = name(ref, outer[1].name() + "r");
    add(ref, Split{outer[1], outer[1], r, rows});
    add(ref, Unroll{r, {}});
    each_row = rows;
    order.push_back(r);
  }
  for (auto l = outer.begin() + 1; l != outer.end(); ++l) {
    if (extent(*l).value_or(0) <= MostBlocks) continue;
    few.push_back(name(ref, l->name() + "s"));
    add(ref, Split{*l, *l, few.back(), power_of_two_from(*extent(*l) / MostBlocks + 1)});
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
  for (const Symbol& loop : few) {
    const auto count = extent(loop);
    if (ref.definition > 0 && count && *count > 1 && *count <= DefaultGpuAnalysis::Few)
      add(ref, Unroll{loop, *count});
  }
  // Steps of a reduction in one go: their loads come together, along rows in 16 bytes.
  for (const Loop& l : before) {
    if (contains(free, l.name) || !l.reduction) continue;
    if (retreat(ref.stage) == Retreat::None && facts_.steps(ref).value_or(MostSteps) >= MostSteps)
      add(ref, Unroll{l.name, steps_at_once(ref, l.name)});
    break;
  }

  const auto needed = [&](const Symbol& loop, std::int64_t most, std::int64_t each) {
    const auto e = extent(loop);
    return e ? std::min(most, power_of_two_from((*e + each - 1) / each)) : most;
  };
  // Where rows share nothing, and are known to be long, a block takes a part of one.
  const bool whole = ref.definition == 0 && rows == 1 && extent(x) && !is_stencil(ref, 0);
  Tile tile;
  std::int64_t left = Threads;
  for (const Symbol& loop : outer) {
    const bool first = tile.old.empty();
    const std::int64_t size = needed(loop, first && outer.size() > 1 && !whole ? RowThreads : left,
                                     first                  ? vector
                                     : tile.old.size() == 1 ? each_row
                                                            : 1);
    left /= size;
    tile.old.push_back(loop);
    tile.outer.push_back(loop);
    tile.inner.push_back(name(ref, loop.name() + "i"));
    tile.factors.emplace_back(size);
    if (left == 1) break;
  }
  const std::vector<Symbol> inner = tile.inner;
  thread_loop_.insert_or_assign(ref.stage, few.empty() ? inner[0] : few[0]);
  add(ref, std::move(tile));
  grid(ref, outer);
  add(ref, GpuThreads{inner});
}

/// Blocks over the loops, outermost of the stage: three of them, of which only the first is long.
void DefaultGpuBuilder::grid(const StageRef& ref, std::vector<Symbol> loops) {
  if (loops.size() > 3) loops.resize(3);
  grid_loop_.insert_or_assign(ref.stage, loops[0]);
  add(ref, GpuBlocks{std::move(loops)});
}

}  // namespace sinter::schedule
