#pragma once
// The meaning of every expression op on scalars: the one home of integer wrapping, Euclidean
// division, float rounding, casts, shifts, NaN and zeros. evaluate, interpret and constant folding
// all stand on it. Backends must agree bit for bit.

#include <cstdint>
#include <string>

#include "dsl/ir/node.h"

namespace sinter::ir {

/// A scalar of a given type. Integers, bool and index sign- or zero-extended into `integer` (u64:
/// bits); floats of all widths in `real`, always representable in the type (an f32 is an exact
/// double).
struct Scalar {
  Type type;
  std::int64_t integer = 0;
  double real = 0;

  static Scalar of_integer(Type, std::int64_t);  // wraps into the type
  static Scalar of_real(Type, double);           // rounds into the type
  bool as_bool() const { return integer != 0; }
  /// Equal in value and type; all NaNs are equal, -0 and +0 differ.
  bool same(const Scalar&) const;
};

/// `op` of the classes Arithmetic, Compare, Logic, Bits, Convert, Math on scalar operands.
/// Select included. Exp..Rsqrt run the portable polynomials (dsl/ir/portable_math.h).
Scalar apply(Op, Type result, const Scalar* args, int count);

/// Reads or writes one element in memory.
Scalar read_scalar(Type, const void* address);
void write_scalar(const Scalar&, void* address);
std::string to_string(const Scalar&);

}  // namespace sinter::ir
