#include "dsl/lowering/storage/flatten_storage.h"

#include <algorithm>
#include <cstdlib>

#include <sinter/diagnostic.h>

#include "dsl/algebra/simplifier.h"

namespace sinter::lowering {

namespace {

using algebra::ConstantInterval;
using algebra::simplify;
using ir::MemoryKind;
using ir::Op;
using ir::Stmt;

constexpr std::int64_t stack_limit_bytes = 16 * 1024;

/// Where an element of one component of a stage or image lives.
struct Flat {
  Symbol buffer;
  Type type;
  std::vector<Expr> strides;
  Expr origin;  // index of the coordinates (0, ..., 0), negated
};

class Flattener {
 public:
  explicit Flattener(const LowerOptions& options) : options_(options) {}

  ir::Module run(ir::Module module) {
    struct LetBinding {
      Symbol symbol;
      Expr value;
    };
    std::vector<LetBinding> lets;
    module.alignment = options_.alignment;
    sources_ = std::move(module.sources);
    for (const ir::Argument& a : module.arguments) {
      if (!a.is_buffer()) continue;
      for (std::size_t d = 0; d < a.dimensions.size(); ++d) {
        const std::int64_t elements = options_.alignment / a.type.bytes();
        const bool is_input = a.kind == ir::Argument::Kind::Input;
        const std::int64_t of_row =
            (is_input ? options_.input_rows : options_.output_rows) / a.type.bytes();
        if (d > 0 && of_row > 1) module.multiples[a.dimensions[d].stride] = of_row;
        if (elements > 1 && (d == 0 || options_.aligned_mins))
          module.multiples[a.dimensions[d].min] = elements;
      }
      Flat flat;
      flat.buffer = a.symbol;
      flat.type = a.type;
      const bool strided = std::find(options_.strided.begin(), options_.strided.end(), a.name) !=
                           options_.strided.end();
      Expr origin = ir::index_literal(0);
      for (std::size_t d = 0; d < a.dimensions.size(); ++d) {
        const Expr stride =
            d == 0 && !strided ? ir::index_literal(1) : ir::index_symbol(a.dimensions[d].stride);
        flat.strides.push_back(stride);
        origin = origin + ir::index_symbol(a.dimensions[d].min) * stride;
      }
      const Symbol name = Symbol::fresh(a.name + ".origin");
      flat.origin = ir::index_symbol(name);
      lets.push_back({name, simplify(origin)});
      flats_[a.stage].push_back(flat);
    }
    streamed_ = std::move(module.streamed);
    module.streamed.clear();
    module.body = statement(module.body);
    for (auto l = lets.rbegin(); l != lets.rend(); ++l)
      module.body = ir::let(l->symbol, l->value, module.body);
    module.sources = std::move(sources_);
    return module;
  }

 private:
  const Flat& flat_of(const Symbol& target, std::int64_t component) {
    const auto it = flats_.find(target);
    ensure(it != flats_.end(), "every accessed stage is realised or an argument");
    return it->second.at(static_cast<std::size_t>(component));
  }

  Expr index_of(const Flat& flat, const std::vector<Expr>& coordinates) {
    ensure(coordinates.size() == flat.strides.size(), "coordinates match the rank");
    Expr index = ir::index_literal(0);
    for (std::size_t d = 0; d < coordinates.size(); ++d)
      index = index + coordinates[d] * flat.strides[d];
    return simplify_index_(index - flat.origin);
  }

  Expr expression(const Expr& e) { return Expr(rewrite_node(e.node())); }

  ir::Ref rewrite_node(const ir::Ref& n) {
    if (const auto it = memo_.find(n.get()); it != memo_.end()) return it->second.second;
    std::vector<ir::Ref> args;
    args.reserve(n->args.size());
    for (const ir::Ref& a : n->args) args.push_back(rewrite_node(a));
    ir::Ref result;
    if (n->op == Op::Access) {
      std::vector<Expr> coordinates;
      for (const ir::Ref& a : args) coordinates.emplace_back(a);
      const Flat& flat = flat_of(n->symbol, n->integer);
      result =
          ir::load(flat.type, flat.buffer, index_of(flat, coordinates), {}, load_hint(n->symbol))
              .node();
    } else {
      result = ir::with_args(n, std::move(args));
    }
    memo_.emplace(n.get(), std::make_pair(n, result));
    return result;
  }

  Stmt statement(const Stmt& s) {
    if (!s.defined()) return s;
    if (s->op == Op::Realize) return realize(s);
    if (s->op == Op::Provide) return provide(s);
    std::vector<ir::Ref> args;
    const bool constant_loop = s->op == Op::For;
    if (constant_loop) {
      known_[s->symbol] = algebra::range_of_loop(ir::arg(s, 0), ir::arg(s, 1), known_);
    }
    if (s->op == Op::Let && ir::arg(s, 0).type().is_index()) {
      const ConstantInterval bound = algebra::constant_bounds(ir::arg(s, 0), known_);
      if (bound.has_min || bound.has_max) known_.insert_or_assign(s->symbol, bound);
    }
    for (const ir::Ref& a : s->args) {
      args.push_back(ir::is_statement(a->op) ? statement(Stmt(a)).node()
                                             : expression(Expr(a)).node());
    }
    return Stmt(ir::with_args(s.node(), std::move(args)));
  }

