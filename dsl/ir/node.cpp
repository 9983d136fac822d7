#include "dsl/ir/node.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>

#include <sinter/diagnostic.h>

#include "dsl/ir/scalar.h"

namespace sinter::ir {

namespace {

using C = OpClass;
constexpr OpInfo op_table[] = {
    {Op::Literal, "literal", C::Leaf, 0},
    {Op::Symbol, "symbol", C::Leaf, 0},
    {Op::Add, "add", C::Arithmetic, 2},
    {Op::Sub, "sub", C::Arithmetic, 2},
    {Op::Mul, "mul", C::Arithmetic, 2},
    {Op::Div, "div", C::Arithmetic, 2},
    {Op::Mod, "mod", C::Arithmetic, 2},
    {Op::Min, "min", C::Arithmetic, 2},
    {Op::Max, "max", C::Arithmetic, 2},
    {Op::Fma, "fma", C::Arithmetic, 3},
    {Op::Abs, "abs", C::Arithmetic, 1},
    {Op::Equal, "equal", C::Compare, 2},
    {Op::NotEqual, "not_equal", C::Compare, 2},
    {Op::Less, "less", C::Compare, 2},
    {Op::LessEqual, "less_equal", C::Compare, 2},
    {Op::And, "and", C::Logic, 2},
    {Op::Or, "or", C::Logic, 2},
    {Op::Not, "not", C::Logic, 1},
    {Op::BitAnd, "bit_and", C::Bits, 2},
    {Op::BitOr, "bit_or", C::Bits, 2},
    {Op::BitXor, "bit_xor", C::Bits, 2},
    {Op::BitNot, "bit_not", C::Bits, 1},
    {Op::ShiftLeft, "shift_left", C::Bits, 2},
    {Op::ShiftRight, "shift_right", C::Bits, 2},
    {Op::CountLeadingZeros, "count_leading_zeros", C::Bits, 1},
    {Op::CountTrailingZeros, "count_trailing_zeros", C::Bits, 1},
    {Op::PopCount, "popcount", C::Bits, 1},
    {Op::Select, "select", C::Logic, 3},
    {Op::Cast, "cast", C::Convert, 1},
    {Op::Reinterpret, "reinterpret", C::Convert, 1},
    {Op::Floor, "floor", C::Math, 1},
    {Op::Ceil, "ceil", C::Math, 1},
    {Op::Round, "round", C::Math, 1},
    {Op::Trunc, "trunc", C::Math, 1},
    {Op::Sqrt, "sqrt", C::Math, 1},
    {Op::Exp, "exp", C::Math, 1},
    {Op::Exp2, "exp2", C::Math, 1},
    {Op::Log, "log", C::Math, 1},
    {Op::Log2, "log2", C::Math, 1},
    {Op::Pow, "pow", C::Math, 2},
    {Op::Sin, "sin", C::Math, 1},
    {Op::Cos, "cos", C::Math, 1},
    {Op::Tan, "tan", C::Math, 1},
    {Op::Tanh, "tanh", C::Math, 1},
    {Op::Erf, "erf", C::Math, 1},
    {Op::Rsqrt, "rsqrt", C::Math, 1},
    {Op::FastExp2, "fast_exp2", C::Math, 1},
    {Op::FastLog2, "fast_log2", C::Math, 1},
    {Op::FastTanh, "fast_tanh", C::Math, 1},
    {Op::FastSin, "fast_sin", C::Math, 1},
    {Op::FastCos, "fast_cos", C::Math, 1},
    {Op::FastRsqrt, "fast_rsqrt", C::Math, 1},
    {Op::FastReciprocal, "fast_reciprocal", C::Math, 1},
    {Op::Strict, "strict", C::Marker, 1},
    {Op::Undef, "undef", C::Marker, 0},
    {Op::PromiseClamped, "promise_clamped", C::Marker, 3},
    {Op::Require, "require", C::Marker, 2},
    {Op::Access, "access", C::Memory, -1},
    {Op::Load, "load", C::Memory, -1},
    {Op::Ramp, "ramp", C::Vector, 2},
    {Op::Broadcast, "broadcast", C::Vector, 1},
    {Op::BlockIndex, "block_index", C::Thread, 1},
    {Op::ThreadIndex, "thread_index", C::Thread, 0},
    {Op::Shuffle, "shuffle", C::Thread, 2},
    {Op::Block, "block", C::Statement, -1},
    {Op::For, "for", C::Statement, 3},
    {Op::Let, "let", C::Statement, 2},
    {Op::Produce, "produce", C::Statement, 1},
    {Op::Provide, "provide", C::Statement, -1},
    {Op::Store, "store", C::Statement, -1},
    {Op::AtomicStore, "atomic_store", C::Statement, -1},
    {Op::Realize, "realize", C::Statement, -1},
    {Op::Allocate, "allocate", C::Statement, 2},
    {Op::Free, "free", C::Statement, 0},
    {Op::If, "if", C::Statement, -1},
    {Op::Assert, "assert", C::Statement, -1},
    {Op::Kernel, "kernel", C::Statement, 5},
    {Op::Barrier, "barrier", C::Statement, 0},
    {Op::Transfer, "transfer", C::Statement, 0},
};
static_assert(std::size(op_table) == static_cast<std::size_t>(Op::Count_));
constexpr bool table_in_order() {
  for (std::size_t i = 0; i < std::size(op_table); ++i) {
    if (op_table[i].op != static_cast<Op>(i)) return false;
  }
  return true;
}
static_assert(table_in_order());

std::uint64_t combine(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 12) + (h >> 4);
  h *= 0xff51afd7ed558ccdULL;
  return h ^ (h >> 32);
}

std::uint64_t bits_of(Type t) {
  return static_cast<std::uint64_t>(t.kind) << 32 | static_cast<std::uint64_t>(t.bits) << 16 |
         t.lanes;
}

bool same_shallow(const Node& a, const Node& b) {
  return a.hash == b.hash && a.op == b.op && a.type == b.type && a.integer == b.integer &&
         std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real) &&
         a.symbol == b.symbol && a.types == b.types && a.args.size() == b.args.size();
}

