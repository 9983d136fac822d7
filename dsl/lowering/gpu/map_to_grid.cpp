#include "dsl/lowering/gpu/map_to_grid.h"

#include <algorithm>
#include <cctype>

#include <sinter/diagnostic.h>

#include "dsl/algebra/simplify.h"
#include "dsl/base/gpu_limits.h"
#include "dsl/lowering/gpu/thread_layout.h"

namespace sinter::lowering {

namespace {

using algebra::simplify;
using ir::LoopKind;
using ir::MemoryKind;
using ir::Op;
using ir::Stmt;

bool is_block_loop(const ir::Ref& n) {
  return n->op == Op::For && static_cast<LoopKind>(n->integer) == LoopKind::GpuBlock;
}
bool is_thread_loop(const ir::Ref& n) {
  return n->op == Op::For && ir::is_thread_loop(static_cast<LoopKind>(n->integer));
}

template <typename Predicate>
bool contains(const Stmt& s, const Predicate& predicate) {
  bool found = false;
  ir::for_each_node(s.node(), [&](const ir::Ref& n) {
    found = found || predicate(n);
    return !found && ir::is_statement(n->op);
  });
  return found;
}

Expr thread_index() { return ir::expr(Op::ThreadIndex, Index(), {}); }

/// A nest of thread loops as digits of the thread's number, fastest first.
struct ThreadNest {
  struct Digit {
    Symbol variable;
    LoopKind kind;
    std::int64_t extent;
    std::int64_t place;
    bool empty;  // counts as one thread, which does nothing
  };
  std::vector<Digit> digits;
  std::int64_t threads = 1;  // numbers below this are in the nest
  bool lanes_alone = false;  // warps without lanes: lane 0 of each

  static ThreadNest of(const Stmt& nest) {
    std::vector<Digit> lanes, warps, threads;
    ir::for_each_node(nest.node(), [&](const ir::Ref& n) {
      if (is_thread_loop(n)) {
        std::int64_t extent = 0;
        ensure(ir::as_constant(ir::as_expr(n->args[1]), &extent),
               "thread loops run over constants");
        const auto kind = static_cast<LoopKind>(n->integer);
        auto& list = kind == LoopKind::GpuLane   ? lanes
                     : kind == LoopKind::GpuWarp ? warps
                                                 : threads;
        const bool known = std::any_of(list.begin(), list.end(),
                                       [&](const Digit& d) { return d.variable == n->symbol; });
        if (!known)
          list.push_back({n->symbol, kind, std::max<std::int64_t>(extent, 1), 1, extent <= 0});
      }
      return ir::is_statement(n->op);
    });
    ThreadNest result;
    std::int64_t place = 1;
    const auto add = [&](Digit d) {
      d.place = place;
      place *= d.extent;
      result.digits.push_back(d);
    };
    for (const Digit& d : lanes) add(d);
    if (!warps.empty()) {
      result.lanes_alone = place < WarpSize;
      place = WarpSize;
    }
    for (const Digit& d : warps) add(d);
    for (auto d = threads.rbegin(); d != threads.rend(); ++d) add(*d);  // outermost found first
    result.threads = place;
    return result;
  }

  Expr value(const Digit& d) const {
    Expr v = thread_index();
    if (d.place > 1) v = v / ir::index_literal(d.place);
    if (d.place * d.extent < threads) v = v % ir::index_literal(d.extent);
    return v;
  }

  /// Which threads of a block of `all` take part; undefined: every one.
  Expr takes_part(std::int64_t all) const {
    Expr condition;
    if (threads < all) condition = ir::binary(Op::Less, thread_index(), ir::index_literal(threads));
    if (lanes_alone) {
      std::int64_t lanes = 1;
      for (const Digit& d : digits) lanes = d.kind == LoopKind::GpuLane ? d.extent : lanes;
      const Expr lane = ir::binary(Op::Less, thread_index() % ir::index_literal(WarpSize),
                                   ir::index_literal(lanes));
      condition = condition.defined() ? ir::binary(Op::And, condition, lane) : lane;
    }
    return condition;
  }
};

/// Buffers touched. Accesses of one buffer whose owners are all equal come from the element's own
/// thread.
struct Accesses {
  struct Touch {
    bool written = false;
    std::vector<std::optional<Owner>> owners;  // different ones; empty: any thread
  };
  std::unordered_map<Symbol, Touch> buffers;

