// Arithmetic, comparisons, logic and bits on scalars, with the meaning of semantics.md.

#include "dsl/ir/scalar.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <sinter/diagnostic.h>

#include "dsl/ir/scalar_parts.h"

namespace sinter::ir {

namespace {

using Unsigned = std::uint64_t;

bool is_unsigned_64(Type type) { return type.is_uint() && type.bits == 64; }

[[noreturn]] void refuse(Op op, Type type) {
  throw InternalError("no scalar meaning for '" + std::string(info(op).name) + "' of type " +
                      to_string(type));
}

Scalar of_bool(bool value) { return {Bool(), value ? 1 : 0, 0}; }

bool less_integer(Type type, std::int64_t a, std::int64_t b) {
  return is_unsigned_64(type) ? static_cast<Unsigned>(a) < static_cast<Unsigned>(b) : a < b;
}

// --- coordinates: exact, so an overflow of 64 bits is a mistake of ours

std::int64_t exact(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  if (op == Op::Add) overflow = __builtin_add_overflow(a, b, &result);
  else if (op == Op::Sub) overflow = __builtin_sub_overflow(a, b, &result);
  else overflow = __builtin_mul_overflow(a, b, &result);
  ensure(!overflow, "a coordinate leaves 64 bits");
  return result;
}

// --- integers

/// Euclidean quotient and remainder; both 0 for b == 0. The quotient may still need wrapping.
struct Division {
  std::int64_t quotient, remainder;
};

Division divide(Type type, std::int64_t a, std::int64_t b) {
  if (b == 0) return {0, 0};
  if (is_unsigned_64(type)) {
    const Unsigned ua = static_cast<Unsigned>(a), ub = static_cast<Unsigned>(b);
    return {static_cast<std::int64_t>(ua / ub), static_cast<std::int64_t>(ua % ub)};
  }
  if (b == -1) {
    ensure(!type.is_index() || a != std::numeric_limits<std::int64_t>::min(),
           "a coordinate leaves 64 bits");
    return {static_cast<std::int64_t>(Unsigned{0} - static_cast<Unsigned>(a)), 0};
  }
  std::int64_t quotient = a / b, remainder = a % b;
  if (remainder < 0) {
    quotient += b > 0 ? -1 : 1;
    remainder = b > 0 ? remainder + b : remainder - b;
  }
  return {quotient, remainder};
}

Scalar integer_arithmetic(Op op, Type type, const Scalar* args) {
  const std::int64_t a = args[0].integer, b = args[1].integer;
  const Unsigned ua = static_cast<Unsigned>(a), ub = static_cast<Unsigned>(b);
  if (op == Op::Min) return {type, less_integer(type, b, a) ? b : a, 0};
  if (op == Op::Max) return {type, less_integer(type, a, b) ? b : a, 0};
  if (op == Op::Div) return {type, wrap(type, divide(type, a, b).quotient), 0};
  if (op == Op::Mod) return {type, wrap(type, divide(type, a, b).remainder), 0};
  if (op != Op::Add && op != Op::Sub && op != Op::Mul) refuse(op, type);
  if (type.is_index()) return {type, exact(op, a, b), 0};
  const Unsigned result = op == Op::Add ? ua + ub : op == Op::Sub ? ua - ub : ua * ub;
  return {type, wrap(type, static_cast<std::int64_t>(result)), 0};
}

Scalar absolute(Type result, const Scalar& value) {
  if (value.type.is_float()) return {result, 0, std::fabs(value.real)};
  if (value.type.is_uint() || value.integer >= 0) return {result, value.integer, 0};
  if (value.type.is_index()) return {result, exact(Op::Sub, 0, value.integer), 0};
  return {
      result,
      wrap(result, static_cast<std::int64_t>(Unsigned{0} - static_cast<Unsigned>(value.integer))),
      0};
}

// --- floats

double minimum_number(double a, double b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double maximum_number(double a, double b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

/// a*b + c for 16-bit formats: the product is exact in double, the sum is rounded to odd there, so
/// that the one rounding to the format sees on which side of a tie it lies.
double fma_to_odd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double other = sum - product;
  const double error = (product - (sum - other)) + (c - other);
  if (error == 0 || (std::bit_cast<Unsigned>(sum) & 1u) != 0) return sum;
  const double infinity = std::numeric_limits<double>::infinity();
  return std::nextafter(sum, error > 0 ? infinity : -infinity);
}

Scalar float_arithmetic(Op op, Type type, const Scalar* args) {
  const double a = args[0].real, b = args[1].real;
  if (op == Op::Min) return {type, 0, minimum_number(a, b)};
  if (op == Op::Max) return {type, 0, maximum_number(a, b)};
  if (op == Op::Fma) {
    const double c = args[2].real;
    if (type.bits == 64) return {type, 0, std::fma(a, b, c)};
    if (type.bits == 32) {
      const float result =
          std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
      return {type, 0, static_cast<double>(result)};
    }
    return Scalar::of_real(type, fma_to_odd(a, b, c));
  }
  // A double holds more than twice the digits of f32 and shorter, so rounding twice is rounding
  // once.
  if (op == Op::Add) return Scalar::of_real(type, a + b);
  if (op == Op::Sub) return Scalar::of_real(type, a - b);
  if (op == Op::Mul) return Scalar::of_real(type, a * b);
  if (op == Op::Div) return Scalar::of_real(type, a / b);
  refuse(op, type);
}

Scalar float_function(Op op, Type type, double value) {
  if (op == Op::Floor) return {type, 0, std::floor(value)};
  if (op == Op::Ceil) return {type, 0, std::ceil(value)};
  if (op == Op::Round) return {type, 0, std::nearbyint(value)};
  if (op == Op::Trunc) return {type, 0, std::trunc(value)};
  return Scalar::of_real(type, std::sqrt(value));
}

// --- comparisons and bits

bool compare(Op op, const Scalar& a, const Scalar& b) {
  if (a.type.is_float()) {
    if (op == Op::Equal) return a.real == b.real;
    if (op == Op::NotEqual) return a.real != b.real;
    return op == Op::Less ? a.real < b.real : a.real <= b.real;
  }
  if (op == Op::Equal) return a.integer == b.integer;
  if (op == Op::NotEqual) return a.integer != b.integer;
  return op == Op::Less ? less_integer(a.type, a.integer, b.integer)
                        : !less_integer(a.type, b.integer, a.integer);
}

Unsigned bits_of(Type type, std::int64_t value) {
  const Unsigned mask = type.bits >= 64 ? ~Unsigned{0} : (Unsigned{1} << type.bits) - 1;
  return static_cast<Unsigned>(value) & mask;
}

/// Shift to the left by `amount` in -bits..bits.
std::int64_t shift(Type type, std::int64_t value, std::int64_t amount) {
  if (amount >= type.bits) return 0;
  if (amount >= 0)
    return wrap(type, static_cast<std::int64_t>(static_cast<Unsigned>(value) << amount));
  const std::int64_t right = -amount;
  if (right >= type.bits) return type.is_int() && value < 0 ? -1 : 0;
  if (type.is_int()) return value >> right;
  return static_cast<std::int64_t>(static_cast<Unsigned>(value) >> right);
}

std::int64_t shift_amount(Type type, const Scalar& amount) {
  if (is_unsigned_64(amount.type) && amount.integer < 0) return type.bits;
  return std::clamp<std::int64_t>(amount.integer, -type.bits, type.bits);
}

Scalar bit_operation(Op op, Type type, const Scalar* args) {
  const Type operand = args[0].type;
  if (!operand.is_integer()) refuse(op, operand);
  const std::int64_t a = args[0].integer;
  const Unsigned bits = bits_of(operand, a);
  const int width = operand.bits;
  if (op == Op::BitNot) return {type, wrap(type, ~a), 0};
  if (op == Op::CountLeadingZeros)
    return {type, wrap(type, std::countl_zero(bits) - (64 - width)), 0};
  if (op == Op::CountTrailingZeros)
    return {type, wrap(type, std::min(std::countr_zero(bits), width)), 0};
  if (op == Op::PopCount) return {type, wrap(type, std::popcount(bits)), 0};
  const std::int64_t b = args[1].integer;
  if (op == Op::BitAnd) return {type, wrap(type, a & b), 0};
  if (op == Op::BitOr) return {type, wrap(type, a | b), 0};
  if (op == Op::BitXor) return {type, wrap(type, a ^ b), 0};
  const std::int64_t amount = shift_amount(operand, args[1]);
  if (op == Op::ShiftLeft) return {type, shift(type, a, amount), 0};
  if (op == Op::ShiftRight) return {type, shift(type, a, -amount), 0};
  refuse(op, type);
}

Scalar logic(Op op, const Scalar* args) {
  if (op == Op::Not) return of_bool(!args[0].as_bool());
  if (op == Op::And) return of_bool(args[0].as_bool() && args[1].as_bool());
  return of_bool(args[0].as_bool() || args[1].as_bool());
}

}  // namespace

std::int64_t wrap(Type type, std::int64_t value) {
  if (type.is_index() || type.bits >= 64) return value;
  if (type.is_bool()) return value != 0 ? 1 : 0;
  const int unused = 64 - type.bits;
  const std::int64_t raised = static_cast<std::int64_t>(static_cast<Unsigned>(value) << unused);
  if (type.is_int()) return raised >> unused;
  return static_cast<std::int64_t>(static_cast<Unsigned>(raised) >> unused);
}

double round_to(Type type, double value) {
  if (type.kind == TypeKind::BFloat)
    return static_cast<double>(float_from_bfloat_bits(bfloat_bits_from_double(value)));
  if (type.bits == 16)
    return static_cast<double>(float_from_half_bits(half_bits_from_double(value)));
  if (type.bits == 32) return static_cast<double>(static_cast<float>(value));
  return value;
}

Scalar Scalar::of_integer(Type type, std::int64_t value) { return {type, wrap(type, value), 0}; }
Scalar Scalar::of_real(Type type, double value) { return {type, 0, round_to(type, value)}; }

bool Scalar::same(const Scalar& other) const {
  if (type != other.type) return false;
  if (!type.is_float()) return integer == other.integer;
  if (std::isnan(real) || std::isnan(other.real)) return std::isnan(real) && std::isnan(other.real);
  return real == other.real && std::signbit(real) == std::signbit(other.real);
}

Scalar apply(Op op, Type result, const Scalar* args, int count) {
  ensure(count >= 1, "an operator has operands");
  const OpClass op_class = info(op).op_class;
  if (op == Op::Select) {
    Scalar chosen = args[0].as_bool() ? args[1] : args[2];
    return chosen;
  }
  if (op == Op::Strict || op == Op::PromiseClamped) return args[0];
  if (op == Op::Abs) return absolute(result, args[0]);
  if (op == Op::Cast || op == Op::Reinterpret) return convert(op, result, args[0]);
  if (op == Op::Floor || op == Op::Ceil || op == Op::Round || op == Op::Trunc || op == Op::Sqrt) {
    if (!result.is_float()) refuse(op, result);
    return float_function(op, result, args[0].real);
  }
  if (op_class == OpClass::Compare) return of_bool(compare(op, args[0], args[1]));
  if (op_class == OpClass::Logic) return logic(op, args);
  if (op_class == OpClass::Arithmetic) {
    return result.is_float() ? float_arithmetic(op, result, args)
                             : integer_arithmetic(op, result, args);
  }
  if (op_class == OpClass::Bits) return bit_operation(op, result, args);
  if (is_portable(op)) return apply_portable(op, result, args, count);
  refuse(op, result);
}

}  // namespace sinter::ir