struct PairHash {
  std::size_t operator()(const std::pair<const Node*, const Node*>& p) const {
    return std::hash<const void*>{}(p.first) * 31 + std::hash<const void*>{}(p.second);
  }
};
using SeenPairs = std::unordered_set<std::pair<const Node*, const Node*>, PairHash>;

// `budget` comparisons without bookkeeping, then pairs found equal are remembered, so that two
// separate copies of one DAG are compared in linear time.
bool equal_nodes(const Node* a, const Node* b, int& budget, SeenPairs& seen) {
  if (a == b) return true;
  if (!a || !b || !same_shallow(*a, *b)) return false;
  if (a->args.empty()) return true;
  if (--budget < 0 && !seen.insert({a, b}).second) return true;
  for (std::size_t i = 0; i < a->args.size(); ++i) {
    if (!equal_nodes(a->args[i].get(), b->args[i].get(), budget, seen)) return false;
  }
  return true;
}

std::vector<Ref> refs(const std::vector<Expr>& list) {
  std::vector<Ref> result;
  result.reserve(list.size());
  for (const Expr& e : list) result.push_back(e.node());
  return result;
}

Stmt statement(Op op, std::vector<Ref> args, const Symbol& symbol = {}, std::int64_t integer = 0,
               std::vector<Type> types = {}) {
  Node n;
  n.op = op;
  n.args = std::move(args);
  n.symbol = symbol;
  n.integer = integer;
  n.types = std::move(types);
  return Stmt(make(std::move(n)));
}

}  // namespace