  void add(const Symbol& buffer, bool written, const std::optional<Owner>& owner) {
    Touch& touch = buffers[buffer];
    touch.written = touch.written || written;
    if (std::find(touch.owners.begin(), touch.owners.end(), owner) == touch.owners.end())
      touch.owners.push_back(owner);
  }
  void add(const Accesses& o) {
    for (const auto& [buffer, touch] : o.buffers) {
      for (const auto& owner : touch.owners) add(buffer, touch.written, owner);
    }
  }
  /// Whether it is known of the buffer that any thread may touch it.
  bool by_any_thread(const Symbol& buffer) const {
    const auto found = buffers.find(buffer);
    return found != buffers.end() &&
           (found->second.owners.size() > 1 || !found->second.owners.front());
  }
  /// Whether another thread may touch what one of `later` touches, and one of the two writes.
  bool conflicts(const Accesses& later) const {
    for (const auto& [buffer, touch] : later.buffers) {
      const auto before = buffers.find(buffer);
      if (before == buffers.end() || (!touch.written && !before->second.written)) continue;
      const std::optional<Owner>& owner = touch.owners.front();
      const auto same = [&](const std::optional<Owner>& o) { return o && owner && *o == *owner; };
      if (!std::all_of(touch.owners.begin(), touch.owners.end(), same)) return true;
      if (!std::all_of(before->second.owners.begin(), before->second.owners.end(), same))
        return true;
    }
    return false;
  }
  /// The same after an iteration of the loop over `variable`: its value was another one.
  Accesses after_iteration(const Symbol& variable) const {
    Accesses result;
    for (const auto& [buffer, touch] : buffers) {
      for (const auto& owner : touch.owners) {
        const bool other = owner && owner->origin.defined() &&
                           ir::free_symbols(owner->origin.node()).count(variable) != 0;
        result.add(buffer, touch.written, other ? std::nullopt : owner);
      }
    }
    return result;
  }
  std::size_t size() const {
    std::size_t n = 0;
    for (const auto& [buffer, touch] : buffers) n += touch.owners.size() + (touch.written ? 1 : 0);
    return n;
  }
};

/// The body of one kernel.
class BlockBody {
 public:
  /// `about`: what refusals say beside the reason and the remedy.
  BlockBody(const Stmt& body, const Diagnostic& about) : about_(about) {
    ir::for_each_node(body.node(), [&](const ir::Ref& n) {
      if (is_thread_loop(n)) {
        threads_ = std::max(threads_, ThreadNest::of(Stmt(n)).threads);
        return false;
      }
      return ir::is_statement(n->op);
    });
    threads_ = (threads_ + WarpSize - 1) / WarpSize * WarpSize;
    if (threads_ > GpuLimits::ThreadsOfBlock) {
      throw refusal(std::to_string(threads_) + " threads in a block; the most is " +
                        std::to_string(GpuLimits::ThreadsOfBlock),
                    "make the tiles smaller, or give each thread several elements: split and "
                    "unroll or vectorize",
                    "gpu_threads");
    }
    ir::for_each_node(body.node(), [&](const ir::Ref& n) {
      if (n->op == Op::For && !is_thread_loop(n)) varying_.insert(n->symbol);
      if (n->op == Op::Store || n->op == Op::AtomicStore) written_.insert(n->symbol);
      return ir::is_statement(n->op);
    });
    result_ = block_level(body);
  }
  const Stmt& result() const { return result_; }
  std::int64_t threads() const { return threads_; }

 private:
  CompileError refusal(const std::string& reason, const std::string& remedy,
                       const std::string& directive = "") const {
    Diagnostic d = about_;
    d.directive = directive;
    d.reason = reason;
    d.remedy = remedy;
    return CompileError(d);
  }

