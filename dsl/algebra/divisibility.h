#pragma once
// What an index is a multiple of.

#include <cstdint>
#include <unordered_map>

#include "dsl/ir/node.h"

namespace sinter::algebra {

/// Multiples of symbols; others are of 1.
using Multiples = std::unordered_map<Symbol, std::int64_t>;

/// A number m >= 0 such that the index is always a multiple of m (0: the index is 0). Of a vector
/// whose lanes are an arithmetic progression: what lane 0 is a multiple of.
std::int64_t multiple_of(const ir::Ref&, const Multiples&);

}  // namespace sinter::algebra
