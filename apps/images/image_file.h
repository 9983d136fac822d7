#pragma once
// Pictures on disk: PNG (8 and 16 bit) and JPEG (8 bit), gray or RGB. Knows files, not Buffers.

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::images {

struct Picture {
  int width = 0;
  int height = 0;
  int channels = 1;                    // 1 gray, 3 RGB
  int bits = 8;                        // 8 or 16
  std::vector<std::uint16_t> samples;  // rows from the top, pixels from the left, channels together

  std::uint16_t& at(int x, int y, int channel) {
    return samples[(std::size_t(y) * std::size_t(width) + std::size_t(x)) * std::size_t(channels) +
                   std::size_t(channel)];
  }
  std::uint16_t at(int x, int y, int channel) const {
    return const_cast<Picture*>(this)->at(x, y, channel);
  }
};

/// By content, not by name. Palettes become RGB, an alpha channel is dropped.
/// Throws RuntimeError naming the file for one that is missing, broken or of another kind.
Picture read_picture(const std::string& path);

/// The ending says the kind: .png, .jpg, .jpeg. 16-bit samples go to JPEG by their upper byte.
/// Writes beside the file and renames, so that an interrupted write leaves no broken file.
void write_picture(const Picture&, const std::string& path);

/// Gray from RGB (BT.601 weights), RGB from gray; the same picture when it has that many already.
/// Throws RuntimeError for a count other than 1 and 3.
Picture with_channels(const Picture&, int channels);

/// 8 to 16 bit (times 257) or 16 to 8 (rounded).
Picture with_bits(const Picture&, int bits);

}  // namespace sinter::images
