// cvt.

#include "backends/emulator/ptx/dispatch.h"

namespace sinter::emulator::ptx {

const DecodeTable& convert_instructions() {
  static const DecodeTable table{};
  return table;
}

}  // namespace sinter::emulator::ptx
