#include "dsl/lowering/storage/free_early.h"

#include <map>

namespace sinter::lowering {

namespace {

using ir::Op;
using ir::Stmt;

bool is_scope(const Stmt& s) { return s->op == Op::Let || s->op == Op::Allocate; }

/// A run of statements: those that follow each other through blocks that end in lets and
/// allocations,
///   allocate f { produce f; allocate g { produce g; use g } }   has the run   produce f, produce
///   g, use g
/// so that f may go after `produce g`. One scan finds the last uses, one walk puts the frees.
class Run {
 public:
  Stmt rewrite(const Stmt& s) {
    scan(s);
    position_ = 0;
    return rebuild(s);
  }

 private:
  void scan(const Stmt& s) {
    if (is_scope(s)) {
      const bool heap =
          s->op == Op::Allocate && static_cast<ir::MemoryKind>(s->integer) == ir::MemoryKind::Heap;
      // The value of a let is computed before the element that follows.
      mark_uses(s->args[0], position_ + 1);
      if (heap) last_use_.emplace(s->symbol, 0);
      scan(ir::stmt_arg(s, 1));
    } else if (s->op == Op::Block) {
      for (std::size_t i = 0; i + 1 < s->args.size(); ++i) element(s->args[i]);
      scan(Stmt(s->args.back()));
    } else {
      element(s.node());
    }
  }

  void element(const ir::Ref& s) { mark_uses(s, ++position_); }

  void mark_uses(const ir::Ref& s, std::size_t position) {
    ir::for_each_node(s, [&](const ir::Ref& n) {
      if (n->op == Op::Load || n->op == Op::Store || n->op == Op::AtomicStore) {
        if (const auto it = last_use_.find(n->symbol); it != last_use_.end()) it->second = position;
      }
      return true;
    });
  }

  Stmt rebuild(const Stmt& s);

  std::map<Symbol, std::size_t> last_use_;
  std::size_t position_ = 0;
};

/// The runs inside a statement that is one element of a run.
Stmt inside(const Stmt& s) {
  if (is_scope(s) || s->op == Op::Block) return Run().rewrite(s);
  std::vector<ir::Ref> args;
  for (const ir::Ref& a : s->args)
    args.push_back(ir::is_statement(a->op) ? inside(Stmt(a)).node() : a);
  return Stmt(ir::with_args(s.node(), std::move(args)));
}

Stmt Run::rebuild(const Stmt& s) {
  if (is_scope(s))
    return Stmt(ir::with_args(s.node(), {s->args[0], rebuild(ir::stmt_arg(s, 1)).node()}));
  if (s->op != Op::Block) return inside(s);
  std::vector<Stmt> list;
  for (std::size_t i = 0; i + 1 < s->args.size(); ++i) {
    list.push_back(inside(Stmt(s->args[i])));
    ++position_;
    for (auto it = last_use_.begin(); it != last_use_.end();) {
      if (it->second != position_) {
        ++it;
        continue;
      }
      list.push_back(ir::free_buffer(it->first));
      it = last_use_.erase(it);
    }
  }
  list.push_back(rebuild(Stmt(s->args.back())));
  return ir::block(std::move(list));
}

}  // namespace

ir::Module free_early(ir::Module module, const LowerOptions&) {
  if (module.body.defined()) module.body = inside(module.body);
  return module;
}

}  // namespace sinter::lowering
