#include "backends/nvptx/stream_accesses.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "backends/nvptx/constant_memory.h"

namespace sinter::backends {

namespace {

using llvm::Value;

constexpr unsigned GlobalSpace = 1;
constexpr std::uint64_t MostBytes = 16;  // of one instruction

/// How a value of some type travels: in pieces of one instruction each, which are made of words.
struct Shape {
  llvm::Type* element = nullptr;
  std::uint64_t elements = 1, element_bytes = 0, word_bytes = 0, words_of_piece = 1;

  static Shape of(llvm::Type* type, std::uint64_t align, const llvm::DataLayout& layout) {
    Shape s;
    s.element = type->getScalarType();
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      s.elements = vector->getNumElements();
    s.element_bytes = layout.getTypeStoreSize(s.element);
    const std::uint64_t bytes = s.elements * s.element_bytes;
    const std::uint64_t piece =
        std::min({MostBytes, align, bytes & (~bytes + 1)});  // a power of two
    s.word_bytes = std::max(s.element_bytes, std::min<std::uint64_t>(4, piece));
    s.words_of_piece = std::max<std::uint64_t>(piece / s.word_bytes, 1);
    return s;
  }
  std::uint64_t per_word() const { return word_bytes / element_bytes; }
  std::uint64_t pieces() const { return elements / (per_word() * words_of_piece); }

  /// ".v4.b32"
  std::string suffix() const {
    return (words_of_piece > 1 ? ".v" + std::to_string(words_of_piece) : std::string()) + ".b" +
           std::to_string(8 * word_bytes);
  }
  /// The register that holds a word, as a type and as a constraint of inline assembly.
  llvm::IntegerType* register_type(llvm::LLVMContext& context) const {
    return llvm::IntegerType::get(
        context, 8 * static_cast<unsigned>(std::max<std::uint64_t>(word_bytes, 2)));
  }
  const char* constraint() const { return word_bytes == 8 ? "l" : word_bytes == 4 ? "r" : "h"; }
};

class Rewriter {
 public:
  explicit Rewriter(llvm::Instruction* access) : b_(access), access_(access) {}

  void load(llvm::LoadInst& from) {
    const Shape shape = shape_of(from.getType(), from.getAlign());
    const bool constant = is_constant(from.getPointerOperand());
    const std::string head = constant ? "ld.global.nc.L1::no_allocate" : "ld.global.cs";
    Value* result = llvm::PoisonValue::get(from.getType());
    std::uint64_t next = 0;
    for (std::uint64_t piece = 0; piece < shape.pieces(); ++piece) {
      std::vector<llvm::Type*> types(shape.words_of_piece, shape.register_type(b_.getContext()));
      llvm::Type* made =
          types.size() == 1 ? types[0] : llvm::StructType::get(b_.getContext(), types);
      const std::string address = "$" + std::to_string(types.size());
      std::string constraints;
      for (std::size_t i = 0; i < types.size(); ++i)
        constraints += std::string("=") + shape.constraint() + ",";
      Value* words =
          call(head + shape.suffix() + " " + operands(shape, 0) + ", [" + address + "];",
               constraints + "l", made, {address_of(from.getPointerOperand(), shape, piece)});
      for (std::size_t i = 0; i < types.size(); ++i) {
        Value* word =
            types.size() == 1 ? words : b_.CreateExtractValue(words, static_cast<unsigned>(i));
        result = unpack(shape, word, result, next);
      }
    }
    from.replaceAllUsesWith(result);
    from.eraseFromParent();
  }

  void store(llvm::StoreInst& to) {
    Value* value = to.getValueOperand();
    const Shape shape = shape_of(value->getType(), to.getAlign());
    std::uint64_t next = 0;
    for (std::uint64_t piece = 0; piece < shape.pieces(); ++piece) {
      std::vector<Value*> arguments{address_of(to.getPointerOperand(), shape, piece)};
      std::string constraints = "l";
      for (std::uint64_t i = 0; i < shape.words_of_piece; ++i) {
        arguments.push_back(pack(shape, value, next));
        constraints += std::string(",") + shape.constraint();
      }
      call("st.global.cs" + shape.suffix() + " [$0], " + operands(shape, 1) + ";", constraints,
           b_.getVoidTy(), arguments);
    }
    to.eraseFromParent();
  }

