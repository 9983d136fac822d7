#pragma once
// THE ORACLE. Evaluates an Algorithm on demand, memoised per (stage, coordinates); a stage with
// updates runs its updates, in order, on the set of elements demanded of it. No bounds inference,
// no simplifier, no lowering: only definitions and ir::apply.

#include "dsl/algorithm/algorithm.h"

namespace sinter {

/// Fills every output view over its own box. `arguments.buffers` is keyed by image id for inputs
/// and, for outputs, by `output_symbol(stage id, component)`. Throws RuntimeError for a read
/// outside an image or a failed require.
void evaluate(const Algorithm&, const ir::Arguments&);

/// The buffer symbol of an output's component.
Symbol output_symbol(const StageDefinition&, std::size_t component);

}  // namespace sinter