  /// Memory that threads share: all but registers and what is allocated inside thread loops. `n` is
  /// what threads execute: their loops are lets of the thread's number.
  Accesses accesses_of(const ir::Ref& n) const {
    Accesses found;
    std::unordered_set<Symbol> own = registers_;
    ir::for_each_node(n, [&](const ir::Ref& r) {
      if (r->op == Op::Allocate) own.insert(r->symbol);
      return true;
    });
    collect(n, lets_, scope_, own, found);
    return found;
  }

  void collect(const ir::Ref& n, ir::Substitution lets, algebra::ConstantScope scope,
               const std::unordered_set<Symbol>& own, Accesses& found) const {
    const auto add = [&](const Symbol& buffer, bool written, const ir::Ref& index) {
      if (own.count(buffer) || !written_.count(buffer)) return;
      // Whose an element is takes long to find: not where it changes nothing any more.
      found.add(buffer, written,
                found.by_any_thread(buffer)
                    ? std::nullopt
                    : owner_of(ir::substitute(Expr(index), lets), threads_, scope, varying_));
    };
    if (n->op == Op::Let && n->args[0]->type.is_index())
      lets.insert_or_assign(n->symbol, ir::substitute(Expr(n->args[0]), lets));
    if (n->op == Op::For) enter_loop(n, scope);
    if (n->op == Op::Store || n->op == Op::AtomicStore) add(n->symbol, true, n->args[1]);
    for (const ir::Ref& a : n->args) {
      if (ir::is_statement(a->op)) {
        collect(a, lets, scope, own, found);
        continue;
      }
      ir::for_each_node(a, [&](const ir::Ref& r) {
        if (r->op == Op::Load) add(r->symbol, false, r->args[0]);
        return true;
      });
    }
  }

  static void enter_loop(const ir::Ref& n, algebra::ConstantScope& scope) {
    scope.insert_or_assign(n->symbol,
                           algebra::range_of_loop(Expr(n->args[0]), Expr(n->args[1]), scope));
  }

  /// Whether a barrier must stand in front of what touches these.
  bool wait_for(const Accesses& touched) {
    const bool waits = pending_.conflicts(touched);
    if (waits) pending_ = {};
    pending_.add(touched);
    return waits;
  }
  /// What threads execute, behind a barrier when it needs one.
  Stmt phase(const Stmt& s) {
    return wait_for(accesses_of(s.node())) ? ir::block({ir::barrier(), s}) : s;
  }

  Stmt block_level(const Stmt& s) {
    if (s->op == Op::Block) {
      std::vector<Stmt> parts;
      for (const ir::Ref& part : s->args) parts.push_back(block_level(Stmt(part)));
      return ir::block(std::move(parts));
    }
    if (s->op == Op::Produce) return ir::produce(s->symbol, block_level(ir::stmt_arg(s, 0)));
    if (s->op == Op::Let) {
      const bool waits = wait_for(accesses_of(s->args[0]));
      if (s->args[0]->type.is_index())
        lets_.insert_or_assign(s->symbol, ir::substitute(ir::arg(s, 0), lets_));
      const Stmt inner = ir::let(s->symbol, ir::arg(s, 0), block_level(ir::stmt_arg(s, 1)));
      return waits ? ir::block({ir::barrier(), inner}) : inner;
    }
    if (s->op == Op::Allocate) return allocation(s);
    if (s->op == Op::Free) return {};
    if (is_thread_loop(s.node())) return nest(s);
    if (!shared_by_threads(s)) return on_one_thread(s);
    if (s->op == Op::If) return conditional(s);
    if (s->op == Op::For) return loop(s);
    return on_one_thread(s);
  }

  /// Whether several threads take part in the statement, or all see memory that it allocates.
  static bool shared_by_threads(const Stmt& s) {
    return contains(s, [](const ir::Ref& n) { return is_thread_loop(n) || n->op == Op::Allocate; });
  }

  /// What only fills registers every thread does for itself.
  bool fills_registers(const Stmt& s) const {
    bool all = true, any = false;
    ir::for_each_node(s.node(), [&](const ir::Ref& n) {
      if (n->op == Op::Store || n->op == Op::AtomicStore) {
        any = true;
        all = all && n->op == Op::Store && registers_.count(n->symbol) != 0;
      }
      return true;
    });
    return all && any;
  }

