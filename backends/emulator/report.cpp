#include "backends/emulator/report.h"

namespace sinter::emulator {

std::string to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::OutOfBounds:
      return "out of bounds";
    case FaultKind::Misaligned:
      return "misaligned";
    case FaultKind::Uninitialised:
      return "uninitialised";
    case FaultKind::SharedRace:
      return "race in shared memory";
    case FaultKind::GlobalRace:
      return "race in global memory";
    case FaultKind::ReadOnlyWritten:
      return "store to read-only memory";
    case FaultKind::BarrierDivergence:
      return "divergent barrier";
    case FaultKind::InvalidSync:
      return "invalid *.sync";
    case FaultKind::Deadlock:
      return "deadlock";
    case FaultKind::Trap:
      return "trap";
    case FaultKind::InvalidOperand:
      return "invalid operand";
    case FaultKind::LimitReached:
      return "instruction limit reached";
  }
  return "fault";
}

namespace {
std::string to_string(const Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}
}  // namespace

std::string to_string(const Fault& fault) {
  std::string result;
  if (fault.line) {
    result = fault.function + ", PTX line " + std::to_string(fault.line);
    if (!fault.source.empty()) result += " (" + fault.source + ")";
    result += ", block " + to_string(fault.block) + " thread " + to_string(fault.thread) + ": ";
  }
  result += to_string(fault.kind) + ": " + fault.text;
  if (fault.repeats) result += " [and " + std::to_string(fault.repeats) + " more]";
  return result;
}

std::string to_string(const Report& report) {
  std::string result;
  for (const Fault& fault : report.faults) result += to_string(fault) + "\n";
  const Counts& c = report.counts;
  result += std::string(report.completed ? "completed" : "stopped") + " after " +
            std::to_string(c.instructions) + " warp instructions (" +
            std::to_string(c.lane_operations) + " lane operations), " + std::to_string(c.barriers) +
            " barriers, " + std::to_string(c.global_requests) + " global requests of " +
            std::to_string(c.global_sectors) + " sectors, " + std::to_string(c.bank_conflicts) +
            " bank conflicts\n";
  for (const auto& [line, count] : c.bank_conflicts_at) {
    result +=
        "  PTX line " + std::to_string(line) + ": " + std::to_string(count) + " extra wavefronts\n";
  }
  return result;
}

}  // namespace sinter::emulator
