#pragma once
// The one node of the IR. Expressions and statements are immutable trees (DAGs: sharing is free and
// meaningful for cost, never for meaning) of `Node`s told apart by `Op`. What each Op means is in
// semantics.md; arity, text name and class are in op_table (node.cpp). Switch over Op without a
// default: the compiler then lists what a new Op still needs.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <sinter/expr.h>
#include <sinter/symbol.h>
#include <sinter/type.h>

namespace sinter::ir {

enum class Op : std::uint8_t {
  // --- leaves
  Literal,  // payload integer (index, bool, int, uint: value) or real (floats); a scalar type
  Symbol,   // payload symbol: loop variable, let, parameter, buffer field
  // --- arithmetic: args of the result's type. Index: exact in Z. Int/UInt: wrapping.
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  Min,
  Max,
  Fma,  // f32, f64: a*b + c rounded once
  Abs,  // int: result is uint of the same width
  // --- comparisons (args of one type, result bool) and logic (bool)
  Equal,
  NotEqual,
  Less,
  LessEqual,
  And,
  Or,
  Not,
  // --- bits (int, uint); the shift amount has the type of the value or its signed twin
  BitAnd,
  BitOr,
  BitXor,
  BitNot,
  ShiftLeft,
  ShiftRight,
  CountLeadingZeros,
  CountTrailingZeros,
  PopCount,
  // --- choice and conversion
  Select,  // bool, a, b; both arms are evaluated
  Cast,
  Reinterpret,
  // --- floats: correctly rounded
  Floor,
  Ceil,
  Round,
  Trunc,
  Sqrt,
  // --- floats: portable polynomials (dsl/algorithm/portable_math), removed by lower_math
  Exp,
  Exp2,
  Log,
  Log2,
  Pow,
  Sin,
  Cos,
  Tan,
  Tanh,
  Erf,
  Rsqrt,
  // --- floats: the target's approximation, where it has one; else the portable function
  FastExp2,
  FastLog2,
  FastTanh,
  FastSin,
  FastCos,
  FastRsqrt,
  FastReciprocal,
  // --- markers
  Strict,  // front end only: the operand is not contracted; dropped when a definition is built
  Undef,   // front end only: a definition's whole value
  PromiseClamped,  // value, low, high: value, with a promised range
  Require,         // bool, value; symbol = message: value, the call fails unless the bool holds
  // --- memory
  Access,  // symbol = stage or image, args = coordinates (index), integer = tuple component
  Load,    // symbol = allocation or buffer, args = {flat element index [, predicate]},
           //   integer = CacheHint
  // --- vectors
  Ramp,       // base, stride (scalars); lane i = base + i * stride
  Broadcast,  // scalar
  // --- threads of a kernel (level Machine, made by map_to_grid)
  BlockIndex,   // dimension of the grid (a literal 0, 1 or 2); type index
  ThreadIndex,  // number of the thread in its block; type index
  Shuffle,  // value, lane (index): the value that this lane of the warp computed; all lanes take
            // part
  // --- statements (type void)
  Block,        // args in order
  For,          // symbol = variable, args = {min, extent, body}, integer = LoopKind
  Let,          // symbol, args = {value, body}
  Produce,      // symbol = stage, args = {body}: where a stage's values come into being; for people
  Provide,      // symbol = stage, integer = number of values, args = {values..., coordinates...};
                //   all values are computed before the first is written. A negative integer: the
                //   update is indivisible (schedule: atomic), -integer values
  Store,        // symbol = buffer, args = {value, flat index [, predicate]}, integer = CacheHint
  AtomicStore,  // symbol = buffer, args = {operand, flat index [, predicate]}, integer = Op:
                //   buffer[index] = buffer[index] op operand, indivisibly; lanes in any order
  Realize,      // symbol = stage, args = {min0, extent0, ..., body}; types = element types of the
                //   components (Node::types), integer = MemoryKind. Removed by flatten_storage
  Allocate,     // symbol = buffer, args = {number of elements, body}, types = {element},
                //   integer = MemoryKind. Freed at the end of body or by Free inside it
  Free,         // symbol = buffer
  If,           // condition, then [, else]
  Assert,       // condition, values...; symbol = message with one {} for each value. Fails the call
  Kernel,       // symbol = name, args = {blocks0, blocks1, blocks2, threads, body}, integer =
                //   KernelLimits: the body runs on the device, once for every thread of every block
  Barrier,      // all threads of the block have arrived, and see what the others wrote
  Transfer,     // symbol = buffer, integer = TransferKind
  Count_,
};

enum class LoopKind : std::uint8_t {
  Serial,
  Parallel,
  Vectorized,
  Unrolled,
  GpuBlock,
  GpuThread,
  GpuLane,
  GpuWarp
};
constexpr bool is_gpu_loop(LoopKind k) { return k >= LoopKind::GpuBlock; }
constexpr bool is_thread_loop(LoopKind k) { return k >= LoopKind::GpuThread; }
/// Iterations run at the same time, on threads of whatever kind.
constexpr bool is_concurrent(LoopKind k) { return k == LoopKind::Parallel || is_gpu_loop(k); }
/// Device and Both are made by lowering: memory of the device, or one instance there and one here.
enum class MemoryKind : std::uint8_t { Auto, Heap, Stack, Register, GPUShared, Device, Both };
/// Says how soon the data is used again; never changes a value.
enum class CacheHint : std::uint8_t { None, Streaming };
/// What a kernel's code is held to; 0: nothing.
struct KernelLimits {
  std::int64_t max_registers = 0;  // of a thread
  std::int64_t min_blocks = 0;     // on a multiprocessor at a time
  bool operator==(const KernelLimits&) const = default;
  static constexpr std::int64_t Most = 255;  // of each, as a kernel holds them
};
enum class TransferKind : std::uint8_t {
  ToDevice,  // the device's instance becomes what the host's is
  ToHost,
  OnDevice,     // the device's instance exists; its content does not matter
  Written,      // the device's instance is the newer one
  HostWritten,  // the host's is
};

using Ref = std::shared_ptr<const Node>;

struct Node {
  Op op = Op::Literal;
  Type type;
  std::uint16_t depth = 0;  // of nesting, 1 for a leaf; saturates; set by make()
  std::vector<Ref> args;
  std::int64_t integer = 0;
  double real = 0;
  Symbol symbol;
  std::vector<Type> types;  // Realize, Allocate only
  // Front end only: what the user's object behind the node is (algorithm/entities.h). Takes no part
  // in hashes and equality; dropped when a definition is built.
  std::shared_ptr<const void> payload;
  std::uint64_t hash = 0;  // structural; set by make()
};

/// The only way to make a node: fills in the structural hash and the depth. Refuses an expression
/// that nests beyond any use, before recursion exhausts the stack.
Ref make(Node node);
/// How deep the values of a definition may nest, inlined calls included.
inline constexpr int MaxDepth = 4000;

enum class OpClass : std::uint8_t {
  Leaf,
  Arithmetic,
  Compare,
  Logic,
  Bits,
  Convert,
  Math,
  Marker,
  Memory,
  Vector,
  Thread,
  Statement
};
struct OpInfo {
  Op op;
  const char* name;  // text form: "add", "select", "for"
  OpClass op_class;
  int arity;  // -1: varies
};
const OpInfo& info(Op);
/// Op named so in the text form; Op::Count_ when there is none.
Op op_named(const std::string&);
/// Functions with polynomials of ours; `is_fast`: those a target may approximate.
constexpr bool is_portable(Op op) { return op >= Op::Exp && op <= Op::FastReciprocal; }
constexpr bool is_fast(Op op) { return op >= Op::FastExp2 && op <= Op::FastReciprocal; }
inline bool is_statement(Op op) { return info(op).op_class == OpClass::Statement; }

/// Structural equality; linear in the number of distinct nodes even for DAGs.
bool equal(const Ref&, const Ref&);
inline bool equal(const Expr& a, const Expr& b) { return equal(a.node(), b.node()); }
struct RefHash {
  std::size_t operator()(const Ref& r) const { return r ? r->hash : 0; }
};
struct RefEqual {
  bool operator()(const Ref& a, const Ref& b) const { return equal(a, b); }
};
struct ExprHash {
  std::size_t operator()(const Expr& e) const { return e.defined() ? e->hash : 0; }
};
struct ExprEqual {
  bool operator()(const Expr& a, const Expr& b) const { return equal(a.node(), b.node()); }
};

/// A statement of the loop IR.
class Stmt {
 public:
  Stmt() = default;
  explicit Stmt(Ref node) : node_(std::move(node)) {}
  bool defined() const { return node_ != nullptr; }
  const Node& operator*() const { return *node_; }
  const Node* operator->() const { return node_.get(); }
  const Ref& node() const { return node_; }
  bool same_as(const Stmt& o) const { return node_ == o.node_; }