  Stmt realize(const Stmt& s) {
    struct LetBinding {
      Symbol symbol;
      Expr value;
    };
    const std::size_t rank = (s->args.size() - 1) / 2;
    std::vector<Expr> mins, extents;
    std::int64_t constant_elements = 1;
    bool all_constant = true;
    // What a block may have is checked when all of it is known.
    const bool shared = static_cast<MemoryKind>(s->integer) == MemoryKind::GPUShared;
    const std::int64_t longest = shared ? std::int64_t{1} << 30 : stack_limit_bytes;
    for (std::size_t d = 0; d < rank; ++d) {
      mins.push_back(expression(ir::arg(s, 2 * d)));
      Expr extent = expression(ir::arg(s, 2 * d + 1));
      const ConstantInterval bound = algebra::constant_bounds(extent, known_);
      if (bound.has_max && bound.max > 0 && bound.max <= longest) {
        extent = ir::index_literal(bound.max);  // an upper bound is enough for storage
        constant_elements *= bound.max;
        if (constant_elements > (std::int64_t{1} << 31)) all_constant = false;
        constant_elements = std::min(constant_elements, std::int64_t{1} << 32);
      } else {
        all_constant = false;
        // Empty loops may ask for a negative extent.
        extent = ir::binary(Op::Max, extent, ir::index_literal(0));
      }
      extents.push_back(extent);
    }
    std::vector<LetBinding> lets;
    const auto named = [&](const Expr& e, const std::string& name) {
      if (ir::is(e, Op::Literal) || ir::is(e, Op::Symbol)) return e;
      const Symbol symbol = Symbol::fresh(name);
      lets.push_back({symbol, e});
      return ir::index_symbol(symbol);
    };
    const std::string name = s->symbol.name();
    std::vector<Expr> strides;
    Expr stride = ir::index_literal(1), origin = ir::index_literal(0);
    Expr elements = stride;  // spelled out: code for allocations looks for an overflow
    for (std::size_t d = 0; d < rank; ++d) {
      // Where there is room for one coordinate only, whichever it is has the place.
      if (ir::is_constant(extents[d], 1)) {
        strides.push_back(ir::index_literal(0));
        continue;
      }
      strides.push_back(stride);
      elements = simplify(elements * extents[d]);
      origin = origin + mins[d] * stride;
      stride = named(simplify(stride * extents[d]), name + ".stride." + std::to_string(d + 1));
    }
    origin = named(simplify(origin), name + ".origin");

    std::vector<Flat> flats;
    std::vector<MemoryKind> kinds;
    for (std::size_t c = 0; c < s->types.size(); ++c) {
      const std::string suffix = s->types.size() == 1 ? "" : "." + std::to_string(c);
      flats.push_back({Symbol::fresh(name + suffix), s->types[c], strides, origin});
      if (const auto source = sources_.find(s->symbol); source != sources_.end())
        sources_.emplace(flats.back().buffer, source->second);
      kinds.push_back(memory_of(static_cast<MemoryKind>(s->integer), all_constant,
                                constant_elements * s->types[c].bytes()));
    }
    memo_.clear();
    auto outer = flats_.find(s->symbol) == flats_.end() ? std::vector<Flat>{} : flats_[s->symbol];
    flats_[s->symbol] = flats;
    Stmt body = statement(ir::stmt_arg(s, s->args.size() - 1));
    if (outer.empty()) flats_.erase(s->symbol);
    else flats_[s->symbol] = outer;
    memo_.clear();
    for (std::size_t c = flats.size(); c-- > 0;) {
      body = ir::allocate(flats[c].buffer, flats[c].type, elements, kinds[c], body);
    }
    for (auto l = lets.rbegin(); l != lets.rend(); ++l) body = ir::let(l->symbol, l->value, body);
    return body;
  }

  static MemoryKind memory_of(MemoryKind asked, bool constant, std::int64_t bytes) {
    if (!constant) return MemoryKind::Heap;
    switch (asked) {
      case MemoryKind::Auto:
        return bytes <= stack_limit_bytes ? MemoryKind::Stack : MemoryKind::Heap;
      case MemoryKind::Heap:
        return MemoryKind::Heap;
      case MemoryKind::GPUShared:
      case MemoryKind::Device:
      case MemoryKind::Both:
        return asked;
      case MemoryKind::Stack:
      case MemoryKind::Register:
        return bytes <= 64 * stack_limit_bytes ? asked : MemoryKind::Heap;
    }
    return MemoryKind::Heap;
  }

  /// Of a load from `producer` in the Provide at hand.
  ir::CacheHint load_hint(const Symbol& producer) const {
    if (provided_ == nullptr) return ir::CacheHint::None;
    const auto& from = provided_->producers;
    return provided_->all_loads || std::find(from.begin(), from.end(), producer) != from.end()
               ? ir::CacheHint::Streaming
               : ir::CacheHint::None;
  }

