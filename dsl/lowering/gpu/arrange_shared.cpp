#include "dsl/lowering/gpu/arrange_shared.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <sinter/diagnostic.h>

#include "dsl/algebra/divisibility.h"
#include "dsl/algebra/layout.h"
#include "dsl/algebra/linear_form.h"
#include "dsl/algebra/simplify.h"
#include "dsl/base/gpu_limits.h"
#include "dsl/ir/interpret_expression.h"
#include "dsl/lowering/gpu/thread_layout.h"

namespace sinter::lowering {

namespace {

using algebra::Layout;
using algebra::simplify;
using ir::Op;
using ir::Stmt;

constexpr std::int64_t WidestAccess = 16;  // bytes
constexpr int Warps = 4, Iterations = 2;   // of each access that are looked at
constexpr std::size_t MostAccesses = 256;  // of a buffer

bool is_shared(const ir::Node& n) {
  return n.op == Op::Allocate &&
         static_cast<ir::MemoryKind>(n.integer) == ir::MemoryKind::GPUShared;
}

bool reads_memory(const Expr& e) {
  bool found = false;
  ir::for_each_node(e.node(), [&](const ir::Ref& n) {
    return !(found = found || n->op == Op::Load || n->op == Op::Shuffle);
  });
  return found;
}

/// What an allocation takes: the next one starts aligned.
std::int64_t shared_bytes(std::int64_t bytes) {
  return (bytes + WidestAccess - 1) / WidestAccess * WidestAccess;
}

/// What surrounds an access.
struct Around {
  ir::Substitution lets;
  algebra::ConstantScope scope;
  std::vector<Expr> guards;
  std::set<Symbol> loops;
  double times = 1;
};

/// An instruction of a warp: the first element that each lane asks for, -1: none.
struct WarpAccess {
  std::vector<std::int64_t> elements;
  std::int64_t bytes;  // of each lane
  double times;
};

struct Buffer {
  std::int64_t elements = 0, element_bytes = 1;
  std::int64_t widest = 1;       // a multiple of the neighbours that each access takes
  bool keeps_numbers = false;    // some access takes neighbours that no layout keeps together
  std::set<std::int64_t> steps;  // distances that accesses step over
  std::vector<WarpAccess> accesses;
  Layout layout;

  std::int64_t bytes(std::int64_t places) const { return shared_bytes(places * element_bytes); }
};

class Arranger {
 public:
  /// `room`: bytes that a block may have.
  Arranger(const ir::Node& kernel, std::int64_t room) : room_(room) {
    ir::as_constant(ir::as_expr(kernel.args[3]), &threads_);
    around_.scope[thread_] = {true, true, 0, threads_ - 1};
  }

  Stmt run(const Stmt& body) {
    // Numbers get names, so that something can be known of them and others be tried.
    ir::Substitution numbers{{thread_, ir::expr(Op::ThreadIndex, Index(), {})}};
    const Stmt named = ir::rewrite(body, [&](const ir::Ref& n) {
      if (n->op == Op::ThreadIndex) return ir::index_symbol(thread_).node();
      if (n->op != Op::BlockIndex) return n;
      const auto dimension = static_cast<std::size_t>(n->args[0]->integer);
      numbers[block_[dimension]] = Expr(n);
      return ir::index_symbol(block_[dimension]).node();
    });
    collect(named.node(), around_);
    for (const auto& [symbol, buffer] : buffers_) room_ -= buffer.bytes(buffer.elements);
    for (auto& [symbol, buffer] : buffers_) {
      room_ += buffer.bytes(buffer.elements);
      buffer.layout = best_layout(buffer);
      room_ -= buffer.bytes(buffer.layout.size(buffer.elements));
    }
    return ir::substitute(rewrite(named.node(), around_), numbers);
  }

 private:
  // --- what is accessed
  static Around inside(const ir::Ref& n, const Around& outer) {
    Around around = outer;
    if (n->op == Op::Let && n->args[0]->type.is_index()) {
      around.lets.insert_or_assign(n->symbol, ir::substitute(Expr(n->args[0]), outer.lets));
    }
    if (n->op == Op::For) {
      around.scope.insert_or_assign(
          n->symbol, algebra::range_of_loop(Expr(n->args[0]), Expr(n->args[1]), outer.scope));
      around.loops.insert(n->symbol);
      std::int64_t extent = 0;
      if (ir::as_constant(Expr(n->args[1]), &extent))
        around.times *= static_cast<double>(std::max<std::int64_t>(extent, 1));
    }
    if (n->op == Op::If) around.guards.push_back(ir::substitute(Expr(n->args[0]), outer.lets));
    return around;
  }