Ref make(Node node) {
  std::uint64_t h = combine(static_cast<std::uint64_t>(node.op) + 1, bits_of(node.type));
  h = combine(h, static_cast<std::uint64_t>(node.integer));
  h = combine(h, std::bit_cast<std::uint64_t>(node.real));
  h = combine(h, node.symbol.hash());
  for (const Type t : node.types) h = combine(h, bits_of(t));
  std::uint16_t depth = 0;  // of the deepest argument
  for (const Ref& a : node.args) {
    h = combine(h, a ? a->hash : 7);
    if (a) depth = std::max(depth, a->depth);
  }
  node.hash = h;
  // What is freed recursively must fit the stack too.
  constexpr std::uint16_t limit = 4 * MaxDepth;
  if (depth >= limit && !is_statement(node.op)) {
    throw AlgorithmError(Diagnostic{
        "",
        "",
        "the expression nests deeper than " + std::to_string(limit) + " operations",
        "give a part of it to a Func of its own, or write it as a reduction over an RDom",
        {},
        0});
  }
  node.depth = depth == std::numeric_limits<std::uint16_t>::max()
                   ? depth
                   : static_cast<std::uint16_t>(depth + 1);
  return std::make_shared<const Node>(std::move(node));
}

const OpInfo& info(Op op) { return op_table[static_cast<std::size_t>(op)]; }

Op op_named(const std::string& name) {
  for (const OpInfo& i : op_table) {
    if (name == i.name) return i.op;
  }
  return Op::Count_;
}

bool equal(const Ref& a, const Ref& b) {
  int budget = 64;
  SeenPairs seen;
  return equal_nodes(a.get(), b.get(), budget, seen);
}

Expr literal(Type t, std::int64_t value) {
  ensure(!t.is_float() && !t.is_void(), "literal() is for integers, bool and index");
  Node n;
  n.op = Op::Literal;
  n.type = t.element();
  n.integer = Scalar::of_integer(t.element(), value).integer;
  return broadcast(Expr(make(std::move(n))), t.lanes);
}

Expr real_literal(Type t, double value) {
  ensure(t.is_float(), "real_literal() is for floats");
  Node n;
  n.op = Op::Literal;
  n.type = t.element();
  n.real = Scalar::of_real(t.element(), value).real;
  return broadcast(Expr(make(std::move(n))), t.lanes);
}

Expr index_literal(std::int64_t value) { return literal(Index(), value); }
Expr true_value(int lanes) { return literal(Bool(lanes), 1); }
Expr false_value(int lanes) { return literal(Bool(lanes), 0); }

Expr symbol(Type type, const Symbol& s) {
  Node n;
  n.op = Op::Symbol;
  n.type = type;
  n.symbol = s;
  return Expr(make(std::move(n)));
}

Expr expr(Op op, Type type, std::vector<Expr> args, const Symbol& s, std::int64_t integer) {
  Node n;
  n.op = op;
  n.type = type;
  n.args = refs(args);
  n.symbol = s;
  n.integer = integer;
  return Expr(make(std::move(n)));
}

Expr binary(Op op, const Expr& a, const Expr& b) {
  const OpClass c = info(op).op_class;
  const bool shift = op == Op::ShiftLeft || op == Op::ShiftRight;
  ensure(a.defined() && b.defined(), "binary() needs two operands");
  ensure(
      shift ? a->type.bits == b->type.bits && a->type.lanes == b->type.lanes : a->type == b->type,
      "the operands of a binary op have one type");
  return expr(op, c == C::Compare ? Bool(a->type.lanes) : a->type, {a, b});
}

Expr unary(Op op, const Expr& a) {
  Type t = a->type;
  if (op == Op::Abs && t.is_int()) t = UInt(t.bits, t.lanes);
  return expr(op, t, {a});
}

Expr select(const Expr& c, const Expr& t, const Expr& f) {
  ensure(t->type == f->type && c->type == Bool(t->type.lanes),
         "select needs a bool and two values of one type");
  return expr(Op::Select, t->type, {c, t, f});
}

