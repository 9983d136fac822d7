#pragma once
// Inputs that are made up: the same numbers on every machine, and in apps/peer/peer.h.

#include <cstdint>

#include <sinter/buffer.h>

namespace sinter::command {

/// The finaliser of splitmix64.
std::uint64_t mix(std::uint64_t);

/// Fills a dense buffer: element i (dimension 0 fastest) of input number `field` is, for floats, a
/// number in [0, 1) of 24 bits; for integers one in [0, largest] (as far as the type reaches).
void fill(const Buffer<>&, int field, std::int64_t largest);

/// The element at linear position `index` (dimension 0 fastest) of a dense buffer, as a double.
double element(const Buffer<>&, std::uint64_t index);

/// How two buffers of one shape and type differ.
struct Difference {
  double largest = 0;          // of absolute differences; a NaN against a number counts as infinite
  std::uint64_t elements = 0;  // that differ by more than the tolerance (two NaNs do not)
  std::uint64_t first = 0;     // linear position of the first that does
  std::uint64_t tolerated = 0;  // elements that differ by less
};
/// `tolerance`: of floats, in steps from one number to the next.
Difference difference(const Buffer<>&, const Buffer<>&, int tolerance = 0);

}  // namespace sinter::command
