#pragma once
// ir::Module -> llvm::Module for the host: one entry function (see backends/runtime/context.h) and
// one function per parallel loop.

#include <memory>

#include <llvm/IR/Module.h>

#include "dsl/ir/module.h"

namespace sinter::backends {

/// Name of the entry in the object; one module per object, so it needs no more than that.
inline constexpr const char* EntryName = "sinter_entry";

/// `attributes`: string attributes for every function, e.g. target-cpu.
std::unique_ptr<llvm::Module> emit_host(
    const ir::Module&, llvm::LLVMContext&,
    const std::vector<std::pair<std::string, std::string>>& attributes);

}  // namespace sinter::backends
