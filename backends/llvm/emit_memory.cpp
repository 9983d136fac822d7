// Loads and stores: the cheapest instruction that touches exactly the elements asked for.
#include "backends/llvm/emit_expression.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

namespace sinter::backends {

using ir::Op;
using llvm::Value;

BufferBinding ExpressionEmitter::buffer(const Symbol& symbol) const {
  auto it = buffers.find(symbol);
  if (it == buffers.end()) throw InternalError("no buffer for the symbol " + symbol.name());
  return it->second;
}

llvm::Align ExpressionEmitter::alignment(Type t) const {
  return llvm::Align(static_cast<std::uint64_t>(t.bytes()));
}

llvm::Align ExpressionEmitter::alignment(const BufferBinding& buffer, const ir::Ref& index) const {
  const std::int64_t element = buffer.element.bytes();
  if (buffer.alignment <= element) return llvm::Align(static_cast<std::uint64_t>(element));
  const std::int64_t multiple =
      std::gcd(algebra::multiple_of(index, multiples) * element, buffer.alignment);
  return llvm::Align(static_cast<std::uint64_t>(multiple & -multiple));
}

template <typename Access>
Access* ExpressionEmitter::tag(const BufferBinding& buffer, Access* access) const {
  if (buffer.alias_tag) access->setMetadata(llvm::LLVMContext::MD_tbaa, buffer.alias_tag);
  if (buffer.streams) {
    llvm::Metadata* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
    access->setMetadata(llvm::LLVMContext::MD_nontemporal,
                        llvm::MDNode::get(b_.getContext(), {one}));
  }
  return access;
}

Value* ExpressionEmitter::element_pointer(const BufferBinding& buffer, Value* index) {
  return b_.CreateGEP(values.memory_type(buffer.element.element()), buffer.pointer, index);
}

Value* ExpressionEmitter::reverse(Value* vector) {
  const int lanes =
      static_cast<int>(llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements());
  llvm::SmallVector<int, 64> order;
  for (int i = lanes - 1; i >= 0; --i) order.push_back(i);
  return b_.CreateShuffleVector(vector, order);
}

ExpressionEmitter::Mask ExpressionEmitter::mask_of(const ir::Node& n, std::size_t position) {
  if (n.args.size() <= position) return {};
  Value* value = emit(n.args[position]);
  int lanes = n.type.lanes;
  for (const ir::Ref& argument : n.args) lanes = std::max<int>(lanes, argument->type.lanes);
  if (n.args[position]->type.is_scalar()) value = values.splat(value, lanes);
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(value);
      constant && constant->isAllOnesValue())
    return {};
  return {value};
}

// --- shapes of an index

bool ExpressionEmitter::is_linear(const ir::Node& n) {
  if (!n.type.is_index()) return false;
  if (n.op == Op::Ramp || n.op == Op::Broadcast) return n.args[0]->type.is_scalar();
  if (n.op == Op::Add || n.op == Op::Sub) return is_linear(*n.args[0]) && is_linear(*n.args[1]);
  if (n.op == Op::Mul)
    return (n.args[1]->op == Op::Broadcast && is_linear(*n.args[0])) ||
           (n.args[0]->op == Op::Broadcast && is_linear(*n.args[1]));
  return false;
}

ExpressionEmitter::Linear ExpressionEmitter::emit_linear(const ir::Ref& node) {
  const ir::Node& n = *node;
  Value* zero = values.integer_constant(Index(), 0);
  if (n.op == Op::Ramp) return {emit(n.args[0]), emit(n.args[1])};
  if (n.op == Op::Broadcast) return {emit(n.args[0]), zero};
  const Linear a = emit_linear(n.args[0]);
  const Linear b = emit_linear(n.args[1]);
  const auto product = [&](Value* x, Value* y) { return b_.CreateMul(x, y, "", false, true); };
  if (n.op == Op::Add)
    return {b_.CreateAdd(a.base, b.base, "", false, true),
            b_.CreateAdd(a.stride, b.stride, "", false, true)};
  if (n.op == Op::Sub)
    return {b_.CreateSub(a.base, b.base, "", false, true),
            b_.CreateSub(a.stride, b.stride, "", false, true)};
  // One factor is the same in all lanes.
  return n.args[1]->op == Op::Broadcast
             ? Linear{product(a.base, b.base), product(a.stride, b.base)}
             : Linear{product(a.base, b.base), product(b.stride, a.base)};
}

