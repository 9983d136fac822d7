// Statements and functions of the host.
#include "backends/llvm/emit_host.h"

#include <limits>
#include <optional>
#include <set>

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "backends/kernel_parameters.h"
#include "backends/llvm/emit_statement.h"

namespace sinter::backends {

using ir::Op;
using llvm::Value;

namespace {

constexpr std::int64_t LargestOnStack = 16 * 1024;
constexpr std::int64_t LargestRequestedOnStack = 256 * 1024;
constexpr std::int64_t LargestFrame = 512 * 1024;  // of all stack buffers of one function
constexpr std::size_t LargestRecord = 32;
constexpr std::uint64_t AllocationAlignment = 64;
constexpr int FewStages = 8;  // up to so many root stages stay in one function

/// Members of RuntimeContext by position.
enum class Service : unsigned {
  ParallelFor,
  Allocate,
  Release,
  Fail,
  Transfer,
  AllocateDevice,
  ReleaseDevice,
  Launch
};

class HostEmitter : public StatementEmitter {
 public:
  HostEmitter(const ir::Module& source, llvm::LLVMContext& context,
              const std::vector<std::pair<std::string, std::string>>& attributes)
      : StatementEmitter(context),
        source_(source),
        attributes_(attributes),
        module_(std::make_unique<llvm::Module>(source.name, context)),
        metadata_(context),
        alias_root_(metadata_.createTBAARoot("sinter buffers")) {
    expressions_.require = [this](Value* condition, const std::string& message) {
      check(condition, message, {});
    };
  }

  std::unique_ptr<llvm::Module> run() {
    entry();
    return std::move(module_);
  }

 private:
  /// `release`: frees this allocation, then those below it, and returns 1; made on demand and
  /// forgotten when one below is freed early.
  struct HeapAllocation {
    Symbol symbol;
    Value* pointer;
    llvm::BasicBlock* release;
  };

  // --- functions
  llvm::Function* begin_function(llvm::FunctionType*, const char* name, bool external);
  void entry();
  void bind_buffer(const Symbol&, Value* pointer, Type element, bool own_tag);
  // --- statements
  void emit_other(const ir::Node&) override;
  Value* keep(const Symbol&, Value*) override;
  void emit_parallel(const ir::Node&);
  void emit_stage_function(const ir::Node&);
  struct Outlined {
    llvm::Function* body;
    llvm::AllocaInst* closure;
  };
  Outlined outline(const ir::Ref& statement, bool is_stage,
                   const std::function<void(llvm::Function*)>& emit_body);
  void go_on_if_zero(llvm::CallInst* result);
  void go_on_unless_zero(llvm::CallInst* result);
  void go_on_if(Value* good);
  Value* emit_count(const ir::Ref&);
  Value* emit_bytes(const ir::Ref& elements, Type);
  void emit_allocate(const ir::Node&);
  void emit_device_allocation(const ir::Node&);
  void emit_free(const Symbol&);
  void release(Value* memory);
  void emit_launch(const ir::Node&);
  void emit_transfer(const ir::Node&);
  // --- failure
  void check(Value* condition, const std::string& message, const std::vector<ir::Ref>& values);
  void report(const std::string& message, llvm::ArrayRef<Type> types,
              llvm::ArrayRef<Value*> values);
  void leave_failing();
  // --- helpers
  Value* service(Service);
  llvm::AllocaInst* stack_slot(llvm::Type*, std::uint64_t alignment);
  llvm::LoadInst* constant_load(llvm::Type*, Value* pointer);
  void expect(llvm::BranchInst*, bool rarely_false);

