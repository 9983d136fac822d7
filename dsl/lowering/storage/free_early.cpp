#include "dsl/lowering/storage/free_early.h"

namespace sinter::lowering {

namespace {

using ir::Op;
using ir::Stmt;

/// `pending`: heap allocations whose scope we are in, between them and here only lets and allocations.
Stmt visit(const Stmt& s, std::vector<Symbol> pending) {
  if (s->op == Op::Allocate || s->op == Op::Let) {
    const bool heap = s->op == Op::Allocate && static_cast<ir::MemoryKind>(s->integer) == ir::MemoryKind::Heap;
    if (heap) pending.push_back(s->symbol);
    return Stmt(ir::with_args(s.node(), {s->args[0], visit(ir::stmt_arg(s, 1), std::move(pending)).node()}));
  }
  if (s->op != Op::Block) {
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : s->args) args.push_back(ir::is_statement(a->op) ? visit(Stmt(a), {}).node() : a);
    return Stmt(ir::with_args(s.node(), std::move(args)));
  }
  std::unordered_map<Symbol, std::size_t> last_use;
  for (const Symbol& p : pending) last_use[p] = s->args.size();  // never used: freed with its scope
  if (!pending.empty()) {
    for (std::size_t i = 0; i < s->args.size(); ++i) {
      ir::for_each_node(s->args[i], [&](const ir::Ref& n) {
        if (n->op == Op::Load || n->op == Op::Store || n->op == Op::AtomicStore) {
          if (const auto it = last_use.find(n->symbol); it != last_use.end()) it->second = i;
        }
        return true;
      });
    }
  }
  std::vector<Stmt> list;
  for (std::size_t i = 0; i < s->args.size(); ++i) {
    list.push_back(visit(Stmt(s->args[i]), {}));
    if (i + 1 == s->args.size()) break;
    for (const Symbol& p : pending) {
      if (last_use.at(p) == i) list.push_back(ir::free_buffer(p));
    }
  }
  return ir::block(std::move(list));
}

}  // namespace

ir::Module free_early(ir::Module module, const LowerOptions&) {
  if (module.body.defined()) module.body = visit(module.body, {});
  return module;
}

}  // namespace sinter::lowering
