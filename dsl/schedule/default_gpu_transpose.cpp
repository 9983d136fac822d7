// Reads across memory: a stage whose rows are columns of what it reads. A tile in shared memory
// turns around, so that both sides move whole rows.

#include <algorithm>

#include "dsl/algebra/linear_form.h"
#include "dsl/schedule/default_gpu_builder.h"

namespace sinter::schedule {

namespace {

constexpr std::int64_t Side = 64;  // of a tile

/// Elements 0 and `d` of the coordinates follow `across` and `along`, and no other does.
bool turns(const std::vector<Expr>& coordinates, std::size_t d, const Symbol& along,
           const Symbol& across) {
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const auto x = algebra::linear_in(coordinates[i], along);
    const auto y = algebra::linear_in(coordinates[i], across);
    if (!x || !y || x->coefficient != (i == d) || y->coefficient != (i == 0)) return false;
    if (depends_on_data(coordinates[i])) return false;
  }
  return true;
}

}  // namespace

/// What `kernel` reads across memory, when it reads it in no other way.
std::optional<DefaultGpuBuilder::Turn> DefaultGpuBuilder::turned_by(
    const StageDefinition& kernel) const {
  if (kernel.definitions.size() > 1 || kernel.rank() < 2 || facts_.is_inline(kernel.id) ||
      retreat(kernel.id) != Retreat::None || rows_.contains(kernel.id))
    return std::nullopt;
  for (const StageDefinition& producer : facts_.algorithm().stages) {
    if (producer.rank() < 2 || retreat(producer.id) != Retreat::None ||
        rows_.contains(producer.id) || readers_.contains(producer.id))
      continue;
    std::vector<const CallSite*> calls;
    for (const CallSite& c : facts_.direct_calls_of(producer.id)) {
      if (c.consumer.stage == kernel.id) calls.push_back(&c);
    }
    if (calls.empty()) continue;
    for (std::size_t y = 1; y < kernel.rank(); ++y) {
      if (facts_.extent(kernel.id, 0).value_or(Side) < Side / 2 ||
          facts_.extent(kernel.id, y).value_or(Side) < Side / 2)
        continue;  // too small for a tile
      for (std::size_t d = 1; d < producer.rank(); ++d) {
        if (std::all_of(calls.begin(), calls.end(), [&](const CallSite* c) {
              return turns(c->coordinates, d, kernel.variables[0], kernel.variables[y]);
            }))
          return Turn{producer.id, y, d};
      }
    }
  }
  return std::nullopt;
}

void DefaultGpuBuilder::find_turns() {
  for (const StageDefinition& kernel : facts_.algorithm().stages) {
    if (const auto turn = turned_by(kernel)) turns_.insert_or_assign(kernel.id, *turn);
  }
}

void DefaultGpuBuilder::transpose(const StageDefinition& kernel, const Turn& turn) {
  const StageDefinition& producer = facts_.stage(turn.producer);
  int bytes = 1;
  for (const Type& t : kernel.types) bytes = std::max(bytes, t.bytes());
  for (const Type& t : producer.types) bytes = std::max(bytes, t.bytes());
  const int vector = std::min(target_.natural_vector_size(8 * bytes), 8);

  // The copy in shared memory: the stage itself where nobody else uses it.
  const auto calls = facts_.direct_calls_of(producer.id);
  const bool alone = producer.definitions.size() == 1 && facts_.is_inline(producer.id) &&
                     std::all_of(calls.begin(), calls.end(),
                                 [&](const CallSite& c) { return c.consumer.stage == kernel.id; });
  Symbol copy = producer.id;
  if (!alone) {
    copy = wrapper_symbol(producer.name, {kernel.id});
    add({producer.id, 0}, In{{kernel.id}, copy});
  }

  const StageRef ref{kernel.id, 0};
  const Symbol x = kernel.variables[0], y = kernel.variables[turn.across];
  const Symbol xi = name(ref, x.name() + "i"), yi = name(ref, y.name() + "i");
  const Symbol xv = name(ref, x.name() + "v");
  add(ref, Tile{{x, y}, {x, y}, {xi, yi}, {Side, Side}});
  add(ref, Split{xi, xi, xv, vector});
  add(ref, Vectorize{xv, {}});
  std::vector<Symbol> order{xv, xi, yi, x, y}, blocks{x, y};
  for (const Symbol& v : kernel.variables) {
    if (v == x || v == y) continue;
    order.push_back(v);
    blocks.push_back(v);
  }
  add(ref, Reorder{order});
  grid(ref, std::move(blocks));
  add(ref, GpuThreads{{xi, yi}});

  const StageRef tile{copy, 0};
  const Symbol along = producer.variables[0],
               v = name(StageRef{producer.id, 0}, along.name() + "v");
  add(tile, ComputeAt{kernel.id, grid_loop_.at(kernel.id)});
  add(tile, StoreIn{ir::MemoryKind::GPUShared});
  add(tile, Split{along, along, v, vector});
  add(tile, Vectorize{v, {}});
  add(tile, GpuThreads{{along, producer.variables[turn.dimension]}});
}

}  // namespace sinter::schedule
