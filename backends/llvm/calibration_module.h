#pragma once
// The text of a fixed LLVM module; see calibration_module.cpp.

namespace sinter::backends {

extern const char* const CalibrationModule;

}  // namespace sinter::backends
