#include "backends/llvm/pair_gathers.h"

#include <optional>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace sinter::backends {

using llvm::Value;

namespace {

/// A gather from root + offset + lane index * size of an element.
struct Gather {
  llvm::IntrinsicInst* call;
  llvm::GetElementPtrInst* lanes;
  Value* root;
  std::int64_t offset;

  Value* index() const { return lanes->getOperand(1); }
  Value* mask() const { return call->getArgOperand(2); }
  llvm::FixedVectorType* type() const { return llvm::cast<llvm::FixedVectorType>(call->getType()); }
  std::int64_t element_bytes() const { return type()->getScalarSizeInBits() / 8; }
};

std::optional<Gather> match(llvm::Instruction& i, const llvm::DataLayout& layout) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (!call || call->getIntrinsicID() != llvm::Intrinsic::masked_gather) return {};
  auto* type = llvm::cast<llvm::FixedVectorType>(call->getType());
  const unsigned bits = type->getScalarSizeInBits(), lanes = type->getNumElements();
  if ((bits != 16 && bits != 32) || lanes < 4 || (lanes & (lanes - 1)) != 0) return {};
  // Lanes that do not take part give zero, or nothing in particular.
  auto* otherwise = llvm::dyn_cast<llvm::Constant>(call->getArgOperand(3));
  if (!otherwise || !(otherwise->isNullValue() || llvm::isa<llvm::UndefValue>(otherwise)))
    return {};
  auto* pointers = llvm::dyn_cast<llvm::GetElementPtrInst>(call->getArgOperand(0));
  if (!pointers || pointers->getNumIndices() != 1 ||
      pointers->getPointerOperandType()->isVectorTy())
    return {};
  llvm::APInt offset(64, 0);
  Value* root =
      pointers->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  return Gather{call, pointers, root, offset.getSExtValue()};
}

/// InstCombine, which takes the constants out of addresses, may leave the rest twice.
bool are_equal(Value* a, Value* b) {
  auto* first = llvm::dyn_cast<llvm::GetElementPtrInst>(a);
  auto* second = llvm::dyn_cast<llvm::GetElementPtrInst>(b);
  return a == b || (first && second && first->isIdenticalTo(second));
}

bool are_neighbours(const Gather& a, const Gather& b) {
  return are_equal(a.root, b.root) && a.index() == b.index() && a.mask() == b.mask() &&
         a.type() == b.type() &&
         a.lanes->getSourceElementType() == b.lanes->getSourceElementType() &&
         (a.offset - b.offset == a.element_bytes() || b.offset - a.offset == a.element_bytes());
}

/// `first` comes first in the block, wherever in memory.
void pair(const Gather& first, const Gather& second) {
  llvm::IRBuilder<> b(first.call);
  const unsigned lanes = first.type()->getNumElements();
  auto* wide =
      llvm::FixedVectorType::get(b.getIntNTy(2 * first.type()->getScalarSizeInBits()), lanes);
  Value* base =
      b.CreateGEP(b.getInt8Ty(), first.root,
                  b.getInt64(static_cast<std::uint64_t>(std::min(first.offset, second.offset))));
  Value* pointers = b.CreateGEP(first.lanes->getSourceElementType(), base, first.index());
  const llvm::Align align(static_cast<std::uint64_t>(first.element_bytes()));
  llvm::CallInst* both =
      b.CreateMaskedGather(wide, pointers, align, first.mask(), llvm::Constant::getNullValue(wide));
  if (llvm::MDNode* tag = first.call->getMetadata(llvm::LLVMContext::MD_tbaa);
      tag == second.call->getMetadata(llvm::LLVMContext::MD_tbaa))
    both->setMetadata(llvm::LLVMContext::MD_tbaa, tag);
  Value* elements =
      b.CreateBitCast(both, llvm::FixedVectorType::get(first.type()->getElementType(), 2 * lanes));
  const bool ascending = first.offset < second.offset;
  for (const bool of_first : {true, false}) {
    llvm::SmallVector<int, 64> choice;
    for (unsigned i = 0; i < lanes; ++i)
      choice.push_back(static_cast<int>(2 * i + (of_first == ascending ? 0 : 1)));
    (of_first ? first : second).call->replaceAllUsesWith(b.CreateShuffleVector(elements, choice));
  }
  first.call->eraseFromParent();
  second.call->eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses PairGathers::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    llvm::SmallVector<Gather, 16> single;  // since memory was last written
    for (llvm::Instruction& i : llvm::make_early_inc_range(block)) {
      if (i.mayWriteToMemory()) single.clear();
      const std::optional<Gather> found = match(i, layout);
      if (!found) continue;
      auto* partner =
          llvm::find_if(single, [&](const Gather& g) { return are_neighbours(g, *found); });
      if (partner == single.end()) {
        single.push_back(*found);
        continue;
      }
      pair(*partner, *found);
      single.erase(partner);
      changed = true;
    }
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace sinter::backends
