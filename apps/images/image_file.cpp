#include "apps/images/image_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>

#include <sinter/diagnostic.h>

#include <jpeglib.h>
#include <png.h>

namespace sinter::images {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason,
                         const std::string& remedy) {
  throw RuntimeError(Diagnostic{
      .stage = "", .directive = "", .reason = path + ": " + reason, .remedy = remedy, .file = ""});
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open(const std::string& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode), &std::fclose);
  if (!file)
    refuse(
        path, std::strerror(errno),
        mode[0] == 'r' ? "name an existing PNG or JPEG file" : "name a file that can be written");
  return file;
}

// libpng reports through longjmp by default; throwing from its callback is allowed by its manual as
// long as no C frame that owns something is crossed, which holds for the calls below.
struct PngFailure {
  std::string message;
};
void png_failed(png_structp, png_const_charp message) { throw PngFailure{message}; }
void png_warned(png_structp, png_const_charp) {}

struct PngReader {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, png_failed, png_warned);
  png_infop info = png_create_info_struct(png);
  PngReader() = default;
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

struct PngWriter {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, png_failed, png_warned);
  png_infop info = png_create_info_struct(png);
  PngWriter() = default;
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
};

Picture read_png(std::FILE* file, const std::string& path) {
  PngReader reader;
  try {
    png_init_io(reader.png, file);
    png_read_info(reader.png, reader.info);
    const int color = png_get_color_type(reader.png, reader.info);
    if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(reader.png);
    if (png_get_bit_depth(reader.png, reader.info) < 8) png_set_expand_gray_1_2_4_to_8(reader.png);
    png_set_strip_alpha(reader.png);
    const int passes = png_set_interlace_handling(reader.png);
    png_read_update_info(reader.png, reader.info);

    Picture picture;
    picture.width = int(png_get_image_width(reader.png, reader.info));
    picture.height = int(png_get_image_height(reader.png, reader.info));
    picture.channels = png_get_channels(reader.png, reader.info);
    picture.bits = png_get_bit_depth(reader.png, reader.info);
    if (picture.channels != 1 && picture.channels != 3) {
      refuse(path, std::to_string(picture.channels) + " channels", "use a gray or RGB picture");
    }
    const std::size_t row_bytes = png_get_rowbytes(reader.png, reader.info);
    std::vector<png_byte> bytes(row_bytes * std::size_t(picture.height));
    for (int pass = 0; pass < passes; ++pass) {
      for (int y = 0; y < picture.height; ++y)
        png_read_row(reader.png, &bytes[row_bytes * std::size_t(y)], nullptr);
    }
    png_read_end(reader.png, nullptr);

    picture.samples.resize(std::size_t(picture.width) * std::size_t(picture.height) *
                           std::size_t(picture.channels));
    for (std::size_t i = 0; i < picture.samples.size(); ++i) {
      picture.samples[i] =
          picture.bits == 16 ? std::uint16_t(bytes[2 * i] << 8 | bytes[2 * i + 1]) : bytes[i];
    }
    return picture;
  } catch (const PngFailure& failure) {
    refuse(path, "broken PNG (" + failure.message + ")", "write the picture anew");
  }
}

struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf escape;
  std::array<char, JMSG_LENGTH_MAX> message;
};

// libjpeg's frames are C: leave them by longjmp, as its manual asks.
void jpeg_failed(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  info->err->format_message(info, errors->message.data());
  std::longjmp(errors->escape, 1);
}
// What it would go on from with invented samples: an early end, and data that make no sense.
void jpeg_warned(j_common_ptr info, int level) {
  if (level < 0) jpeg_failed(info);
}

