#pragma once
// Expressions in the interpreter: each is flattened once into a straight line (a shared node is one
// step, so DAGs cost what they are) and then run in the current environment.

#include <unordered_map>

#include "dsl/ir/interpret_memory.h"

namespace sinter::ir {

/// What names mean at a point of the program.
struct Environment {
  std::unordered_map<Symbol, Value> values;
  std::unordered_map<Symbol, std::shared_ptr<Place>> places;
  std::vector<Argument> arguments;

  /// The memory of a stage or buffer; a tuple output is put together from its components.
  Place& place(const Node& node);
};

class StraightLine {
 public:
  explicit StraightLine(const Node& root);
  /// The value stays valid until the next run.
  const Value& run(Environment&);

 private:
  struct Step {
    const Node* node;
    std::vector<std::size_t> operands;
  };
  std::size_t add(const Node& node, std::unordered_map<const Node*, std::size_t>& position);
  void run_step(const Step& step, Value& result, Environment&);
  void access(const Step& step, Value& result, Environment&);
  void load(const Step& step, Value& result, Environment&);
  void operate(const Step& step, Value& result);
  const Lane& operand(const Step& step, std::size_t which, std::size_t lane) const {
    const Value& value = registers_[step.operands[which]];
    return value.size() == 1 ? value[0] : value[lane];
  }

  std::vector<Step> steps_;
  std::vector<Value> registers_;
};

/// The integer in a lane that decides an address, a branch or a loop: never poison.
std::int64_t decisive(const Node& node, const Lane& lane);

}  // namespace sinter::ir
