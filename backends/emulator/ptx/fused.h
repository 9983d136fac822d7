#pragma once
// fma with the processor's instruction where it has one: std::fma is a call a lane on x86-64.

#include "backends/emulator/ptx/decoder.h"

namespace sinter::emulator::ptx {

/// For f32 and f64; null for other types and on processors that std::fma serves as well.
Handler fused_handler(Type);

}  // namespace sinter::emulator::ptx
