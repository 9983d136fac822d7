#pragma once
// lower(): ScheduledPipeline -> ir::Module. passes.cpp is the map: one table of named passes.

#include <functional>
#include <string>
#include <vector>

#include "dsl/ir/module.h"
#include "dsl/schedule/stage_schedule.h"

namespace sinter::lowering {

struct LowerOptions {
  int vector_bits = 256;  // of the target, for hints only: never changes results
  /// Buffer arguments, by name, whose dimension 0 may have any stride; all others must have stride
  /// 1, which is what makes their accesses dense.
  std::vector<std::string> strided;
  /// Buffer arguments start at multiples of so many bytes, and the first min is a multiple too. 0:
  /// of their elements only.
  int alignment = 0;
  /// With alignment: rows of inputs, and of outputs, start at multiples of so many bytes: strides
  /// but the first are multiples.
  int input_rows = 0, output_rows = 0;
  /// With alignment: the other dimensions' mins are multiples too.
  bool aligned_mins = false;
  std::string gpu = "sm_90";          // whose limits kernels keep to
  bool debug = false;                 // keep checks of promise_clamped
  std::vector<std::string> disabled;  // passes to leave out, by name (optional ones only)
  /// Called after each pass with its name and result.
  std::function<void(const std::string& pass, const ir::Module&)> after_pass;
  /// Verify the IR after each pass (tests; always in debug builds).
  bool verify = false;
};

struct Pass {
  const char* name;
  const char* purpose;  // one line
  bool optional;        // may be disabled: only speed depends on it
  ir::Level establishes;
  ir::Module (*run)(ir::Module, const LowerOptions&);
};
/// The passes that run on the IR, in order. Building the loop nest comes before them.
const std::vector<Pass>& passes();

/// Throws ScheduleError or CompileError; never returns a module that fails verify().
ir::Module lower(const schedule::ScheduledPipeline&, const LowerOptions& = {});

}  // namespace sinter::lowering
