#include "dsl/schedule/directives/gpu_max_registers.h"

namespace sinter::schedule {

std::optional<Diagnostic> check(const GpuMaxRegisters& limit, const StageRef&, const State&) {
  if (auto problem = check_factor(limit.registers)) return problem;
  constexpr std::int64_t Fewest = 16, Most = ir::KernelLimits::Most;
  if (limit.registers.constant() >= Fewest && limit.registers.constant() <= Most)
    return std::nullopt;
  return refusal("a thread has between " + std::to_string(Fewest) + " and " + std::to_string(Most) +
                     " registers",
                 "write a number of that range");
}

void apply(const GpuMaxRegisters& limit, const StageRef& ref, State& state) {
  definition_schedule(state, ref).limits.max_registers = limit.registers.constant();
}

}  // namespace sinter::schedule
