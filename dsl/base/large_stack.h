#pragma once
// Compiling and evaluating recurse as deep as expressions nest and chains of stages are long.

#include <functional>

namespace sinter {

/// Runs `work` and waits for it, on a thread with a stack of 1 GiB (reserved, not used) where there
/// is room for one. What it throws is thrown here.
void on_large_stack(const std::function<void()>& work);

}  // namespace sinter