  const ir::Module& source_;
  const std::vector<std::pair<std::string, std::string>>& attributes_;
  std::unique_ptr<llvm::Module> module_;
  llvm::MDBuilder metadata_;
  llvm::MDNode* alias_root_;
  int alias_tags_ = 0;
  llvm::Function* entry_ = nullptr;
  struct DeviceInstance {
    Value* handle;
    Value* address;
  };  // address: of the latest transfer
  std::unordered_map<Symbol, DeviceInstance> device_;
  std::unordered_map<const ir::Node*, int> kernels_;  // positions
  // Of entries that call a function for each stage: what they bind, in words of memory. Values
  // would live from the top, where regions are computed, to their stage: too many for the
  // registers.
  llvm::AllocaInst* frame_ = nullptr;
  std::int64_t frame_words_ = 0;
  struct Place {
    std::int64_t word;
    llvm::Type* type;
  };
  std::unordered_map<Symbol, Place> places_;
  // of the function being emitted
  Value* runtime_ = nullptr;
  std::vector<HeapAllocation> heap_;  // live ones
  std::int64_t frame_bytes_ = 0;
  llvm::AllocaInst* record_ = nullptr;  // values of a failing assert
  std::unordered_map<Value*, llvm::PHINode*>
      reports_;  // by innermost live allocation: the text reported
};

llvm::Function* HostEmitter::begin_function(llvm::FunctionType* type, const char* name,
                                            bool external) {
  auto* function = llvm::Function::Create(
      type, external ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage, name,
      *module_);
  function->setDoesNotThrow();
  for (const auto& [key, value] : attributes_) function->addFnAttr(key, value);
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function));
  function_ = function;
  heap_.clear();
  frame_bytes_ = 0;
  record_ = nullptr;
  reports_.clear();
  return function;
}

llvm::LoadInst* HostEmitter::constant_load(llvm::Type* type, Value* pointer) {
  llvm::LoadInst* load = b_.CreateLoad(type, pointer);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return load;
}

void HostEmitter::bind_buffer(const Symbol& symbol, Value* pointer, Type element, bool own_tag) {
  llvm::MDNode* tag = nullptr;
  if (own_tag) {
    llvm::MDNode* type =
        metadata_.createTBAAScalarTypeNode("buffer " + std::to_string(alias_tags_++), alias_root_);
    tag = metadata_.createTBAAStructTagNode(type, type, 0);
  }
  expressions_.buffers[symbol] = {pointer, element, tag};
  keep(symbol, pointer);
}

void HostEmitter::entry() {
  auto* pointer = llvm::PointerType::getUnqual(context_);
  auto* type = llvm::FunctionType::get(b_.getInt32Ty(), {pointer, pointer}, false);
  llvm::Function* function = begin_function(type, EntryName, true);
  entry_ = function;
  int stages = 0;
  if (source_.body.defined()) {
    ir::for_each_node(source_.body.node(), [&](const ir::Ref& r) {
      if (r->op == Op::Produce) ++stages;
      return ir::is_statement(r->op) && r->op != Op::For;
    });
  }
  const std::vector<ir::Ref> kernels = kernels_of(source_.body);
  for (std::size_t i = 0; i < kernels.size(); ++i)
    kernels_.emplace(kernels[i].get(), static_cast<int>(i));
  Value* slots = function->getArg(0);
  function->addParamAttr(0, llvm::Attribute::NoAlias);
  function->addParamAttr(0, llvm::Attribute::ReadOnly);
  runtime_ = function->getArg(1);
  if (stages > FewStages && kernels.empty()) {  // kernels' buffers are known to the entry only
    frame_ = stack_slot(llvm::ArrayType::get(b_.getInt64Ty(), 0), AllocationAlignment);
    b_.CreateStore(runtime_, frame_);
    frame_words_ = 1;
    // It runs once a call and grows with the pipeline: no pass of code generation that is not
    // linear.
    function->addFnAttr(llvm::Attribute::OptimizeNone);
    function->addFnAttr(llvm::Attribute::NoInline);
  }
  std::int64_t slot = 0;
  const auto next = [&](llvm::Type* as) {
    return constant_load(as, b_.CreateGEP(b_.getInt64Ty(), slots, index(slot++)));
  };
  std::int64_t position = 0;
  for (const ir::Argument& argument : source_.arguments) {
    if (argument.is_buffer()) {
      device_[argument.symbol] = {index(position), nullptr};
      bind_buffer(argument.symbol, next(pointer), argument.type, true);
      for (const ir::DimensionSymbols& dimension : argument.dimensions)
        for (const Symbol& part : {dimension.min, dimension.extent, dimension.stride})
          if (Value* value = next(b_.getInt64Ty()); part)
            expressions_.symbols[part] = keep(part, value);
    } else {
      const Type t = argument.type;
      Value* bits = next(b_.getInt64Ty());
      ValueEmitter& values = expressions_.values;
      Value* value = t.is_bool() ? b_.CreateICmpNE(bits, index(0))
                                 : b_.CreateTrunc(bits, values.type(UInt(t.bits)));
      expressions_.symbols[argument.symbol] =
          keep(argument.symbol, b_.CreateBitCast(value, values.type(t)));
    }
    ++position;
  }
  emit(source_.body.node());
  b_.CreateRet(b_.getInt32(0));
  if (frame_)
    frame_->setAllocatedType(
        llvm::ArrayType::get(b_.getInt64Ty(), static_cast<std::uint64_t>(frame_words_)));
}

