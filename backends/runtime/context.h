#pragma once
// What compiled host code is called with and calls back. Generated code addresses the first
// members of RuntimeContext by position (backends/llvm/emit_host.cpp): their order is fixed.

#include <cstdint>

namespace sinter::backends {

struct RuntimeContext;
/// Iterations [begin, end) of a parallel loop; not 0 when one failed.
using LoopBody = std::int32_t (*)(std::int64_t begin, std::int64_t end, void* closure);

struct RuntimeContext {
  /// Runs iterations [min, min + extent) in any order and number of threads; not 0 when one failed.
  std::int32_t (*parallel_for)(RuntimeContext*, LoopBody, std::int64_t min, std::int64_t extent,
                               void* closure);
  /// 64-byte aligned memory; or null, the failure to get it for the buffer `name` being noted.
  void* (*allocate)(RuntimeContext*, std::uint64_t bytes, const char* name);
  void (*release)(RuntimeContext*, void*);
  /// Notes the failure of an Assert (the first one counts). `text` is "i32,f64:message", the types
  /// of the values and a message with a {} for each; `values` are their bits (floats as f64,
  /// integers extended to 64 bits).
  void (*fail)(RuntimeContext*, const char* text, const std::uint64_t* values);

  // Of modules with kernels. A buffer is meant by the position of its argument, or by the handle
  // that allocate_device gave.
  /// What ir::TransferKind says. The address of the device's instance; 0: failed, noted.
  std::uint64_t (*transfer)(RuntimeContext*, std::uint64_t buffer, std::int32_t kind);
  /// Memory with an instance on the device, made at its first transfer; `host` is set to the
  /// instance here unless it is null. 0: failed, noted.
  std::uint64_t (*allocate_device)(RuntimeContext*, std::uint64_t bytes, const char* name,
                                   void** host);
  void (*release_device)(RuntimeContext*, std::uint64_t buffer);
  /// Runs a kernel of the module, by its position, with 8 bytes a parameter; not 0: failed, noted.
  std::int32_t (*launch)(RuntimeContext*, std::int32_t kernel, const std::uint64_t* parameters,
                         const std::int64_t* blocks, std::int64_t threads);
};

/// `slots`: per buffer argument the host pointer, then min, extent, stride of each dimension; per
/// scalar its bits. Not 0 when the call failed.
using EntryFunction = std::int32_t (*)(const std::uint64_t* slots, RuntimeContext*);

}  // namespace sinter::backends