  Stmt on_one_thread(const Stmt& s) {
    if (fills_registers(s)) return phase(thread_level(s));
    const Expr first = ir::binary(Op::Equal, thread_index(), ir::index_literal(0));
    // Which thread it is does not show in the indices.
    Accesses touched = accesses_of(s.node());
    for (auto& [buffer, touch] : touched.buffers) touch.owners = {std::nullopt};
    const bool waits = wait_for(touched);
    const Stmt guarded = ir::if_then(first, thread_level(s));
    return waits ? ir::block({ir::barrier(), guarded}) : guarded;
  }

  Stmt nest(const Stmt& s) {
    const ThreadNest found = ThreadNest::of(s);
    Stmt body = strip(s, found);
    if (const Expr condition = found.takes_part(threads_); condition.defined())
      body = ir::if_then(condition, body);
    return phase(body);
  }

  /// Thread loops become lets.
  Stmt strip(const Stmt& s, const ThreadNest& found) {
    if (!contains(s, is_thread_loop)) return thread_level(s);
    if (s->op == Op::Allocate) {
      own_.insert(s->symbol);
      return threads_own(s, strip(ir::stmt_arg(s, 1), found));
    }
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : s->args)
      args.push_back(ir::is_statement(a->op) ? strip(Stmt(a), found).node() : a);
    args.erase(std::remove(args.begin(), args.end(), nullptr), args.end());
    if (!is_thread_loop(s.node())) return Stmt(ir::with_args(s.node(), std::move(args)));
    for (const ThreadNest::Digit& d : found.digits) {
      if (d.variable == s->symbol) {
        const Stmt body =
            ir::let(s->symbol, simplify(ir::arg(s, 0) + found.value(d)), Stmt(args[2]));
        return d.empty ? ir::if_then(ir::false_value(), body) : body;
      }
    }
    throw InternalError("a thread loop is outside its nest");
  }

  /// What one thread does: memory becomes its own.
  Stmt thread_level(const Stmt& s) {
    if (s->op == Op::Assert) {
      throw refusal(
          "require() cannot stop a kernel: '" + s->symbol.name() + "'",
          "compute the stage with the requirement on the host (compute_root without GPU loops)");
    }
    if (s->op == Op::Free) return {};
    if (s->op == Op::Allocate) own_.insert(s->symbol);
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : s->args)
      args.push_back(ir::is_statement(a->op) ? thread_level(Stmt(a)).node() : a);
    args.erase(std::remove(args.begin(), args.end(), nullptr), args.end());
    if (s->op == Op::Allocate) return threads_own(s, Stmt(args[1]));
    if (s->op == Op::AtomicStore && s->args[0]->type.bits < 32 && !own_.count(s->symbol)) {
      throw refusal("an indivisible update of '" + s->symbol.name() +
                        "', whose elements are smaller than 4 bytes",
                    "use a type of 32 or 64 bits for the stage, or drop atomic()");
    }
    if (s->op == Op::For)
      return ir::for_loop(s->symbol, ir::as_expr(args[0]), ir::as_expr(args[1]), LoopKind::Serial,
                          Stmt(args[2]));
    if (s->op == Op::Block) {
      std::vector<Stmt> parts;
      for (const ir::Ref& a : args) parts.emplace_back(a);
      return ir::block(std::move(parts));
    }
    return Stmt(ir::with_args(s.node(), std::move(args)));
  }

  /// An allocation inside threads, with its body made already.
  Stmt threads_own(const Stmt& s, const Stmt& body) const {
    std::int64_t size = 0;
    if (!ir::as_constant(ir::arg(s, 0), &size)) throw not_constant(s);
    if (static_cast<MemoryKind>(s->integer) == MemoryKind::GPUShared) {
      throw refusal("'" + s->symbol.name() +
                        "' is computed inside a thread: shared memory belongs to the whole block",
                    "compute it at a block loop, or store it in MemoryType::Register");
    }
    return ir::allocate(s->symbol, s->types[0], ir::arg(s, 0), MemoryKind::Stack, body);
  }

