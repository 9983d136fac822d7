#pragma once
// ValueEmitter: the meaning of every expression op (dsl/ir/scalar.h) as LLVM instructions on values
// that exist already. Knows types and operators; not symbols, memory or statements.
// In registers: bool is i1, f16 and bf16 are their bits (i16) and computed in f32, index is i64.

#include <cstdint>

#include <llvm/IR/IRBuilder.h>

#include <sinter/diagnostic.h>

#include "backends/llvm/gpu_hooks.h"
#include "dsl/ir/node.h"

namespace sinter::backends {

class ValueEmitter {
 public:
  explicit ValueEmitter(llvm::IRBuilder<>& builder) : b_(builder) {}

  const GpuHooks* hooks = nullptr;  // set in kernels
  /// f(lane of each) for all lanes of values of one shape; the values themselves when they are
  /// scalars.
  template <typename F>
  llvm::Value* by_lane(llvm::ArrayRef<llvm::Value*> values, const F& f) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(values[0]->getType());
    if (!vector) return f(values);
    llvm::Value* result = nullptr;
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      llvm::SmallVector<llvm::Value*, 2> lanes;
      for (llvm::Value* v : values) lanes.push_back(b_.CreateExtractElement(v, i));
      llvm::Value* one = f(llvm::ArrayRef<llvm::Value*>(lanes));
      if (!result)
        result = llvm::PoisonValue::get(
            llvm::FixedVectorType::get(one->getType(), vector->getNumElements()));
      result = b_.CreateInsertElement(result, one, i);
    }
    return result;
  }

  /// The LLVM type of a value in a register, and of an element (or a vector of them) in memory.
  llvm::Type* type(Type) const;
  llvm::Type* memory_type(Type) const;
  llvm::Constant* integer_constant(Type, std::int64_t) const;
  llvm::Constant* real_constant(Type, double) const;
  /// A vector of n copies; the value itself for n == 1.
  llvm::Value* splat(llvm::Value*, int lanes);
  /// <0, step, 2 step, ...> of the element type given.
  llvm::Constant* iota(Type element, int lanes, std::int64_t step = 1) const;

  /// Any op of the classes Arithmetic, Compare, Logic, Bits, Convert and the correctly rounded Math
  /// ops; `types` are those of the arguments.
  llvm::Value* apply(ir::Op, Type result, llvm::ArrayRef<Type> types,
                     llvm::ArrayRef<llvm::Value*> arguments);
  llvm::Value* cast(Type to, Type from, llvm::Value*);
  /// Float to integer where neither NaN nor saturation can occur.
  llvm::Value* truncate(Type to, Type from, llvm::Value*);

  /// From a memory value to a register value and back: only bool differs.
  llvm::Value* from_memory(Type, llvm::Value*);
  llvm::Value* to_memory(Type, llvm::Value*);

 private:
  // emit_integer.cpp
  llvm::Value* integer(ir::Op, Type, llvm::ArrayRef<llvm::Value*>);
  llvm::Value* divide(Type, llvm::Value* x, llvm::Value* y);
  llvm::Value* modulo(Type, llvm::Value* x, llvm::Value* y);
  llvm::Value* divide_by_constant(Type, llvm::Value* x, const llvm::APInt& y);
  llvm::Value* safe_divisor(Type, llvm::Value* y);
  llvm::Value* truncating_quotient(Type, llvm::Value* x, llvm::Value* y);
  llvm::Value* shift(bool left, Type, Type amount_type, llvm::Value* x, llvm::Value* amount);
  llvm::Value* shift_unsigned(bool left, Type, llvm::Value* x, llvm::Value* amount);
  llvm::Value* compare(ir::Op, Type, llvm::Value* a, llvm::Value* b);
  // emit_float.cpp
  llvm::Value* floating(ir::Op, Type, llvm::ArrayRef<llvm::Value*>);
  llvm::Value* fma_of_short_floats(Type, llvm::ArrayRef<llvm::Value*> wide);
  llvm::Value* widen_pairs(Type, llvm::Value*);
  llvm::Value* bound(llvm::Value* condition, llvm::Value* constant, llvm::Value* x);
  llvm::Value* float_min_max(bool is_min, llvm::Value* a, llvm::Value* b);
  /// f16 and bf16 bits to f32, exact; f32 and f64 as they are.
  llvm::Value* widen(Type, llvm::Value*);
  /// f32 to the 16-bit type, one rounding.
  llvm::Value* narrow(Type, llvm::Value*);
  /// f64 to f32 so that a later rounding to 16 bits equals one rounding (round to odd).
  llvm::Value* round_to_odd(int lanes, llvm::Value* f64);
  /// f64 to any float type, one rounding.
  llvm::Value* from_double(Type to, llvm::Value* f64);
  llvm::Value* float_to_integer(Type to, Type from, llvm::Value*);
  llvm::Value* integer_to_float(Type to, Type from, llvm::Value*);
  llvm::Value* float_to_float(Type to, Type from, llvm::Value*);

  llvm::IRBuilder<>& b_;
};

}  // namespace sinter::backends
