#include "backends/kernel_parameters.h"

#include <algorithm>

namespace sinter::backends {

using ir::Op;

std::vector<KernelParameter> kernel_parameters(const ir::Node& kernel) {
  std::vector<KernelParameter> found;
  std::unordered_set<Symbol> bound;
  ir::for_each_node(kernel.args.back(), [&](const ir::Ref& n) {
    if (n->op == Op::Let || n->op == Op::For || n->op == Op::Allocate) bound.insert(n->symbol);
    return true;
  });
  const auto use = [&](const Symbol& symbol, Type type, bool is_buffer, bool is_written) {
    if (bound.count(symbol)) return;
    const auto known = std::find_if(found.begin(), found.end(),
                                    [&](const KernelParameter& p) { return p.symbol == symbol; });
    if (known == found.end()) found.push_back({symbol, type, is_buffer, is_written});
    else known->is_written = known->is_written || is_written;
  };
  ir::for_each_node(kernel.args.back(), [&](const ir::Ref& n) {
    if (n->op == Op::Symbol) use(n->symbol, n->type, false, false);
    if (n->op == Op::Load) use(n->symbol, n->type.element(), true, false);
    if (n->op == Op::Store || n->op == Op::AtomicStore)
      use(n->symbol, n->args[0]->type.element(), true, true);
    return true;
  });
  return found;
}

std::vector<ir::Ref> kernels_of(const ir::Stmt& s) {
  std::vector<ir::Ref> found;
  if (!s.defined()) return found;
  ir::for_each_node(s.node(), [&](const ir::Ref& n) {
    if (n->op == Op::Kernel) found.push_back(n);
    return ir::is_statement(n->op) && n->op != Op::Kernel;
  });
  return found;
}

std::unordered_set<Symbol> buffers_of_host(const ir::Stmt& s) {
  std::unordered_set<Symbol> found;
  if (!s.defined()) return found;
  ir::for_each_node(s.node(), [&](const ir::Ref& n) {
    if (n->op == Op::Load || n->op == Op::Store || n->op == Op::AtomicStore)
      found.insert(n->symbol);
    return n->op != Op::Kernel;
  });
  return found;
}

}  // namespace sinter::backends
