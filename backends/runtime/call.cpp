#include "backends/runtime/call.h"

#include <cstdlib>

#include "backends/runtime/failure.h"
#include "backends/runtime/parallel.h"

namespace sinter::backends {

Call::Call() : RuntimeContext{} {
  parallel_for = [](RuntimeContext*, LoopBody body, std::int64_t min, std::int64_t extent,
                    void* closure) { return run_parallel_loop(body, min, extent, closure); };
  allocate = [](RuntimeContext* context, std::uint64_t bytes, const char* name) -> void* {
    constexpr std::uint64_t Alignment = 64, Largest = std::uint64_t{1} << 48;
    void* memory =
        bytes > Largest
            ? nullptr
            : std::aligned_alloc(Alignment, (bytes + Alignment - 1) / Alignment * Alignment);
    if (!memory)
      static_cast<Call*>(context)->note(
          std::string("stage '") + name + "': there is no memory for its " + std::to_string(bytes) +
          " bytes\n  remedy: compute it at a loop of its consumer, or give smaller sizes");
    return memory;
  };
  release = [](RuntimeContext*, void* memory) { std::free(memory); };
  fail = [](RuntimeContext* context, const char* text, const std::uint64_t* values) {
    static_cast<Call*>(context)->note(format_failure(text, values));
  };
}

void Call::note(std::string text) {
  if (!failed.exchange(true)) message = std::move(text);
}

}  // namespace sinter::backends