Value* HostEmitter::keep(const Symbol& symbol, Value* value) {
  if (!frame_ || function_ != entry_ || loops_ > 0) return value;
  Value* place = b_.CreateGEP(b_.getInt64Ty(), frame_, index(frame_words_));
  b_.CreateStore(value, place);
  places_[symbol] = {frame_words_++, value->getType()};
  return place;
}

// --- statements

void HostEmitter::emit_other(const ir::Node& n) {
  if (n.op == Op::For && static_cast<ir::LoopKind>(n.integer) == ir::LoopKind::Parallel)
    return emit_parallel(n);
  if (n.op == Op::Produce) {
    if (frame_ && function_ == entry_ && loops_ == 0) return emit_stage_function(n);
    return emit(n.args[0]);
  }
  if (n.op == Op::Allocate) return emit_allocate(n);
  if (n.op == Op::Free) return emit_free(n.symbol);
  if (n.op == Op::Kernel) return emit_launch(n);
  if (n.op == Op::Transfer) return emit_transfer(n);
  if (n.op != Op::Assert)
    throw InternalError(std::string("a statement that host code does not take: ") +
                        ir::info(n.op).name);
  Value* condition = expressions_.emit(n.args[0]);
  check(condition, n.symbol.name(), {n.args.begin() + 1, n.args.end()});
  expressions_.forget();
}

// A statement becomes a function of (begin, end, closure); the closure holds the runtime context
// and whatever the statement mentions that is bound outside it. That of stages is the frame.
HostEmitter::Outlined HostEmitter::outline(const ir::Ref& statement, bool is_stage,
                                           const std::function<void(llvm::Function*)>& emit_body) {
  std::set<Symbol> mentioned;
  ir::for_each_node(statement, [&](const ir::Ref& r) {
    if (r->symbol) mentioned.insert(r->symbol);
    return true;
  });
  // Inside, only what is captured is bound.
  decltype(expressions_.symbols) symbols;
  decltype(expressions_.buffers) buffers;
  std::vector<Value*> members{runtime_};
  struct Capture {
    Place place;
    std::function<void(Value*)> bind;
  };
  std::vector<Capture> captures;
  const auto capture = [&](const Symbol& symbol, Value* value,
                           const std::function<void(Value*)>& bind) {
    const auto kept = places_.find(symbol);
    if (is_stage) return captures.push_back({kept->second, bind});
    captures.push_back({{static_cast<std::int64_t>(members.size()), value->getType()}, bind});
    members.push_back(value);
  };
  for (const Symbol& symbol : mentioned) {
    if (const auto it = expressions_.symbols.find(symbol); it != expressions_.symbols.end()) {
      const bool lies_in_frame = it->second->getType()->isPointerTy();
      Value* value = it->second;
      if (is_stage && !lies_in_frame) keep(symbol, value);  // the variable of a loop that runs once
      if (!is_stage && lies_in_frame) value = b_.CreateLoad(places_.at(symbol).type, value);
      capture(symbol, value, [&symbols, symbol](Value* v) { symbols[symbol] = v; });
    } else if (const auto b = expressions_.buffers.find(symbol); b != expressions_.buffers.end()) {
      auto* binding = &(buffers[symbol] = b->second);
      capture(symbol, b->second.pointer, [binding](Value* v) { binding->pointer = v; });
    }
  }
  std::vector<llvm::Type*> types;
  for (Value* value : members) types.push_back(value->getType());
  auto* closure_type = llvm::StructType::get(context_, types);
  llvm::AllocaInst* closure = is_stage ? frame_ : stack_slot(closure_type, AllocationAlignment);
  const auto address = [&](Value* base, std::int64_t i) {
    return is_stage ? b_.CreateGEP(b_.getInt64Ty(), base, index(i))
                    : b_.CreateStructGEP(closure_type, base, static_cast<unsigned>(i));
  };
  if (!is_stage) {
    for (std::size_t i = 0; i < members.size(); ++i)
      b_.CreateStore(members[i], address(closure, static_cast<std::int64_t>(i)));
  }

  auto* pointer = llvm::PointerType::getUnqual(context_);
  auto* body_type =
      llvm::FunctionType::get(b_.getInt32Ty(), {b_.getInt64Ty(), b_.getInt64Ty(), pointer}, false);
  const auto resume = b_.saveIP();
  llvm::Function* caller = function_;
  Value* caller_runtime = runtime_;
  std::vector<HeapAllocation> caller_heap = std::move(heap_);
  const std::int64_t caller_frame = frame_bytes_;
  llvm::AllocaInst* caller_record = record_;
  const auto caller_reports = reports_;
  llvm::Function* body = begin_function(body_type, is_stage ? "stage" : "parallel_body", false);
  body->addParamAttr(2, llvm::Attribute::NoAlias);
  body->addParamAttr(2, llvm::Attribute::ReadOnly);
  const auto member = [&](const Place& place) {
    return constant_load(place.type, address(body->getArg(2), place.word));
  };
  runtime_ = member({0, caller_runtime->getType()});
  for (const Capture& c : captures) c.bind(member(c.place));
  std::swap(expressions_.symbols, symbols);
  std::swap(expressions_.buffers, buffers);
  emit_body(body);
  b_.CreateRet(b_.getInt32(0));
  std::swap(expressions_.symbols, symbols);
  std::swap(expressions_.buffers, buffers);
  function_ = caller;
  runtime_ = caller_runtime;
  heap_ = std::move(caller_heap);
  frame_bytes_ = caller_frame;
  record_ = caller_record;
  reports_ = caller_reports;
  b_.restoreIP(resume);
  return {body, closure};
}

