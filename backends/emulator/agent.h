#pragma once
// What the scheduler runs: a warp of some instruction set. A decoder supplies run().

#include <string>
#include <vector>

#include "backends/emulator/barrier.h"

namespace sinter::emulator {

class Agent {
 public:
  enum class State { Ready, Waiting, Done };

  virtual ~Agent() = default;
  /// Executes up to `budget` instructions, fewer when it must wait.
  virtual State run(unsigned budget) = 0;
  /// The barrier completed: the lanes that wait at it go on, knowing `clock`.
  virtual void release(unsigned barrier, const VectorClock& clock, const BarrierResult&) = 0;
  /// Who waits for what, one line each, for the report of a deadlock.
  virtual std::vector<std::string> describe_waits() const = 0;
  /// A fault without further cause, at the instruction where the agent stands.
  virtual Fault fault_here(FaultKind, std::string text) const = 0;
  /// A barrier or another lane has let it go on since it returned Waiting.
  virtual bool ready() const = 0;
  /// How often it polled memory in vain since the launch last got anywhere.
  virtual std::uint64_t polls() const = 0;
};

}  // namespace sinter::emulator