Value* ExpressionEmitter::lane_pointers(const BufferBinding& buffer, const ir::Ref& index) {
  // A scalar part of the sum goes into the base address: what is left is often a cast from i32,
  // which gathers take as it is.
  BufferBinding at = buffer;
  ir::Ref rest = index;
  for (;;) {
    if (rest->op == Op::Add && rest->args[1]->op == Op::Broadcast) {
      at.pointer = element_pointer(at, emit(rest->args[1]->args[0]));
      rest = rest->args[0];
    } else if (rest->op == Op::Add && rest->args[0]->op == Op::Broadcast) {
      at.pointer = element_pointer(at, emit(rest->args[0]->args[0]));
      rest = rest->args[1];
    } else {
      break;
    }
  }
  llvm::Type* element = values.memory_type(buffer.element.element());
  if (is_linear(*rest)) {
    const Linear lanes = emit_linear(rest);
    at.pointer = b_.CreateGEP(element, at.pointer, lanes.base);
    Value* offsets = b_.CreateMul(values.iota(Index(), index->type.lanes),
                                  values.splat(lanes.stride, index->type.lanes));
    return b_.CreateGEP(element, at.pointer, offsets);
  }
  return b_.CreateGEP(element, at.pointer, emit(rest));
}

// --- loads

Value* ExpressionEmitter::scalar_load(const BufferBinding& from, Type t, Value* index,
                                      llvm::Align align) {
  auto* value = b_.CreateAlignedLoad(values.memory_type(t), element_pointer(from, index), align);
  return values.from_memory(t, tag(from, value));
}

Value* ExpressionEmitter::dense_load(const BufferBinding& from, Type t, Value* base, Mask mask,
                                     llvm::Align align) {
  Value* pointer = element_pointer(from, base);
  llvm::Type* type = values.memory_type(t);
  if (!mask.value)
    return values.from_memory(t, tag(from, b_.CreateAlignedLoad(type, pointer, align)));
  auto* call =
      b_.CreateMaskedLoad(type, pointer, align, mask.value, llvm::Constant::getNullValue(type));
  return values.from_memory(t, tag(from, call));
}

// Stride 2 to 4: whole vectors, the last one ending at the last element asked for, and shuffles.
// Nothing outside the span from the first to the last element is touched.
Value* ExpressionEmitter::strided_load(const BufferBinding& from, Type t, Value* base, int stride) {
  const int lanes = t.lanes;
  const int last_start = stride * (lanes - 1) + 1 - lanes;
  Value* result = nullptr;
  for (int chunk = 0; chunk < stride; ++chunk) {
    const int start = std::min(chunk * lanes, last_start);
    Value* at = b_.CreateAdd(base, values.integer_constant(Index(), start), "", false, true);
    Value* piece = tag(
        from, b_.CreateAlignedLoad(values.memory_type(t), element_pointer(from, at), alignment(t)));
    llvm::SmallVector<int, 64> choice;
    for (int i = 0; i < lanes; ++i) {
      const int in_chunk = std::min(i * stride / lanes, stride - 1);
      if (in_chunk == chunk) choice.push_back((chunk == 0 ? 0 : lanes) + i * stride - start);
      else choice.push_back(in_chunk < chunk ? i : -1);
    }
    result = chunk == 0 ? b_.CreateShuffleVector(piece, choice)
                        : b_.CreateShuffleVector(result, piece, choice);
  }
  return values.from_memory(t, result);
}

