#pragma once
// What the files that implement scalar.h share. Entry points for everybody else are in scalar.h.

#include "dsl/ir/scalar.h"

namespace sinter::ir {

/// The integer wrapped into `bits`, sign- or zero-extended as the type says. Index: unchanged.
std::int64_t wrap(Type, std::int64_t value);
/// The nearest value of the float type, ties to even; one rounding.
double round_to(Type, double value);
/// Cast and Reinterpret.
Scalar convert(Op, Type result, const Scalar&);
/// Exp ... Rsqrt by their portable expansion.
Scalar apply_portable(Op, Type result, const Scalar* args, int count);

}  // namespace sinter::ir