/// Goes on when `result` is 0, else leaves with the failure.
void HostEmitter::go_on_if_zero(llvm::CallInst* result) {
  result->setDoesNotThrow();
  go_on_if(b_.CreateICmpEQ(result, b_.getInt32(0)));
}

void HostEmitter::go_on_unless_zero(llvm::CallInst* result) {
  result->setDoesNotThrow();
  go_on_if(b_.CreateICmpNE(result, index(0)));
}

void HostEmitter::go_on_if(Value* good) {
  llvm::BasicBlock* failed = new_block("failed");
  llvm::BasicBlock* after = new_block("after");
  expect(b_.CreateCondBr(good, after, failed), true);
  b_.SetInsertPoint(failed);
  leave_failing();
  b_.SetInsertPoint(after);
}

void HostEmitter::emit_parallel(const ir::Node& n) {
  Value* min = expressions_.emit(n.args[0]);
  Value* extent = expressions_.emit(n.args[1]);
  expressions_.forget();
  const Outlined loop = outline(n.args[2], false, [&](llvm::Function* body) {
    emit_serial(n.symbol, body->getArg(0), body->getArg(1), true, [&] { emit(n.args[2]); });
  });
  auto* pointer = llvm::PointerType::getUnqual(context_);
  auto* service_type = llvm::FunctionType::get(
      b_.getInt32Ty(), {pointer, pointer, b_.getInt64Ty(), b_.getInt64Ty(), pointer}, false);
  go_on_if_zero(b_.CreateCall(service_type, service(Service::ParallelFor),
                              {runtime_, loop.body, min, extent, loop.closure}));
}

// Long pipelines: each root stage is a function of its own, since register allocation is not linear
// in the size of a function.
void HostEmitter::emit_stage_function(const ir::Node& n) {
  const Outlined stage = outline(n.args[0], true, [&](llvm::Function*) { emit(n.args[0]); });
  stage.body->addFnAttr(llvm::Attribute::NoInline);
  go_on_if_zero(b_.CreateCall(stage.body, {index(0), index(0), stage.closure}));
}

// --- allocations

