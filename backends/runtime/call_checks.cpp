#include "backends/runtime/call_checks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include <sinter/diagnostic.h>

namespace sinter::backends {

namespace {

__extension__ using Wide = __int128;

[[noreturn]] void refuse(const std::string& name, const std::string& reason,
                         const std::string& remedy) {
  Diagnostic diagnostic;
  diagnostic.stage = name;
  diagnostic.reason = reason;
  diagnostic.remedy = remedy;
  throw RuntimeError(diagnostic);
}

std::uint64_t bits_of(const ir::Scalar& scalar) {
  const Type t = scalar.type;
  if (!t.is_float()) return static_cast<std::uint64_t>(scalar.integer);
  if (t.kind == TypeKind::BFloat) return bfloat_bits_from_double(scalar.real);
  if (t.bits == 16) return half_bits_from_double(scalar.real);
  if (t.bits == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(scalar.real));
  return std::bit_cast<std::uint64_t>(scalar.real);
}

struct Span {
  Wide low, high;
  bool empty;
};  // addresses, high exclusive

// View: an ir::BufferView or a CallArgument.
template <typename View>
Span span_of(const View& view) {
  Wide low = static_cast<Wide>(reinterpret_cast<std::uintptr_t>(view.host));
  Wide high = low + view.type.bytes();
  for (const auto& d : view.dimensions) {
    if (d.extent <= 0) return {0, 0, true};
    const Wide reach = static_cast<Wide>(d.extent - 1) * d.stride * view.type.bytes();
    (reach < 0 ? low : high) += reach;
  }
  return {low, high, false};
}

/// A term stride * i with i in [low, high].
struct Term {
  Wide stride, low, high;
};

// Can the terms add up to anything in [at_least, at_most]? Terms by falling stride; each leaves few
// choices when the strides nest as those of an array do. `budget` bounds the search.
bool can_reach(const std::vector<Term>& terms, std::size_t position, Wide at_least, Wide at_most,
               int& budget) {
  if (position == terms.size()) return at_least <= 0 && 0 <= at_most;
  if (--budget < 0) return true;
  Wide rest_low = 0, rest_high = 0;
  for (std::size_t i = position + 1; i < terms.size(); ++i) {
    rest_low += terms[i].stride * terms[i].low;
    rest_high += terms[i].stride * terms[i].high;
  }
  const Term& term = terms[position];
  const auto floor_of = [](Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); };
  const Wide first = std::max(term.low, -floor_of(-(at_least - rest_high), term.stride));
  const Wide last = std::min(term.high, floor_of(at_most - rest_low, term.stride));
  for (Wide i = first; i <= last; ++i) {
    if (can_reach(terms, position + 1, at_least - i * term.stride, at_most - i * term.stride,
                  budget))
      return true;
    if (budget < 0) return true;
  }
  return false;
}

template <typename View>
bool overlap(const View& a, const View& b) {
  const Span sa = span_of(a), sb = span_of(b);
  if (sa.empty || sb.empty || sa.high <= sb.low || sb.high <= sa.low) return false;
  // Element i of a and j of b meet when |address difference| is below an element's size. Terms of
  // equal stride are merged: their differences range over an interval.
  std::vector<Term> terms;
  const auto add = [&](const View& view, Wide sign) {
    for (const auto& d : view.dimensions) {
      Wide stride = sign * d.stride * view.type.bytes();
      if (stride == 0 || d.extent == 1) continue;
      Term term{stride, 0, d.extent - 1};
      if (stride < 0) term = {-stride, -(d.extent - 1), 0};
      auto same = std::find_if(terms.begin(), terms.end(),
                               [&](const Term& t) { return t.stride == term.stride; });
      if (same == terms.end()) terms.push_back(term);
      else *same = {term.stride, same->low + term.low, same->high + term.high};
    }
  };
  add(a, 1);
  add(b, -1);
  std::sort(terms.begin(), terms.end(),
            [](const Term& x, const Term& y) { return x.stride > y.stride; });
  const Wide difference = static_cast<Wide>(reinterpret_cast<std::uintptr_t>(b.host)) -
                          static_cast<Wide>(reinterpret_cast<std::uintptr_t>(a.host));
  int budget = 10000;
  // a + terms = b + t with -size(a) < t < size(b).
  return can_reach(terms, 0, difference - a.type.bytes() + 1, difference + b.type.bytes() - 1,
                   budget);
}

/// Do two elements of one view share bytes? The strides of an array nest: each is at least as long
/// as all that smaller ones reach. Only others are searched.
template <typename View>
bool overlaps_itself(const View& view) {
  std::array<Term, 8> few;
  std::vector<Term> many;
  std::size_t count = 0;
  if (view.dimensions.size() > few.size()) many.resize(view.dimensions.size());
  Term* const terms = many.empty() ? few.data() : many.data();
  for (const auto& d : view.dimensions) {
    if (d.extent <= 0) return false;
    const Wide stride = static_cast<Wide>(d.stride) * view.type.bytes();
    if (d.extent > 1) terms[count++] = {stride < 0 ? -stride : stride, 0, d.extent - 1};
  }
  const auto by_stride = [](const Term& x, const Term& y) { return x.stride < y.stride; };
  std::sort(terms, terms + count, by_stride);
  Wide reach = view.type.bytes();
  bool nests = true;
  for (std::size_t i = 0; i < count; ++i) {
    nests = nests && terms[i].stride >= reach;
    reach += terms[i].stride * terms[i].high;
  }
  if (nests) return false;
  if (terms[0].stride == 0) return true;
  // Pairs that differ in term i and in none of a larger stride.
  std::vector<Term> differences(terms, terms + count);
  std::reverse(differences.begin(), differences.end());
  for (Term& t : differences) t.low = -t.high;
  int budget = 10000;
  for (std::size_t i = 0; i < count; ++i) {
    differences[i].low = 1;
    if (can_reach(differences, i, 1 - view.type.bytes(), view.type.bytes() - 1, budget))
      return true;
  }
  return false;
}

}  // namespace