  /// Else comes what whole vectors and tiles leave over: it must be right, and does not count.
  static Around rarely(const Around& outer) {
    Around around = outer;
    around.times = 0;
    return around;
  }

  /// An index as a function of the thread's number and of loops. Loads in it stay as they are: the
  /// same load may stand in the value, and is made once.
  static Expr whole(const Expr& index, const Around& around) {
    std::vector<std::pair<Symbol, Expr>> loads;
    const Expr named = ir::rewrite(index, [&](const ir::Ref& n) {
      if (n->op != Op::Load) return n;
      loads.emplace_back(Symbol::fresh("load"), Expr(n));
      return ir::symbol(n->type, loads.back().first).node();
    });
    Expr result = simplify(ir::substitute(named, around.lets), around.scope);
    for (auto l = loads.rbegin(); l != loads.rend(); ++l)  // one may stand in the next
      result = ir::substitute(result, {{l->first, l->second}});
    return result;
  }

  void collect(const ir::Ref& n, const Around& outer) {
    if (is_shared(*n)) {
      Buffer& buffer = buffers_[n->symbol];
      ir::as_constant(Expr(n->args[0]), &buffer.elements);
      buffer.element_bytes = n->types[0].bytes();
    }
    if (n->op == Op::Store || n->op == Op::AtomicStore) add(n->symbol, Expr(n->args[1]), outer);
    const Around around = inside(n, outer);
    for (const ir::Ref& a : n->args) {
      if (ir::is_statement(a->op)) {
        const bool rests = n->op == Op::If && a == n->args.back() && n->args.size() > 2;
        collect(a, rests ? rarely(outer) : around);
        continue;
      }
      ir::for_each_node(a, [&](const ir::Ref& r) {
        if (r->op == Op::Load) add(r->symbol, Expr(r->args[0]), outer);
        return true;
      });
    }
  }

  void add(const Symbol& symbol, const Expr& index, const Around& around) {
    const auto found = buffers_.find(symbol);
    if (found == buffers_.end()) return;
    Buffer& buffer = found->second;
    const Expr e = whole(index, around);
    const int lanes = e.type().lanes;
    const bool neighbours = lanes > 1 && ir::is(e, Op::Ramp) && ir::is_constant(ir::arg(e, 1), 1);
    std::int64_t together = 1;
    if (neighbours) {
      const std::int64_t multiple = algebra::multiple_of(e.node(), {});
      const bool differ = buffer.widest % lanes != 0 && lanes % buffer.widest != 0;
      buffer.widest = std::max<std::int64_t>(buffer.widest, lanes);
      if (multiple % lanes != 0 || differ) buffer.keeps_numbers = true;
      const std::int64_t most = std::gcd(multiple == 0 ? lanes : multiple, lanes);
      together = std::min(most, std::max<std::int64_t>(WidestAccess / buffer.element_bytes, 1));
    }
    if (reads_memory(e) || around.times == 0 || buffer.accesses.size() >= MostAccesses) return;
    if (const auto linear = algebra::linear_form(ir::is(e, Op::Ramp) ? ir::arg(e, 0) : e)) {
      for (const auto& term : linear->terms) buffer.steps.insert(std::abs(term.coefficient));
    }
    if (ir::is(e, Op::Ramp)) {
      std::int64_t stride = 0;
      if (ir::as_constant(ir::arg(e, 1), &stride)) buffer.steps.insert(std::abs(stride));
    }
    evaluate(buffer, e, together, around);
  }

  /// The symbols' values in iteration `iteration` of all loops around; what is not known is 0.
  static ir::Environment environment(const Expr& e, const Around& around, int iteration) {
    ir::Environment result;
    for (const Symbol& symbol : ir::free_symbols(e.node())) {
      const auto known = around.scope.find(symbol);
      const bool loop = around.loops.count(symbol) != 0 && known != around.scope.end();
      std::int64_t value = 0;
      if (loop && known->second.has_min) {
        value = known->second.min + iteration;
        if (known->second.has_max) value = std::min(value, known->second.max);
      }
      result.values[symbol] = {{{Index(), value, 0}, nullptr}};
    }
    return result;
  }