  CompileError not_constant(const Stmt& s) const {
    return refusal("the size of '" + s->symbol.name() + "' inside the kernel is not a constant",
                   "compute it at root, or give its dimensions constant extents (bound_extent, a "
                   "constant tile)");
  }

  Stmt allocation(const Stmt& s) {
    const auto kind = static_cast<MemoryKind>(s->integer);
    std::int64_t size = 0;
    if (!ir::as_constant(ir::arg(s, 0), &size)) throw not_constant(s);
    if (kind == MemoryKind::Register) {
      registers_.insert(s->symbol);
      return ir::allocate(s->symbol, s->types[0], ir::arg(s, 0), kind,
                          block_level(ir::stmt_arg(s, 1)));
    }
    // In a loop the same memory serves the next iteration: what was read is still pending then.
    const Stmt body = block_level(ir::stmt_arg(s, 1));
    return ir::allocate(s->symbol, s->types[0], ir::arg(s, 0), MemoryKind::GPUShared, body);
  }

  Stmt conditional(const Stmt& s) {
    const bool waits = wait_for(accesses_of(s->args[0]));
    const Accesses before = pending_;
    const Stmt then_case = block_level(ir::stmt_arg(s, 1));
    const Accesses after_then = pending_;
    Stmt else_case;
    pending_ = before;
    if (s->args.size() > 2) else_case = block_level(ir::stmt_arg(s, 2));
    pending_.add(after_then);
    const Stmt result = ir::if_then(ir::arg(s, 0), then_case, else_case);
    return waits ? ir::block({ir::barrier(), result}) : result;
  }

  /// A loop that all threads run together.
  Stmt loop(const Stmt& s) {
    // What is pending at the end of an iteration is pending at the start of the next. Within one,
    // the variable has one value.
    enter_loop(s.node(), scope_);
    const bool varied = varying_.erase(s->symbol) != 0;
    Stmt body;
    for (;;) {
      const Accesses entry = pending_;
      body = block_level(ir::stmt_arg(s, 2));
      Accesses both = entry;
      both.add(pending_.after_iteration(s->symbol));
      pending_ = both;  // the loop may run not at all: what was pending stays so
      if (both.size() == entry.size()) break;
    }
    if (varied) varying_.insert(s->symbol);
    return ir::for_loop(s->symbol, ir::arg(s, 0), ir::arg(s, 1), LoopKind::Serial, body);
  }

  const Diagnostic about_;
  std::int64_t threads_ = 1;
  Accesses pending_;                      // since the last barrier
  ir::Substitution lets_;                 // of the block, substituted
  algebra::ConstantScope scope_;          // loops of the block
  std::unordered_set<Symbol> varying_;    // symbols that change within a block, or an iteration
  std::unordered_set<Symbol> written_;    // by the kernel: nobody waits for others
  std::unordered_set<Symbol> own_;        // memory of each thread
  std::unordered_set<Symbol> registers_;  // memory that promote_registers gives to threads
  Stmt result_;
};

class KernelMaker {
 public:
  explicit KernelMaker(const ir::Module& module)
      : limits_(module.kernel_limits), sources_(module.sources) {}

