#pragma once
// What lies between a pipeline and its machine code: the one place where the command line looks
// into the compiler.

#include <string>
#include <vector>

#include <sinter/func.h>
#include <sinter/schedule.h>

namespace sinter::command {

/// Fills `buffers`, one per output, by the reference evaluator, with the inputs and parameters that
/// are set.
void evaluate_reference(const std::vector<Func>& outputs, const Schedule&,
                        const std::vector<Buffer<>>& buffers);

/// The rewrites of a schedule, with each stage at root.
Schedule at_root(const std::vector<Func>& outputs, const Schedule& rewrites);

/// The text of one step of compilation: "schedule", "loops", "ir", "llvm", "asm"; or "resources",
/// what each kernel needs, of which `json` makes an object a line. Needs no device.
std::string inspect(const std::vector<Func>& outputs, const Schedule&, const std::string& what,
                    const Target&, bool json = false);

}  // namespace sinter::command