 private:
  Ref node_;
};

// --- builders (no simplification, no type matching beyond ensure())
Expr literal(Type, std::int64_t);  // any non-float scalar or vector (broadcast) type
Expr real_literal(Type, double);   // rounds to the type
Expr index_literal(std::int64_t);
Expr true_value(int lanes = 1);
Expr false_value(int lanes = 1);
Expr symbol(Type, const Symbol&);
inline Expr index_symbol(const Symbol& s) { return symbol(Index(), s); }
/// Any expression op with given result type. Arithmetic, comparisons...: see `binary`.
Expr expr(Op, Type, std::vector<Expr> args, const Symbol& = {}, std::int64_t integer = 0);
/// Binary op on operands of one type (lanes included); result type follows (bool for comparisons).
Expr binary(Op, const Expr&, const Expr&);
Expr unary(Op, const Expr&);
Expr select(const Expr& c, const Expr& t, const Expr& f);
Expr cast_to(Type, const Expr&);  // nothing when the type is already that
Expr access(Type, const Symbol& stage, std::vector<Expr> coordinates, int component = 0);
Expr load(Type, const Symbol& buffer, const Expr& index, const Expr& predicate = {},
          CacheHint = CacheHint::None);
Expr ramp(const Expr& base, const Expr& stride, int lanes);
Expr broadcast(const Expr&, int lanes);  // nothing for lanes == 1

Stmt block(std::vector<Stmt>);  // flattens nested blocks, drops undefined ones
Stmt for_loop(const Symbol& var, const Expr& min, const Expr& extent, LoopKind, const Stmt& body);
Stmt let(const Symbol&, const Expr& value, const Stmt& body);
Stmt produce(const Symbol& stage, const Stmt& body);
Stmt provide(const Symbol& stage, const std::vector<Expr>& values,
             const std::vector<Expr>& coordinates);
Stmt store(const Symbol& buffer, const Expr& value, const Expr& index, const Expr& predicate = {},
           CacheHint = CacheHint::None);
Stmt atomic_store(Op, const Symbol& buffer, const Expr& operand, const Expr& index,
                  const Expr& predicate = {});
struct Range {
  Expr min, extent;
};
Stmt realize(const Symbol& stage, std::vector<Type> types, const std::vector<Range>& box,
             MemoryKind, const Stmt& body);
Stmt allocate(const Symbol& buffer, Type element, const Expr& elements, MemoryKind,
              const Stmt& body);
Stmt free_buffer(const Symbol& buffer);
Stmt if_then(const Expr& condition, const Stmt& then_case, const Stmt& else_case = {});
Stmt assert_that(const Expr& condition, const std::string& message,
                 const std::vector<Expr>& values = {});
struct GridSize {
  Expr blocks[3];
  Expr threads;
};
Stmt kernel(const Symbol& name, const GridSize&, const Stmt& body, const KernelLimits& = {});
KernelLimits limits_of(const Node& kernel);
/// Of a Load or Store.
inline CacheHint cache_hint(const Node& n) { return static_cast<CacheHint>(n.integer); }
Stmt barrier();
Stmt transfer(const Symbol& buffer, TransferKind);
const char* transfer_name(TransferKind);  // in the text form: "to_device"

// --- views
inline Expr as_expr(const Ref& r) { return Expr(r); }
inline Expr arg(const Expr& e, std::size_t i) { return Expr(e->args[i]); }
inline Expr arg(const Stmt& s, std::size_t i) { return Expr(s->args[i]); }
inline Stmt stmt_arg(const Stmt& s, std::size_t i) { return Stmt(s->args[i]); }
inline bool is(const Expr& e, Op op) { return e.defined() && e->op == op; }
inline bool is(const Stmt& s, Op op) { return s.defined() && s->op == op; }
/// The value of an integer, bool or index literal (or a broadcast of one).
bool as_constant(const Expr&, std::int64_t* value);
inline bool is_constant(const Expr& e, std::int64_t v) {
  std::int64_t c;
  return as_constant(e, &c) && c == v;
}

// --- rewriting
/// The node with other children; the same node when none changed.
Ref with_args(const Ref& node, std::vector<Ref> args);
/// Bottom-up rewriting with each distinct node visited once. `visit` gets a node whose children are
/// rewritten already, and returns it or a replacement.
template <typename Visit>
class Rewriter {
 public:
  explicit Rewriter(Visit visit) : visit_(std::move(visit)) {}
  Ref operator()(const Ref& node) {
    if (!node) return node;
    if (auto it = memo_.find(node.get()); it != memo_.end()) return it->second.second;
    std::vector<Ref> args;
    args.reserve(node->args.size());
    for (const Ref& a : node->args) args.push_back((*this)(a));
    Ref result = visit_(with_args(node, std::move(args)));
    memo_.emplace(node.get(), std::make_pair(node, result));
    return result;
  }
  Expr operator()(const Expr& e) { return Expr((*this)(e.node())); }
  Stmt operator()(const Stmt& s) { return Stmt((*this)(s.node())); }