  Stmt host(const Stmt& s) {
    if (!contains(s, is_block_loop)) return s;
    if (is_block_loop(s.node())) return kernel(s);
    const Symbol outer = stage_;
    if (s->op == Op::Produce) stage_ = s->symbol;
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : s->args)
      args.push_back(ir::is_statement(a->op) ? host(Stmt(a)).node() : a);
    stage_ = outer;
    return Stmt(ir::with_args(s.node(), std::move(args)));
  }

 private:
  /// What stands between the first block loop and the body: a block loop, a let or a guard.
  struct Item {
    Stmt statement;
    int dimension = -1;
  };

  /// The definition that the loop over blocks belongs to.
  Diagnostic about(const Symbol& loop) const {
    auto source = sources_.find(loop);
    if (source == sources_.end()) source = sources_.find(stage_);
    if (source == sources_.end()) return {stage_.name(), "", "", "", {}, 0};
    return Diagnostic{source->second.name(), "", "", "", {}, 0}.at(source->second.where);
  }
  [[noreturn]] void refuse(const Symbol& loop, const std::string& directive,
                           const std::string& reason, const std::string& remedy) const {
    Diagnostic d = about(loop);
    d.directive = directive;
    d.reason = reason;
    d.remedy = remedy;
    throw CompileError(d);
  }

  Stmt kernel(const Stmt& first) {
    std::vector<Item> items;
    Stmt body = first;
    int blocks = 0;
    while (contains(body, is_block_loop)) {
      const bool passes = is_block_loop(body.node()) || body->op == Op::Let ||
                          body->op == Op::Produce || (body->op == Op::If && body->args.size() == 2);
      if (!passes) {
        refuse(first->symbol, "gpu_blocks", "something is computed between two loops over blocks",
               "compute it inside the innermost of them, or at root");
      }
      if (is_block_loop(body.node())) ++blocks;
      if (body->op != Op::Produce) items.push_back({body});
      body = Stmt(body->args[body->op == Op::For ? 2 : body->op == Op::Produce ? 0 : 1]);
    }
    ensure(blocks <= 3, "a grid has three dimensions");
    int dimension = blocks;
    ir::KernelLimits limits;
    ir::GridSize size{{ir::index_literal(1), ir::index_literal(1), ir::index_literal(1)}, {}};
    ir::Substitution known;  // lets around the block loops, in terms of what the host knows
    std::unordered_set<Symbol> of_device;
    for (Item& item : items) {
      const Stmt& s = item.statement;
      if (s->op == Op::Let) known.insert_or_assign(s->symbol, ir::substitute(ir::arg(s, 0), known));
      if (s->op != Op::For) continue;
      item.dimension = --dimension;
      const Expr extent = simplify(ir::substitute(ir::arg(s, 1), known));
      for (const Symbol& used : ir::free_symbols(extent.node())) {
        if (!of_device.count(used)) continue;
        refuse(first->symbol, "gpu_blocks",
               "the number of blocks along '" + s->symbol.name() + "' depends on '" + used.name() +
                   "'",
               "make the outer loop serial, or fuse the two loops");
      }
      size.blocks[item.dimension] = extent;
      of_device.insert(s->symbol);
      if (const auto known_limits = limits_.find(s->symbol); known_limits != limits_.end())
        limits = known_limits->second;
    }
    std::string name = stage_.name();
    for (char& c : name) {
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    }
    const BlockBody made(body, about(first->symbol));
    size.threads = ir::index_literal(made.threads());
    check_limits(first->symbol, limits, made.threads());
    Stmt result = made.result();
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
      const Stmt& s = item->statement;
      if (s->op == Op::Let) result = ir::let(s->symbol, ir::arg(s, 0), result);
      else if (s->op == Op::If) result = ir::if_then(ir::arg(s, 0), result);
      else
        result = ir::let(s->symbol,
                         simplify(ir::arg(s, 0) + ir::expr(Op::BlockIndex, Index(),
                                                           {ir::index_literal(item->dimension)})),
                         result);
    }
    return ir::kernel(Symbol::fresh(name), size, result, limits);
  }

  void check_limits(const Symbol& loop, const ir::KernelLimits& limits,
                    std::int64_t threads) const {
    if (limits.min_blocks * threads <= MostResident) return;
    refuse(loop, "gpu_min_blocks(" + std::to_string(limits.min_blocks) + ")",
           "a block has " + std::to_string(threads) +
               " threads, and a multiprocessor runs at most " + std::to_string(MostResident) +
               " at a time",
           "ask for at most " + std::to_string(MostResident / threads) +
               " blocks, or for fewer threads in each");
  }

  static constexpr std::int64_t MostResident = 2048;
  const std::unordered_map<Symbol, ir::KernelLimits>& limits_;
  const ir::Sources& sources_;

  Symbol stage_ = Symbol::named("kernel");
};

}  // namespace

ir::Module map_to_grid(ir::Module module, const LowerOptions&) {
  if (module.body.defined()) module.body = KernelMaker(module).host(module.body);
  module.kernel_limits.clear();
  return module;
}

}  // namespace sinter::lowering
