#pragma once
// Makes a failing instance smaller while it still fails.

#include <chrono>
#include <functional>

#include "tests/property/instance.h"

namespace sinter::test {

Instance shrink(Instance, const std::function<bool(const Instance&)>& still_fails,
                std::chrono::seconds limit);

}  // namespace sinter::test