namespace {

/// Lanes [first, first + count) of a vector.
Value* lanes_of(llvm::IRBuilder<>& b, Value* vector, int first, int count) {
  llvm::SmallVector<int, 64> choice;
  for (int i = 0; i < count; ++i) choice.push_back(first + i);
  return b.CreateShuffleVector(vector, choice);
}

}  // namespace

// In two parts of 2^n lanes that may overlap: for the padding of other widths LLVM chooses any
// register as the index, also the one of the result, and such an instruction is illegal.
Value* ExpressionEmitter::gather(const BufferBinding& from, Type t, Value* pointers, Mask mask) {
  const int lanes = t.lanes;
  int part = 1;
  while (2 * part < lanes) part *= 2;
  if (lanes > 4 && 2 * part != lanes) {
    const auto half = [&](int first) {
      return gather(from, t.with_lanes(part), lanes_of(b_, pointers, first, part),
                    {mask.value ? lanes_of(b_, mask.value, first, part) : nullptr});
    };
    llvm::SmallVector<int, 64> choice;
    for (int i = 0; i < lanes; ++i) choice.push_back(i < part ? i : part + i - (lanes - part));
    Value* low = half(0);
    return b_.CreateShuffleVector(low, half(lanes - part), choice);
  }
  auto* call = b_.CreateMaskedGather(values.memory_type(t), pointers, alignment(t), mask.value,
                                     llvm::Constant::getNullValue(values.memory_type(t)));
  return values.from_memory(t, tag(from, call));
}

Value* ExpressionEmitter::load(const ir::Node& n) {
  BufferBinding from = buffer(n.symbol);
  from.streams = hooks != nullptr && ir::cache_hint(n) == ir::CacheHint::Streaming;
  const ir::Ref& index = n.args[0];
  const Type t = n.type;
  const Mask mask = mask_of(n, 1);
  if (t.is_scalar()) {
    Value* at = emit(index);
    const llvm::Align align = alignment(from, index);
    if (!mask.value) return scalar_load(from, t, at, align);
    Value* loaded = nullptr;
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* inside = nullptr;
    under(mask.value, [&] {
      loaded = scalar_load(from, t, at, align);
      inside = b_.GetInsertBlock();
    });
    llvm::PHINode* phi = b_.CreatePHI(values.type(t), 2);
    phi->addIncoming(llvm::Constant::getNullValue(values.type(t)), before);
    phi->addIncoming(loaded, inside);
    return phi;
  }
  if (!is_linear(*index)) return gather(from, t, lane_pointers(from, index), mask);
  const Linear lanes = emit_linear(index);
  auto* stride = llvm::dyn_cast<llvm::ConstantInt>(lanes.stride);
  const std::int64_t step =
      stride ? stride->getSExtValue() : std::numeric_limits<std::int64_t>::max();
  if (step == 1) return dense_load(from, t, lanes.base, mask, alignment(from, index));
  if (step == 0 && !mask.value)
    return values.splat(scalar_load(from, t.element(), lanes.base, alignment(t.element())),
                        t.lanes);
  if (step == 0) {  // one element, if any lane wants it: lane 0 loads it for all
    llvm::Constant* none = llvm::Constant::getNullValue(mask.value->getType());
    Value* first = b_.CreateInsertElement(none, b_.CreateOrReduce(mask.value), std::uint64_t{0});
    Value* loaded = dense_load(from, t, lanes.base, {first}, alignment(t));
    return b_.CreateShuffleVector(loaded, llvm::SmallVector<int, 64>(t.lanes, 0));
  }
  if (step == -1) {
    Value* first =
        b_.CreateSub(lanes.base, values.integer_constant(Index(), t.lanes - 1), "", false, true);
    return reverse(
        dense_load(from, t, first, {mask.value ? reverse(mask.value) : nullptr}, alignment(t)));
  }
  if (step >= 2 && step <= 4 && !mask.value)
    return strided_load(from, t, lanes.base, static_cast<int>(step));
  return gather(from, t, lane_pointers(from, index), mask);
}