llvm::AllocaInst* HostEmitter::stack_slot(llvm::Type* type, std::uint64_t alignment) {
  llvm::BasicBlock& first = function_->getEntryBlock();
  llvm::IRBuilder<> at_entry(&first, first.getFirstInsertionPt());
  llvm::AllocaInst* slot = at_entry.CreateAlloca(type);
  slot->setAlignment(llvm::Align(alignment));
  return slot;
}

// A product of extents, none negative; more than 64 bits hold becomes the largest number.
Value* HostEmitter::emit_count(const ir::Ref& n) {
  if (n->op == Op::Add) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, emit_count(n->args[0]),
                                    emit_count(n->args[1]));
  }
  if (n->op != Op::Mul) return expressions_.emit(n);
  Value* product = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smul_with_overflow,
                                            emit_count(n->args[0]), emit_count(n->args[1]));
  return b_.CreateSelect(b_.CreateExtractValue(product, 1),
                         index(std::numeric_limits<std::int64_t>::max()),
                         b_.CreateExtractValue(product, 0));
}

// Room for at least one element.
Value* HostEmitter::emit_bytes(const ir::Ref& elements, Type element) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / element.bytes();
  Value* count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, emit_count(elements), index(1));
  expressions_.forget();
  return b_.CreateMul(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count, index(most)),
                      index(element.bytes()), "", false, true);
}

// Both instances, or the device's alone.
void HostEmitter::emit_device_allocation(const ir::Node& n) {
  const Type element = n.types.at(0);
  Value* bytes = emit_bytes(n.args[0], element);
  auto* pointer = llvm::PointerType::getUnqual(context_);
  const bool on_host = static_cast<ir::MemoryKind>(n.integer) == ir::MemoryKind::Both;
  Value* host = on_host ? static_cast<Value*>(stack_slot(pointer, 8))
                        : llvm::ConstantPointerNull::get(pointer);
  auto* type =
      llvm::FunctionType::get(b_.getInt64Ty(), {pointer, b_.getInt64Ty(), pointer, pointer}, false);
  llvm::CallInst* handle =
      b_.CreateCall(type, service(Service::AllocateDevice),
                    {runtime_, bytes, b_.CreateGlobalString(n.symbol.name(), "name"), host});
  go_on_unless_zero(handle);
  if (on_host) bind_buffer(n.symbol, b_.CreateLoad(pointer, host), element, true);
  device_[n.symbol] = {handle, nullptr};
  heap_.push_back({n.symbol, handle, nullptr});
  emit(n.args[1]);
  emit_free(n.symbol);
  expressions_.buffers.erase(n.symbol);
  device_.erase(n.symbol);
}

void HostEmitter::emit_transfer(const ir::Node& n) {
  DeviceInstance& instance = device_.at(n.symbol);
  auto* pointer = llvm::PointerType::getUnqual(context_);
  auto* type =
      llvm::FunctionType::get(b_.getInt64Ty(), {pointer, b_.getInt64Ty(), b_.getInt32Ty()}, false);
  llvm::CallInst* address = b_.CreateCall(
      type, service(Service::Transfer),
      {runtime_, instance.handle, b_.getInt32(static_cast<std::uint32_t>(n.integer))});
  go_on_unless_zero(address);
  instance.address = address;
}

void HostEmitter::emit_launch(const ir::Node& n) {
  const std::vector<KernelParameter> parameters = kernel_parameters(n);
  const auto slots = [&](std::size_t count) {
    return stack_slot(llvm::ArrayType::get(b_.getInt64Ty(), std::max<std::size_t>(count, 1)), 8);
  };
  const auto put = [&](Value* array, std::size_t i, Value* v) {
    b_.CreateStore(v, b_.CreateGEP(b_.getInt64Ty(), array, index(static_cast<std::int64_t>(i))));
  };
  Value* given = slots(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const KernelParameter& p = parameters[i];
    Value* v = nullptr;
    if (p.is_buffer) {
      v = device_.at(p.symbol).address;
      ensure(v != nullptr, "a kernel's buffers are transferred before it");
    } else {
      v = expressions_.symbols.at(p.symbol);
      if (p.type.is_float() && p.type.bits >= 32)
        v = b_.CreateBitCast(v, b_.getIntNTy(p.type.bits));
      v = b_.CreateZExt(v, b_.getInt64Ty());
    }
    put(given, i, v);
  }
  Value* blocks = slots(3);
  for (std::size_t d = 0; d < 3; ++d) put(blocks, d, expressions_.emit(n.args[d]));
  Value* threads = expressions_.emit(n.args[3]);
  expressions_.forget();
  auto* pointer = llvm::PointerType::getUnqual(context_);
  auto* type = llvm::FunctionType::get(
      b_.getInt32Ty(), {pointer, b_.getInt32Ty(), pointer, pointer, b_.getInt64Ty()}, false);
  go_on_if_zero(b_.CreateCall(type, service(Service::Launch),
                              {runtime_, b_.getInt32(static_cast<std::uint32_t>(kernels_.at(&n))),
                               given, blocks, threads}));
}

