// Portable mathematics for f64.

#include <sinter/diagnostic.h>

#include "dsl/ir/math_value.h"

namespace sinter::ir::math {

Value expand_f64(Op op, const Value&, const Value*) {
  Diagnostic d;
  d.reason = std::string(info(op).name) + " of f64 has no portable form yet";
  d.remedy = "compute it in f32: f64(" + std::string(info(op).name) + "(f32(x)))";
  throw CompileError(d);
}

}  // namespace sinter::ir::math