  void evaluate(Buffer& buffer, const Expr& index, std::int64_t together, const Around& around) {
    if (!is_of_indices(index)) return;
    ir::StraightLine straight(*index);
    std::vector<Expr> guards;
    for (const Expr& guard : around.guards) {
      const Expr g = simplify(ir::substitute(guard, around.lets), around.scope);
      const auto symbols = ir::free_symbols(g.node());
      const bool known = std::all_of(symbols.begin(), symbols.end(), [&](const Symbol& s) {
        return s == thread_ || around.loops.count(s) != 0;
      });
      if (known && is_of_indices(g)) guards.push_back(g);
    }
    const std::int64_t warps = (threads_ + WarpSize - 1) / WarpSize;
    for (int iteration = 0; iteration < Iterations; ++iteration) {
      ir::Environment values = environment(index, around, iteration);
      for (std::int64_t w = 0; w < warps; w += (warps + Warps - 1) / Warps) {
        const std::size_t lanes = index.type().lanes;
        std::vector<std::vector<std::int64_t>> elements(lanes);
        for (std::int64_t t = w * WarpSize; t < (w + 1) * WarpSize; ++t) {
          values.values[thread_] = {{{Index(), t, 0}, nullptr}};
          const bool active =
              t < threads_ && std::all_of(
                                  guards.begin(), guards.end(),
                                  [&](const Expr& g) {
                                    ir::Environment others = environment(g, around, iteration);
                                    others.values[thread_] = values.values[thread_];
                                    return ir::StraightLine(*g).run(others)[0].value.integer != 0;
                                  });
          const ir::Value& at = straight.run(values);
          for (std::size_t lane = 0; lane < lanes; ++lane)
            elements[lane].push_back(active ? at[lane].value.integer : -1);
        }
        for (std::size_t lane = 0; lane < lanes; lane += static_cast<std::size_t>(together))
          add_access(buffer, {elements[lane], together * buffer.element_bytes, around.times});
      }
    }
  }

  /// Without what has no value here: memory, and other kinds of leaves than literals and indices.
  static bool is_of_indices(const Expr& e) {
    bool all = !reads_memory(e);
    ir::for_each_node(e.node(), [&](const ir::Ref& n) {
      const bool leaf_of_index = n->op == Op::Symbol && n->type == Index();
      return all = all && (!n->args.empty() || n->op == Op::Literal || leaf_of_index);
    });
    return all;
  }

  /// Copies of one access at other places count with it.
  static void add_access(Buffer& buffer, WarpAccess access) {
    const auto is_outside = [&](std::int64_t e) { return e < -1 || e >= buffer.elements; };
    if (std::any_of(access.elements.begin(), access.elements.end(), is_outside)) return;
    const auto relative = [](const WarpAccess& a) {
      std::vector<std::int64_t> result = a.elements;
      const auto first = std::find_if(result.begin(), result.end(), [](auto e) { return e >= 0; });
      if (first == result.end()) return result;
      const std::int64_t origin = *first;
      for (std::int64_t& e : result)
        e = e < 0 ? std::numeric_limits<std::int64_t>::min() : e - origin;
      return result;
    };
    const auto same = [&](const WarpAccess& a) {
      return a.bytes == access.bytes && relative(a) == relative(access);
    };
    const auto known = std::find_if(buffer.accesses.begin(), buffer.accesses.end(), same);
    if (known != buffer.accesses.end()) known->times += access.times;
    else buffer.accesses.push_back(std::move(access));
  }

  // --- the choice
  /// Wavefronts that conflict-free accesses would not need.
  static double conflicts(const Buffer& buffer, const Layout& layout) {
    double sum = 0;
    for (const WarpAccess& access : buffer.accesses) {
      std::vector<std::int64_t> addresses;
      for (const std::int64_t e : access.elements)
        addresses.push_back(e < 0 ? -1 : layout(e) * buffer.element_bytes);
      sum += access.times * algebra::bank_conflicts(addresses, access.bytes);
    }
    return sum;
  }

  Layout best_layout(const Buffer& buffer) const {
    Layout best;
    double least = conflicts(buffer, best);
    if (least == 0 || buffer.keeps_numbers) return best;
    const std::vector<std::int64_t> steps(buffer.steps.begin(), buffer.steps.end());
    for (const Layout& layout :
         algebra::candidate_layouts(buffer.elements, buffer.element_bytes, buffer.widest, steps)) {
      if (buffer.bytes(layout.size(buffer.elements)) > room_) continue;
      const double found = conflicts(buffer, layout);
      if (found >= least) continue;
      best = layout;
      least = found;
      if (least == 0) break;
    }
    return best;
  }

