// Expressions in the interpreter.

#include "dsl/ir/interpret_expression.h"

#include <array>

#include <sinter/diagnostic.h>

namespace sinter::ir {

Place& Environment::place(const Node& node) {
  if (const auto found = places.find(node.symbol); found != places.end()) return *found->second;
  // Not a realization: the stage of one argument, or of several that are its components.
  std::vector<BufferView> views;
  for (const Argument& a : arguments) {
    if (a.is_buffer() && a.stage == node.symbol) views.push_back(places.at(a.symbol)->view());
  }
  if (views.empty()) malformed(node, "'" + node.symbol.name() + "' is not bound to memory");
  auto place = std::make_shared<Place>(Place::argument(std::move(views)));
  return *places.emplace(node.symbol, std::move(place)).first->second;
}

std::int64_t decisive(const Node& node, const Lane& lane) {
  if (lane.poison != nullptr) {
    const std::string origin = print(Expr(make(*lane.poison)));
    malformed(node,
              "an element never written, read by '" + origin + "', decides an address or a branch");
  }
  return lane.value.integer;
}

StraightLine::StraightLine(const Node& root) {
  std::unordered_map<const Node*, std::size_t> position;
  add(root, position);
  registers_.resize(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); i++) {
    const Node& node = *steps_[i].node;
    registers_[i].resize(node.type.lanes);
    if (node.op == Op::Literal) registers_[i][0] = {{node.type, node.integer, node.real}, nullptr};
  }
}

std::size_t StraightLine::add(const Node& node,
                              std::unordered_map<const Node*, std::size_t>& position) {
  if (const auto found = position.find(&node); found != position.end()) return found->second;
  if (is_statement(node.op)) malformed(node, "a statement stands where a value is needed");
  Step step{&node, {}};
  for (const Ref& argument : node.args) {
    if (!argument) malformed(node, "an operand is missing");
    step.operands.push_back(add(*argument, position));
    const int lanes = argument->type.lanes;
    if (lanes != 1 && lanes != node.type.lanes)
      malformed(node, "the lanes of an operand do not agree");
  }
  steps_.push_back(std::move(step));
  return position[&node] = steps_.size() - 1;
}

const Value& StraightLine::run(Environment& environment) {
  for (std::size_t i = 0; i < steps_.size(); i++) run_step(steps_[i], registers_[i], environment);
  return registers_.back();
}

void StraightLine::run_step(const Step& step, Value& result, Environment& environment) {
  const Node& node = *step.node;
  const Type element = node.type.element();
  if (node.op == Op::Literal) return;
  if (node.op == Op::Symbol) {
    const auto found = environment.values.find(node.symbol);
    if (found == environment.values.end())
      malformed(node, "'" + node.symbol.name() + "' has no value");
    if (found->second.size() != result.size() || found->second[0].value.type != element) {
      malformed(node, "'" + node.symbol.name() + "' has another type");
    }
    result = found->second;
  } else if (node.op == Op::Access) {
    access(step, result, environment);
  } else if (node.op == Op::Load) {
    load(step, result, environment);
  } else if (node.op == Op::Ramp) {
    const Lane& base = operand(step, 0, 0);
    const Lane& stride = operand(step, 1, 0);
    for (std::size_t i = 0; i < result.size(); i++) {
      const Scalar factor = element.is_float()
                                ? Scalar::of_real(element, static_cast<double>(i))
                                : Scalar::of_integer(element, static_cast<std::int64_t>(i));
      const std::array<Scalar, 2> product{factor, stride.value};
      const std::array<Scalar, 2> sum{base.value, apply(Op::Mul, element, product.data(), 2)};
      result[i] = {apply(Op::Add, element, sum.data(), 2),
                   base.poison != nullptr ? base.poison : stride.poison};
    }
  } else if (node.op == Op::Broadcast) {
    for (Lane& lane : result) lane = operand(step, 0, 0);
  } else if (node.op == Op::Undef) {
    for (Lane& lane : result) lane = {{element, 0, 0}, &node};
  } else if (node.op == Op::Require) {
    for (std::size_t i = 0; i < result.size(); i++) {
      if (decisive(node, operand(step, 0, i)) == 0) {
        Diagnostic diagnostic;
        diagnostic.reason = node.symbol.name();
        throw RuntimeError(diagnostic);
      }
      result[i] = operand(step, 1, i);
    }
  } else {
    operate(step, result);
  }
}

void StraightLine::access(const Step& step, Value& result, Environment& environment) {
  const Node& node = *step.node;
  const Place& place = environment.place(node);
  const std::size_t component = static_cast<std::size_t>(node.integer);
  std::vector<std::int64_t> coordinates(step.operands.size());
  for (std::size_t i = 0; i < result.size(); i++) {
    for (std::size_t d = 0; d < coordinates.size(); d++)
      coordinates[d] = decisive(node, operand(step, d, i));
    result[i] = place.read(node, component, node.type.element(),
                           place.element_of(node, component, coordinates));
  }
}

void StraightLine::load(const Step& step, Value& result, Environment& environment) {
  const Node& node = *step.node;
  const Place& place = environment.place(node);
  for (std::size_t i = 0; i < result.size(); i++) {
    const bool is_on = step.operands.size() < 2 || decisive(node, operand(step, 1, i)) != 0;
    if (is_on) {
      const std::int64_t index = decisive(node, operand(step, 0, i));
      result[i] = place.read(node, 0, node.type.element(), place.element_of(node, index));
    } else {
      result[i] = {{node.type.element(), 0, 0}, &node};
    }
  }
}

void StraightLine::operate(const Step& step, Value& result) {
  const Node& node = *step.node;
  const std::size_t count = step.operands.size();
  std::array<Scalar, 3> operands;
  if (count > operands.size()) malformed(node, "too many operands");
  for (std::size_t i = 0; i < result.size(); i++) {
    const Node* poison = nullptr;
    bool is_decided = false;  // by `false && anything` or `true || anything`
    for (std::size_t k = 0; k < count; k++) {
      const Lane& lane = operand(step, k, i);
      operands[k] = lane.value;
      if (lane.poison != nullptr) poison = lane.poison;
      else if (node.op == Op::And || node.op == Op::Or)
        is_decided = is_decided || lane.value.as_bool() == (node.op == Op::Or);
    }
    if (poison != nullptr && node.op == Op::Select && operand(step, 0, i).poison == nullptr) {
      poison = operand(step, operands[0].as_bool() ? 1 : 2, i).poison;
    }
    result[i].poison = poison;
    if (poison == nullptr) {
      result[i].value =
          apply(node.op, node.type.element(), operands.data(), static_cast<int>(count));
    } else if (is_decided) {
      result[i] = {{Bool(), node.op == Op::Or ? 1 : 0, 0}, nullptr};
    } else {
      result[i].value = {node.type.element(), 0, 0};
    }
  }
}

}  // namespace sinter::ir
