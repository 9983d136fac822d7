#include "dsl/lowering/gpu/insert_transfers.h"

#include <algorithm>

namespace sinter::lowering {

namespace {

using ir::MemoryKind;
using ir::Op;
using ir::Stmt;
using ir::TransferKind;

bool has_kernel(const Stmt& s) {
  bool found = false;
  ir::for_each_node(s.node(), [&](const ir::Ref& n) {
    found = found || n->op == Op::Kernel;
    return !found && ir::is_statement(n->op);
  });
  return found;
}

bool has(const std::vector<Symbol>& list, const Symbol& s) {
  return std::find(list.begin(), list.end(), s) != list.end();
}

/// Buffers from outside a statement that it touches, in order of first use.
struct Uses {
  std::vector<Symbol> used, read, written;
};

Uses uses_of(const Stmt& s) {
  Uses result;
  std::unordered_set<Symbol> own;
  ir::for_each_node(s.node(), [&](const ir::Ref& n) {
    if (n->op == Op::Allocate) own.insert(n->symbol);
    return true;
  });
  const auto add = [&](std::vector<Symbol>& list, const Symbol& symbol) {
    if (!own.count(symbol) && !has(list, symbol)) list.push_back(symbol);
  };
  ir::for_each_node(s.node(), [&](const ir::Ref& n) {
    const bool reads = n->op == Op::Load || n->op == Op::AtomicStore;
    const bool writes = n->op == Op::Store || n->op == Op::AtomicStore;
    if (reads || writes) add(result.used, n->symbol);
    if (reads) add(result.read, n->symbol);
    if (writes) add(result.written, n->symbol);
    return true;
  });
  return result;
}

class Inserter {
 public:
  explicit Inserter(const ir::Module& module) {
    for (const ir::Argument& a : module.arguments) {
      if (!a.is_buffer()) continue;
      outside_.insert(a.symbol);
      if (a.kind == ir::Argument::Kind::Input || a.keeps_content) given_.insert(a.symbol);
    }
    collect(module.body.node(), false);
  }

  Stmt statement(const Stmt& s) {
    if (s->op == Op::Kernel) return kernel(s);
    if (s->op == Op::Allocate && on_device_.count(s->symbol)) {
      const MemoryKind kind = on_host_.count(s->symbol) ? MemoryKind::Both : MemoryKind::Device;
      return ir::allocate(s->symbol, s->types[0], ir::arg(s, 0), kind,
                          statement(ir::stmt_arg(s, 1)));
    }
    if (has_kernel(s)) {
      std::vector<ir::Ref> args;
      std::vector<Stmt> before;
      for (const ir::Ref& a : s->args) {
        if (ir::is_statement(a->op)) args.push_back(statement(Stmt(a)).node());
        else args.push_back(a), to_host(a, before);
      }
      before.emplace_back(ir::with_args(s.node(), std::move(args)));
      return ir::block(std::move(before));
    }
    // Host code: what it reads, and what it writes in part, comes to the host first.
    const Uses found = uses_of(s);
    std::vector<Stmt> parts;
    for (const Symbol& b : found.used) {
      if (shared(b)) parts.push_back(ir::transfer(b, TransferKind::ToHost));
    }
    parts.push_back(s);
    for (const Symbol& b : found.written) {
      if (shared(b)) parts.push_back(ir::transfer(b, TransferKind::HostWritten));
    }
    return ir::block(std::move(parts));
  }

 private:
  bool shared(const Symbol& b) const {
    return on_device_.count(b) != 0 && (outside_.count(b) != 0 || on_host_.count(b) != 0);
  }

  void to_host(const ir::Ref& value, std::vector<Stmt>& before) const {
    ir::for_each_node(value, [&](const ir::Ref& n) {
      if (n->op == Op::Load && shared(n->symbol))
        before.push_back(ir::transfer(n->symbol, TransferKind::ToHost));
      return true;
    });
  }

  void collect(const ir::Ref& n, bool in_kernel) {
    if (!n) return;
    if (n->op == Op::Load || n->op == Op::Store || n->op == Op::AtomicStore)
      (in_kernel ? on_device_ : on_host_).insert(n->symbol);
    const bool enters = n->op == Op::Kernel;
    if (ir::is_statement(n->op)) {
      for (std::size_t i = 0; i < n->args.size(); ++i) {
        if (ir::is_statement(n->args[i]->op)) collect(n->args[i], in_kernel || enters);
        else loads(n->args[i], in_kernel);
      }
    }
  }
  void loads(const ir::Ref& e, bool in_kernel) {
    ir::for_each_node(e, [&](const ir::Ref& n) {
      if (n->op == Op::Load) (in_kernel ? on_device_ : on_host_).insert(n->symbol);
      return true;
    });
  }

  Stmt kernel(const Stmt& s) {
    const Uses found = uses_of(s);
    std::vector<Stmt> parts;
    for (const Symbol& b : found.used) {
      // What is never read where it was not written need not be copied.
      const bool keeps = given_.count(b) != 0 || has(found.read, b) || on_host_.count(b) != 0;
      parts.push_back(ir::transfer(b, keeps ? TransferKind::ToDevice : TransferKind::OnDevice));
    }
    parts.push_back(s);
    for (const Symbol& b : found.written) parts.push_back(ir::transfer(b, TransferKind::Written));
    return ir::block(std::move(parts));
  }

  std::unordered_set<Symbol> outside_;  // arguments
  std::unordered_set<Symbol> given_;    // those whose content on entry matters
  std::unordered_set<Symbol> on_device_, on_host_;
};

}  // namespace

ir::Module insert_transfers(ir::Module module, const LowerOptions&) {
  if (module.body.defined() && has_kernel(module.body))
    module.body = Inserter(module).statement(module.body);
  return module;
}

}  // namespace sinter::lowering
