// Portable mathematics for f64: the forms of portable_math.cpp with longer polynomials, and sums of
// two f64 where one is not enough (pow's logarithm, arguments of sin and cos).

#include <array>
#include <cstddef>

#include <sinter/diagnostic.h>

#include "dsl/ir/math_value.h"

namespace sinter::ir::math {

namespace {

constexpr double Ln2High = 0.6931471805598903;  // 42 bits: k * Ln2High is exact
constexpr double Ln2Low = 5.497923018708371e-14;
constexpr double Ln2 = 0.6931471805599453, Ln2Rest = 2.3190468138462996e-17;
constexpr double Log2E = 1.4426950408889634, Log2ERest = 2.0355273740931033e-17;

// --- sums of two

Pair add(const Pair& a, const Pair& b) {
  const Pair s = two_sum(a.high, b.high);
  return fast_two_sum(s.high, s.low + (a.low + b.low));
}
Pair multiply(const Pair& a, const Pair& b) {
  const Pair p = two_product(a.high, b.high);
  return fast_two_sum(p.high, fma(a.high, b.low, fma(a.low, b.high, p.low)));
}
Pair constant_pair(const Value& like, double high, double low) {
  return {constant(like, high), constant(like, low)};
}

// --- exponentials

/// v * 2^k for bits of an integer k in [-2044, 2046]: the last product rounds once.
Value scale_by_power(const Value& v, const Value& k) {
  const Value half = reinterpret(UInt(64), reinterpret(Int(64), k) >> 1);
  return v * float_of((half + 1023) << 52) * float_of((k - half + 1023) << 52);
}

/// e^x = (high + low) * 2^k, for |x| < 2000.
struct Exponential {
  Value high, low, k;
};

Exponential exponential(const Value& x) {
  const Rounded k = round_to_integer(x, Log2E);
  const Value exact = fma(k.real, -Ln2High, x);
  const Value r = fma(k.real, -Ln2Low, exact);
  const Value lost = fma(k.real, -Ln2Low, exact - r);
  static constexpr std::array c{0.5,
                                0.16666666666666685,
                                0.04166666666666673,
                                0.00833333333331674,
                                0.0013888888888858577,
                                0.00019841269897056017,
                                2.4801587373552857e-05,
                                2.7557234239101937e-06,
                                2.755723348842504e-07,
                                2.5112239195179532e-08,
                                2.092690830465654e-09};
  const Value rest = fma(r * r, polynomial(r, c), lost);
  const Pair sum = fast_two_sum(constant(x, 1), r);
  const Pair parts = fast_two_sum(sum.high, sum.low + rest);
  return {parts.high, parts.low, k.bits};
}

Value exp64(const Value& x) {
  const Exponential e = exponential(limit(x, -746, 710));
  return scale_by_power(e.high + e.low, e.k);
}

/// 2^(x + rest_of_x) for |x| < 1100 and a rest of rounding size.
Value power_of_two(const Value& x, const Value& rest_of_x) {
  const Rounded k = round_to_integer(x);
  const Value r = x - k.real;
  const Value linear = r * Ln2;
  const Value lost = fma(r, Ln2Rest, fma(r, Ln2, negate(linear)));
  static constexpr std::array c{
      0.24022650695910072,   0.05550410866482164,    0.00961812910762849,    0.0013333558146401915,
      0.0001540353039334802, 1.5252733846919044e-05, 1.3215486828468019e-06, 1.0178054633281634e-07,
      7.054889680544824e-09, 4.456206447867339e-10,  2.5740109819651668e-11};
  const Value rest = fma(r * r, polynomial(r, c), lost);
  const Pair sum = fast_two_sum(constant(x, 1), linear);
  const Value low = sum.low + rest;
  // 2^rest_of_x = 1 + rest_of_x ln2
  return scale_by_power(sum.high + fma(sum.high + low, rest_of_x * Ln2, low), k.bits);
}

Value exp2_64(const Value& x) { return power_of_two(limit(x, -1076, 1025), constant(x, 0)); }

// --- logarithms

/// x = (1 + f) * 2^k for finite x > 0, 1 + f in [sqrt(1/2), sqrt(2)).
struct Mantissa {
  Value f, k;
};

Mantissa split_mantissa(const Value& x) {
  constexpr std::int64_t root = 0x3fe6a09e667f3bcd;
  const Value tiny = x < 0x1p-1022;
  const Value bits = bits_of(select(tiny, x * 0x1p54, x));
  const Value shifted = bits - integer(bits, root);
  const Value exponent = reinterpret(Int(32), cast(UInt(32), shifted >> 32)) >> 20;
  const Value k = cast(Float(64), exponent) - select(tiny, constant(x, 54), 0);
  return {float_of((shifted & 0xfffffffffffff) + integer(shifted, root)) - 1, k};
}

/// log(1 + f): f - f^2/2 in two parts, the second with the rest of the series.
Pair logarithm(const Value& f) {
  static constexpr std::array c{0.6666666666666666, 0.40000000000006264, 0.2857142856908108,
                                0.2222222264753306, 0.1818177560582746,  0.15387093392820356,
                                0.1325005825082736, 0.1325187707504397};
  const Value s = f / (f + 2);
  const Value z = s * s;
  const Value square = f * f;
  // log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + z polynomial(z)).
  const Value series = s * fma(z, polynomial(z, c), square * 0.5);
  const Value high = fma(square, -0.5, f);
  const Value square_low = fma(f, f, negate(square));
  const Value low = fma(square_low, -0.5, fma(square, -0.5, f - high));
  return {high, low + series};
}

Value log64(const Value& x) {
  const Mantissa m = split_mantissa(x);
  const Pair l = logarithm(m.f);
  const Pair sum = fast_two_sum(m.k * Ln2High, l.high);
  return logarithm_specials(x, sum.high + (sum.low + fma(m.k, Ln2Low, l.low)));
}

Value log2_64(const Value& x) {
  const Mantissa m = split_mantissa(x);
  const Pair l = logarithm(m.f);
  const Pair parts = fast_two_sum(l.high, l.low);
  const Value product = parts.high * Log2E;
  const Value low =
      fma(parts.low, Log2E, fma(parts.high, Log2ERest, fma(parts.high, Log2E, negate(product))));
  const Pair sum = fast_two_sum(m.k, product);
  return logarithm_specials(x, sum.high + (sum.low + low));
}

// --- pow

/// log2 of a finite x > 0 with an error below 2^-64 of it.
Pair precise_log2(const Value& x) {
  const Mantissa m = split_mantissa(x);
  // s = f / (2 + f), both parts.
  const Pair denominator = fast_two_sum(constant(x, 2), m.f);
  const Value s_high = m.f / denominator.high;
  const Value minus_s = negate(s_high);
  const Value remainder = fma(minus_s, denominator.low, fma(minus_s, denominator.high, m.f));
  const Pair s{s_high, remainder / denominator.high};
  const Pair z = multiply(s, s);
  static constexpr std::array c{0.5770780163555853,  0.41219858311113244, 0.3205988979753116,
                                0.26230818925558513, 0.2219530828022513,  0.19235937429847544,
                                0.16972682320447882, 0.15193629988693813, 0.1357079313685806,
                                0.14729805253652178};
  // 2/ln2 * atanh(s) = s (2/ln2 + z (2/(3 ln2) + z polynomial(z)))
  const Pair tail = two_product(z.high, polynomial(z.high, c));
  const Pair inner = add(constant_pair(x, 0.9617966939259756, 5.0577616648125907e-17), tail);
  const Pair factor =
      add(constant_pair(x, 2.8853900817779268, 4.0710547481862066e-17), multiply(z, inner));
  return add({m.k, constant(x, 0)}, multiply(s, factor));
}

Value pow64(const Value& x, const Value& y) {
  const Value a = magnitude(x);
  const Pair log = precise_log2(a);
  const Value log_high = select(a == 0, -Infinity, select(a < Infinity, log.high, a));
  const Value exact = y * log_high;
  const Value high = limit(exact, -1080, 1030);
  // Where the product was limited the result is 0 or infinite and its rest, perhaps NaN, does not
  // matter.
  const Value rest = fma(y, log.low, fma(y, log.high, negate(high)));
  return pow_specials(x, y, power_of_two(high, select(high == exact, rest, 0)));
}

// --- sin, cos, tan

/// x = quadrant * pi/2 + r.high + r.low, |r| <= pi/4; the quadrant in the low two bits of a u64.
struct Reduced {
  Pair r;
  Value quadrant;
};

constexpr double HalfPi = 1.5707963267948966, HalfPiRest = 6.123233995736766e-17,
                 HalfPiLast = -1.4973849048591698e-33;

/// For |x| < 2^20.
Reduced reduce_small(const Value& x) {
  const Rounded k = round_to_integer(x, 0.6366197723675814);
  const Value exact =
      fma(k.real, -HalfPi, x);  // below 1 in size and a multiple of 2^-53: no rounding
  const Pair product = two_product(k.real, constant(x, -HalfPiRest));
  const Pair sum = two_sum(exact, product.high);
  const Value low = sum.low + fma(k.real, -HalfPiLast, product.low);
  return {fast_two_sum(sum.high, low), k.bits};
}

/// The six 32-bit words of 2/pi * 2^exponent(x) from 2^64 down to 2^-128, each in a u64.
std::array<Value, 6> window(const Value& x) {
  // Two words of zeros (2^63 ... 2^0), then 2/pi.
  static constexpr std::array<std::int64_t, 38> bits_of_two_over_pi{
      0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599,
      0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
      0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639,
      0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f,
      0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
      0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08};
  const Value exponent = ((bits_of(x) >> 52) & 0x7ff) - 1023;  // 0 ... 1023 where it matters
  const Value shift = exponent & 31;
  std::vector<Value> words;
  for (std::int64_t w : bits_of_two_over_pi) words.push_back(integer(exponent, w));
  // A barrel shifter over whole words: 16, 8, 4, 2, 1 of them.
  for (std::size_t distance = 16; distance > 0; distance /= 2) {
    const Value stays = (exponent & static_cast<std::int64_t>(distance * 32)) == 0;
    std::vector<Value> shifted;
    for (std::size_t i = 0; i < 7 + distance - 1; ++i)
      shifted.push_back(select(stays, words[i], words[i + distance]));
    words = std::move(shifted);
  }
  const auto funnel = [&](std::size_t i) {
    const Value both = (words[i] << 32) | words[i + 1];
    return ((both << shift) >> 32) & 0xffffffff;
  };
  return {funnel(0), funnel(1), funnel(2), funnel(3), funnel(4), funnel(5)};
}

/// For 1 <= |x|: |x| * 2/pi modulo 4 with 126 fractional bits, then the nearest quarter taken off.
Reduced reduce_large(const Value& x) {
  const std::array<Value, 6> f = window(x);
  // |x| = m / 2^62 * 2^exponent. In units of 2^-126 the product with word i (f[1]: 2^0) is m f[i]
  // 2^(96 - 32 i).
  const Value m = ((bits_of(x) & 0xfffffffffffff) | 0x10000000000000) << 10;
  const Value mh = m >> 32;
  const Value ml = m & 0xffffffff;
  const auto low = [](const Value& v) { return v & 0xffffffff; };
  // Columns of 32 bits, from 2^-32 up; each gathers the low halves of its products and the high
  // ones of the last.
  const Value h5 = mh * f[5], l4 = ml * f[4];
  const Value c0 = ((ml * f[5]) >> 32) + low(h5) + low(l4);
  const Value h4 = mh * f[4], l3 = ml * f[3];
  const Value c1 = (c0 >> 32) + (h5 >> 32) + (l4 >> 32) + low(h4) + low(l3);
  const Value h3 = mh * f[3], l2 = ml * f[2];
  const Value c2 = (c1 >> 32) + (h4 >> 32) + (l3 >> 32) + low(h3) + low(l2);
  const Value h2 = mh * f[2], l1 = ml * f[1];
  const Value c3 = (c2 >> 32) + (h3 >> 32) + (l2 >> 32) + low(h2) + low(l1);
  const Value h1 = mh * f[1], l0 = ml * f[0];
  const Value c4 = (c3 >> 32) + (h2 >> 32) + (l1 >> 32) + low(h1) + low(l0);
  const Value upper = (c4 << 32) | low(c3);
  const Value lower = (c2 << 32) | low(c1);
  const Value quadrant = (upper >> 62) + ((upper >> 61) & 1);
  // The signed fraction, digit by digit.
  const Value fraction = (upper << 2) | (lower >> 62);
  const auto digit = [](const Value& v, double scale) {
    return cast(Float(64), cast(UInt(32), v)) * scale;
  };
  const Value top = cast(Float(64), reinterpret(Int(32), cast(UInt(32), fraction >> 32))) * 0x1p-32;
  const Pair a = two_sum(top, digit(fraction, 0x1p-64));
  const Pair b = two_sum(a.high, digit((lower << 2) >> 32, 0x1p-96));
  const Pair c = two_sum(b.high, digit(lower << 2, 0x1p-128));
  const Pair sum = two_sum(c.high, c.low + (b.low + a.low));
  const Pair r = multiply(sum, constant_pair(x, HalfPi, HalfPiRest));
  const Value negative = x < 0;
  const Value sign = select(negative, constant(x, -1), 1);
  return {{r.high * sign, r.low * sign}, select(negative, 0 - quadrant, quadrant)};
}

Reduced reduce(const Value& x) {
  const Reduced small = reduce_small(x), large = reduce_large(x);
  const Value is_small = magnitude(x) < 0x1p20;
  return {
      {select(is_small, small.r.high, large.r.high), select(is_small, small.r.low, large.r.low)},
      select(is_small, small.quadrant, large.quadrant)};
}

/// sin(r) as a sum of two.
Pair sine(const Pair& r) {
  static constexpr std::array c{-0.16666666666666666,    0.008333333333333323,
                                -0.00019841269841255123, 2.7557319214219103e-06,
                                -2.5052104919183477e-08, 1.605836761128569e-10,
                                -7.578747430741995e-13};
  const Value z = r.high * r.high;
  const Value cos_like = fma(z, -0.5, 1);
  return fast_two_sum(r.high, fma(r.high * z, polynomial(z, c), r.low * cos_like));
}

/// cos(r) as a sum of two.
Pair cosine(const Pair& r) {
  static constexpr std::array c{0.041666666666666664,   -0.0013888888888888874,
                                2.4801587301571523e-05, -2.7557319215388006e-07,
                                2.0876754368883053e-09, -1.1470293572874215e-11,
                                4.7381227469242786e-14};
  const Pair square = two_product(r.high, r.high);
  const Value z = square.high;
  const Value w = fma(z, -0.5, 1);
  const Value lost = fma(square.low, -0.5, fma(z, -0.5, 1 - w));
  return fast_two_sum(w, fma(z * z, polynomial(z, c), fma(negate(r.high), r.low, lost)));
}

Value sin_or_cos(const Value& x, bool is_cosine) {
  const Reduced reduced = reduce(x);
  const Value quadrant = is_cosine ? reduced.quadrant + 1 : reduced.quadrant;
  const Value value = select((quadrant & 1) == 0, sine(reduced.r).high, cosine(reduced.r).high);
  const Value with_sign = float_of(bits_of(value) ^ ((quadrant & 2) << 62));
  return finite_only(x, is_cosine ? with_sign : select(x == 0, x, with_sign));
}

Value tan64(const Value& x) {
  const Reduced reduced = reduce(x);
  const Pair s = sine(reduced.r), c = cosine(reduced.r);
  const Value even = (reduced.quadrant & 1) == 0;
  const Pair top{select(even, s.high, negate(c.high)), select(even, s.low, negate(c.low))};
  const Pair bottom{select(even, c.high, s.high), select(even, c.low, s.low)};
  const Value q = top.high / bottom.high;
  const Value minus_q = negate(q);
  const Value rest = fma(minus_q, bottom.low, fma(minus_q, bottom.high, top.high) + top.low);
  return finite_only(x, select(x == 0, x, q + rest / bottom.high));
}

// --- tanh, erf, rsqrt

Value tanh64(const Value& x) {
  const Value a = magnitude(x);
  const Value z = x * x;
  static constexpr std::array c{
      -0.33333333333333315,   0.13333333333329883,     -0.05396825396613073,
      0.021869488470553512,   -0.008863234339914029,   0.003592114255538005,
      -0.0014557275147015236, 0.0005894581835714683,   -0.00023702888065869974,
      9.158758448014941e-05,  -3.0215695523360325e-05, 6.054618268796273e-06};
  const Value small = fma(a * z, polynomial(z, c), a);
  // 1 - 2 / (e^(2a) + 1) with the denominator and the quotient in two parts.
  const Exponential e = exponential(limit(a, 0, 20) * 2);
  const Value power = float_of((e.k + 1023) << 52);
  const Pair denominator = fast_two_sum(e.high * power, constant(x, 1));
  const Value low = fma(e.low, power, denominator.low);
  const Value q = 2 / denominator.high;
  const Value minus_q = negate(q);
  const Value missing = fma(minus_q, low, fma(minus_q, denominator.high, 2));
  const Pair difference = fast_two_sum(constant(x, 1), minus_q);
  const Value large = difference.high + fma(missing, minus_q * 0.5, difference.low);
  return with_sign_of(select(a < 0.625, small, large), x);
}

Value erf64(const Value& x) {
  const Value a = magnitude(x);
  const Value z = a * a;
  // erf(x) / x - 1
  static constexpr std::array small_c{
      0.12837916709551258,    -0.37612638903183754,    0.11283791670955122,
      -0.02686617064513004,   0.005223977625425275,    -0.0008548327022054803,
      0.00012055332907680618, -1.4925647697972796e-05, 1.646204790188138e-06,
      -1.636467430181568e-07, 1.4792686648819637e-08,  -1.2166203971514088e-09,
      8.714582391612541e-11,  -4.239225822052377e-12};
  const Value small = fma(a, polynomial(z, small_c), a);
  // 1 - e^(-t^2) g(u), u = (t - 2.5) / (t + 2.5)
  static constexpr std::array large_c{
      0.21080636406114356,    -0.37173673394897333,    0.25171319321745717,
      -0.1250330523788396,    0.039922539074664386,    -0.0039937011652043655,
      -0.0026423659231425015, 0.0008759154328168548,   0.00022837947490508899,
      -0.0001288769591416907, -3.417145076255882e-05,  1.8613422761472927e-05,
      7.481252648718356e-06,  -2.2993410266379235e-06, -1.5562112665771924e-06,
      1.0596910894754321e-07};
  const Value t = limit(a, 0, 6);
  const Value u = (t - 2.5) / (t + 2.5);
  const Exponential e = exponential(t * negate(t));
  const Value tail = (e.high + e.low) * polynomial(u, large_c) * float_of((e.k + 1023) << 52);
  return with_sign_of(select(a < 1, small, 1 - tail), x);
}

Value rsqrt64(const Value& argument) {
  const Value tiny = argument < 0x1p-900;
  const Value x = select(tiny, argument * 0x1p200, argument);
  const Value s = sqrt(x);
  const Value y = 1 / s;
  // One exact correction: s^2 + d = x, s y + e = 1.
  const Value d = fma(negate(s), s, x);
  const Value e = fma(negate(s), y, 1);
  const Value corrected = fma(y, fma(d * -0.5 * y, y, e), y);
  const Value value = select((0 < x) && (x < Infinity), corrected, y);
  return value * select(tiny, constant(x, 0x1p100), 1);
}

}  // namespace

Value expand_f64(Op op, const Value& x, const Value* y) {
  if (op == Op::Exp) return exp64(x);
  if (op == Op::Exp2) return exp2_64(x);
  if (op == Op::Log) return log64(x);
  if (op == Op::Log2) return log2_64(x);
  if (op == Op::Pow) return pow64(x, *y);
  if (op == Op::Sin) return sin_or_cos(x, false);
  if (op == Op::Cos) return sin_or_cos(x, true);
  if (op == Op::Tan) return tan64(x);
  if (op == Op::Tanh) return tanh64(x);
  if (op == Op::Erf) return erf64(x);
  if (op == Op::Rsqrt) return rsqrt64(x);
  throw InternalError("expand_f64: not a math op");
}

}  // namespace sinter::ir::math
