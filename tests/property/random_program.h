#pragma once
// A random algorithm with sizes and parameters: two to seven stages of stencils, pointwise
// operators, data-dependent indices, boundary conditions, reductions, scans, histograms and tuples,
// built through the public front end.

#include "tests/property/instance.h"

namespace sinter::test {

/// The same seed gives the same program. `level` 0: pure stages of integers; 1: everything.
Instance random_program(std::uint64_t seed, int level = 1);

}  // namespace sinter::test
