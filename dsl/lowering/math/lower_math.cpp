#include "dsl/lowering/math/lower_math.h"

#include <cmath>

#include "dsl/algebra/float_bounds.h"
#include "dsl/ir/portable_math.h"

namespace sinter::lowering {

using ir::Op;
using ir::Stmt;

namespace {

/// The expansion with what is known of its value, which nobody could see in its bits: code
/// generation for a GPU asks whether a divisor is in range.
Expr with_range(const Expr& expansion, const algebra::FloatInterval& known) {
  if (std::isinf(known.min) || std::isinf(known.max)) return expansion;
  const Type t = expansion->type;
  return ir::expr(Op::PromiseClamped, t,
                  {expansion, ir::real_literal(t, known.min), ir::real_literal(t, known.max)});
}

ir::Ref expand(const ir::Ref& root, bool in_kernel) {
  algebra::FloatBounds bounds;
  return ir::Rewriter([&](const ir::Ref& n) -> ir::Ref {
    if (!ir::is_portable(n->op) || (in_kernel && ir::is_fast(n->op))) return n;
    std::vector<Expr> operands;
    for (const ir::Ref& a : n->args) operands.emplace_back(a);
    const Expr expansion = ir::expand_math(n->op, operands);
    return (in_kernel ? with_range(expansion, bounds.of(ir::as_expr(n))) : expansion).node();
  })(root);
}

bool has_kernel(const ir::Ref& root) {
  bool found = false;
  ir::for_each_node(root, [&](const ir::Ref& n) {
    found = found || n->op == Op::Kernel;
    return !found && ir::is_statement(n->op);
  });
  return found;
}

/// Kernels keep the approximations: their target has instructions for them.
ir::Ref expand_around_kernels(const ir::Ref& s) {
  if (!ir::is_statement(s->op) || !has_kernel(s)) return expand(s, false);
  std::vector<ir::Ref> args;
  for (const ir::Ref& a : s->args) {
    args.push_back(s->op == Op::Kernel && ir::is_statement(a->op) ? expand(a, true)
                                                                  : expand_around_kernels(a));
  }
  return ir::with_args(s, std::move(args));
}

}  // namespace

ir::Module lower_math(ir::Module module, const LowerOptions&) {
  if (module.body.defined()) module.body = Stmt(expand_around_kernels(module.body.node()));
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
        checks.push_back(ir::assert_that(ir::binary(Op::And, ir::binary(Op::LessEqual, low, value),
                                                    ir::binary(Op::LessEqual, value, high)),
                                         "promise_clamped: the value {} is not in [{}, {}]",
                                         {value, low, high}));
      }
      return true;
    });
  }
}

Stmt insert_checks(const Stmt& s) {
  std::vector<ir::Ref> args;
  for (const ir::Ref& a : s->args)
    args.push_back(ir::is_statement(a->op) ? insert_checks(Stmt(a)).node() : a);
  std::vector<Stmt> parts;
  promised(s, parts);
  parts.push_back(Stmt(ir::with_args(s.node(), std::move(args))));
  return ir::block(std::move(parts));
}

}  // namespace

ir::Module lower_markers(ir::Module module, const LowerOptions& options) {
  if (!module.body.defined()) return module;
  if (options.debug) module.body = insert_checks(module.body);
  module.body = ir::rewrite(module.body, [](const ir::Ref& n) -> ir::Ref {
    return n->op == Op::PromiseClamped ? n->args[0] : n;
  });
  return module;
}

}  // namespace sinter::lowering