Expr cast_to(Type t, const Expr& e) {
  if (e->type == t) return e;
  ensure(t.lanes == e->type.lanes, "a cast keeps the lanes");
  return expr(Op::Cast, t, {e});
}

Expr access(Type type, const Symbol& stage, std::vector<Expr> coordinates, int component) {
  return expr(Op::Access, type, std::move(coordinates), stage, component);
}

Expr load(Type type, const Symbol& buffer, const Expr& index, const Expr& predicate,
          CacheHint hint) {
  std::vector<Expr> args{index};
  if (predicate.defined()) args.push_back(predicate);
  return expr(Op::Load, type, std::move(args), buffer, static_cast<std::int64_t>(hint));
}

Expr ramp(const Expr& base, const Expr& stride, int lanes) {
  ensure(base->type == stride->type && base->type.is_scalar() && lanes > 1,
         "ramp needs two scalars and lanes");
  return expr(Op::Ramp, base->type.with_lanes(lanes), {base, stride});
}

Expr broadcast(const Expr& e, int lanes) {
  if (lanes == 1) return e;
  ensure(e->type.is_scalar(), "broadcast needs a scalar");
  return expr(Op::Broadcast, e->type.with_lanes(lanes), {e});
}

Stmt block(std::vector<Stmt> list) {
  std::vector<Ref> args;
  for (const Stmt& s : list) {
    if (!s.defined()) continue;
    if (s->op == Op::Block) args.insert(args.end(), s->args.begin(), s->args.end());
    else args.push_back(s.node());
  }
  if (args.size() == 1) return Stmt(args[0]);
  return statement(Op::Block, std::move(args));
}

Stmt for_loop(const Symbol& var, const Expr& min, const Expr& extent, LoopKind kind,
              const Stmt& body) {
  return statement(Op::For, {min.node(), extent.node(), body.node()}, var,
                   static_cast<std::int64_t>(kind));
}
Stmt let(const Symbol& s, const Expr& value, const Stmt& body) {
  return statement(Op::Let, {value.node(), body.node()}, s);
}
Stmt produce(const Symbol& stage, const Stmt& body) {
  return statement(Op::Produce, {body.node()}, stage);
}
Stmt provide(const Symbol& stage, const std::vector<Expr>& values,
             const std::vector<Expr>& coordinates) {
  std::vector<Ref> args = refs(values);
  for (const Expr& c : coordinates) args.push_back(c.node());
  return statement(Op::Provide, std::move(args), stage, static_cast<std::int64_t>(values.size()));
}
Stmt store(const Symbol& buffer, const Expr& value, const Expr& index, const Expr& predicate,
           CacheHint hint) {
  std::vector<Ref> args{value.node(), index.node()};
  if (predicate.defined()) args.push_back(predicate.node());
  return statement(Op::Store, std::move(args), buffer, static_cast<std::int64_t>(hint));
}
Stmt atomic_store(Op op, const Symbol& buffer, const Expr& operand, const Expr& index,
                  const Expr& predicate) {
  std::vector<Ref> args{operand.node(), index.node()};
  if (predicate.defined()) args.push_back(predicate.node());
  return statement(Op::AtomicStore, std::move(args), buffer, static_cast<std::int64_t>(op));
}
Stmt realize(const Symbol& stage, std::vector<Type> types, const std::vector<Range>& box,
             MemoryKind memory, const Stmt& body) {
  std::vector<Ref> args;
  for (const Range& r : box) {
    args.push_back(r.min.node());
    args.push_back(r.extent.node());
  }
  args.push_back(body.node());
  return statement(Op::Realize, std::move(args), stage, static_cast<std::int64_t>(memory),
                   std::move(types));
}
Stmt allocate(const Symbol& buffer, Type element, const Expr& elements, MemoryKind memory,
              const Stmt& body) {
  return statement(Op::Allocate, {elements.node(), body.node()}, buffer,
                   static_cast<std::int64_t>(memory), {element});
}
Stmt free_buffer(const Symbol& buffer) { return statement(Op::Free, {}, buffer); }
Stmt kernel(const Symbol& name, const GridSize& size, const Stmt& body,
            const KernelLimits& limits) {
  return statement(Op::Kernel,
                   {size.blocks[0].node(), size.blocks[1].node(), size.blocks[2].node(),
                    size.threads.node(), body.node()},
                   name, limits.max_registers | limits.min_blocks << 8);
}
KernelLimits limits_of(const Node& kernel) {
  return {kernel.integer & KernelLimits::Most, kernel.integer >> 8};
}
const char* transfer_name(TransferKind kind) {
  switch (kind) {
    case TransferKind::ToDevice:
      return "to_device";
    case TransferKind::ToHost:
      return "to_host";
    case TransferKind::OnDevice:
      return "on_device";
    case TransferKind::Written:
      return "written";
    case TransferKind::HostWritten:
      return "host_written";
  }
  return "";
}
Stmt barrier() { return statement(Op::Barrier, {}); }
Stmt transfer(const Symbol& buffer, TransferKind kind) {
  return statement(Op::Transfer, {}, buffer, static_cast<std::int64_t>(kind));
}
Stmt if_then(const Expr& condition, const Stmt& then_case, const Stmt& else_case) {
  std::vector<Ref> args{condition.node(), then_case.node()};
  if (else_case.defined()) args.push_back(else_case.node());
  return statement(Op::If, std::move(args));
}
Stmt assert_that(const Expr& condition, const std::string& message,
                 const std::vector<Expr>& values) {
  std::vector<Ref> args{condition.node()};
  for (const Expr& v : values) args.push_back(v.node());
  return statement(Op::Assert, std::move(args), Symbol::named(message));
}

