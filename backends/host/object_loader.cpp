// RuntimeDyld over one mapping per object: code, constants and data stay within reach of each
// other, one munmap returns it all. Unwind tables are not registered: generated code never throws.
#include "backends/host/object_loader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

#include <llvm/ExecutionEngine/RTDyldMemoryManager.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/Object/ObjectFile.h>

#include <sinter/diagnostic.h>

namespace sinter::backends {

namespace {

#if defined(__x86_64__)
__extension__ using Half = _Float16;
float extend_half(Half value) { return static_cast<float>(value); }
Half truncate_to_half(float value) { return static_cast<Half>(value); }
#endif

/// What LLVM may call for an instruction that the processor lacks, and to copy or clear memory;
/// 0 for any other name.
std::uintptr_t library_function(const std::string& name) {
  struct Entry {
    const char* name;
    std::uintptr_t address;
  };
  const auto f32 = [](float (*f)(float)) { return reinterpret_cast<std::uintptr_t>(f); };
  const auto f64 = [](double (*f)(double)) { return reinterpret_cast<std::uintptr_t>(f); };
  const auto any = [](auto* f) { return reinterpret_cast<std::uintptr_t>(f); };
  static const Entry entries[] = {
      {"memcpy", any(&std::memcpy)},
      {"memmove", any(&std::memmove)},
      {"memset", any(&std::memset)},
      {"floorf", f32(&std::floor)},
      {"ceilf", f32(&std::ceil)},
      {"truncf", f32(&std::trunc)},
      {"floor", f64(&std::floor)},
      {"ceil", f64(&std::ceil)},
      {"trunc", f64(&std::trunc)},
      // To nearest even, in the rounding mode that everything here runs in.
      {"roundevenf", f32(&std::nearbyint)},
      {"roundeven", f64(&std::nearbyint)},
      {"fmaf", any(static_cast<float (*)(float, float, float)>(&std::fma))},
      {"fma", any(static_cast<double (*)(double, double, double)>(&std::fma))},
#if defined(__x86_64__)
      {"__extendhfsf2", any(&extend_half)},
      {"__truncsfhf2", any(&truncate_to_half)},
#endif
  };
  for (const Entry& entry : entries)
    if (name == entry.name) return entry.address;
  return 0;
}

class OneMapping : public llvm::RTDyldMemoryManager {
 public:
  ~OneMapping() override {
    if (start_) munmap(start_, size_);
  }

  bool needsToReserveAllocationSpace() override { return true; }

  void reserveAllocationSpace(uintptr_t code, llvm::Align, uintptr_t constants, llvm::Align,
                              uintptr_t data, llvm::Align) override {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto pages = [&](std::size_t bytes) { return (bytes + page - 1) / page * page; };
    // RuntimeDyld does not count the addresses of library functions (one word each) among the data.
    const std::size_t sizes[] = {pages(code), pages(constants), pages(data) + page};
    size_ = sizes[0] + sizes[1] + sizes[2];
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

  std::uint8_t* allocateCodeSection(uintptr_t size, unsigned alignment, unsigned,
                                    llvm::StringRef) override {
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

  llvm::JITSymbol findSymbol(const std::string& name) override {
    return {library_function(name), llvm::JITSymbolFlags::Exported};
  }

  void registerEHFrames(std::uint8_t*, std::uint64_t, std::size_t) override {}
  void deregisterEHFrames() override {}

 private:
  struct Area {
    std::uint8_t *start = nullptr, *next = nullptr, *end = nullptr;
  };

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
  auto file =
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "host object"));
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
