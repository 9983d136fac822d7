#pragma once
// From output Funcs to an Algorithm: all stages they need, with unique text names.

#include <memory>
#include <vector>

#include <sinter/func.h>

#include "dsl/algorithm/algorithm.h"
#include "dsl/algorithm/func_contents.h"

namespace sinter {

/// The algorithm and the user's objects behind it, in the same orders.
struct Collection {
  Algorithm algorithm;
  std::vector<std::shared_ptr<const FuncContents>> funcs;            // as algorithm.stages
  std::vector<std::shared_ptr<const ImageContents>> images;          // as algorithm.images
  std::vector<std::shared_ptr<const ParameterContents>> parameters;  // as algorithm.scalars
};

/// Freezes the Funcs. `extra`: what only the schedule mentions (conditions, bounds).
Collection collect_all(const std::vector<Func>& outputs, const References& extra = {});
Algorithm collect(const std::vector<Func>& outputs, const References& extra = {});

}  // namespace sinter
