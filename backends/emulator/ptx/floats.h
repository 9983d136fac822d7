#pragma once
// Floating-point arithmetic of PTX on f16, bf16, their pairs, f32 and f64.

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <concepts>

#include "backends/emulator/ptx/values.h"

namespace sinter::emulator::ptx {

template <class T>
concept Native = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept Small = is_small_float<T>;

/// Extends F from f32 and f64 to the small formats, whose operands and sums are exact in double,
/// and to pairs of them.
template <class F>
struct Floating {
  template <Native... T>
    requires std::invocable<F, T...>
  auto operator()(T... a) const {
    return F{}(a...);
  }
  template <Small T, class... Rest>
  T operator()(T a, Rest... rest) const {
    return from_double<T>(F{}(to_double(a), to_double(rest)...));
  }
  template <Small T, class... Rest>
  Packed<T> operator()(Packed<T> a, Rest... rest) const {
    return {(*this)(a.low, rest.low...), (*this)(a.high, rest.high...)};
  }
};

struct AddFloat {
  template <Native T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct SubtractFloat {
  template <Native T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct MultiplyFloat {
  template <Native T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct DivideFloat {
  template <Native T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct SquareRoot {
  template <Native T>
  T operator()(T a) const {
    return std::sqrt(a);
  }
};
struct Reciprocal {
  template <Native T>
  T operator()(T a) const {
    return T{1} / a;
  }
};
struct FusedFloat {
  template <Native T>
  T operator()(T a, T b, T c) const {
    return std::fma(a, b, c);
  }
};
/// For f16 and bf16: the product is exact in double, and the sum is rounded to odd before the
/// conversion rounds it.
struct Fused {
  template <Native T>
  T operator()(T a, T b, T c) const {
    return std::fma(a, b, c);
  }
  template <Small T>
  T operator()(T a, T b, T c) const {
    return from_double<T>(add_to_odd(to_double(a) * to_double(b), to_double(c)));
  }
  template <Small T>
  Packed<T> operator()(Packed<T> a, Packed<T> b, Packed<T> c) const {
    return {(*this)(a.low, b.low, c.low), (*this)(a.high, b.high, c.high)};
  }
};

// The other operand where one is NaN; -0 is less than +0.
struct MinFloat {
  template <Native T>
  T operator()(T a, T b) const {
    if (a != a) return b;
    if (b != b) return a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  }
};
struct MaxFloat {
  template <Native T>
  T operator()(T a, T b) const {
    if (a != a) return b;
    if (b != b) return a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  }
};
template <class F>
struct OrNan {
  template <Native T>
  T operator()(T a, T b) const {
    return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : F{}(a, b);
  }
};
struct NegateFloat {
  template <Native T>
  T operator()(T a) const {
    return -a;
  }
};
struct AbsoluteFloat {
  template <Native T>
  T operator()(T a) const {
    return std::fabs(a);
  }
};
struct CopySign {  // copysign d, a, b: the sign of a on b
  template <Native T>
  T operator()(T a, T b) const {
    return std::copysign(b, a);
  }
};

/// A subnormal becomes a zero of its sign.
inline float flushed(float a) {
  return std::fabs(a) < std::numeric_limits<float>::min() ? std::copysign(0.0f, a) : a;
}
inline Half flushed(Half a) {
  return {static_cast<std::uint16_t>(a.bits & 0x7c00 ? a.bits : a.bits & 0x8000)};
}
inline Bfloat flushed(Bfloat a) {
  return {static_cast<std::uint16_t>(a.bits & 0x7f80 ? a.bits : a.bits & 0x8000)};
}
template <class T>
Packed<T> flushed(Packed<T> a) {
  return {flushed(a.low), flushed(a.high)};
}
template <class F>
struct FlushToZero {
  template <class... T>
    requires(std::invocable<F, T...> && (!std::same_as<T, double> && ...))
  auto operator()(T... a) const {
    return flushed(F{}(flushed(a)...));
  }
};
/// Into [0, 1]; NaN becomes 0.
template <class F>
struct Saturating {
  template <class... T>
    requires std::invocable<F, T...>
  auto operator()(T... a) const {
    const auto value = F{}(a...);
    using R = std::remove_const_t<decltype(value)>;
    if constexpr (Native<R>) {
      return value > R{0} ? std::min(value, R{1}) : R{0};
    } else if constexpr (Small<R>) {
      const double v = to_double(value);
      return from_double<R>(v > 0 ? std::min(v, 1.0) : 0.0);
    } else {
      const auto one = [](auto part) {
        const double v = to_double(part);
        return from_double<decltype(part)>(v > 0 ? std::min(v, 1.0) : 0.0);
      };
      return R{one(value.low), one(value.high)};
    }
  }
};
/// max(value, +0), NaN stays; -0 becomes +0, as an H200 converts with .relu.
template <class F>
struct Relu {
  template <class... T>
    requires std::invocable<F, T...>
  auto operator()(T... a) const {
    const auto value = F{}(a...);
    using R = std::remove_const_t<decltype(value)>;
    const auto one = [](auto part) { return to_double(part) <= 0 ? decltype(part){} : part; };
    if constexpr (Native<R> || Small<R>) {
      return one(value);
    } else {
      return R{one(value.low), one(value.high)};
    }
  }
};
/// F in another rounding mode of the processor's.
template <class F, int Mode>
struct Directed {
  template <Native... T>
    requires std::invocable<F, T...>
  auto operator()(T... a) const {
    using Result = std::invoke_result_t<F, T...>;
    // Through a volatile pointer, so that the operation stays between the changes of mode.
    Result (*volatile run)(T...) = [](T... b) { return F{}(b...); };
    const int before = std::fegetround();
    std::fesetround(Mode);
    const Result result = run(a...);
    std::fesetround(before);
    return result;
  }
};

// Approximations: the correctly rounded value (computed in double).
template <double (*F)(double)>
struct Approximate {
  template <Native T>
  T operator()(T a) const {
    return static_cast<T>(F(a));
  }
};
inline double rsqrt(double a) { return 1 / std::sqrt(a); }
inline double reciprocal(double a) { return 1 / a; }

}  // namespace sinter::emulator::ptx
