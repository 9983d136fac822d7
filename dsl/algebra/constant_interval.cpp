// Interval arithmetic on constant ends.

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/constant_bounds.h"

namespace sinter::algebra {

namespace {

using End = std::optional<std::int64_t>;

End low(const ConstantInterval& i) { return i.has_min ? End(i.min) : End(); }
End high(const ConstantInterval& i) { return i.has_max ? End(i.max) : End(); }
ConstantInterval from_ends(End min, End max) {
  return {min.has_value(), max.has_value(), min.value_or(0), max.value_or(0)};
}
End sum(End a, End b) { return a && b ? checked_add(*a, *b) : End(); }

}  // namespace

ConstantInterval constant_point(std::int64_t value) { return {true, true, value, value}; }
ConstantInterval constant_range(std::int64_t min, std::int64_t max) {
  return {true, true, min, max};
}

ConstantInterval add(const ConstantInterval& a, const ConstantInterval& b) {
  return from_ends(sum(low(a), low(b)), sum(high(a), high(b)));
}

ConstantInterval scale(const ConstantInterval& a, std::int64_t factor) {
  if (factor == 0) return constant_point(0);
  const auto times = [&](End e) { return e ? checked_mul(*e, factor) : End(); };
  return factor > 0 ? from_ends(times(low(a)), times(high(a)))
                    : from_ends(times(high(a)), times(low(a)));
}

ConstantInterval multiply(const ConstantInterval& a, const ConstantInterval& b) {
  if (a.has_min && a.has_max && a.min == a.max) return scale(b, a.min);
  if (b.has_min && b.has_max && b.min == b.max) return scale(a, b.min);
  if (a.has_min && b.has_min && a.min >= 0 && b.min >= 0) {
    const End top = a.has_max && b.has_max ? checked_mul(a.max, b.max) : End();
    return from_ends(checked_mul(a.min, b.min), top);
  }
  if (!a.has_min || !a.has_max || !b.has_min || !b.has_max) return {};
  const End corners[4] = {checked_mul(a.min, b.min), checked_mul(a.min, b.max),
                          checked_mul(a.max, b.min), checked_mul(a.max, b.max)};
  if (!std::all_of(std::begin(corners), std::end(corners),
                   [](const End& e) { return e.has_value(); }))
    return {};
  const auto [least, most] = std::minmax_element(std::begin(corners), std::end(corners));
  return from_ends(*least, *most);
}

namespace {

ConstantInterval negate(const ConstantInterval& a) { return scale(a, -1); }

/// Every divisor is at least one: towards minus infinity, monotone in the dividend.
ConstantInterval divide_by_positive(const ConstantInterval& a, const ConstantInterval& b) {
  const auto end = [&](std::int64_t e, bool smaller) {
    const bool by_least = (e < 0) == smaller;  // which divisor gives the extreme quotient
    if (by_least) return floor_div(e, b.min);
    if (b.has_max) return floor_div(e, b.max);
    return std::int64_t{e < 0 ? -1 : 0};
  };
  return from_ends(a.has_min ? End(end(a.min, true)) : End(),
                   a.has_max ? End(end(a.max, false)) : End());
}

}  // namespace

ConstantInterval divide(const ConstantInterval& a, const ConstantInterval& b) {
  if (b.has_min && b.min >= 1) return divide_by_positive(a, b);
  if (b.has_max && b.max <= -1 && (!b.has_min || b.min != INT64_MIN))
    return negate(divide_by_positive(a, negate(b)));
  if (!a.has_min || !a.has_max || a.min == INT64_MIN) return {};
  // No quotient is further from zero than its dividend, whatever the divisor.
  const std::int64_t reach = std::max({a.max, -a.min, std::int64_t{0}});
  return b.has_min && b.min >= 0
             ? constant_range(std::min<std::int64_t>(a.min, 0), std::max<std::int64_t>(a.max, 0))
             : constant_range(-reach, reach);
}

ConstantInterval modulo(const ConstantInterval& a, const ConstantInterval& b) {
  ConstantInterval result{true, false, 0, 0};
  if (b.has_min && b.has_max && b.min != INT64_MIN) {
    const std::int64_t largest = std::max(b.max, -b.min);
    result.has_max = true;
    result.max = std::max<std::int64_t>(largest - 1, 0);
    if (b.min == b.max && largest > 0 && a.has_min && a.has_max &&
        floor_div(a.min, largest) == floor_div(a.max, largest)) {
      return constant_range(floor_mod(a.min, largest), floor_mod(a.max, largest));
    }
  }
  if (a.has_min && a.min >= 0 && a.has_max && (!result.has_max || a.max < result.max)) {
    result.has_max = true;
    result.max = a.max;
  }
  return result;
}

ConstantInterval minimum(const ConstantInterval& a, const ConstantInterval& b) {
  ConstantInterval r;
  r.has_min = a.has_min && b.has_min;
  r.min = r.has_min ? std::min(a.min, b.min) : 0;
  r.has_max = a.has_max || b.has_max;
  if (r.has_max) r.max = !b.has_max ? a.max : !a.has_max ? b.max : std::min(a.max, b.max);
  return r;
}

ConstantInterval maximum(const ConstantInterval& a, const ConstantInterval& b) {
  ConstantInterval r;
  r.has_max = a.has_max && b.has_max;
  r.max = r.has_max ? std::max(a.max, b.max) : 0;
  r.has_min = a.has_min || b.has_min;
  if (r.has_min) r.min = !b.has_min ? a.min : !a.has_min ? b.min : std::max(a.min, b.min);
  return r;
}

ConstantInterval hull(const ConstantInterval& a, const ConstantInterval& b) {
  ConstantInterval r;
  r.has_min = a.has_min && b.has_min;
  r.min = r.has_min ? std::min(a.min, b.min) : 0;
  r.has_max = a.has_max && b.has_max;
  r.max = r.has_max ? std::max(a.max, b.max) : 0;
  return r;
}

ConstantInterval intersect(const ConstantInterval& a, const ConstantInterval& b) {
  ConstantInterval r = a;
  if (b.has_min && (!r.has_min || b.min > r.min)) r.has_min = true, r.min = b.min;
  if (b.has_max && (!r.has_max || b.max < r.max)) r.has_max = true, r.max = b.max;
  return r;
}

bool within(const ConstantInterval& i, std::int64_t min, std::int64_t max) {
  return i.has_min && i.has_max && i.min >= min && i.max <= max;
}

ConstantInterval type_interval(Type t) {
  if (t.is_bool()) return constant_range(0, 1);
  if (t.is_integer() && t.bits <= 16) return constant_range(t.min_int(), t.max_int());
  if (t.is_uint()) return {true, false, 0, 0};
  return {};
}

ConstantInterval fit(const ConstantInterval& i, Type t) {
  const Type element = t.element();
  if (element.is_index()) return i;
  const bool below_top = i.has_max && (element == UInt(64) || i.max <= element.max_int());
  const bool above_bottom = i.has_min && i.min >= (element.is_uint() ? 0 : element.min_int());
  return below_top && above_bottom ? i : type_interval(t);
}

}  // namespace sinter::algebra
