#include "backends/nvptx/share_windows.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "backends/nvptx/constant_memory.h"

namespace sinter::backends {

namespace {

using llvm::Value;

constexpr std::int64_t MostBytes = 16;  // of one instruction

/// A load of neighbouring elements at root + offset.
struct Window {
  llvm::LoadInst* load;
  Value* root;
  std::int64_t offset;

  llvm::FixedVectorType* type() const { return llvm::cast<llvm::FixedVectorType>(load->getType()); }
  std::int64_t element_bytes() const { return type()->getScalarSizeInBits() / 8; }
  std::int64_t bytes() const { return element_bytes() * type()->getNumElements(); }
  std::int64_t end() const { return offset + bytes(); }
  std::int64_t align() const { return static_cast<std::int64_t>(load->getAlign().value()); }
  bool is_whole() const { return align() >= std::min(bytes(), MostBytes); }
};

/// What windows of one union have in common.
using Key = std::tuple<Value*, llvm::Type*, bool>;
Key key_of(const Window& w) {
  return {w.root, w.type()->getElementType(),
          w.load->hasMetadata(llvm::LLVMContext::MD_nontemporal)};
}

bool match(llvm::Instruction& i, const llvm::DataLayout& layout, Window* w) {
  auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
  if (!load || !load->isSimple()) return false;
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(load->getType());
  if (!type || type->getScalarSizeInBits() % 8 != 0 || !type->getElementType()->isSized())
    return false;
  llvm::APInt offset(64, 0);
  Value* root = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  *w = {load, root, offset.getSExtValue()};
  return true;
}

/// Aligned pieces of [begin, end), as far as is known: root + known is at a multiple of `align`.
class Union {
 public:
  Union(llvm::IRBuilder<>& b, const Window& like, std::int64_t begin, std::int64_t end,
        std::int64_t known, std::int64_t align)
      : b_(b), begin_(begin), element_bytes_(like.element_bytes()) {
    llvm::Type* element = like.type()->getElementType();
    for (std::int64_t at = begin; at < end;) {
      const std::int64_t distance = at - known;
      std::int64_t size = std::min(align, MostBytes);
      while (size > element_bytes_ && (distance % size != 0 || at + size > end)) size /= 2;
      const auto count = static_cast<unsigned>(size / element_bytes_);
      Value* pointer =
          b.CreateGEP(b.getInt8Ty(), like.root, b.getInt64(static_cast<std::uint64_t>(at)));
      llvm::Type* type = count == 1
                             ? element
                             : static_cast<llvm::Type*>(llvm::FixedVectorType::get(element, count));
      llvm::LoadInst* piece =
          b.CreateAlignedLoad(type, pointer, llvm::Align(static_cast<std::uint64_t>(size)));
      piece->copyMetadata(*like.load);
      for (unsigned i = 0; i < count; ++i)
        elements_.push_back(count == 1 ? piece : b.CreateExtractElement(piece, i));
      at += size;
    }
  }
  Value* elements_of(const Window& w) const {
    Value* result = llvm::PoisonValue::get(w.type());
    const std::int64_t first = (w.offset - begin_) / element_bytes_;
    for (unsigned i = 0; i < w.type()->getNumElements(); ++i)
      result = b_.CreateInsertElement(result, elements_[static_cast<std::size_t>(first + i)], i);
    return result;
  }

 private:
  llvm::IRBuilder<>& b_;
  std::int64_t begin_, element_bytes_;
  std::vector<Value*> elements_;
};

/// In the order of the block, all of one key.
void share(std::vector<Window> windows) {
  std::vector<Window> by_place = windows;
  std::stable_sort(by_place.begin(), by_place.end(),
                   [](const Window& a, const Window& b) { return a.offset < b.offset; });
  for (auto first = by_place.begin(); first != by_place.end();) {
    auto last = first;
    std::int64_t end = first->end();
    for (; last != by_place.end() && last->offset <= end &&
           (last->offset - first->offset) % first->element_bytes() == 0;
         ++last)
      end = std::max(end, last->end());
    const bool split = std::any_of(first, last, [](const Window& w) { return !w.is_whole(); });
    if (last - first > 1 && split) {
      const auto known = std::max_element(
          first, last, [](const Window& a, const Window& b) { return a.align() < b.align(); });
      const auto earliest = std::find_if(windows.begin(), windows.end(), [&](const Window& w) {
        return std::any_of(first, last, [&](const Window& other) { return w.load == other.load; });
      });
      llvm::IRBuilder<> b(earliest->load);
      const Union all(b, *first, first->offset, end, known->offset, known->align());
      for (auto w = first; w != last; ++w) w->load->replaceAllUsesWith(all.elements_of(*w));
      for (auto w = first; w != last; ++w) w->load->eraseFromParent();
    }
    first = last;
  }
}

}  // namespace

void share_windows(llvm::Module& module) {
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      std::vector<std::vector<Window>> groups;  // in the order of the block
      std::map<Key, std::size_t> open;          // since memory was last written, or constant
      for (llvm::Instruction& i : block) {
        if (i.mayWriteToMemory())
          std::erase_if(open, [](const auto& e) { return !is_constant(std::get<0>(e.first)); });
        Window w{};
        if (!match(i, layout, &w)) continue;
        const auto [at, is_new] = open.emplace(key_of(w), groups.size());
        if (is_new) groups.emplace_back();
        groups[at->second].push_back(w);
      }
      for (std::vector<Window>& group : groups) share(std::move(group));
    }
  }
}

}  // namespace sinter::backends