void HostEmitter::emit_allocate(const ir::Node& n) {
  const Type element = n.types.at(0);
  const auto kind = static_cast<ir::MemoryKind>(n.integer);
  if (kind == ir::MemoryKind::Device || kind == ir::MemoryKind::Both)
    return emit_device_allocation(n);
  std::int64_t count = 0;
  const bool known = ir::as_constant(ir::as_expr(n.args[0]), &count);
  const std::int64_t largest = kind == ir::MemoryKind::Heap   ? 0
                               : kind == ir::MemoryKind::Auto ? LargestOnStack
                                                              : LargestRequestedOnStack;
  if (known && count <= largest / element.bytes() &&
      frame_bytes_ + count * element.bytes() <= LargestFrame) {
    frame_bytes_ += count * element.bytes();
    llvm::Type* type = expressions_.values.memory_type(element.element());
    auto* array =
        llvm::ArrayType::get(type, static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1)));
    bind_buffer(n.symbol, stack_slot(array, AllocationAlignment), element, true);
    emit(n.args[1]);
    expressions_.buffers.erase(n.symbol);
    return;
  }
  Value* bytes = emit_bytes(n.args[0], element);
  auto* pointer = llvm::PointerType::getUnqual(context_);
  auto* type = llvm::FunctionType::get(pointer, {pointer, b_.getInt64Ty(), pointer}, false);
  llvm::CallInst* memory =
      b_.CreateCall(type, service(Service::Allocate),
                    {runtime_, bytes, b_.CreateGlobalString(n.symbol.name(), "name")});
  memory->setDoesNotThrow();
  memory->addRetAttr(llvm::Attribute::NoAlias);
  memory->addRetAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(AllocationAlignment)));
  llvm::BasicBlock* failed = new_block("nomemory");
  llvm::BasicBlock* after = new_block("allocated");
  expect(b_.CreateCondBr(b_.CreateIsNotNull(memory), after, failed), true);
  b_.SetInsertPoint(failed);
  leave_failing();
  b_.SetInsertPoint(after);
  bind_buffer(n.symbol, memory, element, true);
  heap_.push_back({n.symbol, memory, nullptr});
  emit(n.args[1]);
  emit_free(n.symbol);
  expressions_.buffers.erase(n.symbol);
}

void HostEmitter::release(Value* memory) {
  auto* pointer = llvm::PointerType::getUnqual(context_);
  if (memory->getType()->isIntegerTy()) {  // a handle of device memory
    auto* of_device = llvm::FunctionType::get(b_.getVoidTy(), {pointer, b_.getInt64Ty()}, false);
    b_.CreateCall(of_device, service(Service::ReleaseDevice), {runtime_, memory})
        ->setDoesNotThrow();
    return;
  }
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer}, false);
  b_.CreateCall(type, service(Service::Release), {runtime_, memory})->setDoesNotThrow();
}

// Nothing for memory on the stack, or freed already.
void HostEmitter::emit_free(const Symbol& symbol) {
  for (auto it = heap_.begin(); it != heap_.end(); ++it) {
    if (!(it->symbol == symbol)) continue;
    release(it->pointer);
    reports_.erase(it->pointer);
    for (it = heap_.erase(it); it != heap_.end(); ++it) {
      it->release = nullptr;
      reports_.erase(it->pointer);
    }
    return;
  }
}

