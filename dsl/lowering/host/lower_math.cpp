#include "dsl/lowering/host/lower_math.h"

#include "dsl/ir/portable_math.h"

namespace sinter::lowering {

using ir::Op;
using ir::Stmt;

ir::Module lower_math(ir::Module module, const LowerOptions&) {
  if (!module.body.defined()) return module;
  module.body = ir::rewrite(module.body, [](const ir::Ref& n) -> ir::Ref {
    if (n->op < Op::Exp || n->op > Op::Rsqrt) return n;
    std::vector<Expr> operands;
    for (const ir::Ref& a : n->args) operands.emplace_back(a);
    return ir::expand_math(n->op, operands).node();
  });
  return module;
}

namespace {

/// The checks of the promises in a statement's own expressions.
void promised(const Stmt& s, std::vector<Stmt>& checks) {
  for (const ir::Ref& a : s->args) {
    if (ir::is_statement(a->op)) continue;
    ir::for_each_node(a, [&](const ir::Ref& n) {
      if (n->op == Op::PromiseClamped) {
        const Expr value{n->args[0]}, low{n->args[1]}, high{n->args[2]};
        checks.push_back(ir::assert_that(
            ir::binary(Op::And, ir::binary(Op::LessEqual, low, value), ir::binary(Op::LessEqual, value, high)),
            "promise_clamped: the value {} is not in [{}, {}]", {value, low, high}));
      }
      return true;
    });
  }
}

Stmt insert_checks(const Stmt& s) {
  std::vector<ir::Ref> args;
  for (const ir::Ref& a : s->args) args.push_back(ir::is_statement(a->op) ? insert_checks(Stmt(a)).node() : a);
  std::vector<Stmt> parts;
  promised(s, parts);
  parts.push_back(Stmt(ir::with_args(s.node(), std::move(args))));
  return ir::block(std::move(parts));
}

}  // namespace

ir::Module lower_markers(ir::Module module, const LowerOptions& options) {
  if (!module.body.defined()) return module;
  if (options.debug) module.body = insert_checks(module.body);
  module.body = ir::rewrite(
      module.body, [](const ir::Ref& n) -> ir::Ref { return n->op == Op::PromiseClamped ? n->args[0] : n; });
  return module;
}

}  // namespace sinter::lowering
