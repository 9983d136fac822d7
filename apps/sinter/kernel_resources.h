#pragma once
// What the kernels of a pipeline need of a multiprocessor, for people and for programs.

#include <string>

#include "backends/backend.h"

namespace sinter::command {

/// A line for each kernel, or with `json` an object. What only an assembler knows is left out when
/// there was none.
std::string kernel_resources(const backends::CompiledModule&, bool json);

}  // namespace sinter::command