// --- failure

Value* HostEmitter::service(Service which) {
  auto* pointer = llvm::PointerType::getUnqual(context_);
  return constant_load(pointer,
                       b_.CreateGEP(pointer, runtime_, index(static_cast<std::int64_t>(which))));
}

void HostEmitter::expect(llvm::BranchInst* branch, bool rarely_false) {
  branch->setMetadata(llvm::LLVMContext::MD_prof, rarely_false
                                                      ? metadata_.createBranchWeights(1U << 20, 1)
                                                      : metadata_.createBranchWeights(1, 1U << 20));
}

void HostEmitter::check(Value* condition, const std::string& message,
                        const std::vector<ir::Ref>& values) {
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(condition); constant && constant->isOne())
    return;
  llvm::SmallVector<Type, 8> types;
  llvm::SmallVector<Value*, 8> emitted;
  for (const ir::Ref& value : values) {
    types.push_back(value->type);
    emitted.push_back(expressions_.emit(value));
  }
  llvm::BasicBlock* failed = new_block("failed");
  llvm::BasicBlock* after = new_block("holds");
  expect(b_.CreateCondBr(condition, after, failed), true);
  b_.SetInsertPoint(failed);
  report(message, types, emitted);
  b_.SetInsertPoint(after);
}

// Writes the values to the function's record and goes to the one block that reports and leaves for
// all asserts under the same live allocations.
void HostEmitter::report(const std::string& message, llvm::ArrayRef<Type> types,
                         llvm::ArrayRef<Value*> values) {
  ensure(values.size() <= LargestRecord, "an assert has more values than its record holds");
  auto* pointer = llvm::PointerType::getUnqual(context_);
  if (!record_) record_ = stack_slot(llvm::ArrayType::get(b_.getInt64Ty(), LargestRecord), 8);
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Type t = types[i];
    text += (i ? "," : "") + to_string(t);
    ValueEmitter& convert = expressions_.values;
    Value* bits = t.is_float()
                      ? b_.CreateBitCast(convert.cast(Float(64), t, values[i]), b_.getInt64Ty())
                  : t.is_bool() ? b_.CreateZExt(values[i], b_.getInt64Ty())
                                : b_.CreateIntCast(values[i], b_.getInt64Ty(), !t.is_uint());
    b_.CreateStore(bits,
                   b_.CreateGEP(b_.getInt64Ty(), record_, index(static_cast<std::int64_t>(i))));
  }
  text += ":" + message;
  llvm::PHINode*& tail = reports_[heap_.empty() ? nullptr : heap_.back().pointer];
  llvm::Constant* given = b_.CreateGlobalString(text, "failure");
  llvm::BasicBlock* from = b_.GetInsertBlock();
  if (tail) {
    b_.CreateBr(tail->getParent());
    tail->addIncoming(given, from);
    return;
  }
  llvm::BasicBlock* block = new_block("report");
  b_.CreateBr(block);
  b_.SetInsertPoint(block);
  tail = b_.CreatePHI(pointer, 2);
  tail->addIncoming(given, from);
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, pointer}, false);
  llvm::CallInst* call = b_.CreateCall(type, service(Service::Fail), {runtime_, tail, record_});
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::Cold);
  leave_failing();
}

void HostEmitter::leave_failing() {
  // One block for each live allocation, shared by all failures: code stays linear in the program.
  for (std::size_t i = heap_.size(); i-- > 0;) {
    HeapAllocation& allocation = heap_[i];
    const bool made_before = allocation.release != nullptr;
    if (!made_before) allocation.release = new_block("release");
    b_.CreateBr(allocation.release);
    if (made_before) return;
    b_.SetInsertPoint(allocation.release);
    release(allocation.pointer);
  }
  b_.CreateRet(b_.getInt32(1));
}

}  // namespace

std::unique_ptr<llvm::Module> emit_host(
    const ir::Module& module, llvm::LLVMContext& context,
    const std::vector<std::pair<std::string, std::string>>& attributes) {
  std::unique_ptr<llvm::Module> result = HostEmitter(module, context, attributes).run();
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyModule(*result, &stream)) throw InternalError("malformed LLVM IR: " + problems);
  return result;
}

}  // namespace sinter::backends
