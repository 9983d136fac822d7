#pragma once
// One trial: an instance runs under the oracle, under the interpreter at three levels of lowering
// and as host or GPU code; all results must agree bit for bit (all NaNs are equal), and nothing
// else of the caller's memory may change.

#include <optional>
#include <string>

#include "tests/property/instance.h"

namespace sinter::test {

struct TrialResult {
  enum class Kind {
    Agreed,
    RefusedAtResolve,  // ScheduleError before lowering
    RefusedAtLower,    // ScheduleError or CompileError from lowering
    RefusedAtCall,     // the entry's checks, the same at every level
    Failed,
  } kind = Kind::Agreed;
  Diagnostic refusal;
  std::string text;           // Failed: what, then details
  std::size_t kernels = 0;    // that ran on the GPU
  bool skipped_host = false;  // the code is too large to be worth the time
};

TrialResult run_trial(const Instance&);

/// The same with other sizes, which a trial calls the same code for.
Instance variant_of(const Instance&, int number);

/// An instance that resolve() refuses for its legality or placement, lowered all the same. Nothing
/// when it cannot be; else whether oracle and interpreter agreed, for three sets of data.
std::optional<bool> agrees_when_forced(const Instance&);

}  // namespace sinter::test