/// False when the file is broken; only trivially destructible objects live across the jump.
bool decode_jpeg(std::FILE* file, Picture& picture, JpegErrors& errors) {
  jpeg_decompress_struct info;
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = jpeg_failed;
  errors.base.emit_message = jpeg_warned;
  if (setjmp(errors.escape)) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_stdio_src(&info, file);
  jpeg_read_header(&info, TRUE);
  if (info.num_components != 1) info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  picture.width = int(info.output_width);
  picture.height = int(info.output_height);
  picture.channels = info.output_components;
  const std::size_t row = std::size_t(picture.width) * std::size_t(picture.channels);
  picture.samples.resize(row * std::size_t(picture.height));
  JSAMPARRAY line = info.mem->alloc_sarray(reinterpret_cast<j_common_ptr>(&info), JPOOL_IMAGE,
                                           JDIMENSION(row), 1);
  while (info.output_scanline < info.output_height) {
    const std::size_t y = info.output_scanline;
    jpeg_read_scanlines(&info, line, 1);
    std::copy(line[0], line[0] + row, picture.samples.begin() + std::ptrdiff_t(y * row));
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return true;
}

bool encode_jpeg(std::FILE* file, const Picture& picture, std::vector<JSAMPLE>& line,
                 JpegErrors& errors) {
  jpeg_compress_struct info;
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = jpeg_failed;
  if (setjmp(errors.escape)) {
    jpeg_destroy_compress(&info);
    return false;
  }
  jpeg_create_compress(&info);
  jpeg_stdio_dest(&info, file);
  info.image_width = JDIMENSION(picture.width);
  info.image_height = JDIMENSION(picture.height);
  info.input_components = picture.channels;
  info.in_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  jpeg_start_compress(&info, TRUE);
  const std::size_t row = line.size();
  for (std::size_t y = 0; y < std::size_t(picture.height); ++y) {
    for (std::size_t i = 0; i < row; ++i) {
      const std::uint16_t sample = picture.samples[y * row + i];
      line[i] = JSAMPLE(picture.bits == 16 ? sample >> 8 : sample);
    }
    JSAMPROW pointer = line.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return true;
}

void write_png(std::FILE* file, const Picture& picture, const std::string& path) {
  PngWriter writer;
  try {
    png_init_io(writer.png, file);
    png_set_IHDR(writer.png, writer.info, png_uint_32(picture.width), png_uint_32(picture.height),
                 picture.bits, picture.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(writer.png, writer.info);
    const std::size_t row = std::size_t(picture.width) * std::size_t(picture.channels);
    std::vector<png_byte> line;
    for (std::size_t y = 0; y < std::size_t(picture.height); ++y) {
      line.clear();
      for (std::size_t i = 0; i < row; ++i) {
        const std::uint16_t sample = picture.samples[y * row + i];
        if (picture.bits == 16) line.push_back(png_byte(sample >> 8));
        line.push_back(png_byte(sample & 255));
      }
      png_write_row(writer.png, line.data());
    }
    png_write_end(writer.png, nullptr);
  } catch (const PngFailure& failure) {
    refuse(path, "cannot be written (" + failure.message + ")",
           "free space on the disk, or name another file");
  }
}

Picture read_picture_that_fits(const std::string& path) {
  if (std::filesystem::is_directory(path)) refuse(path, "is a folder", "name a PNG or JPEG file");
  const File file = open(path, "rb");
  std::array<unsigned char, 8> head{};
  const std::size_t got = std::fread(head.data(), 1, head.size(), file.get());
  if (std::fseek(file.get(), 0, SEEK_SET) != 0)
    refuse(path, "cannot be read from its beginning", "name a PNG or JPEG file");
  if (got == head.size() && png_sig_cmp(head.data(), 0, head.size()) == 0)
    return read_png(file.get(), path);
  if (got >= 2 && head[0] == 0xff && head[1] == 0xd8) {
    Picture picture;
    JpegErrors errors;
    if (!decode_jpeg(file.get(), picture, errors)) {
      refuse(path, std::string("broken JPEG (") + errors.message.data() + ")",
             "write the picture anew");
    }
    if (picture.channels != 1 && picture.channels != 3) {
      refuse(path, std::to_string(picture.channels) + " channels", "use a gray or RGB picture");
    }
    return picture;
  }
  refuse(path, "neither PNG nor JPEG", "convert it to PNG");
}

}  // namespace

Picture read_picture(const std::string& path) {
  try {
    return read_picture_that_fits(path);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  refuse(path, "there is no memory for its samples", "use a smaller picture");
}

void write_picture(const Picture& picture, const std::string& path) {
  if (picture.channels != 1 && picture.channels != 3) {
    refuse(path, "a picture of " + std::to_string(picture.channels) + " channels cannot be written",
           "use 1 or 3 channels");
  }
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  const bool jpeg = ending == ".jpg" || ending == ".jpeg";
  if (!jpeg && ending != ".png")
    refuse(path, "unknown ending '" + ending + "'", "end the name in .png or .jpg");

  const std::string partial = path + ".partial";
  try {
    File file = open(partial, "wb");
    if (jpeg) {
      std::vector<JSAMPLE> line(std::size_t(picture.width) * std::size_t(picture.channels));
      JpegErrors errors;
      if (!encode_jpeg(file.get(), picture, line, errors)) {
        refuse(path, std::string("cannot be written (") + errors.message.data() + ")",
               "name another file");
      }
    } else {
      write_png(file.get(), picture, path);
    }
    if (std::fclose(file.release()) != 0)
      refuse(path, std::strerror(errno), "free space on the disk");
    std::filesystem::rename(partial, path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw;
  }
}

Picture with_channels(const Picture& picture, int channels) {
  if (channels == picture.channels) return picture;
  if ((channels != 1 && channels != 3) || (picture.channels != 1 && picture.channels != 3)) {
    throw RuntimeError(Diagnostic{.stage = "",
                                  .directive = "",
                                  .reason = "a picture of " + std::to_string(picture.channels) +
                                            " channels cannot become one of " +
                                            std::to_string(channels),
                                  .remedy = "use 1 (gray) or 3 (RGB) channels",
                                  .file = ""});
  }
  Picture result = picture;
  result.channels = channels;
  result.samples.resize(std::size_t(picture.width) * std::size_t(picture.height) *
                        std::size_t(channels));
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      if (channels == 3) {
        for (int c = 0; c < 3; ++c) result.at(x, y, c) = picture.at(x, y, 0);
      } else {
        const std::uint32_t weighted = 19595u * picture.at(x, y, 0) + 38470u * picture.at(x, y, 1) +
                                       7471u * picture.at(x, y, 2);
        result.at(x, y, 0) = std::uint16_t((weighted + 32768u) >> 16);
      }
    }
  }
  return result;
}

Picture with_bits(const Picture& picture, int bits) {
  Picture result = picture;
  result.bits = bits;
  if (bits == picture.bits) return result;
  for (std::uint16_t& sample : result.samples) {
    sample = bits == 16 ? std::uint16_t(sample * 257u) : std::uint16_t((sample + 128u) / 257u);
  }
  return result;
}

}  // namespace sinter::images
