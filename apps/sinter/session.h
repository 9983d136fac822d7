#pragma once
// One run of a registered pipeline: its program, the buffers of one call, and what can be done with
// them. Buffers are dense.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sinter/registry.h>
#include <sinter/schedule.h>
#include <sinter/stream.h>
#include <sinter/target.h>

#include "apps/sinter/made_inputs.h"

namespace sinter::command {

/// The buffers of one call, by field name.
struct CallBuffers {
  std::map<std::string, Buffer<>> inputs, outputs;
};

/// Outputs of the extents that `sizes` give, and made-up inputs.
CallBuffers make_buffers(const RegisteredPipeline&, const Sizes&);

class Session {
 public:
  /// `schedule`: a name that the pipeline knows, "auto" or "auto_rewrites" for the target's default
  /// schedule at these sizes (none: the pipeline's own), or a file of schedule text.
  /// Throws RuntimeError when it is none of them.
  Session(const RegisteredPipeline&, const std::string& schedule, const Target&,
          const Sizes& sizes = {});

  void set_parameter(const std::string& name, double value) {
    program_->set_parameter(name, value);
  }
  void compile();
  /// Runs once.
  void run(const CallBuffers&);
  /// Runs once in the stream's order, without waiting.
  void enqueue(const CallBuffers&, const Stream&);
  /// Milliseconds a run, of each of `count` runs; on a GPU, of ten in a row each.
  std::vector<double> time(const CallBuffers&, int count);
  /// The outputs by the host, with each stage at root: the algorithm as this session's schedule
  /// rewrites it, and nothing else of that schedule.
  void run_at_root(const CallBuffers&);
  /// The outputs by the reference evaluator, which knows nothing of schedules or machines.
  void evaluate(const CallBuffers&);
  /// "schedule", "loops", "ir", "llvm", "asm" or "resources"; throws RuntimeError for another word.
  std::string emit(const std::string& what, bool json = false) const;

 private:
  std::vector<Buffer<>> bind(const CallBuffers&);
  void schedule_by_default(bool allow_rewrites, const Sizes&);

  const RegisteredPipeline& registered_;
  Target target_;
  std::unique_ptr<Program> program_;
  Schedule schedule_;  // as it was when the session began
  Pipeline pipeline_;  // under that schedule
  std::optional<Pipeline> at_root_;
};

}  // namespace sinter::command
