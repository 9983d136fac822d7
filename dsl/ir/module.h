#pragma once
// ir::Module: what lowering makes and backends compile. One host function: arguments and a body.

#include <source_location>
#include <string>
#include <vector>

#include "dsl/ir/node.h"

namespace sinter::ir {

/// A dimension of a buffer argument: three Index symbols that the body may read.
struct DimensionSymbols {
  Symbol min, extent, stride;
};

struct Argument {
  enum class Kind { Input, Output, Scalar };
  Kind kind = Kind::Scalar;
  Symbol symbol;     // buffer, or scalar value of `type`
  Symbol stage;      // buffers: what Access and Provide call it (level Nested);
                     //   the components of a tuple share it, in order
  std::string name;  // text name, unique in the module
  Type type;
  std::vector<DimensionSymbols> dimensions;  // buffers only; strides count elements
  bool keeps_content = false;  // Output: what the caller's elements held may be read or stay
  bool is_buffer() const { return kind != Kind::Scalar; }
};

/// What a buffer's field must be when the module is called.
struct Constraint {
  Symbol symbol;
  Expr value;           // Index, over fields and scalars
  std::string message;  // with a {} for each of the two
};

/// Which accesses of a stage carry CacheHint::Streaming.
struct StreamedAccesses {
  bool stores = false;
  bool all_loads = false;
  std::vector<Symbol> producers;  // loads from these do
  bool none() const { return !stores && !all_loads && producers.empty(); }
};

/// A definition where the user wrote it; 0 is the pure one, k >= 1 `update(k - 1)`.
struct Source {
  Symbol stage;
  int definition = 0;
  std::source_location where;
  /// "hist.update(0)"
  std::string name() const {
    return stage.name() + (definition > 0 ? ".update(" + std::to_string(definition - 1) + ")" : "");
  }
};
using Sources = std::unordered_map<Symbol, Source>;

struct Module {
  std::string name;
  std::vector<Argument> arguments;  // inputs, scalars, outputs (one per tuple component)
  Stmt body;
  std::vector<Constraint> constraints;  // until apply_constraints
  /// Arguments' memory starts at a multiple of so many bytes; 0: of an element.
  std::int64_t alignment = 0;
  std::unordered_map<Symbol, std::int64_t> multiples;  // what fields of arguments are multiples of
  std::unordered_set<Symbol> never_partition;          // loops that partition_loops leaves alone
  std::unordered_map<Symbol, KernelLimits> kernel_limits;  // by loop over blocks; until map_to_grid
  std::unordered_map<Symbol, StreamedAccesses> streamed;   // by stage; until flatten_storage
  Sources sources;  // by variable of a definition's loops, by stage, and by its memory
};

std::string print(const Expr&);
std::string print(const Stmt&);
/// Names are made unique by suffixes; parse(print(m)) prints the same text again.
std::string print(const Module&);

/// Text to module. Throws Error with line and column on malformed text.
Module parse_module(const std::string& text);
/// `names`: symbols that the text may mention, by name; others are made as Symbol::named.
Expr parse_expr(const std::string& text, const std::unordered_map<std::string, Expr>& names = {});

/// What a module has become: each level forbids what its passes have removed.
enum class Level {
  Nested,   // Provide, Realize, Access; vectorised and unrolled loops still loops
  Flat,     // Store, Load, Allocate only; math ops still there
  Machine,  // loops are serial or, on the host, parallel; no Vectorized/Unrolled loops, no
            // Exp...Rsqrt, Strict, PromiseClamped, Require
};
/// Empty when the module is well formed at that level, else one line per broken rule.
std::vector<std::string> verify(const Module&, Level);

}  // namespace sinter::ir
