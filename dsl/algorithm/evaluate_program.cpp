// Expressions to straight-line code. Operators on constants are folded by the same ir::apply that
// runs them, so that bounds over parameters cost nothing per element.

#include "dsl/algorithm/evaluate_program.h"

#include <sinter/diagnostic.h>

#include "dsl/ir/postorder.h"

namespace sinter::evaluation {

namespace {

using ir::Node;
using ir::Op;
using ir::OpClass;
using ir::Ref;
using ir::Scalar;

bool is_operator(Op op) {
  const OpClass c = ir::info(op).op_class;
  return c == OpClass::Arithmetic || c == OpClass::Compare || c == OpClass::Logic ||
         c == OpClass::Bits || c == OpClass::Convert || c == OpClass::Math;
}

class Compiler {
 public:
  Compiler(const std::vector<Symbol>& variables, const Names& names) : names_(names) {
    for (const Symbol& v : variables) {
      const auto number = static_cast<std::int32_t>(variables_.size());
      variables_.emplace(v, number);
    }
  }

  Program run(const std::vector<Expr>& roots) {
    std::vector<Ref> refs;
    for (const Expr& e : roots) refs.push_back(e.node());
    for (const Ref& node : ir::postorder(refs)) places_[node.get()] = place(*node);
    for (const Ref& root : refs) program_.results.push_back(places_.at(root.get()));
    return std::move(program_);
  }

 private:
  Place place(const Node& n) {
    ensure(n.type.is_scalar(), "the oracle knows no vectors");
    if (n.op == Op::Literal) return constant({n.type, n.integer, n.real});
    if (n.op == Op::Symbol) return symbol(n);
    if (n.op == Op::PromiseClamped || n.op == Op::Strict) return places_.at(n.args[0].get());
    if (n.op == Op::Access) return access(n);
    if (n.op == Op::Require) {
      program_.messages.push_back(n.symbol.name());
      return add(n, static_cast<std::int32_t>(program_.messages.size()) - 1);
    }
    if (!is_operator(n.op)) {
      throw InternalError("'" + std::string(ir::info(n.op).name) +
                          "' has no place in an algorithm");
    }
    return folded(n);
  }

  Place symbol(const Node& n) {
    if (const auto v = variables_.find(n.symbol); v != variables_.end()) return add(n, v->second);
    if (const auto c = names_.constants.find(n.symbol); c != names_.constants.end()) {
      ensure(c->second.type == n.type, "a parameter is used with its own type");
      return constant(c->second);
    }
    throw InternalError("'" + n.symbol.name() +
                        "' is no variable of the definition and no parameter");
  }

  Place access(const Node& n) {
    const auto stage = names_.stages.find(n.symbol);
    const auto image = names_.images.find(n.symbol);
    ensure(stage != names_.stages.end() || image != names_.images.end(),
           "an access names a stage or an image");
    const bool is_image = stage == names_.stages.end();
    const Place result = add(n, is_image ? image->second : stage->second);
    program_.code.back().is_image = is_image;
    program_.code.back().component = static_cast<std::int32_t>(n.integer);
    return result;
  }

  Place folded(const Node& n) {
    std::vector<Scalar> values;
    for (const Ref& a : n.args) {
      const Place p = places_.at(a.get());
      if (p >= 0) return add(n, 0);
      values.push_back(program_.constants[static_cast<std::size_t>(-1 - p)]);
    }
    return constant(ir::apply(n.op, n.type, values.data(), static_cast<int>(values.size())));
  }

  Place constant(const Scalar& value) {
    program_.constants.push_back(value);
    return -static_cast<Place>(program_.constants.size());
  }

  Place add(const Node& n, std::int32_t index) {
    Instruction i;
    i.op = n.op;
    i.type = n.type;
    i.first = static_cast<std::uint32_t>(program_.operands.size());
    i.count = static_cast<std::uint32_t>(n.args.size());
    i.index = index;
    for (const Ref& a : n.args) program_.operands.push_back(places_.at(a.get()));
    program_.code.push_back(i);
    return static_cast<Place>(program_.code.size()) - 1;
  }

  const Names& names_;
  std::unordered_map<Symbol, std::int32_t> variables_;
  std::unordered_map<const Node*, Place> places_;
  Program program_;
};

}  // namespace

Program compile(const std::vector<Expr>& roots, const std::vector<Symbol>& variables,
                const Names& names) {
  return Compiler(variables, names).run(roots);
}

}  // namespace sinter::evaluation
