#include "dsl/lowering/passes.h"

#include <algorithm>

#include <sinter/diagnostic.h>

#include "dsl/algebra/simplify.h"
#include "dsl/lowering/bounds/apply_constraints.h"
#include "dsl/lowering/bounds/insert_bounds_checks.h"
#include "dsl/lowering/gpu/arrange_shared.h"
#include "dsl/lowering/gpu/insert_transfers.h"
#include "dsl/lowering/gpu/map_to_grid.h"
#include "dsl/lowering/gpu/promote_registers.h"
#include "dsl/lowering/math/lower_math.h"
#include "dsl/lowering/loops/build_loop_nest.h"
#include "dsl/lowering/loops/partition_loops.h"
#include "dsl/lowering/loops/vectorize_loops.h"
#include "dsl/lowering/storage/flatten_storage.h"
#include "dsl/lowering/storage/free_early.h"

namespace sinter::lowering {

namespace {

ir::Module simplify_module(ir::Module module, const LowerOptions&) {
  if (module.body.defined()) module.body = algebra::simplify(module.body);
  return module;
}

void check(const ir::Module& module, ir::Level level, const char* pass) {
  const std::vector<std::string> broken = ir::verify(module, level);
  if (broken.empty()) return;
  std::string text = std::string("the IR is malformed after ") + pass + ":";
  for (const std::string& line : broken) text += "\n  " + line;
  throw InternalError(text + "\n" + ir::print(module));
}

}  // namespace

const std::vector<Pass>& passes() {
  using ir::Level;
  static const std::vector<Pass> table = {
      // name, purpose, optional, establishes, run
      {"insert_entry_checks", "coordinates fit, tuples agree, empty outputs return at once", false,
       Level::Nested, insert_entry_checks},
      {"simplify_nested", "normal form of coordinates before indices are made", true, Level::Nested,
       simplify_module},
      {"flatten_storage", "boxes and coordinates become allocations and element indices", false,
       Level::Flat, flatten_storage},
      {"apply_constraints", "what images are constrained to is checked, then relied upon", false,
       Level::Flat, apply_constraints},
      {"free_early", "heap memory goes back after its last use", true, Level::Flat, free_early},
      {"simplify_flat", "normal form of element indices", true, Level::Flat, simplify_module},
      {"partition_loops", "guards and clamps leave the middle of loops", true, Level::Flat,
       partition_loops},
      {"lower_markers", "promises are checked or dropped", false, Level::Flat, lower_markers},
      {"vectorize_loops", "vectorised loops become wide statements", false, Level::Flat,
       vectorize_loops},
      {"unroll_loops", "unrolled loops become blocks", false, Level::Flat, unroll_loops},
      {"map_to_grid", "loops over blocks and threads become kernels", false, Level::Flat,
       map_to_grid},
      {"promote_registers",
       "stages in registers become each thread's own; others' elements are shuffled", false,
       Level::Flat, promote_registers},
      {"arrange_shared", "shared memory is laid out so that lanes meet in no bank", true,
       Level::Flat, arrange_shared},
      {"check_shared", "the shared memory of a block is what a multiprocessor has", false,
       Level::Flat, check_shared},
      {"insert_transfers", "buffers of kernels get an instance on the device", false, Level::Flat,
       insert_transfers},
      {"lower_math", "transcendental functions become portable polynomials", false, Level::Machine,
       lower_math},
      {"simplify_machine", "what widening and unrolling made constant", true, Level::Machine,
       simplify_module},
  };
  return table;
}

ir::Module lower(const schedule::ScheduledPipeline& pipeline, const LowerOptions& options) {
  ir::Module module = build_loop_nest(pipeline);
  if (options.verify) check(module, ir::Level::Nested, "build_loop_nest");
  if (options.after_pass) options.after_pass("build_loop_nest", module);
  for (const Pass& pass : passes()) {
    const auto& off = options.disabled;
    if (pass.optional && std::find(off.begin(), off.end(), pass.name) != off.end()) continue;
    module = pass.run(std::move(module), options);
    if (options.verify) check(module, pass.establishes, pass.name);
    if (options.after_pass) options.after_pass(pass.name, module);
  }
  return module;
}

}  // namespace sinter::lowering
