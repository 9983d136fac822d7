#pragma once
// The one place where front end, schedule, lowering, backend and device meet:
//   Pipeline --resolve--> ScheduledPipeline --lower--> ir::Module --compile--> CompiledModule
//   --load--> Executable

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sinter/func.h>
#include <sinter/schedule.h>
#include <sinter/target.h>

#include "backends/backend.h"
#include "dsl/ir/module.h"
#include "dsl/schedule/stage_schedule.h"

namespace sinter::driver {

struct CompileOptions {
  /// Arguments, by name, whose dimension 0 may have a stride other than 1.
  std::vector<std::string> strided;
  int alignment = 0;                    ///< see lowering::LowerOptions
  int input_rows = 0, output_rows = 0;  ///< as well
  std::vector<std::string> disabled;    ///< passes to leave out
  bool aligned_mins = false;            ///< as well
  bool listings = false;                ///< keep "llvm" and "asm"
  bool debug = false;                   ///< check promise_clamped
  bool verify = false;                  ///< run the IR verifier after every pass
  /// Called after each lowering pass.
  std::function<void(const std::string& pass, const ir::Module&)> after_pass;
};

struct Compiled {
  schedule::ScheduledPipeline scheduled;
  ir::Module module;
  backends::CompiledModule code;
  std::shared_ptr<const backends::Executable> executable;
  double resolve_ms = 0, lower_ms = 0, code_ms = 0, load_ms = 0;
};

/// The outputs' algorithm under `schedule`, resolved. Throws ScheduleError.
schedule::ScheduledPipeline resolve_pipeline(const std::vector<Func>& outputs, const Schedule&);
/// All arrows but the last: needs no device. Throws ScheduleError or CompileError.
Compiled compile_code(const schedule::ScheduledPipeline&, const Target&,
                      const CompileOptions& = {});
/// All four arrows. Throws ScheduleError, CompileError or DeviceError.
Compiled compile_pipeline(const schedule::ScheduledPipeline&, const Target&,
                          const CompileOptions& = {});

}  // namespace sinter::driver