  // --- rewriting
  Stmt rewrite(const ir::Ref& n, const Around& outer) const {
    const Around around = inside(n, outer);
    std::vector<ir::Ref> args;
    for (std::size_t i = 0; i < n->args.size(); ++i) {
      const ir::Ref& a = n->args[i];
      if (ir::is_statement(a->op)) args.push_back(rewrite(a, around).node());
      else args.push_back(expression(Expr(a), outer).node());
    }
    const bool stores = n->op == Op::Store || n->op == Op::AtomicStore;
    if (stores && buffers_.count(n->symbol))
      args[1] = place(n->symbol, Expr(args[1]), outer).node();
    if (is_shared(*n)) {
      const Buffer& buffer = buffers_.at(n->symbol);
      args[0] = ir::index_literal(buffer.layout.size(buffer.elements)).node();
    }
    return Stmt(ir::with_args(n, std::move(args)));
  }

  Expr expression(const Expr& e, const Around& around) const {
    return ir::rewrite(e, [&](const ir::Ref& n) {
      if (n->op != Op::Load || !buffers_.count(n->symbol)) return n;
      std::vector<ir::Ref> args = n->args;
      args[0] = place(n->symbol, Expr(args[0]), around).node();
      return ir::with_args(n, std::move(args));
    });
  }

  Expr place(const Symbol& symbol, const Expr& index, const Around& around) const {
    const Layout& layout = buffers_.at(symbol).layout;
    const Expr e = whole(index, around);
    if (layout.is_dense()) return e;
    const auto placed = [&](const Expr& of) { return simplify(layout(of), around.scope); };
    if (!ir::is(e, Op::Ramp)) return placed(e);
    // Where the lanes' places are evenly spaced, they are written so.
    const int lanes = e.type().lanes;
    const Expr base = ir::arg(e, 0), stride = ir::arg(e, 1);
    const Expr first = placed(base);
    if (ir::is_constant(stride, 1)) return ir::ramp(first, stride, lanes);
    std::int64_t step = 0;
    for (int lane = 1; lane < lanes; ++lane) {
      const Expr other = placed(base + stride * ir::index_literal(lane));
      std::int64_t distance = 0;
      if (!ir::as_constant(simplify(other - first, around.scope), &distance) ||
          (lane > 1 && distance != step * lane))
        return placed(e);
      if (lane == 1) step = distance;
    }
    return ir::ramp(first, ir::index_literal(step), lanes);
  }

  std::int64_t threads_ = 1, room_;
  Symbol thread_ = Symbol::fresh("thread");
  std::vector<Symbol> block_{Symbol::fresh("block"), Symbol::fresh("block"),
                             Symbol::fresh("block")};
  Around around_;
  std::map<Symbol, Buffer> buffers_;
};

Stmt arrange(const Stmt& s, std::int64_t room) {
  std::vector<ir::Ref> args;
  for (const ir::Ref& a : s->args) {
    if (!ir::is_statement(a->op)) args.push_back(a);
    else
      args.push_back(s->op == Op::Kernel ? Arranger(*s, room).run(Stmt(a)).node()
                                         : arrange(Stmt(a), room).node());
  }
  return Stmt(ir::with_args(s.node(), std::move(args)));
}

}  // namespace

ir::Module arrange_shared(ir::Module module, const LowerOptions& options) {
  if (module.body.defined())
    module.body = arrange(module.body, gpu_limits(options.gpu).shared_of_block);
  return module;
}

ir::Module check_shared(ir::Module module, const LowerOptions& options) {
  const std::int64_t most = gpu_limits(options.gpu).shared_of_block;
  ir::for_each_node(module.body.node(), [&](const ir::Ref& kernel) {
    if (kernel->op != Op::Kernel) return ir::is_statement(kernel->op);
    std::int64_t sum = 0, largest = -1;
    Symbol stage;
    std::string parts;
    ir::for_each_node(kernel, [&](const ir::Ref& n) {
      if (!is_shared(*n)) return ir::is_statement(n->op);
      std::int64_t elements = 0;
      ir::as_constant(Expr(n->args[0]), &elements);
      const std::int64_t bytes =
          shared_bytes(std::max<std::int64_t>(elements, 1) * n->types[0].bytes());
      parts += (sum == 0 ? "" : " + ") + n->symbol.name() + " " + std::to_string(bytes);
      sum += bytes;
      if (bytes > largest) stage = n->symbol;
      largest = std::max(largest, bytes);
      return true;
    });
    if (sum <= most) return false;
    Diagnostic d{stage.name(),
                 "store_in(MemoryType::GPUShared)",
                 "a block of the kernel '" + kernel->symbol.name() + "' needs " +
                     std::to_string(sum) + " bytes of shared memory (" + parts + "), and " +
                     options.gpu + " has " + std::to_string(most),
                 "use smaller tiles, or compute a stage of it at root",
                 {},
                 0};
    if (const auto source = module.sources.find(stage); source != module.sources.end())
      d.at(source->second.where);
    throw CompileError(d);
  });
  return module;
}

}  // namespace sinter::lowering
