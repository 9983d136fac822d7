// The meaning of loop IR, statement by statement.

#include "dsl/ir/interpret.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <random>
#include <utility>

#include <sinter/diagnostic.h>

#include "dsl/ir/interpret_expression.h"

namespace sinter::ir {

namespace {

std::string plain_text(const Scalar& scalar) {
  if (scalar.type.is_bool()) return scalar.as_bool() ? "true" : "false";
  if (scalar.type.is_uint() && scalar.type.bits == 64)
    return std::to_string(static_cast<std::uint64_t>(scalar.integer));
  if (!scalar.type.is_float()) return std::to_string(scalar.integer);
  std::array<char, 64> text{};
  const auto begin = text.data(), end = text.data() + text.size();
  const bool is_double = scalar.type.bits == 64;
  const auto written = is_double ? std::to_chars(begin, end, scalar.real)
                                 : std::to_chars(begin, end, static_cast<float>(scalar.real));
  return std::string(begin, written.ptr);
}

class Interpreter {
 public:
  Interpreter(const Module& module, const Arguments& arguments, std::uint64_t seed)
      : module_(module), random_(seed) {
    environment_.arguments = module.arguments;
    for (const Argument& argument : module.arguments) bind(argument, arguments);
  }
  void run() { run(module_.body.node()); }

 private:
  void bind(const Argument& argument, const Arguments& arguments);
  void run(const Ref& node);
  void run_for(const Node& node);
  void run_provide(const Node& node);
  void run_store(const Node& node);
  void run_atomic(const Node& node);
  void run_realize(const Node& node);
  void run_allocate(const Node& node);
  void run_assert(const Node& node);
  void run_with_place(const Node& node, Place place);

  const Value& evaluate(const Ref& node) {
    auto found = lines_.find(node.get());
    if (found == lines_.end()) {
      if (!node) malformed("an expression is missing");
      found = lines_.emplace(node.get(), StraightLine(*node)).first;
    }
    return found->second.run(environment_);
  }
  std::int64_t evaluate_decisive(const Node& statement, const Ref& node) {
    const Value& value = evaluate(node);
    if (value.size() != 1) malformed(statement, "a scalar is needed");
    return decisive(statement, value[0]);
  }
  static std::size_t lanes_of(const Node& node) {
    std::size_t lanes = 1;
    for (const Ref& a : node.args) lanes = std::max<std::size_t>(lanes, a->type.lanes);
    return lanes;
  }
  static const Lane& lane_of(const Value& value, std::size_t i) {
    return value.size() == 1 ? value[0] : value[i];
  }
  std::vector<Value> evaluate_all(const Node& node) {
    std::vector<Value> values;
    for (const Ref& a : node.args) values.push_back(evaluate(a));
    return values;
  }
  std::vector<std::size_t> shuffled(std::size_t count) {
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; i++) {
      order[i] = i;
      std::swap(order[i], order[static_cast<std::size_t>(random_() % (i + 1))]);
    }
    return order;
  }

