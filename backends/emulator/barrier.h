#pragma once
// The barriers of a block: threads arrive, and when enough have, those that wait go on together.

#include <array>
#include <cstdint>
#include <vector>

#include "backends/emulator/report.h"
#include "backends/emulator/vector_clock.h"

namespace sinter::emulator {

inline constexpr unsigned BarriersOfBlock = 16;

/// Over the predicates that the arriving threads brought.
struct BarrierResult {
  std::uint32_t count = 0;
  bool all = true, any = false;
};

struct Barrier {
  std::uint32_t expected = 0;  ///< 0: all threads that still run
  std::uint32_t arrived = 0;
  std::vector<std::size_t> waiting;  ///< agents of the block
  VectorClock clock;
  BarrierResult result;
};

}  // namespace sinter::emulator
