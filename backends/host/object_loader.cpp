// RuntimeDyld over one mapping per object: code, constants and data stay within reach of each
// other, one munmap returns it all. Unwind tables are not registered: generated code never throws.
#include "backends/host/object_loader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <llvm/ExecutionEngine/RTDyldMemoryManager.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/Object/ObjectFile.h>

#include <sinter/diagnostic.h>

namespace sinter::backends {

namespace {

class OneMapping : public llvm::RTDyldMemoryManager {
 public:
  ~OneMapping() override {
    if (start_) munmap(start_, size_);
  }

  bool needsToReserveAllocationSpace() override { return true; }

  void reserveAllocationSpace(uintptr_t code, llvm::Align, uintptr_t constants, llvm::Align, uintptr_t data,
                              llvm::Align) override {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto pages = [&](std::size_t bytes) { return (bytes + page - 1) / page * page; };
    const std::size_t sizes[] = {pages(code), pages(constants), pages(data)};
    size_ = sizes[0] + sizes[1] + sizes[2];
    if (size_ == 0) return;
    void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      size_ = 0;
      return;
    }
    start_ = static_cast<std::uint8_t*>(memory);
    std::uint8_t* at = start_;
    for (int i = 0; i < 3; ++i) {
      areas_[i] = {at, at, at + sizes[i]};
      at += sizes[i];
    }
  }

  std::uint8_t* allocateCodeSection(uintptr_t size, unsigned alignment, unsigned, llvm::StringRef) override {
    return take(areas_[0], size, alignment);
  }
  std::uint8_t* allocateDataSection(uintptr_t size, unsigned alignment, unsigned, llvm::StringRef,
                                    bool read_only) override {
    return take(areas_[read_only ? 1 : 2], size, alignment);
  }

  bool finalizeMemory(std::string* problem) override {
    const auto protect = [](const Area& area, int access) {
      const auto size = static_cast<std::size_t>(area.end - area.start);
      return size == 0 || mprotect(area.start, size, access) == 0;
    };
    if (protect(areas_[0], PROT_READ | PROT_EXEC) && protect(areas_[1], PROT_READ)) return false;
    if (problem) *problem = "mprotect failed";
    return true;
  }

  void registerEHFrames(std::uint8_t*, std::uint64_t, std::size_t) override {}
  void deregisterEHFrames() override {}

 private:
  struct Area { std::uint8_t *start = nullptr, *next = nullptr, *end = nullptr; };

  static std::uint8_t* take(Area& area, std::size_t size, std::size_t alignment) {
    const auto at = reinterpret_cast<std::uintptr_t>(area.next);
    const std::uintptr_t aligned = (at + alignment - 1) / alignment * alignment;
    auto* result = reinterpret_cast<std::uint8_t*>(aligned);
    if (!area.next || aligned + size > reinterpret_cast<std::uintptr_t>(area.end)) return nullptr;
    area.next = result + size;
    return result;
  }

  std::uint8_t* start_ = nullptr;
  std::size_t size_ = 0;
  Area areas_[3];
};

[[noreturn]] void refuse(const std::string& why) {
  throw InternalError("compiled host code cannot be loaded: " + why);
}

}  // namespace

struct LoadedObject::Contents {
  OneMapping memory;
  llvm::RuntimeDyld linker{memory, memory};
};

LoadedObject::LoadedObject(const std::string& object) : contents_(std::make_unique<Contents>()) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "host object"));
  if (!file) refuse(llvm::toString(file.takeError()));
  llvm::RuntimeDyld& linker = contents_->linker;
  linker.loadObject(**file);
  linker.resolveRelocations();
  if (linker.hasError()) refuse(linker.getErrorString().str());
  std::string problem;
  if (contents_->memory.finalizeMemory(&problem)) refuse(problem);
}

LoadedObject::~LoadedObject() = default;

void* LoadedObject::address(const char* symbol) const {
  const auto found = contents_->linker.getSymbol(symbol);
  if (!found) refuse(std::string("no symbol ") + symbol);
  return reinterpret_cast<void*>(found.getAddress());
}

}  // namespace sinter::backends
