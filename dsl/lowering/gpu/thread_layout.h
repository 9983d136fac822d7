#pragma once
// Which thread an element belongs to: indices as digits of the thread's number, terms of loops, and
// the rest.

#include <optional>
#include <vector>

#include "dsl/algebra/interval.h"
#include "dsl/ir/node.h"

namespace sinter::lowering {

inline constexpr std::int64_t WarpSize = 32;

/// coefficient * ((thread / place) % extent).
struct Digit {
  std::int64_t coefficient, place, extent;
  bool operator==(const Digit&) const = default;
  Expr value() const;
};

/// An index, or the first of `lanes` neighbouring ones. Lets are substituted beforehand.
struct IndexForm {
  struct Term {
    Expr atom;
    std::int64_t coefficient;
    algebra::ConstantInterval range;
  };
  std::vector<Digit> digits;  // by place, split where a warp ends
  std::vector<Term> terms;    // everything else, in a deterministic order
  std::int64_t constant = 0;
  int lanes = 1;
};
/// Empty for what is not linear, for vectors whose lanes are no neighbours, and when elements run
/// against the numbers of threads. `threads`: of a block.
std::optional<IndexForm> index_form(const Expr& index, std::int64_t threads,
                                    const algebra::ConstantScope&);

/// The thread that an access belongs to, as a function of the element: two accesses with equal
/// owners touch a common element from one thread only.
struct Owner {
  std::vector<Digit> digits;  // by coefficient
  Expr origin;                // what does not change in a block; undefined: 0
  std::int64_t offset = 0;    // within the digits' span
  bool operator==(const Owner&) const;
};
/// Empty when different threads may touch the element. `varying`: symbols that change within a
/// block.
std::optional<Owner> owner_of(const Expr& index, std::int64_t threads,
                              const algebra::ConstantScope&,
                              const std::unordered_set<Symbol>& varying);

}  // namespace sinter::lowering
