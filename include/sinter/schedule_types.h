#pragma once
// The words that directives are written with: tail strategies, memories, loop levels.

#include <source_location>
#include <type_traits>

#include <sinter/expr.h>
#include <sinter/reduction.h>

namespace sinter {

class Func;

/// What happens when a split's factor does not divide the extent.
enum class TailStrategy { Auto, RoundUp, GuardWithIf, ShiftInwards };
/// Whether a loop is cut into a part with and parts without boundary conditions.
enum class Partition { Auto, Never, Always };
/// Where a stage is stored.
/// Register on a GPU: each thread keeps its own elements. GPUShared: one copy a block.
enum class MemoryType { Auto, Heap, Stack, Register, GPUShared };

/// A loop variable in a directive, and where it was written.
struct VarOrRVar {
  template <typename V>
    requires(std::is_same_v<std::remove_cvref_t<V>, Var> ||
             std::is_same_v<std::remove_cvref_t<V>, RVar> ||
             std::is_same_v<std::remove_cvref_t<V>, RDom>)
  VarOrRVar(const V& v, std::source_location location = std::source_location::current())
      : symbol(symbol_of(v)), is_rvar(!std::is_same_v<V, Var>), where(location) {}
  const std::string& name() const { return symbol.name(); }

  Symbol symbol;
  bool is_rvar = false;
  std::source_location where;

 private:
  static Symbol symbol_of(const Var& v) { return v.symbol(); }
  static Symbol symbol_of(const RVar& v) { return v.symbol(); }
  static Symbol symbol_of(const RDom& r) { return RVar(r).symbol(); }
};

/// A place in the loops of a consumer: a loop of one of its definitions, the root, or inlined.
class LoopLevel {
 public:
  /// `definition` as in update(definition - 1); -1: every definition.
  LoopLevel(const Func& consumer, const VarOrRVar& loop, int definition = -1);
  static LoopLevel root() { return LoopLevel(Kind::Root); }
  static LoopLevel inlined() { return LoopLevel(Kind::Inlined); }

  bool is_root() const { return kind_ == Kind::Root; }
  bool is_inlined() const { return kind_ == Kind::Inlined; }
  const Symbol& consumer() const { return consumer_; }
  const Symbol& loop() const { return loop_; }
  int definition() const { return definition_; }

 private:
  enum class Kind { Root, Inlined, Loop };
  explicit LoopLevel(Kind kind) : kind_(kind) {}
  Kind kind_ = Kind::Inlined;
  Symbol consumer_, loop_;
  int definition_ = -1;
};

}  // namespace sinter
