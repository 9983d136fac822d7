#pragma once
// Call: one call of compiled host code: the services that it reaches, and the first failure.

#include <atomic>
#include <string>

#include "backends/runtime/context.h"

namespace sinter::backends {

struct Call : RuntimeContext {
  Call();
  /// The first failure counts; may come from any thread.
  void note(std::string text);

  std::atomic<bool> failed{false};
  std::string message;  // written by whoever set `failed`, read after the call
};

}  // namespace sinter::backends