  Stmt provide(const Stmt& s) {
    const auto streamed = streamed_.find(s->symbol);
    if (streamed == streamed_.end()) return provide_streamed(s, ir::CacheHint::None);
    memo_.clear();  // the same access of another stage has another hint
    provided_ = &streamed->second;
    const Stmt result =
        provide_streamed(s, provided_->stores ? ir::CacheHint::Streaming : ir::CacheHint::None);
    provided_ = nullptr;
    memo_.clear();
    return result;
  }

  Stmt provide_streamed(const Stmt& s, ir::CacheHint hint) {
    const std::size_t count = static_cast<std::size_t>(std::abs(s->integer));
    std::vector<Expr> values, coordinates;
    for (std::size_t i = 0; i < s->args.size(); ++i) {
      (i < count ? values : coordinates).push_back(expression(ir::arg(s, i)));
    }
    if (s->integer < 0) return atomic_update(s, values, coordinates);
    if (count == 1) {
      const Flat& flat = flat_of(s->symbol, 0);
      return ir::store(flat.buffer, values[0], index_of(flat, coordinates), {}, hint);
    }
    // All values are computed before the first is written, and what coordinates read of them.
    struct LetBinding {
      Symbol symbol;
      Expr value;
    };
    std::vector<LetBinding> lets;
    const std::vector<Flat>& own = flats_.at(s->symbol);
    const std::string name = s->symbol.name();
    for (Expr& coordinate : coordinates) {
      coordinate = ir::rewrite(coordinate, [&](const ir::Ref& n) {
        const bool is_own =
            n->op == Op::Load && std::any_of(own.begin(), own.end(),
                                             [&](const Flat& f) { return f.buffer == n->symbol; });
        if (!is_own) return n;
        lets.push_back({Symbol::fresh(name + ".at"), Expr(n)});
        return ir::symbol(n->type, lets.back().symbol).node();
      });
    }
    std::vector<Stmt> stores;
    for (std::size_t c = 0; c < count; ++c) {
      lets.push_back({Symbol::fresh(name + ".value." + std::to_string(c)), values[c]});
      const Flat& flat = flat_of(s->symbol, static_cast<std::int64_t>(c));
      stores.push_back(ir::store(flat.buffer, ir::symbol(values[c]->type, lets.back().symbol),
                                 index_of(flat, coordinates), {}, hint));
    }
    Stmt body = ir::block(std::move(stores));
    for (auto l = lets.rbegin(); l != lets.rend(); ++l) body = ir::let(l->symbol, l->value, body);
    return body;
  }

  /// f(x) = f(x) op g  ->  one indivisible operation.
  Stmt atomic_update(const Stmt& s, const std::vector<Expr>& values,
                     const std::vector<Expr>& coordinates) {
    const auto refuse = [&](const std::string& why) {
      return CompileError(
          Diagnostic{s->symbol.name(),
                     "atomic()",
                     why,
                     "write the update as f(...) = f(...) op value on integers, or drop atomic()",
                     {},
                     0});
    };
    if (values.size() != 1)
      throw refuse("an update of a tuple cannot be one indivisible operation");
    const Flat& flat = flat_of(s->symbol, 0);
    const Expr index = index_of(flat, coordinates);
    const Expr self = ir::load(flat.type, flat.buffer, index);
    const Expr& value = values[0];
    if (value->args.size() != 2 || value->type.is_float())
      throw refuse("the update is not an integer operation on the element");
    const Expr a = ir::arg(value, 0), b = ir::arg(value, 1);
    const Op op = value->op;
    const bool commutes = op == Op::Add || op == Op::Mul || op == Op::Min || op == Op::Max ||
                          op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor ||
                          op == Op::And || op == Op::Or;
    if (op == Op::Sub && ir::equal(a, self)) {
      return ir::atomic_store(Op::Add, flat.buffer, ir::literal(value->type, 0) - b, index);
    }
    if (commutes && ir::equal(a, self)) return ir::atomic_store(op, flat.buffer, b, index);
    if (commutes && ir::equal(b, self)) return ir::atomic_store(op, flat.buffer, a, index);
    throw refuse("the update is not of the form element op value");
  }

  const LowerOptions& options_;
  algebra::Simplifier simplify_index_;  // an index may hold loads with simplified indices
  std::unordered_map<Symbol, std::vector<Flat>> flats_;
  std::unordered_map<Symbol, ir::StreamedAccesses> streamed_;
  ir::Sources sources_;
  const ir::StreamedAccesses* provided_ = nullptr;  // of the stage whose Provide is at hand
  algebra::ConstantScope known_;
  std::unordered_map<const ir::Node*, std::pair<ir::Ref, ir::Ref>> memo_;
};

}  // namespace

ir::Module flatten_storage(ir::Module module, const LowerOptions& options) {
  return Flattener(options).run(std::move(module));
}

}  // namespace sinter::lowering
