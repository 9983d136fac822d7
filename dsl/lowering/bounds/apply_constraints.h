#pragma once
// What an ImageParam was constrained to is asserted at the entry; behind that it takes the place of
// the field everywhere.
//
//   before                        after  in.dim(0).set_stride(3)
//     ... in[x*in.stride.0] ...     assert(in.stride.0 == 3)
//                                   ... in[x*3] ...

#include "dsl/algorithm/algorithm.h"
#include "dsl/lowering/passes.h"

namespace sinter::lowering {

std::vector<ir::Constraint> constraints_of(const Algorithm&);
ir::Module apply_constraints(ir::Module, const LowerOptions&);

}  // namespace sinter::lowering