 private:
  Visit visit_;
  std::unordered_map<const Node*, std::pair<Ref, Ref>> memo_;  // keeps keys alive
};
template <typename Visit>
Expr rewrite(const Expr& e, Visit visit) {
  return Rewriter<Visit>(std::move(visit))(e);
}
template <typename Visit>
Stmt rewrite(const Stmt& s, Visit visit) {
  return Rewriter<Visit>(std::move(visit))(s);
}

using Substitution = std::unordered_map<Symbol, Expr>;
/// Symbols replaced. Binders (For, Let) are assumed to bind fresh symbols: nothing is renamed.
Expr substitute(const Expr&, const Substitution&);
Stmt substitute(const Stmt&, const Substitution&);

/// Calls `visit(const Ref&)` once for each distinct node, parents first. Returning false skips
/// children.
template <typename Visit>
void for_each_node(const Ref& root, Visit&& visit) {
  std::unordered_set<const Node*> seen;
  std::vector<Ref> stack{root};
  while (!stack.empty()) {
    Ref n = std::move(stack.back());
    stack.pop_back();
    if (!n || !seen.insert(n.get()).second) continue;
    if (!visit(n)) continue;
    for (auto it = n->args.rbegin(); it != n->args.rend(); ++it) stack.push_back(*it);
  }
}
bool uses_symbol(const Ref&, const Symbol&);
std::unordered_set<Symbol> free_symbols(const Ref&);

}  // namespace sinter::ir
