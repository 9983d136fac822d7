// Portable mathematics for f32. Every function reduces its argument and evaluates a minimax
// polynomial (coefficients: tests/ulp/fit.py). The logarithms and rsqrt round a sum of a large
// exact part and a small rest once, which keeps the error close to half an ulp; exp, exp2 and tanh
// have as few operators as a bound of 1 ulp (2 for tanh) allows. tests/ulp checks all 2^32
// arguments.

#include "dsl/ir/portable_math.h"

#include <array>

#include <sinter/diagnostic.h>

#include "dsl/ir/math_value.h"

namespace sinter::ir {
namespace math {
namespace {

constexpr double Ln2High = 0.693145751953125;  // 16 bits: k * Ln2High is exact
constexpr double Ln2Low = 1.42860677e-06;

/// 2^(k + n), a normal number, for a sum of round_to_integer: a shift and an addition.
Value power_of_two(const Value& sum, int n = 0) {
  return float_of((bits_of(sum) << 23) + static_cast<double>((127 + n) << 23));
}

/// v * 2^k from 2 v, v in [0.7, 1.5], and the sum of an integer k in [-125, 128]; where `is_tiny`,
/// of one in [-189, 64]. The last product rounds once, to infinity or to a subnormal where need be.
Value scale_by_power(const Value& twice_v, const Value& sum, const Value& is_tiny) {
  const Value scaled = twice_v * power_of_two(select(is_tiny, sum + 64, sum), -1);
  return select(is_tiny, scaled * 0x1p-64, scaled);
}

Value exp32(const Value& argument) {
  const Value x = limit(argument, -104, 89);
  const Rounded k = round_to_integer(x, 1.44269502);
  const Value r = fma(k.real, -Ln2Low, fma(k.real, -Ln2High, x));
  static constexpr std::array twice{
      2.0, 2.0, 2 * 0.5, 2 * 0.166665182, 2 * 0.0416661985, 2 * 0.00836895406, 2 * 0.00139509013};
  return scale_by_power(polynomial(r, twice), k.sum, x < -86);
}

Value exp2_32(const Value& argument) {
  const Value x = limit(argument, -151, 128);
  const Rounded k = round_to_integer(x);
  static constexpr std::array twice{2.0,
                                    2 * 0.693147182,
                                    2 * 0.240226507,
                                    2 * 0.055503618,
                                    2 * 0.00961802155,
                                    2 * 0.00133904372,
                                    2 * 0.000154721682};
  return scale_by_power(polynomial(x - k.real, twice), k.sum, x < -125);
}

/// log(x) = k ln2 + high + low for finite x > 0, k a float.
struct Logarithm {
  Value high, low, k;
};

Logarithm logarithm(const Value& x) {
  const Value tiny = x < 0x1p-126;
  const Value bits = bits_of(select(tiny, x * 0x1p24, x));
  // The mantissa in [sqrt(1/2), sqrt(2)): subtract the bits of sqrt(1/2), and add them again below
  // the exponent.
  constexpr std::int64_t root = 0x3f3504f3;
  const Value shifted = bits - static_cast<double>(root);
  const Value exponent = reinterpret(UInt(32), reinterpret(Int(32), shifted) >> 23);
  // 1.5 * 2^23 + exponent by its bits: conversions of integers are slow on GPUs.
  constexpr double Magic = 0x1.8p23;
  const Value sum = float_of(exponent + bits_of(constant(x, Magic)));
  const Value k = sum - select(tiny, constant(x, Magic + 24), Magic);
  const Value f = float_of((shifted & 0x7fffff) + static_cast<double>(root)) - 1;
  static constexpr std::array c{0.333333343, -0.249999657, 0.200000361, -0.166694343,
                                0.142869458, -0.124250881, 0.110120274, -0.10794048,
                                0.107435204, -0.0615159459};
  const Value square = f * f;
  const Value cubic = (f * square) * polynomial(f, c);
  // f - f^2/2 in two parts.
  const Value high = fma(square, -0.5, f);
  const Value square_low = fma(f, f, negate(square));
  const Value low = fma(square_low, -0.5, fma(square, -0.5, f - high));
  return {high, low + cubic, k};
}

Value log32(const Value& x) {
  const Logarithm l = logarithm(x);
  const Pair sum = fast_two_sum(l.k * Ln2High, l.high);
  return logarithm_specials(x, sum.high + (sum.low + fma(l.k, Ln2Low, l.low)));
}

Value log2_32(const Value& x) {
  const Logarithm l = logarithm(x);
  const Value product = l.high * 1.44269502;
  const Value missing = fma(l.high, 1.44269502, negate(product));
  const Value low = fma(l.low, 1.44269502, fma(l.high, 1.92596303e-08, missing));
  const Pair sum = fast_two_sum(l.k, product);
  return logarithm_specials(x, sum.high + (sum.low + low));
}

Value rsqrt32(const Value& argument) {
  const Value tiny = argument < 0x1p-90;
  const Value x = select(tiny, argument * 0x1p48, argument);
  const Value s = sqrt(x);
  const Value y = 1 / s;
  // One exact correction: s^2 + d = x, s y + e = 1.
  const Value d = fma(negate(s), s, x);
  const Value e = fma(negate(s), y, 1);
  const Value rest = fma(d * -0.5 * y, y, e);
  const Value corrected = fma(y, rest, y);
  const Value regular = (0 < x) && (x < Infinity);
  const Value value = select(regular, corrected, y);
  return value * select(tiny, constant(x, 0x1p24), 1);
}

// h / (h + 1), where h = (e^2a - 1) / 2: nothing cancels for small a, and a needs no other form.
Value tanh32(const Value& x) {
  const Value a = at_most(magnitude(x), 9.02);  // 1 from there on
  // 2a = k ln2 + 2r, h = 2^k (e^2r - 1) / 2 + (2^k - 1) / 2.
  const Rounded k = round_to_integer(a, 2.88539004);
  const Value r = fma(k.real, -0.346573591, a);
  static constexpr std::array c{1.0, 0.66666168, 0.333330244, 0.133866325, 0.044628799};
  const Value rest = fma(r * r, polynomial(r, c), r);
  const Value power = power_of_two(k.sum);
  const Value h = fma(rest, power, fma(power, 0.5, -0.5));
  const Value inverse = inverse_within(h + 1, 1, 0x1p27);
  const Value q = h * inverse;
  // What q (h + 1) misses of h: exact for h <= 1, where h + 1 is not.
  const Value missing = fma(negate(q), h, h - q);
  return with_sign_of(fma(missing, inverse, q), x);
}

Value erf32(const Value& x) {
  const Value a = magnitude(x);
  static constexpr std::array small_c{0.128379166,   -0.376126289,    0.112836175,   -0.0268550683,
                                      0.00519057875, -0.000802902679, 7.91346683e-05};
  const Value small = fma(a, polynomial(a * a, small_c), a);
  // 1 - e^log(erfc), for erfc < 0.16; the logarithm is t * (polynomial - 1).
  static constexpr std::array large_c{-0.128598437,   -0.635415137,   -0.105659842,
                                      0.0230824146,   -0.00317658298, 0.000136869407,
                                      2.87893781e-05, -3.58494731e-06};
  const Value t = at_most(a, 4.0);
  const Value minus_t = negate(t);
  const Value factor = polynomial(t, large_c);
  const Value power = fma(t, factor, minus_t);
  const Value lost = fma(t, factor, minus_t - power);
  const Rounded k = round_to_integer(power, 1.44269502);
  const Value r = fma(k.real, -0.693147182, power) + lost;
  static constexpr std::array c{1.0,          1.0,           0.5,          0.166665182,
                                0.0416661985, 0.00836895406, 0.00139509013};
  const Value large = fma(negate(polynomial(r, c)), power_of_two(k.sum), 1);
  return with_sign_of(select(a < 1.0, small, large), x);
}

// --- sin, cos, tan: arithmetic in f64

/// x = quadrant * pi/2 + r, |r| <= pi/4 in f64; the quadrant in the low two bits of a u32.
struct Reduced {
  Value r, quadrant;
};

/// For |x| >= 1: |x| * 2/pi modulo 4 in 62 fractional bits, from the window of 2/pi's bits that
/// matters.
Value turns(const Value& x) {
  // The integer part of 2/pi, then its fraction, 32 bits a word.
  static constexpr std::array<std::int64_t, 7> words{0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                                     0xf534ddc0, 0xdb629599, 0x3c439041};
  const Value bits = bits_of(x);
  const Value exponent = ((bits >> 23) & 0xff) - 127;
  const Value word = exponent >> 5;
  const Value shift = exponent & 31;
  const auto pick = [&](std::size_t i) {
    const Value low = select(word == 0, integer(word, words[i]), integer(word, words[i + 1]));
    const Value high = select(word == 2, integer(word, words[i + 2]), integer(word, words[i + 3]));
    return select(word < 2, low, high);
  };
  const std::array w{pick(0), pick(1), pick(2), pick(3)};
  // Word i of 2/pi * 2^exponent, the integer part modulo 2^32 first.
  const auto funnel = [&](std::size_t i) {
    const Value spill = (w[i + 1] >> 1) >> (integer(shift, 31) - shift);
    return cast(UInt(64), (w[i] << shift) | spill);
  };
  // |x| = m / 2^31 * 2^exponent. The low 8 bits of m are 0, so 32 bits of the integer part are
  // enough.
  const Value m = cast(UInt(64), ((bits & 0x7fffff) | 0x800000) << 8);
  return ((m * funnel(0)) << 31) + ((m * funnel(1)) >> 1) + ((m * funnel(2)) >> 33);
}

Reduced reduce(const Value& x) {
  const Value wide = cast(Float(64), x);
  const Rounded k = round_to_integer(wide, 0.6366197723675814);
  const Value small = fma(k.real, -6.123233995736766e-17, fma(k.real, -1.5707963267948966, wide));
  const Value t = turns(x);
  // The signed fraction, converted by halves: 64-bit conversions are slow on vectors.
  const Value fraction = t << 2;
  const Value high = cast(Float(64), reinterpret(Int(32), cast(UInt(32), fraction >> 32)));
  const Value low = cast(Float(64), cast(UInt(32), fraction));
  const Value r = fma(high, 0x1p-32, low * 0x1p-64) * 1.5707963267948966;
  const Value q = cast(UInt(32), (t >> 62) + ((t >> 61) & 1));
  const Value negative = x < 0;
  const Value is_small = magnitude(x) < 0x1p20;
  return {select(is_small, small, select(negative, negate(r), r)),
          select(is_small, cast(UInt(32), k.bits), select(negative, 0 - q, q))};
}

Value sine(const Value& r) {
  static constexpr std::array c{-0.166666666666316, 0.008333333325271816, -0.0001984126382263483,
                                2.7555357629758498e-06, -2.476164022737796e-08};
  const Value z = r * r;
  return fma(r * z, polynomial(z, c), r);
}

Value cosine(const Value& r) {
  static constexpr std::array c{1.0,
                                -0.5,
                                0.04166666662279159,
                                -0.0013888883750243469,
                                2.479951916040192e-05,
                                -2.7210166586248824e-07};
  return polynomial(r * r, c);
}

Value sin_or_cos(const Value& x, bool is_cosine) {
  const Reduced reduced = reduce(x);
  const Value quadrant = is_cosine ? reduced.quadrant + 1 : reduced.quadrant;
  const Value wide = select((quadrant & 1) == 0, sine(reduced.r), cosine(reduced.r));
  const Value narrow = cast(Float(32), wide);
  const Value value = float_of(bits_of(narrow) ^ ((quadrant & 2) << 30));
  return finite_only(x, is_cosine ? value : select(x == 0, x, value));
}

Value tan32(const Value& x) {
  const Reduced reduced = reduce(x);
  const Value s = sine(reduced.r);
  const Value c = cosine(reduced.r);
  const Value even = (reduced.quadrant & 1) == 0;
  const Value value = cast(Float(32), select(even, s, negate(c)) / select(even, c, s));
  return finite_only(x, select(x == 0, x, value));
}

// --- pow: logarithm and power in f64

/// log2 of a finite f64 > 0 that is not denormal; relative error < 2^-45.
Value wide_log2(const Value& a) {
  constexpr std::int64_t root = 0x3fe6a09e667f3bcd;
  const Value shifted = bits_of(a) - integer(bits_of(a), root);
  const Value exponent = reinterpret(Int(32), cast(UInt(32), shifted >> 32)) >> 20;
  const Value m = float_of((shifted & 0xfffffffffffff) + integer(shifted, root));
  const Value s = (m - 1) / (m + 1);
  static constexpr std::array c{2.8853900817779268,  0.9617966939259899,  0.577078016345414,
                                0.41219858586317215, 0.32059853269264055, 0.2623344661375697,
                                0.2209102039543791,  0.2136876178283819};
  return fma(s, polynomial(s * s, c), cast(Float(64), exponent));
}

/// 2^t, rounded once to f32.
Value wide_exp2(const Value& t) {
  const Value x = limit(t, -160, 140);
  const Rounded k = round_to_integer(x);
  const Value r = x - k.real;
  static constexpr std::array c{1.0,
                                0.6931471805568307,
                                0.2402265069573744,
                                0.05550410906338104,
                                0.00961812918357997,
                                0.001333347846063168,
                                0.00015403436509581447,
                                1.530370419247353e-05,
                                1.3259646250270451e-06};
  return cast(Float(32), polynomial(r, c) * float_of((k.bits + 1023) << 52));
}

Value pow32(const Value& x, const Value& y) {
  const Value a = magnitude(x);
  const Value finite_log = wide_log2(cast(Float(64), a));
  const Value wide_a = cast(Float(64), a);
  const Value log = select(a == 0, -Infinity, select(a < Infinity, finite_log, wide_a));
  return pow_specials(x, y, wide_exp2(cast(Float(64), y) * log));
}

}  // namespace

Value expand_f32(Op op, const Value& x, const Value* y) {
  if (op == Op::Exp) return exp32(x);
  if (op == Op::Exp2) return exp2_32(x);
  if (op == Op::Log) return log32(x);
  if (op == Op::Log2) return log2_32(x);
  if (op == Op::Pow) return pow32(x, *y);
  if (op == Op::Sin) return sin_or_cos(x, false);
  if (op == Op::Cos) return sin_or_cos(x, true);
  if (op == Op::Tan) return tan32(x);
  if (op == Op::Tanh) return tanh32(x);
  if (op == Op::Erf) return erf32(x);
  if (op == Op::Rsqrt) return rsqrt32(x);
  throw InternalError("expand_f32: not a math op");
}

}  // namespace math

namespace {

/// The portable function that stands for an approximation.
Op exact_form(Op op) {
  if (op == Op::FastExp2) return Op::Exp2;
  if (op == Op::FastLog2) return Op::Log2;
  if (op == Op::FastTanh) return Op::Tanh;
  if (op == Op::FastSin) return Op::Sin;
  if (op == Op::FastCos) return Op::Cos;
  if (op == Op::FastRsqrt) return Op::Rsqrt;
  return op;
}

}  // namespace

Expr expand_math(Op op, const std::vector<Expr>& operands) {
  ensure(operands.size() == (op == Op::Pow ? 2U : 1U), "expand_math: wrong number of operands");
  const Type type = operands[0]->type;
  ensure(type.kind == TypeKind::Float && type.bits >= 32, "expand_math is for f32 and f64");
  for (const Expr& e : operands) ensure(e->type == type, "expand_math: operands of one type");
  const math::Value x = operands[0];
  const math::Value y = operands.back();
  if (op == Op::FastReciprocal) return (math::Value(real_literal(type, 1)) / x).e;
  op = exact_form(op);
  return (type.bits == 32 ? math::expand_f32(op, x, &y) : math::expand_f64(op, x, &y)).e;
}

}  // namespace sinter::ir