  const Module& module_;
  Environment environment_;
  std::mt19937_64 random_;
  std::unordered_map<const Node*, StraightLine> lines_;
};

void Interpreter::bind(const Argument& argument, const Arguments& arguments) {
  if (!argument.is_buffer()) {
    const auto found = arguments.scalars.find(argument.symbol);
    if (found == arguments.scalars.end())
      malformed("argument '" + argument.name + "' is not given");
    if (found->second.type != argument.type)
      malformed("argument '" + argument.name + "' is of another type");
    environment_.values[argument.symbol] = {{found->second, nullptr}};
    return;
  }
  const auto found = arguments.buffers.find(argument.symbol);
  if (found == arguments.buffers.end()) malformed("argument '" + argument.name + "' is not given");
  const BufferView& view = found->second;
  const bool fits =
      view.type == argument.type && view.dimensions.size() == argument.dimensions.size();
  if (!fits) malformed("argument '" + argument.name + "' is of another type or rank");
  environment_.places[argument.symbol] = std::make_shared<Place>(Place::argument({view}));
  const auto set = [&](const Symbol& symbol, std::int64_t value) {
    if (symbol) environment_.values[symbol] = {{{Index(), value, 0}, nullptr}};
  };
  for (std::size_t d = 0; d < view.dimensions.size(); d++) {
    set(argument.dimensions[d].min, view.dimensions[d].min);
    set(argument.dimensions[d].extent, view.dimensions[d].extent);
    set(argument.dimensions[d].stride, view.dimensions[d].stride);
  }
}

void Interpreter::run(const Ref& ref) {
  if (!ref) return;
  const Node& node = *ref;
  if (node.op == Op::Block) {
    for (const Ref& child : node.args) run(child);
  } else if (node.op == Op::For) {
    run_for(node);
  } else if (node.op == Op::Let) {
    Value& place = environment_.values[node.symbol];
    Value value = evaluate(node.args[0]);
    std::swap(place, value);
    run(node.args[1]);
    std::swap(environment_.values[node.symbol], value);
  } else if (node.op == Op::Produce) {
    run(node.args[0]);
  } else if (node.op == Op::If) {
    if (evaluate_decisive(node, node.args[0]) != 0) run(node.args[1]);
    else if (node.args.size() > 2) run(node.args[2]);
  } else if (node.op == Op::Provide) {
    run_provide(node);
  } else if (node.op == Op::Store) {
    run_store(node);
  } else if (node.op == Op::AtomicStore) {
    run_atomic(node);
  } else if (node.op == Op::Realize) {
    run_realize(node);
  } else if (node.op == Op::Allocate) {
    run_allocate(node);
  } else if (node.op == Op::Free) {
    environment_.place(node).release();
  } else if (node.op == Op::Assert) {
    run_assert(node);
  } else if (node.op == Op::Transfer) {
    // one memory
  } else if (node.op == Op::Kernel || node.op == Op::Barrier) {
    malformed(node, "kernels are run by the emulators");
  } else {
    malformed(node, "a value stands where a statement is needed");
  }
}

void Interpreter::run_for(const Node& node) {
  const std::int64_t min = evaluate_decisive(node, node.args[0]);
  const std::int64_t extent = evaluate_decisive(node, node.args[1]);
  const auto iterate = [&](std::int64_t i) {
    environment_.values[node.symbol] = {{{Index(), min + i, 0}, nullptr}};
    run(node.args[2]);
  };
  if (extent <= 0) return;
  const LoopKind kind = static_cast<LoopKind>(node.integer);
  if (kind == LoopKind::Parallel || kind >= LoopKind::GpuBlock) {
    for (const std::size_t i : shuffled(static_cast<std::size_t>(extent)))
      iterate(static_cast<std::int64_t>(i));
  } else {
    for (std::int64_t i = 0; i < extent; i++) iterate(i);
  }
  environment_.values.erase(node.symbol);
}

void Interpreter::run_provide(const Node& node) {
  const std::vector<Value> values = evaluate_all(node);
  const std::size_t components = static_cast<std::size_t>(std::abs(node.integer));
  Place& place = environment_.place(node);
  if (place.components() != components)
    malformed(node, "the number of values is not that of the stage");
  std::vector<std::int64_t> coordinates(values.size() - components);
  for (std::size_t i = 0; i < lanes_of(node); i++) {
    for (std::size_t d = 0; d < coordinates.size(); d++) {
      coordinates[d] = decisive(node, lane_of(values[components + d], i));
    }
    for (std::size_t c = 0; c < components; c++) {
      place.write(node, c, lane_of(values[c], i), place.element_of(node, c, coordinates));
    }
  }
}

void Interpreter::run_store(const Node& node) {
  const std::vector<Value> values = evaluate_all(node);
  Place& place = environment_.place(node);
  for (std::size_t i = 0; i < lanes_of(node); i++) {
    if (values.size() > 2 && decisive(node, lane_of(values[2], i)) == 0) continue;
    const std::int64_t index = decisive(node, lane_of(values[1], i));
    place.write(node, 0, lane_of(values[0], i), place.element_of(node, index));
  }
}

void Interpreter::run_atomic(const Node& node) {
  const std::vector<Value> values = evaluate_all(node);
  const Op op = static_cast<Op>(node.integer);
  Place& place = environment_.place(node);
  for (const std::size_t i : shuffled(lanes_of(node))) {
    if (values.size() > 2 && decisive(node, lane_of(values[2], i)) == 0) continue;
    const Lane& operand = lane_of(values[0], i);
    const std::int64_t element = place.element_of(node, decisive(node, lane_of(values[1], i)));
    const Type type = operand.value.type;
    const Lane old = place.read(node, 0, type, element);
    if (old.poison != nullptr) malformed(node, "an element never written is updated");
    const std::array<Scalar, 2> operands{old.value, operand.value};
    place.write(node, 0, {apply(op, type, operands.data(), 2), operand.poison}, element);
  }
}

void Interpreter::run_with_place(const Node& node, Place place) {
  auto& slot = environment_.places[node.symbol];
  auto hidden = std::exchange(slot, std::make_shared<Place>(std::move(place)));
  run(node.args.back());
  if (hidden) environment_.places[node.symbol] = std::move(hidden);
  else environment_.places.erase(node.symbol);
}

void Interpreter::run_realize(const Node& node) {
  Place::Box box;
  for (std::size_t i = 0; i + 2 < node.args.size(); i += 2) {
    const std::int64_t min = evaluate_decisive(node, node.args[i]);
    const std::int64_t extent = evaluate_decisive(node, node.args[i + 1]);
    box.push_back({min, extent, 0});
  }
  run_with_place(node, Place::realized(node.types, std::move(box)));
}

void Interpreter::run_allocate(const Node& node) {
  const std::int64_t elements = evaluate_decisive(node, node.args[0]);
  run_with_place(node, Place::allocated(node.types.at(0), elements));
}

void Interpreter::run_assert(const Node& node) {
  if (evaluate_decisive(node, node.args[0]) != 0) return;
  std::string text;
  std::size_t next = 1;
  const std::string& message = node.symbol.name();
  for (std::size_t i = 0; i < message.size(); i++) {
    const bool is_hole = message.compare(i, 2, "{}") == 0 && next < node.args.size();
    if (is_hole) {
      const Value& value = evaluate(node.args[next++]);
      text += value[0].poison != nullptr ? "?" : plain_text(value[0].value);
      i++;
    } else {
      text += message[i];
    }
  }
  throw RuntimeError(parse_diagnostic(text));
}

}  // namespace

void interpret(const Module& module, const Arguments& arguments, std::uint64_t seed) {
  Interpreter(module, arguments, seed).run();
}

}  // namespace sinter::ir
