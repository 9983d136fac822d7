#include "tests/unit/emulator/instruction_cases.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

#include "backends/emulator/random.h"
#include "sinter/float16.h"

namespace sinter::emulator::tests {

namespace {

using u8 = std::uint8_t;
using s8 = std::int8_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

struct f16 {
  u16 bits;
  double value() const { return float_from_half_bits(bits); }
};
struct bf16 {
  u16 bits;
  double value() const { return float_from_bfloat_bits(bits); }
};
struct f16x2 {
  f16 low, high;
};
struct bf16x2 {
  bf16 low, high;
};

template <class T>
std::string type_name();
template <>
std::string type_name<bool>() {
  return "pred";
}
template <>
std::string type_name<u16>() {
  return "u16";
}
template <>
std::string type_name<s16>() {
  return "s16";
}
template <>
std::string type_name<u32>() {
  return "u32";
}
template <>
std::string type_name<s32>() {
  return "s32";
}
template <>
std::string type_name<u64>() {
  return "u64";
}
template <>
std::string type_name<s64>() {
  return "s64";
}
template <>
std::string type_name<float>() {
  return "f32";
}
template <>
std::string type_name<double>() {
  return "f64";
}
template <>
std::string type_name<f16>() {
  return "f16";
}
template <>
std::string type_name<bf16>() {
  return "bf16";
}
template <>
std::string type_name<f16x2>() {
  return "f16x2";
}
template <>
std::string type_name<bf16x2>() {
  return "bf16x2";
}

template <class T>
T from_bits(u64 bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <>
bool from_bits<bool>(u64 bits) {
  return bits & 1;
}
template <class T>
u64 to_bits(T value) {
  u64 bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

class Cases {
 public:
  /// The types are those of the function.
  template <class R, class... A>
  void add(const std::string& text, R (*meaning)(A...),
           double (*allowed)(float last, float exact) = nullptr) {
    list.push_back({text,
                    type_name<R>(),
                    {type_name<A>()...},
                    [meaning](const u64* operands) {
                      return call(meaning, operands, std::index_sequence_for<A...>{});
                    },
                    allowed});
  }
  std::vector<InstructionCase> list;

 private:
  template <class R, class... A, std::size_t... I>
  static u64 call(R (*meaning)(A...), const u64* operands, std::index_sequence<I...>) {
    return to_bits(meaning(from_bits<A>(operands[I])...));
  }
};

// ---- independent arithmetic

// The nearest value of a format by trying its neighbours: `next` lists the format's values upwards.
template <class F>
u16 round_small(long double exact, F value_of, u16 infinity) {
  if (exact != exact) return static_cast<u16>(infinity | 1);
  const u16 sign = std::signbit(exact) ? 0x8000 : 0;
  const long double a = std::fabs(exact);
  u16 low = 0, high = infinity;
  while (low + 1 < high) {
    const auto middle = static_cast<u16>((low + high) / 2);
    (value_of(middle) <= a ? low : high) = middle;
  }
  if (a == value_of(low)) return sign | low;
  // Beyond the largest finite value the next step of the same size counts.
  const long double above =
      high == infinity ? value_of(low) * 2 - value_of(static_cast<u16>(low - 1)) : value_of(high);
  const long double to_low = a - value_of(low), to_high = above - a;
  const bool up = to_low > to_high || (to_low == to_high && (low & 1));
  return sign | (up ? high : low);
}
f16 half(long double exact) {
  return {round_small(exact, [](u16 b) -> long double { return float_from_half_bits(b); }, 0x7c00)};
}
bf16 bfloat(long double exact) {
  return {
      round_small(exact, [](u16 b) -> long double { return float_from_bfloat_bits(b); }, 0x7f80)};
}

template <int Mode, class F>
auto rounded(F f) {
  const int before = std::fegetround();
  std::fesetround(Mode);
  const volatile auto result = f();
  std::fesetround(before);
  return result;
}
float flush(float a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; }
template <class T>
T minimum(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return std::fmin(a, b);
}
template <class T>
T maximum(T a, T b) {
  return -minimum(-a, -b);
}

template <class To>
constexpr To TopBit = static_cast<To>(u64{1} << (sizeof(To) * 8 - 1));
template <class To>
To to_integer(double value, To of_nan = 0) {  // an integral value
  if (value != value) return of_nan;
  if (value <= static_cast<double>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (value >= static_cast<double>(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

// What PTX states of the approximations' errors. Infinities and NaNs have none. Where the error is
// not from the rounded value, half an ulp is for the rounding of `exact`.
double size(float exact) { return std::isfinite(exact) ? std::fabs(exact) : 0; }
double ulp(float exact) {
  return std::ldexp(1, size(exact) == 0 ? -149 : std::max(std::ilogb(exact) - 23, -149));
}
double one_ulp(float, float exact) { return ulp(exact); }
double two_ulps(float, float exact) { return 2 * ulp(exact); }
double error_of_log2(float a, float exact) {
  const bool near_one = a > 0.5f && a < 2;
  return std::ldexp(near_one ? 1 : size(exact), -22) + ulp(exact) / 2;
}
double error_of_rsqrt(float, float exact) {
  return size(exact) * std::exp2(-22.9) + ulp(exact) / 2;
}
double error_of_tanh(float, float exact) { return std::ldexp(size(exact), -11) + ulp(exact) / 2; }
// The hardware reduces the angle in its own way, with few bits: PTX bounds the error up to 100 pi
// and promises nothing beyond, where an H200 is wrong in all digits.
double error_of_sine(float a, float exact) {
  const double pi = std::acos(-1.0), angle = std::fabs(a);
  if (angle > 100 * pi && std::isfinite(a)) return HUGE_VAL;
  return std::exp2(angle <= 2 * pi ? -20.5 : -14.7) + ulp(exact) / 2;
}
// a * (1/b), where 1/b may overflow or underflow though a/b does not.
double error_of_division(float b, float exact) {
  const bool ordinary = std::fabs(b) >= 0x1p-126f && std::fabs(b) <= 0x1p126f;
  return ordinary ? 2 * ulp(exact) : HUGE_VAL;
}

u32 dot4(u32 a, u32 b, u32 c, bool sign_a, bool sign_b) {
  for (int i = 0; i < 4; ++i) {
    const int x = sign_a ? s8(a >> 8 * i) : u8(a >> 8 * i);
    const int y = sign_b ? s8(b >> 8 * i) : u8(b >> 8 * i);
    c += static_cast<u32>(x * y);
  }
  return c;
}

void add_integers(Cases& c) {
  c.add("add.u16 $d, $a, $b;", +[](u16 a, u16 b) { return u16(a + b); });
  c.add("add.s32 $d, $a, $b;", +[](u32 a, u32 b) { return a + b; });
  c.add("add.s64 $d, $a, $b;", +[](u64 a, u64 b) { return a + b; });
  c.add("add.sat.s32 $d, $a, $b;", +[](s32 a, s32 b) { return to_integer<s32>(double(a) + b); });
  c.add("sub.s16 $d, $a, $b;", +[](u16 a, u16 b) { return u16(a - b); });
  c.add("sub.u32 $d, $a, $b;", +[](u32 a, u32 b) { return a - b; });
  c.add("sub.s64 $d, $a, $b;", +[](u64 a, u64 b) { return a - b; });
  c.add("sub.sat.s32 $d, $a, $b;", +[](s32 a, s32 b) { return to_integer<s32>(double(a) - b); });
  c.add("mul.lo.u16 $d, $a, $b;", +[](u16 a, u16 b) { return u16(u32(a) * b); });
  c.add("mul.lo.s32 $d, $a, $b;", +[](u32 a, u32 b) { return a * b; });
  c.add("mul.lo.s64 $d, $a, $b;", +[](u64 a, u64 b) { return a * b; });
  c.add("mul.hi.s16 $d, $a, $b;", +[](s16 a, s16 b) { return s16(s32(a) * b >> 16); });
  c.add("mul.hi.u32 $d, $a, $b;", +[](u32 a, u32 b) { return u32(u64(a) * b >> 32); });
  c.add("mul.hi.s32 $d, $a, $b;", +[](s32 a, s32 b) { return s32(s64(a) * b >> 32); });
  c.add("mul.hi.u64 $d, $a, $b;", +[](u64 a, u64 b) { return u64(u128(a) * b >> 64); });
  c.add("mul.hi.s64 $d, $a, $b;", +[](s64 a, s64 b) { return s64(s128(a) * b >> 64); });
  c.add("mul.wide.s16 $d, $a, $b;", +[](s16 a, s16 b) { return s32(a) * b; });
  c.add("mul.wide.u16 $d, $a, $b;", +[](u16 a, u16 b) { return u32(a) * b; });
  c.add("mul.wide.s32 $d, $a, $b;", +[](s32 a, s32 b) { return s64(a) * b; });
  c.add("mul.wide.u32 $d, $a, $b;", +[](u32 a, u32 b) { return u64(a) * b; });
  c.add("mad.lo.s32 $d, $a, $b, $c;", +[](u32 a, u32 b, u32 x) { return a * b + x; });
  c.add("mad.lo.u64 $d, $a, $b, $c;", +[](u64 a, u64 b, u64 x) { return a * b + x; });
  c.add(
      "mad.hi.u32 $d, $a, $b, $c;", +[](u32 a, u32 b, u32 x) { return u32(u64(a) * b >> 32) + x; });
  c.add(
      "mad.wide.s32 $d, $a, $b, $c;",
      +[](s32 a, s32 b, s64 x) { return s64(u64(s64(a) * b) + u64(x)); });
  c.add("mad.wide.u16 $d, $a, $b, $c;", +[](u16 a, u16 b, u32 x) { return u32(a) * b + x; });
  c.add(
      "mul24.lo.s32 $d, $a, $b;",
      +[](s32 a, s32 b) { return s32(s64(s32(u32(a) << 8) >> 8) * (s32(u32(b) << 8) >> 8)); });
  c.add(
      "mul24.hi.u32 $d, $a, $b;",
      +[](u32 a, u32 b) { return u32(u64(a & 0xffffff) * (b & 0xffffff) >> 16); });
  c.add("div.s32 $d, $a, $b;", +[](s32 a, s32 b) { return b ? s32(s64(a) / b) : -1; });
  c.add("div.u32 $d, $a, $b;", +[](u32 a, u32 b) { return b ? a / b : ~0u; });
  c.add("div.u16 $d, $a, $b;", +[](u16 a, u16 b) { return u16(b ? a / b : 0xffff); });
  c.add("div.s64 $d, $a, $b;", +[](s64 a, s64 b) { return b ? s64(s128(a) / b) : -1; });
  c.add("div.u64 $d, $a, $b;", +[](u64 a, u64 b) { return b ? a / b : ~u64{0}; });
  c.add("rem.s32 $d, $a, $b;", +[](s32 a, s32 b) { return b ? s32(s64(a) % b) : -1; });
  c.add("rem.u32 $d, $a, $b;", +[](u32 a, u32 b) { return b ? a % b : ~0u; });
  c.add("rem.s64 $d, $a, $b;", +[](s64 a, s64 b) { return b ? s64(s128(a) % b) : -1; });
  c.add("neg.s32 $d, $a;", +[](u32 a) { return 0 - a; });
  c.add("neg.s64 $d, $a;", +[](u64 a) { return 0 - a; });
  c.add("abs.s32 $d, $a;", +[](s32 a) { return u32(a < 0 ? 0 - u32(a) : u32(a)); });
  c.add("abs.s16 $d, $a;", +[](s16 a) { return u16(a < 0 ? -a : a); });
  c.add("min.s32 $d, $a, $b;", +[](s32 a, s32 b) { return a < b ? a : b; });
  c.add("min.u32 $d, $a, $b;", +[](u32 a, u32 b) { return a < b ? a : b; });
  c.add("max.s16 $d, $a, $b;", +[](s16 a, s16 b) { return a < b ? b : a; });
  c.add("max.u64 $d, $a, $b;", +[](u64 a, u64 b) { return a < b ? b : a; });
  c.add(
      "sad.s32 $d, $a, $b, $c;",
      +[](s32 a, s32 b, u32 x) { return u32(std::llabs(s64(a) - b)) + x; });
  c.add(
      "add.cc.u32 %t0, $a, $b; addc.u32 $d, $c, 0;",
      +[](u32 a, u32 b, u32 x) { return u32(x + ((u64(a) + b) >> 32)); });
  c.add(
      "sub.cc.u32 %t0, $a, $b; subc.u32 $d, $c, 0;",
      +[](u32 a, u32 b, u32 x) { return u32(x - (a < b)); });
  c.add(
      "mad.lo.cc.u32 %t0, $a, $b, $c; madc.hi.u32 $d, $a, $b, 0;",
      +[](u32 a, u32 b, u32 x) { return u32((u64(a) * b + x) >> 32); });
  c.add(
      "dp4a.s32.s32 $d, $a, $b, $c;",
      +[](u32 a, u32 b, u32 x) { return dot4(a, b, x, true, true); });
  c.add(
      "dp4a.u32.s32 $d, $a, $b, $c;",
      +[](u32 a, u32 b, u32 x) { return dot4(a, b, x, false, true); });
  c.add(
      "dp2a.lo.s32.u32 $d, $a, $b, $c;", +[](u32 a, u32 b, u32 x) {
        return u32(x + u32(s16(a) * int(b & 255)) + u32(s16(a >> 16) * int(b >> 8 & 255)));
      });
}

void add_bits(Cases& c) {
  c.add("and.b32 $d, $a, $b;", +[](u32 a, u32 b) { return a & b; });
  c.add("or.b64 $d, $a, $b;", +[](u64 a, u64 b) { return a | b; });
  c.add("xor.b16 $d, $a, $b;", +[](u16 a, u16 b) { return u16(a ^ b); });
  c.add("not.b32 $d, $a;", +[](u32 a) { return ~a; });
  c.add("cnot.b32 $d, $a;", +[](u32 a) { return u32(a == 0); });
  c.add("and.pred $d, $a, $b;", +[](bool a, bool b) { return a && b; });
  c.add("xor.pred $d, $a, $b;", +[](bool a, bool b) { return a != b; });
  c.add("not.pred $d, $a;", +[](bool a) { return !a; });
  c.add(
      "and.b32 %t0, $b, 63; shl.b32 $d, $a, %t0;",
      +[](u32 a, u32 b) { return (b & 63) < 32 ? a << (b & 63) : 0; });
  c.add(
      "and.b32 %t0, $b, 127; shl.b64 $d, $a, %t0;",
      +[](u64 a, u32 b) { return (b & 127) < 64 ? a << (b & 127) : 0; });
  c.add(
      "and.b32 %t0, $b, 31; shr.u16 $d, $a, %t0;",
      +[](u16 a, u32 b) { return u16(a >> (b & 31)); });
  c.add(
      "and.b32 %t0, $b, 31; shr.s16 $d, $a, %t0;",
      +[](s16 a, u32 b) { return s16(a >> (b & 31)); });
  c.add(
      "and.b32 %t0, $b, 63; shr.u32 $d, $a, %t0;",
      +[](u32 a, u32 b) { return u32(u64(a) >> (b & 63)); });
  c.add(
      "and.b32 %t0, $b, 63; shr.s32 $d, $a, %t0;",
      +[](s32 a, u32 b) { return s32(s64(a) >> (b & 63)); });
  c.add(
      "and.b32 %t0, $b, 127; shr.s64 $d, $a, %t0;",
      +[](s64 a, u32 b) { return a >> std::min(b & 127, 63u); });
  c.add(
      "shf.l.wrap.b32 $d, $a, $b, $c;",
      +[](u32 a, u32 b, u32 n) { return u32((u64(b) << 32 | a) << (n & 31) >> 32); });
  c.add(
      "shf.r.wrap.b32 $d, $a, $b, $c;",
      +[](u32 a, u32 b, u32 n) { return u32((u64(b) << 32 | a) >> (n & 31)); });
  c.add(
      "shf.r.clamp.b32 $d, $a, $b, $c;",
      +[](u32 a, u32 b, u32 n) { return u32((u64(b) << 32 | a) >> std::min(n, 32u)); });
  c.add(
      "popc.b32 $d, $a;", +[](u32 a) {
        u32 n = 0;
        for (; a; a &= a - 1) ++n;
        return n;
      });
  c.add(
      "popc.b64 $d, $a;", +[](u64 a) {
        u32 n = 0;
        for (; a; a &= a - 1) ++n;
        return n;
      });
  c.add(
      "clz.b32 $d, $a;", +[](u32 a) {
        u32 n = 32;
        for (; a; a >>= 1) --n;
        return n;
      });
  c.add(
      "clz.b64 $d, $a;", +[](u64 a) {
        u32 n = 64;
        for (; a; a >>= 1) --n;
        return n;
      });
  c.add(
      "bfind.u32 $d, $a;", +[](u32 a) {
        u32 n = ~0u;
        for (; a; a >>= 1) ++n;
        return n;
      });
  c.add(
      "bfind.s32 $d, $a;", +[](s32 a) {
        u32 n = ~0u;
        for (u32 x = u32(a < 0 ? ~a : a); x; x >>= 1) ++n;
        return n;
      });
  c.add(
      "bfind.shiftamt.u32 $d, $a;", +[](u32 a) {
        if (!a) return ~0u;
        u32 n = 0;
        for (; !(a >> 31); a <<= 1) ++n;
        return n;
      });
  c.add(
      "brev.b32 $d, $a;", +[](u32 a) {
        u32 r = 0;
        for (int i = 0; i < 32; ++i)
          if (a >> i & 1) r |= 1u << (31 - i);
        return r;
      });
  c.add(
      "brev.b64 $d, $a;", +[](u64 a) {
        u64 r = 0;
        for (int i = 0; i < 64; ++i)
          if (a >> i & 1) r |= u64{1} << (63 - i);
        return r;
      });
  // The definition's loop over bits.
  c.add(
      "and.b32 %t0, $b, 63; bfe.u32 $d, $a, %t0, $c;", +[](u32 a, u32 b, u32 n) {
        const u32 position = b & 63, length = n & 255;
        u32 r = 0;
        for (u32 i = 0; i < 32 && i < length; ++i)
          if (position + i < 32 && (a >> (position + i) & 1)) r |= 1u << i;
        return r;
      });
  c.add(
      "and.b32 %t0, $b, 63; bfe.s32 $d, $a, %t0, $c;", +[](s32 a, u32 b, u32 n) {
        const u32 position = b & 63, length = n & 255;
        const bool sign = length != 0 && (u32(a) >> std::min(position + length - 1, 31u) & 1);
        u32 r = 0;
        for (u32 i = 0; i < 32; ++i) {
          const bool bit = i < length && position + i < 32 ? u32(a) >> (position + i) & 1 : sign;
          if (bit) r |= 1u << i;
        }
        return r;
      });
  c.add(
      "bfi.b32 $d, $a, $b, $c, 9;", +[](u32 a, u32 b, u32 p) {
        u32 r = b;
        for (u32 i = 0; i < 9 && (p & 255) + i < 32; ++i) {
          const u32 at = (p & 255) + i;
          r = (r & ~(1u << at)) | (a >> i & 1) << at;
        }
        return r;
      });
  c.add(
      "prmt.b32 $d, $a, $b, $c;", +[](u32 a, u32 b, u32 s) {
        u8 bytes[8], out[4];
        std::memcpy(bytes, &a, 4);
        std::memcpy(bytes + 4, &b, 4);
        for (int i = 0; i < 4; ++i) {
          const u32 n = s >> 4 * i & 15;
          out[i] = n & 8 ? (bytes[n & 7] >> 7 ? 255 : 0) : bytes[n];
        }
        return from_bits<u32>(to_bits(std::bit_cast<u32>(out)));
      });
  c.add(
      "prmt.b32.f4e $d, $a, $b, $c;",
      +[](u32 a, u32 b, u32 s) { return u32((u64(b) << 32 | a) >> 8 * (s & 3)); });
  c.add(
      "lop3.b32 $d, $a, $b, $c, 0xe8;",
      +[](u32 a, u32 b, u32 x) { return (a & b) | (a & x) | (b & x); });
  c.add(
      "mov.b64 {%t0, %t1}, $a; mov.b64 $d, {%t1, %t0};", +[](u64 a) { return a << 32 | a >> 32; });
  c.add(
      "mov.b32 {%s0, %s1}, $a; mov.b32 $d, {%s1, %s0};", +[](u32 a) { return a << 16 | a >> 16; });
}

void add_floats(Cases& c) {
  c.add("add.rn.f32 $d, $a, $b;", +[](float a, float b) { return a + b; });
  c.add("sub.f32 $d, $a, $b;", +[](float a, float b) { return a - b; });
  c.add("mul.rn.f32 $d, $a, $b;", +[](float a, float b) { return a * b; });
  c.add("div.rn.f32 $d, $a, $b;", +[](float a, float b) { return a / b; });
  c.add("sqrt.rn.f32 $d, $a;", +[](float a) { return std::sqrt(a); });
  c.add("rcp.rn.f32 $d, $a;", +[](float a) { return 1 / a; });
  c.add("fma.rn.f32 $d, $a, $b, $c;", +[](float a, float b, float x) { return std::fma(a, b, x); });
  c.add(
      "add.rz.f32 $d, $a, $b;", +[](float a, float b) {
        volatile float x = a, y = b;
        return rounded<FE_TOWARDZERO>([&] { return x + y; });
      });
  c.add(
      "mul.rm.f32 $d, $a, $b;", +[](float a, float b) {
        volatile float x = a, y = b;
        return rounded<FE_DOWNWARD>([&] { return x * y; });
      });
  c.add(
      "fma.rp.f32 $d, $a, $b, $c;", +[](float a, float b, float z) {
        volatile float x = a, y = b, w = z;
        return rounded<FE_UPWARD>([&] { return std::fma(float(x), float(y), float(w)); });
      });
  c.add(
      "div.rz.f64 $d, $a, $b;", +[](double a, double b) {
        volatile double x = a, y = b;
        return rounded<FE_TOWARDZERO>([&] { return x / y; });
      });
  c.add("add.ftz.f32 $d, $a, $b;", +[](float a, float b) { return flush(flush(a) + flush(b)); });
  c.add("mul.rn.ftz.f32 $d, $a, $b;", +[](float a, float b) { return flush(flush(a) * flush(b)); });
  c.add(
      "add.sat.f32 $d, $a, $b;", +[](float a, float b) {
        const float x = a + b;
        return x != x || x <= 0 ? 0.0f : x > 1 ? 1.0f : x;
      });
  c.add("add.f64 $d, $a, $b;", +[](double a, double b) { return a + b; });
  c.add("mul.f64 $d, $a, $b;", +[](double a, double b) { return a * b; });
  c.add("div.rn.f64 $d, $a, $b;", +[](double a, double b) { return a / b; });
  c.add("sqrt.rn.f64 $d, $a;", +[](double a) { return std::sqrt(a); });
  c.add(
      "fma.rn.f64 $d, $a, $b, $c;",
      +[](double a, double b, double x) { return std::fma(a, b, x); });
  c.add("min.f32 $d, $a, $b;", +[](float a, float b) { return minimum(a, b); });
  c.add("max.f32 $d, $a, $b;", +[](float a, float b) { return maximum(a, b); });
  c.add(
      "min.NaN.f32 $d, $a, $b;",
      +[](float a, float b) { return a != a || b != b ? NAN : minimum(a, b); });
  c.add(
      "max.NaN.f32 $d, $a, $b;",
      +[](float a, float b) { return a != a || b != b ? NAN : maximum(a, b); });
  c.add("min.f64 $d, $a, $b;", +[](double a, double b) { return minimum(a, b); });
  c.add("max.f64 $d, $a, $b;", +[](double a, double b) { return maximum(a, b); });
  c.add("neg.f32 $d, $a;", +[](float a) { return -a; });
  c.add("abs.f64 $d, $a;", +[](double a) { return std::fabs(a); });
  c.add("copysign.f32 $d, $a, $b;", +[](float a, float b) { return std::copysign(b, a); });
  c.add("testp.subnormal.f32 $d, $a;", +[](float a) { return a != 0 && std::fabs(a) < 0x1p-126f; });
  c.add(
      "testp.infinite.f64 $d, $a;",
      +[](double a) { return std::fabs(a) > 1.7976931348623157e308; });
  c.add("ex2.approx.f32 $d, $a;", +[](float a) { return float(std::exp2(double(a))); }, two_ulps);
  c.add(
      "ex2.approx.ftz.f32 $d, $a;",
      +[](float a) { return flush(float(std::exp2(double(flush(a))))); }, two_ulps);
  c.add(
      "lg2.approx.f32 $d, $a;", +[](float a) { return float(std::log2(double(a))); },
      error_of_log2);
  c.add(
      "rsqrt.approx.f32 $d, $a;", +[](float a) { return float(1 / std::sqrt(double(a))); },
      error_of_rsqrt);
  c.add(
      "rcp.approx.ftz.f32 $d, $a;", +[](float a) { return flush(float(1 / double(flush(a)))); },
      one_ulp);
  c.add(
      "sin.approx.f32 $d, $a;", +[](float a) { return float(std::sin(double(a))); }, error_of_sine);
  c.add(
      "cos.approx.f32 $d, $a;", +[](float a) { return float(std::cos(double(a))); }, error_of_sine);
  c.add(
      "tanh.approx.f32 $d, $a;", +[](float a) { return float(std::tanh(double(a))); },
      error_of_tanh);
  c.add("div.approx.f32 $d, $a, $b;", +[](float a, float b) { return a / b; }, error_of_division);
  c.add("div.full.f32 $d, $a, $b;", +[](float a, float b) { return a / b; }, two_ulps);

  c.add(
      "add.f16 $d, $a, $b;",
      +[](f16 a, f16 b) { return half((long double)(a.value()) + b.value()); });
  c.add(
      "sub.f16 $d, $a, $b;",
      +[](f16 a, f16 b) { return half((long double)(a.value()) - b.value()); });
  c.add(
      "mul.f16 $d, $a, $b;",
      +[](f16 a, f16 b) { return half((long double)(a.value()) * b.value()); });
  c.add(
      "fma.rn.f16 $d, $a, $b, $c;",
      +[](f16 a, f16 b, f16 x) { return half((long double)(a.value()) * b.value() + x.value()); });
  c.add("neg.f16 $d, $a;", +[](f16 a) { return f16{u16(a.bits ^ 0x8000)}; });
  c.add("abs.f16 $d, $a;", +[](f16 a) { return f16{u16(a.bits & 0x7fff)}; });
  c.add("min.f16 $d, $a, $b;", +[](f16 a, f16 b) { return half(minimum(a.value(), b.value())); });
  c.add(
      "max.NaN.f16 $d, $a, $b;", +[](f16 a, f16 b) {
        return half(std::isnan(a.value()) || std::isnan(b.value()) ? NAN
                                                                   : maximum(a.value(), b.value()));
      });
  c.add(
      "fma.rn.bf16 $d, $a, $b, $c;", +[](bf16 a, bf16 b, bf16 x) {
        // 64 bits of fraction and the ties that they hide: a tiny addend decides them.
        const long double p = (long double)(a.value()) * b.value();
        const long double sum = p + x.value();
        const long double rest = std::isfinite(sum) ? (p - sum) + x.value() : 0;
        return bfloat(rest == 0 ? sum : std::nextafter(sum, rest > 0 ? HUGE_VALL : -HUGE_VALL));
      });
  c.add(
      "min.bf16 $d, $a, $b;",
      +[](bf16 a, bf16 b) { return bfloat(minimum(a.value(), b.value())); });
  c.add(
      "add.f16x2 $d, $a, $b;", +[](f16x2 a, f16x2 b) {
        return f16x2{half(a.low.value() + b.low.value()), half(a.high.value() + b.high.value())};
      });
  c.add(
      "fma.rn.f16x2 $d, $a, $b, $c;", +[](f16x2 a, f16x2 b, f16x2 x) {
        return f16x2{half((long double)(a.low.value()) * b.low.value() + x.low.value()),
                     half((long double)(a.high.value()) * b.high.value() + x.high.value())};
      });
  c.add(
      "add.u16x2 $d, $a, $b;",
      +[](u32 a, u32 b) { return ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16; });
  c.add(
      "add.s16x2 $d, $a, $b;",
      +[](u32 a, u32 b) { return ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16; });
  c.add(
      "max.u16x2 $d, $a, $b;", +[](u32 a, u32 b) {
        return std::max(a & 0xffff, b & 0xffff) | std::max(a >> 16, b >> 16) << 16;
      });
  c.add(
      "min.s16x2 $d, $a, $b;", +[](u32 a, u32 b) {
        const auto low = std::min(static_cast<s16>(a), static_cast<s16>(b));
        const auto high = std::min(static_cast<s16>(a >> 16), static_cast<s16>(b >> 16));
        return u32{static_cast<u16>(low)} | u32{static_cast<u16>(high)} << 16;
      });
  c.add(
      "max.bf16x2 $d, $a, $b;", +[](bf16x2 a, bf16x2 b) {
        return bf16x2{bfloat(maximum(a.low.value(), b.low.value())),
                      bfloat(maximum(a.high.value(), b.high.value()))};
      });
}

void add_selects(Cases& c) {
  c.add("setp.eq.s32 $d, $a, $b;", +[](s32 a, s32 b) { return a == b; });
  c.add("setp.lt.s32 $d, $a, $b;", +[](s32 a, s32 b) { return a < b; });
  c.add("setp.lt.u32 $d, $a, $b;", +[](u32 a, u32 b) { return a < b; });
  c.add("setp.hs.u32 $d, $a, $b;", +[](u32 a, u32 b) { return a >= b; });
  c.add("setp.ge.s64 $d, $a, $b;", +[](s64 a, s64 b) { return a >= b; });
  c.add("setp.gt.u16 $d, $a, $b;", +[](u16 a, u16 b) { return a > b; });
  c.add("setp.ne.b16 $d, $a, $b;", +[](u16 a, u16 b) { return a != b; });
  c.add("setp.eq.f32 $d, $a, $b;", +[](float a, float b) { return a == b; });
  c.add("setp.ne.f32 $d, $a, $b;", +[](float a, float b) { return a < b || a > b; });
  c.add("setp.lt.f32 $d, $a, $b;", +[](float a, float b) { return a < b; });
  c.add("setp.ge.f64 $d, $a, $b;", +[](double a, double b) { return a >= b; });
  c.add("setp.equ.f32 $d, $a, $b;", +[](float a, float b) { return !(a < b || a > b); });
  c.add("setp.neu.f32 $d, $a, $b;", +[](float a, float b) { return !(a == b); });
  c.add("setp.ltu.f32 $d, $a, $b;", +[](float a, float b) { return !(a >= b); });
  c.add("setp.geu.f32 $d, $a, $b;", +[](float a, float b) { return !(a < b); });
  c.add("setp.num.f32 $d, $a, $b;", +[](float a, float b) { return a == a && b == b; });
  c.add("setp.nan.f64 $d, $a, $b;", +[](double a, double b) { return a != a || b != b; });
  c.add("setp.lt.ftz.f32 $d, $a, $b;", +[](float a, float b) { return flush(a) < flush(b); });
  c.add("setp.gt.f16 $d, $a, $b;", +[](f16 a, f16 b) { return a.value() > b.value(); });
  c.add("setp.lt.and.s32 $d, $a, $b, $c;", +[](s32 a, s32 b, bool p) { return a < b && p; });
  c.add("setp.lt.xor.s32 $d, $a, $b, !$c;", +[](s32 a, s32 b, bool p) { return (a < b) != !p; });
  c.add("setp.lt.or.s32 %p0|$d, $a, $b, $c;", +[](s32 a, s32 b, bool p) { return !(a < b) || p; });
  c.add("set.lt.u32.s32 $d, $a, $b;", +[](s32 a, s32 b) { return a < b ? ~0u : 0u; });
  c.add("set.ge.f32.f32 $d, $a, $b;", +[](float a, float b) { return a >= b ? 1.0f : 0.0f; });
  c.add("selp.b32 $d, $a, $b, $c;", +[](u32 a, u32 b, bool p) { return p ? a : b; });
  c.add("selp.f64 $d, $a, $b, $c;", +[](u64 a, u64 b, bool p) { return p ? a : b; });
  c.add("selp.b16 $d, $a, $b, $c;", +[](u16 a, u16 b, bool p) { return p ? a : b; });
  c.add("slct.u32.s32 $d, $a, $b, $c;", +[](u32 a, u32 b, s32 x) { return x >= 0 ? a : b; });
  c.add("slct.u32.f32 $d, $a, $b, $c;", +[](u32 a, u32 b, float x) { return x >= 0 ? a : b; });
}

void add_conversions(Cases& c) {
  c.add("cvt.u32.u16 $d, $a;", +[](u16 a) { return u32(a); });
  c.add("cvt.s32.s16 $d, $a;", +[](s16 a) { return s32(a); });
  c.add("cvt.s64.s32 $d, $a;", +[](s32 a) { return s64(a); });
  c.add("cvt.u64.u32 $d, $a;", +[](u32 a) { return u64(a); });
  c.add("cvt.u16.u32 $d, $a;", +[](u32 a) { return u16(a); });
  c.add("cvt.u32.u64 $d, $a;", +[](u64 a) { return u32(a); });
  c.add("cvt.s32.s8 $d, $a;", +[](u32 a) { return s32(s8(a)); });
  c.add("cvt.u32.u8 $d, $a;", +[](u32 a) { return u32(u8(a)); });
  c.add("cvt.s16.s8 $d, $a;", +[](u16 a) { return s16(s8(a)); });
  c.add("cvt.sat.u8.s32 $d, $a;", +[](s32 a) { return u32(to_integer<u8>(a)); });
  c.add("cvt.sat.s16.s32 $d, $a;", +[](s32 a) { return to_integer<s16>(a); });
  c.add(
      "cvt.sat.u32.s64 $d, $a;", +[](s64 a) {
        return u32(a < 0 ? 0 : a > 0xffffffffll ? 0xffffffffll : a);
      });
  c.add("cvt.rn.f32.s32 $d, $a;", +[](s32 a) { return float(a); });
  c.add("cvt.rn.f32.u32 $d, $a;", +[](u32 a) { return float(a); });
  c.add("cvt.rn.f32.u64 $d, $a;", +[](u64 a) { return float((long double)(a)); });
  c.add("cvt.rn.f32.s64 $d, $a;", +[](s64 a) { return float((long double)(a)); });
  c.add(
      "cvt.rz.f32.u32 $d, $a;", +[](u32 a) {
        volatile double x = a;
        return rounded<FE_TOWARDZERO>([&] { return float(x); });
      });
  c.add("cvt.rn.f64.s32 $d, $a;", +[](s32 a) { return double(a); });
  c.add("cvt.rn.f64.u64 $d, $a;", +[](u64 a) { return double((long double)(a)); });
  c.add("cvt.rn.f16.s32 $d, $a;", +[](s32 a) { return half(a); });
  c.add("cvt.rn.f16.u64 $d, $a;", +[](u64 a) { return half((long double)(a)); });
  c.add("cvt.rn.f32.u8 $d, $a;", +[](u32 a) { return float(u8(a)); });
  c.add("cvt.rzi.s32.f32 $d, $a;", +[](float a) { return to_integer<s32>(std::trunc(a)); });
  c.add("cvt.rni.s32.f32 $d, $a;", +[](float a) { return to_integer<s32>(std::nearbyint(a)); });
  c.add("cvt.rmi.s32.f32 $d, $a;", +[](float a) { return to_integer<s32>(std::floor(a)); });
  c.add("cvt.rpi.u32.f32 $d, $a;", +[](float a) { return to_integer<u32>(std::ceil(a)); });
  c.add("cvt.rzi.u32.f32 $d, $a;", +[](float a) { return to_integer<u32>(std::trunc(a)); });
  c.add("cvt.rzi.u8.f32 $d, $a;", +[](float a) { return u32(to_integer<u8>(std::trunc(a))); });
  c.add("cvt.rzi.s16.f32 $d, $a;", +[](float a) { return to_integer<s16>(std::trunc(a)); });
  c.add(
      "cvt.rzi.s64.f64 $d, $a;", +[](double a) { return to_integer(std::trunc(a), TopBit<s64>); });
  c.add("cvt.rzi.u64.f32 $d, $a;", +[](float a) { return to_integer(std::trunc(a), TopBit<u64>); });
  c.add("cvt.rzi.s32.f16 $d, $a;", +[](f16 a) { return to_integer<s32>(std::trunc(a.value())); });
  c.add(
      "cvt.rzi.s32.f64 $d, $a;", +[](double a) { return to_integer(std::trunc(a), TopBit<s32>); });
  c.add("cvt.rni.f32.f32 $d, $a;", +[](float a) { return std::nearbyint(a); });
  c.add("cvt.rmi.f64.f64 $d, $a;", +[](double a) { return std::floor(a); });
  c.add("cvt.rzi.f16.f16 $d, $a;", +[](f16 a) { return half(std::trunc(a.value())); });
  c.add(
      "cvt.sat.f32.f32 $d, $a;", +[](float a) {
        return a != a || a <= 0 ? 0.0f : a > 1 ? 1.0f : a;
      });
  c.add("cvt.f64.f32 $d, $a;", +[](float a) { return double(a); });
  c.add("cvt.rn.f32.f64 $d, $a;", +[](double a) { return float(a); });
  c.add(
      "cvt.rm.f32.f64 $d, $a;", +[](double a) {
        volatile double x = a;
        return rounded<FE_DOWNWARD>([&] { return float(x); });
      });
  c.add("cvt.f32.f16 $d, $a;", +[](f16 a) { return float(a.value()); });
  c.add("cvt.f32.bf16 $d, $a;", +[](bf16 a) { return float(a.value()); });
  c.add("cvt.f64.f16 $d, $a;", +[](f16 a) { return a.value(); });
  c.add("cvt.rn.f16.f32 $d, $a;", +[](float a) { return half(a); });
  c.add("cvt.rn.f16.f64 $d, $a;", +[](double a) { return half(a); });
  c.add("cvt.rn.bf16.f32 $d, $a;", +[](float a) { return bfloat(a); });
  c.add(
      "cvt.rz.f16.f32 $d, $a;", +[](float a) {
        f16 r = half(a);
        if (!std::isnan(a) && std::fabs(r.value()) > std::fabs(double(a))) --r.bits;
        return r;
      });
  c.add(
      "cvt.rz.bf16.f32 $d, $a;", +[](float a) {
        bf16 r = bfloat(a);
        if (!std::isnan(a) && std::fabs(r.value()) > std::fabs(double(a))) --r.bits;
        return r;
      });
  c.add("cvt.rn.f16x2.f32 $d, $a, $b;", +[](float a, float b) { return f16x2{half(b), half(a)}; });
  c.add(
      "cvt.rn.bf16x2.f32 $d, $a, $b;",
      +[](float a, float b) { return bf16x2{bfloat(b), bfloat(a)}; });
  c.add(
      "cvt.rn.relu.f16x2.f32 $d, $a, $b;",
      +[](float a, float b) { return f16x2{half(b <= 0 ? 0 : b), half(a <= 0 ? 0 : a)}; });
  c.add(
      "cvt.rn.satfinite.e4m3x2.f32 $d, $a, $b;", +[](float a, float b) {
        const auto one = [](float x) {  // the nearest of all 127 values
          if (x != x) return u16{0x7f};
          u16 best = 0;
          double distance = HUGE_VAL;
          for (u16 code = 0; code < 0x7f; ++code) {
            const int e = code >> 3;
            const double v = e ? std::ldexp(8 + (code & 7), e - 10) : std::ldexp(code & 7, -9);
            const double off = std::isinf(x) ? HUGE_VAL : std::fabs(std::fabs(double(x)) - v);
            if (off < distance || (off == distance && !(code & 1))) {
              distance = off;
              best = code;
            }
          }
          if (std::isinf(x)) best = 0x7e;
          return u16(best | (std::signbit(x) ? 0x80 : 0));
        };
        return u16(one(a) << 8 | one(b));
      });
  c.add(
      "cvt.rn.f16x2.e5m2x2 $d, $a;", +[](u16 a) {  // the upper half of an f16
        return f16x2{f16{u16(a << 8)}, f16{u16(a & 0xff00)}};
      });
}

}  // namespace

const std::vector<InstructionCase>& instruction_cases() {
  static const std::vector<InstructionCase> all = [] {
    Cases c;
    add_integers(c);
    add_bits(c);
    add_floats(c);
    add_selects(c);
    add_conversions(c);
    return std::move(c.list);
  }();
  return all;
}

unsigned width_of(const std::string& type) {
  if (type == "pred") return 4;  // in memory: 0 or 1
  if (type == "f16" || type == "bf16" || type.ends_with("16")) return 2;
  if (type.ends_with("64")) return 8;
  if (type.ends_with("8")) return 1;
  return 4;
}

bool is_nan(const std::string& type, std::uint64_t bits) {
  if (type == "f32") return std::isnan(from_bits<float>(bits));
  if (type == "f64") return std::isnan(from_bits<double>(bits));
  if (type == "f16") return std::isnan(from_bits<f16>(bits).value());
  if (type == "bf16") return std::isnan(from_bits<bf16>(bits).value());
  return false;
}

std::string kernel_of(const InstructionCase& one, const std::string& name) {
  const auto reg = [](const std::string& type, char letter) {
    const unsigned width = width_of(type);
    return std::string(type == "pred" ? "%p_"
                       : width == 2   ? "%h_"
                       : width == 8   ? "%w_"
                                      : "%r_") +
           letter;
  };
  std::string text = ".visible .entry " + name + "(";
  for (std::size_t i = 0; i <= one.operands.size(); ++i) {
    text += (i ? ", " : "") + std::string(".param .u64 ") + name + "_p" + std::to_string(i);
  }
  text +=
      ")\n{\n.reg .pred %p0, %p_a, %p_b, %p_c, %p_d;\n"
      ".reg .b16 %s0, %s1, %h_a, %h_b, %h_c, %h_d;\n"
      ".reg .b32 %t0, %t1, %i, %n, %k, %r_a, %r_b, %r_c, %r_d;\n"
      ".reg .b64 %w_a, %w_b, %w_c, %w_d, %at;\n"
      "mov.u32 %n, %ntid.x;\nmov.u32 %k, %ctaid.x;\nmov.u32 %i, %tid.x;\n"
      "mad.lo.s32 %i, %n, %k, %i;\n";
  const auto place = [&](std::size_t i, unsigned width) {
    return "ld.param.u64 %at, [" + name + "_p" + std::to_string(i) +
           "];\ncvta.to.global.u64 %at, %at;\n" + "mul.wide.u32 %w_d, %i, " +
           std::to_string(width) + ";\nadd.s64 %at, %at, %w_d;\n";
  };
  for (std::size_t i = 0; i < one.operands.size(); ++i) {
    const unsigned width = width_of(one.operands[i]);
    const char letter = static_cast<char>('a' + i);
    text += place(i, width);
    if (one.operands[i] == "pred") {
      text += "ld.global.u32 %t0, [%at];\nsetp.ne.u32 " + reg("pred", letter) + ", %t0, 0;\n";
    } else {
      text += "ld.global.b" + std::to_string(width * 8) + " " + reg(one.operands[i], letter) +
              ", [%at];\n";
    }
  }
  for (std::size_t i = 0; i < one.text.size(); ++i) {
    if (one.text[i] == '$') {
      const char letter = one.text[++i];
      text += reg(letter == 'd' ? one.result : one.operands[static_cast<std::size_t>(letter - 'a')],
                  letter);
    } else {
      text += one.text[i];
    }
  }
  text += "\n";
  std::string result = reg(one.result, 'd');
  if (one.result == "pred") {
    text += "selp.u32 %r_d, 1, 0, %p_d;\n";
    result = "%r_d";
  }
  const unsigned width = width_of(one.result);
  if (width == 8) {
    text += "mov.b64 %w_a, %w_d;\n";
    result = "%w_a";
  }
  return text + place(one.operands.size(), width) + "st.global.b" + std::to_string(width * 8) +
         " [%at], " + result + ";\nret;\n}\n";
}

std::vector<std::vector<std::uint64_t>> operands_of(const InstructionCase& one, std::size_t count) {
  Random random(count + one.text.size());
  const auto special = [](const std::string& type) -> std::vector<u64> {
    if (type == "pred") return {0, 1};
    const unsigned bits = width_of(type) * 8;
    const u64 top = u64{1} << (bits - 1);
    if (type == "f32") {
      return {0,          top,        0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
              0x7fc00000, 1,          top | 1,    0x007fffff, 0x00800000, 0x7f7fffff,
              0x4f000000, 0xcf000000, 0x4b000001, 0x3f000000, 0x3fc00000, 0x477fe000,
              0x477ff000, 0x43e00000, 0x33000000, 0x33000001};
    }
    if (type == "f64") {
      return {0,
              top,
              0x3ff0000000000000,
              0xbff0000000000000,
              0x7ff0000000000000,
              0xfff0000000000000,
              0x7ff8000000000000,
              1,
              0x000fffffffffffff,
              0x0010000000000000,
              0x7fefffffffffffff,
              0x41e0000000000000,
              0xc1e0000000000000,
              0x43e0000000000000,
              0x3fe0000000000000,
              0x3ff8000000000000,
              0x47efffffefffffff,
              0x40effe0000000001};
    }
    if (type == "f16")
      return {0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00,
              1, 0x3ff,  0x400,  0x7bff, 0x3800, 0x3e00};
    if (type == "bf16")
      return {0, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0,
              1, 0x7f,   0x80,   0x7f7f, 0x3f00, 0x3fc0};
    return {0,
            1,
            2,
            3,
            7,
            31,
            32,
            top,
            top - 1,
            top + 1,
            ~u64{0} >> (64 - bits),
            (~u64{0} >> (64 - bits)) - 1,
            0x55,
            u64{1} << (bits / 2)};
  };
  const auto draw = [&](const std::string& type) -> u64 {
    const std::vector<u64> some = special(type);
    const u64 mask = type == "pred" ? 1 : ~u64{0} >> (64 - width_of(type) * 8);
    switch (random.below(4)) {
      case 0:
        return some[random.below(static_cast<u32>(some.size()))];
      case 1:  // ordinary sizes
        if (type == "f32")
          return to_bits(static_cast<float>(
              std::ldexp(double(s64(random.next())), int(random.below(40)) - 80)));
        if (type == "f64")
          return to_bits(std::ldexp(double(s64(random.next())), int(random.below(40)) - 80));
        return random.next() >> random.below(64) & mask;
      default:
        return random.next() & mask;
    }
  };
  std::vector<std::vector<u64>> result;
  if (one.operands.size() == 2) {  // all pairs of special values
    for (const u64 a : special(one.operands[0])) {
      for (const u64 b : special(one.operands[1])) result.push_back({a, b});
    }
  }
  if (one.operands.size() == 1) {
    for (const u64 a : special(one.operands[0])) result.push_back({a});
  }
  while (result.size() < count) {
    std::vector<u64> set;
    for (const std::string& type : one.operands) set.push_back(draw(type));
    result.push_back(std::move(set));
  }
  result.resize(count);
  return result;
}

}  // namespace sinter::emulator::tests
