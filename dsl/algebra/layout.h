#pragma once
// Where the elements of shared memory lie. A warp's access takes as many wavefronts as the busiest
// bank has words to give: a layout is chosen so that lanes do not meet.

#include <cstdint>
#include <span>
#include <vector>

#include "dsl/ir/node.h"

namespace sinter::algebra {

/// A map of elements to places, one to one: as they are numbered, padded, or swizzled.
struct Layout {
  /// Behind each `row` elements come `padding` unused ones.
  std::int64_t row = 0, padding = 0;
  /// Runs of `run` elements change places in groups of `runs`, a power of two: run r goes to
  /// r xor (element / period). `period` is a multiple of a group.
  std::int64_t run = 0, runs = 0, period = 0;

  bool operator==(const Layout&) const = default;
  bool is_dense() const { return padding == 0 && runs == 0; }
  std::int64_t operator()(std::int64_t element) const;
  /// Of an index, or of each lane of a vector of them.
  Expr operator()(const Expr& element) const;
  /// Places that so many elements take.
  std::int64_t size(std::int64_t elements) const;
  /// Whether `count` neighbours, the first at a multiple of `count`, stay neighbours and aligned.
  bool keeps_together(std::int64_t count) const;
};

/// What a memory of `elements` may be laid out as, the simplest first. `widest`: neighbours that
/// one access takes. `rows`: distances between elements that accesses step over.
std::vector<Layout> candidate_layouts(std::int64_t elements, std::int64_t element_bytes,
                                      std::int64_t widest, std::span<const std::int64_t> rows);

/// Wavefronts of an access of so many `bytes` by each lane beyond those that it takes without
/// conflicts: each asks the 32 banks of 4 bytes for one word; 8 and 16 bytes are served to half and
/// quarter warps. `addresses`: by lane, negative where a lane takes no part.
int bank_conflicts(std::span<const std::int64_t> addresses, std::int64_t bytes);

}  // namespace sinter::algebra