// --- stores

void ExpressionEmitter::under(Value* condition, const std::function<void()>& body) {
  llvm::Function* function = b_.GetInsertBlock()->getParent();
  auto* inside = llvm::BasicBlock::Create(b_.getContext(), "taken", function);
  auto* after = llvm::BasicBlock::Create(b_.getContext(), "after", function);
  b_.CreateCondBr(condition, inside, after);
  b_.SetInsertPoint(inside);
  body();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

void ExpressionEmitter::scalar_store(const BufferBinding& to, Type t, Value* value, Value* index) {
  tag(to,
      b_.CreateAlignedStore(values.to_memory(t, value), element_pointer(to, index), alignment(t)));
}

void ExpressionEmitter::store(const ir::Node& n) {
  BufferBinding to = buffer(n.symbol);
  to.streams = hooks != nullptr && ir::cache_hint(n) == ir::CacheHint::Streaming;
  const ir::Ref& index = n.args[1];
  const Type t = n.args[0]->type.with_lanes(std::max(n.args[0]->type.lanes, index->type.lanes));
  Value* value = emit(n.args[0]);
  if (n.args[0]->type.is_scalar()) value = values.splat(value, t.lanes);
  const Mask mask = mask_of(n, 2);
  if (t.is_scalar()) {
    Value* at = emit(index);
    if (mask.value) under(mask.value, [&] { scalar_store(to, t, value, at); });
    else scalar_store(to, t, value, at);
    return;
  }
  if (index->type.is_scalar() || is_linear(*index)) {
    const Linear lanes = index->type.is_scalar()
                             ? Linear{emit(index), values.integer_constant(Index(), 0)}
                             : emit_linear(index);
    auto* stride = llvm::dyn_cast<llvm::ConstantInt>(lanes.stride);
    const bool forward = stride && stride->isOne();
    const bool backward = stride && stride->isMinusOne();
    if (stride && stride->isZero() && !mask.value) {  // lanes in order: the last one stays
      scalar_store(to, t.element(), b_.CreateExtractElement(value, b_.getInt32(t.lanes - 1U)),
                   lanes.base);
      return;
    }
    if (forward || backward) {
      Value* base = lanes.base;
      Value* active = mask.value;
      if (backward) {
        base = b_.CreateSub(base, values.integer_constant(Index(), t.lanes - 1), "", false, true);
        value = reverse(value);
        if (active) active = reverse(active);
      }
      Value* stored = values.to_memory(t, value);
      const llvm::Align align = forward ? alignment(to, index) : alignment(t);
      if (active) tag(to, b_.CreateMaskedStore(stored, element_pointer(to, base), align, active));
      else tag(to, b_.CreateAlignedStore(stored, element_pointer(to, base), align));
      return;
    }
  }
  const ir::Ref spread =
      index->type.is_scalar() ? ir::broadcast(ir::as_expr(index), t.lanes).node() : index;
  Value* pointers = lane_pointers(to, spread);
  tag(to, b_.CreateMaskedScatter(values.to_memory(t, value), pointers, alignment(t), mask.value));
}

// --- atomics

namespace {
bool has_instruction(Op op, Type t, llvm::AtomicRMWInst::BinOp* operation) {
  if (!t.is_integer() && !t.is_index()) return false;
  const bool is_signed = !t.is_uint();
  if (op == Op::Add) *operation = llvm::AtomicRMWInst::Add;
  else if (op == Op::Sub) *operation = llvm::AtomicRMWInst::Sub;
  else if (op == Op::BitAnd) *operation = llvm::AtomicRMWInst::And;
  else if (op == Op::BitOr) *operation = llvm::AtomicRMWInst::Or;
  else if (op == Op::BitXor) *operation = llvm::AtomicRMWInst::Xor;
  else if (op == Op::Min)
    *operation = is_signed ? llvm::AtomicRMWInst::Min : llvm::AtomicRMWInst::UMin;
  else if (op == Op::Max)
    *operation = is_signed ? llvm::AtomicRMWInst::Max : llvm::AtomicRMWInst::UMax;
  else return false;
  return true;
}
}  // namespace

void ExpressionEmitter::atomic_update(const BufferBinding& to, Type t, Op op, Value* operand,
                                      Value* index) {
  Value* pointer = element_pointer(to, index);
  if (llvm::isa<llvm::AllocaInst>(
          to.pointer)) {  // on the stack of this thread: nobody comes between, and GPUs refuse
    Value* current = values.from_memory(
        t, tag(to, b_.CreateAlignedLoad(values.memory_type(t), pointer, alignment(t))));
    tag(to,
        b_.CreateAlignedStore(values.to_memory(t, values.apply(op, t, {t, t}, {current, operand})),
                              pointer, alignment(t)));
    return;
  }
  llvm::AtomicRMWInst::BinOp operation{};
  if (has_instruction(op, t, &operation)) {
    tag(to, b_.CreateAtomicRMW(operation, pointer, operand, alignment(t),
                               llvm::AtomicOrdering::Monotonic));
    return;
  }
  // Compare and swap on the bits until no other thread came between.
  llvm::Function* function = b_.GetInsertBlock()->getParent();
  llvm::Type* bits = b_.getIntNTy(static_cast<unsigned>(8 * t.bytes()));
  Value* first = tag(to, b_.CreateAlignedLoad(bits, pointer, alignment(t)));
  llvm::cast<llvm::LoadInst>(first)->setAtomic(llvm::AtomicOrdering::Monotonic);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto* retry = llvm::BasicBlock::Create(b_.getContext(), "retry", function);
  auto* done = llvm::BasicBlock::Create(b_.getContext(), "done", function);
  b_.CreateBr(retry);
  b_.SetInsertPoint(retry);
  llvm::PHINode* old = b_.CreatePHI(bits, 2);
  old->addIncoming(first, before);
  Value* current = values.from_memory(t, b_.CreateBitCast(old, values.memory_type(t)));
  Value* updated = values.apply(op, t, {t, t}, {current, operand});
  Value* wanted = b_.CreateBitCast(values.to_memory(t, updated), bits);
  auto* swap = tag(
      to, b_.CreateAtomicCmpXchg(pointer, old, wanted, alignment(t),
                                 llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic));
  old->addIncoming(b_.CreateExtractValue(swap, 0), b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateExtractValue(swap, 1), done, retry);
  b_.SetInsertPoint(done);
}

void ExpressionEmitter::atomic_store(const ir::Node& n) {
  const BufferBinding& to = buffer(n.symbol);
  const Op op = static_cast<Op>(n.integer);
  const Type t = n.args[0]->type.with_lanes(std::max(n.args[0]->type.lanes, n.args[1]->type.lanes));
  Value* operand = emit(n.args[0]);
  if (n.args[0]->type.is_scalar()) operand = values.splat(operand, t.lanes);
  Value* index = emit(n.args[1]);
  if (n.args[1]->type.is_scalar()) index = values.splat(index, t.lanes);
  const Mask mask = mask_of(n, 2);
  for (int lane = 0; lane < t.lanes; ++lane) {
    const auto of_lane = [&](Value* v) {
      return t.is_vector() ? b_.CreateExtractElement(v, b_.getInt32(static_cast<unsigned>(lane)))
                           : v;
    };
    Value* value = of_lane(operand);
    Value* at = of_lane(index);
    const auto update = [&] { atomic_update(to, t.element(), op, value, at); };
    if (mask.value) under(of_lane(mask.value), update);
    else update();
  }
}

}  // namespace sinter::backends