bool as_constant(const Expr& e, std::int64_t* value) {
  if (!e.defined()) return false;
  if (e->op == Op::Broadcast) return as_constant(arg(e, 0), value);
  if (e->op != Op::Literal || e->type.is_float()) return false;
  *value = e->integer;
  return true;
}

Ref with_args(const Ref& node, std::vector<Ref> args) {
  if (args == node->args) return node;
  Node copy = *node;
  copy.args = std::move(args);
  return make(std::move(copy));
}

namespace {
auto substituter(const Substitution& map) {
  return [&map](const Ref& n) -> Ref {
    if (n->op != Op::Symbol) return n;
    const auto it = map.find(n->symbol);
    if (it == map.end()) return n;
    ensure(it->second->type.element() == n->type.element(), "a substitution keeps the type");
    return it->second.node();
  };
}
}  // namespace

Expr substitute(const Expr& e, const Substitution& map) {
  return map.empty() ? e : rewrite(e, substituter(map));
}
Stmt substitute(const Stmt& s, const Substitution& map) {
  return map.empty() ? s : rewrite(s, substituter(map));
}

bool uses_symbol(const Ref& root, const Symbol& s) {
  bool found = false;
  for_each_node(root, [&](const Ref& n) {
    found = found || n->symbol == s;
    return !found;
  });
  return found;
}

std::unordered_set<Symbol> free_symbols(const Ref& root) {
  // Binders are unique in well-formed IR, so free = mentioned as a value and not bound anywhere
  // inside.
  std::unordered_set<Symbol> mentioned, bound;
  for_each_node(root, [&](const Ref& n) {
    if (n->op == Op::Symbol) mentioned.insert(n->symbol);
    if (n->op == Op::For || n->op == Op::Let) bound.insert(n->symbol);
    return true;
  });
  for (const Symbol& s : bound) mentioned.erase(s);
  return mentioned;
}

}  // namespace sinter::ir
