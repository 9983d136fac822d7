#pragma once
// Boxes become flat allocations, coordinates become element indices.
//
//   before   realize f: f32 [x0, 10; y0, 3] { provide f[x, y] = v }
//   after    let f.origin = x0 + y0*10
//            allocate f: f32 30 stack { store f(x + y*10 - f.origin) = v }

#include "dsl/lowering/passes.h"

namespace sinter::lowering {

ir::Module flatten_storage(ir::Module, const LowerOptions&);

}  // namespace sinter::lowering
