#pragma once
// The default schedule, as far as lowering takes it.

#include <vector>

#include <sinter/buffer.h>
#include <sinter/default_schedule.h>

#include "dsl/schedule/default_gpu.h"

namespace sinter::driver {

/// What schedule::default_gpu_schedule proposes, less what lowering refuses.
schedule::DefaultGpuSchedule default_gpu_schedule(const Algorithm&,
                                                  const schedule::Schedule& estimates,
                                                  const Target&, schedule::DefaultGpuOptions);

/// Nothing but estimates is said: a GPU uses its default schedule.
bool is_unscheduled(const Schedule&);
/// `given` with what estimates it has. Sizes are those of the outputs' buffers, one per component.
Schedule scheduled_for_gpu(const std::vector<Func>& outputs, const Schedule& given, const Target&,
                           const std::vector<Buffer<>>& buffers);

}  // namespace sinter::driver
