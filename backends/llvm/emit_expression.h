#pragma once
// ExpressionEmitter: expressions of the loop IR as LLVM values, memory included. Owns what symbols
// and buffers are bound to; statements and functions are its user's business.

#include <functional>
#include <optional>
#include <unordered_map>

#include "backends/llvm/emit_value.h"
#include "dsl/algebra/divisibility.h"
#include "dsl/algebra/float_bounds.h"

namespace sinter::backends {

/// A buffer in scope: where element 0 lives, what is stored, and its own alias tag.
struct BufferBinding {
  llvm::Value* pointer = nullptr;
  Type element;
  llvm::MDNode* alias_tag = nullptr;
  std::int64_t alignment = 0;  // bytes, of element 0; 0: an element's
  bool streams = false;        // the access at hand: what it touches is not used again soon
};

class ExpressionEmitter {
 public:
  explicit ExpressionEmitter(llvm::IRBuilder<>& builder) : values(builder), b_(builder) {}

  llvm::Value* emit(const ir::Ref&);
  llvm::Value* emit(const Expr& e) { return emit(e.node()); }
  void store(const ir::Node& store);
  void atomic_store(const ir::Node& store);
  /// Values are shared between the occurrences of a node within one statement; called at its end.
  void forget() {
    memo_.clear();
    narrow_memo_.clear();
  }

  std::unordered_map<Symbol, llvm::Value*> symbols;  // or the addresses of their values
  std::unordered_map<Symbol, BufferBinding> buffers;
  /// Called with the condition and message of a Require.
  std::function<void(llvm::Value*, const std::string&)> require;
  ValueEmitter values;
  const GpuHooks* hooks = nullptr;  // set in kernels
  algebra::Multiples multiples;     // of symbols; kernels only

 private:
  /// base + stride * lane with a base and stride that are scalars.
  struct Linear {
    llvm::Value* base;
    llvm::Value* stride;
  };
  /// A condition under which lanes take part; null value: all.
  struct Mask {
    llvm::Value* value = nullptr;
  };

  llvm::Value* emit_new(const ir::Node&);
  llvm::Value* emit_operator(const ir::Node&);
  bool is_simple_inverse(const ir::Node&);
  llvm::Value* emit_shuffle(const ir::Node&);
  llvm::Value* emit_comparison(const ir::Node&);
  llvm::Value* emit_ramp(const ir::Node&);
  /// The node (of type Index) modulo 2^bits, computed in `to`.
  llvm::Value* emit_narrow(const ir::Ref&, Type to);
  bool can_narrow(const ir::Node&) const;

  // emit_memory.cpp
  static bool is_linear(const ir::Node&);
  Linear emit_linear(const ir::Ref&);
  llvm::Value* load(const ir::Node&);
  llvm::Value* dense_load(const BufferBinding&, Type, llvm::Value* base, Mask, llvm::Align);
  llvm::Value* strided_load(const BufferBinding&, Type, llvm::Value* base, int stride);
  llvm::Value* gather(const BufferBinding&, Type, llvm::Value* pointers, Mask);
  llvm::Value* scalar_load(const BufferBinding&, Type, llvm::Value* index, llvm::Align);
  void scalar_store(const BufferBinding&, Type, llvm::Value* value, llvm::Value* index);
  /// Addresses of the lanes of a vector index.
  llvm::Value* lane_pointers(const BufferBinding&, const ir::Ref& index);
  llvm::Value* element_pointer(const BufferBinding&, llvm::Value* index);
  void atomic_update(const BufferBinding&, Type, ir::Op, llvm::Value* operand, llvm::Value* index);
  void under(llvm::Value* condition, const std::function<void()>& body);
  llvm::Value* reverse(llvm::Value*);
  Mask mask_of(const ir::Node&, std::size_t position);
  BufferBinding buffer(const Symbol&) const;
  llvm::Align alignment(Type) const;
  /// Of the first element that an index speaks of.
  llvm::Align alignment(const BufferBinding&, const ir::Ref& index) const;
  template <typename Access>
  Access* tag(const BufferBinding&, Access*) const;

  llvm::IRBuilder<>& b_;
  algebra::FloatBounds floats_;
  std::unordered_map<const ir::Node*, llvm::Value*> memo_;
  std::unordered_map<const ir::Node*, std::pair<Type, llvm::Value*>> narrow_memo_;
};

}  // namespace sinter::backends
