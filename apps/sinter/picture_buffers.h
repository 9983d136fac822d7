#pragma once
// Pictures as Buffers and back. Samples become f32 in [0, 1], or keep their numbers in integers.

#include <string>

#include <sinter/buffer.h>

#include "apps/images/image_file.h"

namespace sinter::command {

/// A dense Buffer (x, y, channel) of `type` (u8, u16, f32). Throws RuntimeError for another type.
Buffer<> buffer_from(const images::Picture&, Type type);

/// Buffer (x, y) or (x, y, channel) to a picture of `bits`; values beyond its range are clamped.
images::Picture picture_from(const Buffer<>&, int bits);

}  // namespace sinter::command
