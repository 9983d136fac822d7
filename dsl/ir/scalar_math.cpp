// Portable mathematics on scalars: the expansion of each op is flattened once into a straight line
// of scalar operations and run on the operands.

#include <array>
#include <mutex>

#include <sinter/diagnostic.h>

#include "dsl/ir/portable_math.h"
#include "dsl/ir/scalar_parts.h"

namespace sinter::ir {

namespace {

/// values[i] = op(values[operands...]); the first values are the operands of the function.
struct Step {
  Op op = Op::Literal;
  Type type;
  Scalar constant;  // of a Literal
  std::array<int, 3> operands{};
  int count = 0;
};

struct Expansion {
  int inputs = 0;
  std::vector<Step> steps;
};

class Flattener {
 public:
  Flattener(Op op, Type type, int inputs) {
    line_.inputs = inputs;
    std::vector<Expr> operands;
    for (int i = 0; i < inputs; i++) {
      const Symbol name = Symbol::fresh("operand");
      operands.push_back(symbol(type, name));
      input_.emplace(name, i);
    }
    const Expr expansion = expand_math(op, operands);
    root_ = visit(expansion.node());
    if (root_ != last()) line_.steps.push_back({Op::Strict, type, {}, {root_}, 1});
  }
  Expansion take() { return std::move(line_); }

 private:
  int last() const { return line_.inputs + static_cast<int>(line_.steps.size()) - 1; }

  int visit(const Ref& node) {
    if (auto it = position_.find(node.get()); it != position_.end()) return it->second;
    if (node->op == Op::Symbol) return input_.at(node->symbol);
    Step step;
    step.op = node->op;
    step.type = node->type;
    if (node->op == Op::Literal) {
      step.constant = {node->type, node->integer, node->real};
    } else {
      ensure(node->args.size() <= step.operands.size(), "an expansion is made of scalar operators");
      ensure(!is_portable(node->op), "an expansion holds no other portable function");
      for (const Ref& argument : node->args) {
        const int at = visit(argument);
        step.operands[static_cast<std::size_t>(step.count++)] = at;
      }
    }
    line_.steps.push_back(step);
    return position_[node.get()] = last();
  }

  Expansion line_;
  int root_ = 0;
  std::unordered_map<Symbol, int> input_;
  std::unordered_map<const Node*, int> position_;
};

struct Memo {
  std::once_flag once;
  Expansion line;
};

const Expansion& expansion_of(Op op, Type type, int inputs) {
  constexpr std::size_t Functions =
      static_cast<std::size_t>(Op::FastReciprocal) - static_cast<std::size_t>(Op::Exp) + 1;
  static std::array<Memo, 2 * Functions> memos;  // filled on first use, then constant
  const std::size_t function = static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::Exp);
  Memo& memo = memos[2 * function + (type.bits == 64 ? 1 : 0)];
  std::call_once(memo.once, [&] { memo.line = Flattener(op, type, inputs).take(); });
  return memo.line;
}

}  // namespace

Scalar apply_portable(Op op, Type result, const Scalar* args, int count) {
  const Type type = result.element();
  ensure(type == Float(32) || type == Float(64), "portable functions take f32 or f64");
  ensure(count == info(op).arity, "the function has all its operands");
  const Expansion& line = expansion_of(op, type, count);
  std::vector<Scalar> values(args, args + count);
  values.reserve(values.size() + line.steps.size());
  for (const Step& step : line.steps) {
    if (step.op == Op::Literal) {
      values.push_back(step.constant);
      continue;
    }
    std::array<Scalar, 3> operands;
    for (int i = 0; i < step.count; i++) {
      const auto k = static_cast<std::size_t>(i);
      operands[k] = values[static_cast<std::size_t>(step.operands[k])];
    }
    values.push_back(apply(step.op, step.type, operands.data(), step.count));
  }
  return values.back();
}

}  // namespace sinter::ir