bool may_overlap(const ir::BufferView& a, const ir::BufferView& b) { return overlap(a, b); }
bool may_overlap_itself(const ir::BufferView& view) { return overlaps_itself(view); }

std::vector<CallArgument> by_position(const std::vector<ir::Argument>& arguments,
                                      const ir::Arguments& given) {
  std::vector<CallArgument> result;
  result.reserve(arguments.size());
  for (const ir::Argument& argument : arguments) {
    if (argument.is_buffer()) {
      const auto found = given.buffers.find(argument.symbol);
      if (found == given.buffers.end())
        refuse(argument.name, "no buffer was given", "pass one with the call");
      const ir::BufferView& view = found->second;
      result.push_back({view.type, view.host, view.dimensions, nullptr});
    } else {
      const auto found = given.scalars.find(argument.symbol);
      if (found == given.scalars.end())
        refuse(argument.name, "the parameter has no value", "pass one with the call");
      result.push_back({found->second.type, nullptr, {}, &found->second});
    }
  }
  return result;
}

void pack_slots(const std::vector<ir::Argument>& arguments, std::span<const CallArgument> given,
                std::uint64_t* slots) {
  ensure(given.size() == arguments.size(), "a call has as many arguments as its module");
  bool has_output = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ir::Argument& argument = arguments[i];
    const CallArgument& value = given[i];
    ensure(argument.is_buffer() == (value.scalar == nullptr),
           "buffers and scalars are in their places");
    if (value.scalar) {
      if (value.scalar->type != argument.type)
        refuse(argument.name,
               "the parameter has type " + to_string(argument.type) + ", the value " +
                   to_string(value.scalar->type),
               "pass a value of the parameter's type");
      *slots++ = bits_of(*value.scalar);
      continue;
    }
    if (value.type != argument.type)
      refuse(argument.name,
             "elements are " + to_string(value.type) + ", not " + to_string(argument.type),
             "pass a buffer of the declared type");
    if (value.dimensions.size() != argument.dimensions.size())
      refuse(argument.name,
             "the buffer has " + std::to_string(value.dimensions.size()) + " dimensions, not " +
                 std::to_string(argument.dimensions.size()),
             "pass a buffer of the declared rank");
    has_output |= argument.kind == ir::Argument::Kind::Output;
    *slots++ = reinterpret_cast<std::uintptr_t>(value.host);
    for (const auto& d : value.dimensions) {
      if (!value.host && d.extent > 0)
        refuse(argument.name, "the buffer has no memory", "allocate it before the call");
      *slots++ = static_cast<std::uint64_t>(d.min);
      *slots++ = static_cast<std::uint64_t>(d.extent);
      *slots++ = static_cast<std::uint64_t>(d.stride);
    }
  }
  if (!has_output) return;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind != ir::Argument::Kind::Output) continue;
    if (overlaps_itself(given[i]))
      refuse(arguments[i].name, "elements of the output share memory with each other",
             "pass a buffer whose strides keep its elements apart");
    for (std::size_t j = 0; j < arguments.size(); ++j) {
      if (i == j || given[j].scalar || (arguments[j].kind == ir::Argument::Kind::Output && j < i))
        continue;
      if (arguments[i].symbol == arguments[j].symbol || !overlap(given[i], given[j])) continue;
      refuse(arguments[i].name, "shares elements with '" + arguments[j].name + "', and is written",
             "pass buffers that do not overlap");
    }
  }
}

}  // namespace sinter::backends