 private:
  Shape shape_of(llvm::Type* type, llvm::Align align) const {
    return Shape::of(type, align.value(), access_->getModule()->getDataLayout());
  }

  // Loads of constants too stay where they are: LLVM would move one out of its guard.
  Value* call(const std::string& text, const std::string& constraints, llvm::Type* result,
              const std::vector<Value*>& arguments) {
    std::vector<llvm::Type*> types;
    for (const Value* a : arguments) types.push_back(a->getType());
    auto* type = llvm::FunctionType::get(result, types, false);
    return b_.CreateCall(type, llvm::InlineAsm::get(type, text, constraints + ",~{memory}", true),
                         arguments);
  }

  Value* address_of(Value* pointer, const Shape& shape, std::uint64_t piece) {
    return b_.CreateConstGEP1_64(b_.getInt8Ty(), pointer,
                                 piece * shape.words_of_piece * shape.word_bytes);
  }

  /// "$1", or "{$1, $2}".
  static std::string operands(const Shape& shape, std::uint64_t first) {
    std::string list;
    for (std::uint64_t i = 0; i < shape.words_of_piece; ++i)
      list += (i == 0 ? "$" : ", $") + std::to_string(first + i);
    return shape.words_of_piece == 1 ? list : "{" + list + "}";
  }

  // Elements go one by one: what LLVM makes of a cast between wide vectors goes through memory.
  Value* unpack(const Shape& shape, Value* word, Value* vector, std::uint64_t& next) {
    if (shape.word_bytes == 1) word = b_.CreateTrunc(word, b_.getInt8Ty());
    if (shape.per_word() == 1) return insert(vector, b_.CreateBitCast(word, shape.element), next++);
    Value* part = b_.CreateBitCast(word, part_type(shape));
    for (std::uint64_t i = 0; i < shape.per_word(); ++i)
      vector = insert(vector, b_.CreateExtractElement(part, i), next++);
    return vector;
  }
  Value* pack(const Shape& shape, Value* vector, std::uint64_t& next) {
    if (shape.per_word() == 1) {
      Value* element =
          vector->getType()->isVectorTy() ? b_.CreateExtractElement(vector, next) : vector;
      ++next;
      Value* word =
          b_.CreateBitCast(element, b_.getIntNTy(8 * static_cast<unsigned>(shape.word_bytes)));
      return b_.CreateZExt(word, shape.register_type(b_.getContext()));
    }
    Value* part = llvm::PoisonValue::get(part_type(shape));
    for (std::uint64_t i = 0; i < shape.per_word(); ++i)
      part = b_.CreateInsertElement(part, b_.CreateExtractElement(vector, next++), i);
    return b_.CreateBitCast(part, shape.register_type(b_.getContext()));
  }
  static llvm::Type* part_type(const Shape& shape) {
    return llvm::FixedVectorType::get(shape.element, static_cast<unsigned>(shape.per_word()));
  }
  Value* insert(Value* vector, Value* element, std::uint64_t at) {
    return vector->getType()->isVectorTy() ? b_.CreateInsertElement(vector, element, at) : element;
  }

  llvm::IRBuilder<> b_;
  llvm::Instruction* access_;
};

}  // namespace

void stream_accesses(llvm::Module& module) {
  for (llvm::Function& function : module) {
    std::vector<llvm::Instruction*> marked;
    for (llvm::Instruction& i : llvm::instructions(function)) {
      const bool global =
          llvm::isa<llvm::LoadInst, llvm::StoreInst>(i) &&
          llvm::getLoadStorePointerOperand(&i)->getType()->getPointerAddressSpace() == GlobalSpace;
      if (global && i.hasMetadata(llvm::LLVMContext::MD_nontemporal)) marked.push_back(&i);
    }
    for (llvm::Instruction* i : marked) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(i)) Rewriter(i).load(*load);
      else Rewriter(i).store(*llvm::cast<llvm::StoreInst>(i));
    }
  }
}

}  // namespace sinter::backends
