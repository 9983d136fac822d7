#include "apps/sinter/picture_buffers.h"

#include <algorithm>
#include <cmath>

#include <sinter/diagnostic.h>

namespace sinter::command {

namespace {

[[noreturn]] void refuse(Type type) {
  throw RuntimeError(
      Diagnostic{.stage = "",
                 .directive = "",
                 .reason = "elements of type " + to_string(type) + " are no samples of a picture",
                 .remedy = "use a pipeline on u8, u16 or f32",
                 .file = ""});
}

}  // namespace

Buffer<> buffer_from(const images::Picture& given, Type type) {
  if (type != UInt(8) && type != UInt(16) && type != Float(32)) refuse(type);
  const images::Picture picture = type == UInt(8) ? images::with_bits(given, 8) : given;
  Buffer<> buffer(type, {picture.width, picture.height, picture.channels});
  const float scale = picture.bits == 16 ? 65535.0f : 255.0f;
  std::size_t i = 0;
  for (int c = 0; c < picture.channels; ++c) {
    for (int y = 0; y < picture.height; ++y) {
      for (int x = 0; x < picture.width; ++x, ++i) {
        const std::uint16_t sample = picture.at(x, y, c);
        if (type == UInt(8))
          static_cast<std::uint8_t*>(buffer.raw_data())[i] = std::uint8_t(sample);
        else if (type == UInt(16)) static_cast<std::uint16_t*>(buffer.raw_data())[i] = sample;
        else static_cast<float*>(buffer.raw_data())[i] = float(sample) / scale;
      }
    }
  }
  return buffer;
}

images::Picture picture_from(const Buffer<>& buffer, int bits) {
  const Type type = buffer.type();
  if (type != UInt(8) && type != UInt(16) && type != Float(32)) refuse(type);
  images::Picture picture{.width = buffer.width(),
                          .height = buffer.height(),
                          .channels = buffer.channels(),
                          .bits = bits,
                          .samples = {}};
  picture.samples.resize(buffer.number_of_elements());
  const float largest = bits == 16 ? 65535.0f : 255.0f;
  std::size_t i = 0;
  for (int c = 0; c < picture.channels; ++c) {
    for (int y = 0; y < picture.height; ++y) {
      for (int x = 0; x < picture.width; ++x, ++i) {
        float value = 0;
        if (type == UInt(8)) value = static_cast<const std::uint8_t*>(buffer.raw_data())[i];
        else if (type == UInt(16)) value = static_cast<const std::uint16_t*>(buffer.raw_data())[i];
        else value = std::round(static_cast<const float*>(buffer.raw_data())[i] * largest);
        picture.at(x, y, c) =
            std::uint16_t(std::isnan(value) ? 0.0f : std::clamp(value, 0.0f, largest));
      }
    }
  }
  return picture;
}

}  // namespace sinter::command
