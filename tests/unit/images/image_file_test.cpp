// Pictures on disk: round trips, and the words said about broken ones.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sinter/diagnostic.h>

#include "apps/images/image_file.h"

namespace sinter::images {
namespace {

class ImageFile : public testing::Test {
 protected:
  ImageFile() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "sinter-images-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~ImageFile() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static Picture ramp(int channels, int bits) {
    Picture picture{.width = 13, .height = 7, .channels = channels, .bits = bits, .samples = {}};
    for (int i = 0; i < 13 * 7 * channels; ++i)
      picture.samples.push_back(std::uint16_t(i * (bits == 16 ? 239 : 1) % (1 << bits)));
    return picture;
  }
  static std::string refusal(const std::function<void()>& action) {
    try {
      action();
    } catch (const RuntimeError& error) {
      return error.diagnostic().reason;
    }
    return "accepted";
  }

  std::filesystem::path folder_;
};

TEST_F(ImageFile, PngKeepsEverySampleOfGrayAndRgbInEightAndSixteenBits) {
  for (const int channels : {1, 3}) {
    for (const int bits : {8, 16}) {
      const Picture written = ramp(channels, bits);
      write_picture(written, path("a.png"));
      const Picture read = read_picture(path("a.png"));
      EXPECT_EQ(read.width, 13);
      EXPECT_EQ(read.height, 7);
      EXPECT_EQ(read.channels, channels);
      EXPECT_EQ(read.bits, bits);
      EXPECT_EQ(read.samples, written.samples);
    }
  }
}

TEST_F(ImageFile, JpegKeepsAFlatPictureNearly) {
  for (const int channels : {1, 3}) {
    Picture written = ramp(channels, 8);
    for (std::uint16_t& sample : written.samples) sample = 90;
    write_picture(written, path("a.jpg"));
    const Picture read = read_picture(path("a.jpg"));
    ASSERT_EQ(read.channels, channels);
    for (const std::uint16_t sample : read.samples) EXPECT_NEAR(sample, 90, 2);
  }
}

TEST_F(ImageFile, MissingFileIsNamed) {
  EXPECT_EQ(refusal([&] { read_picture(path("none.png")); }),
            path("none.png") + ": No such file or directory");
}

TEST_F(ImageFile, FolderIsNoPicture) {
  EXPECT_EQ(refusal([&] { read_picture(folder_.string()); }), folder_.string() + ": is a folder");
}

TEST_F(ImageFile, TruncatedPngIsBroken) {
  write_picture(ramp(3, 8), path("a.png"));
  std::filesystem::resize_file(path("a.png"), std::filesystem::file_size(path("a.png")) / 2);
  EXPECT_NE(refusal([&] { read_picture(path("a.png")); }).find("broken PNG ("), std::string::npos);
}

TEST_F(ImageFile, FlippedBitOfAPngIsFound) {
  write_picture(ramp(3, 8), path("a.png"));
  std::fstream file(path("a.png"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(20);
  file.put('\x7f');
  file.close();
  EXPECT_NE(refusal([&] { read_picture(path("a.png")); }).find("broken PNG ("), std::string::npos);
}

TEST_F(ImageFile, BrokenJpegIsBroken) {
  std::ofstream(path("a.jpg"), std::ios::binary) << "\xff\xd8\xff\xe0 nothing";
  EXPECT_NE(refusal([&] { read_picture(path("a.jpg")); }).find("broken JPEG ("), std::string::npos);
}

TEST_F(ImageFile, JpegThatEndsEarlyIsBroken) {
  write_picture(ramp(3, 8), path("a.jpg"));
  std::filesystem::resize_file(path("a.jpg"), std::filesystem::file_size(path("a.jpg")) - 20);
  EXPECT_NE(refusal([&] { read_picture(path("a.jpg")); }).find("broken JPEG (Premature end"),
            std::string::npos);
}

// The header's sizes are 10^6 x 10^6; checksums are not what is asked for first.
TEST_F(ImageFile, PictureLargerThanTheMemory) {
  const std::string header(
      "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x0f\x42\x40\0\x0f\x42\x40\x08\x02\0\0\0"
      "\xd3\x0f\xaf\x2a",
      33);
  std::ofstream(path("a.png"), std::ios::binary)
      << header << std::string("\0\0\0\0IDAT\x35\xaf\x06\x1e", 12);
  EXPECT_EQ(refusal([&] { read_picture(path("a.png")); }),
            path("a.png") + ": there is no memory for its samples");
}

TEST_F(ImageFile, OtherContentIsNeither) {
  std::ofstream(path("a.png")) << "just words, long enough for a signature";
  EXPECT_EQ(refusal([&] { read_picture(path("a.png")); }),
            path("a.png") + ": neither PNG nor JPEG");
}

TEST_F(ImageFile, UnknownEndingIsRefusedAndLeavesNoFile) {
  EXPECT_EQ(refusal([&] { write_picture(ramp(1, 8), path("a.bmp")); }),
            path("a.bmp") + ": unknown ending '.bmp'");
  EXPECT_EQ(refusal([&] { write_picture(ramp(2, 8), path("a.png")); }),
            path("a.png") + ": a picture of 2 channels cannot be written");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(ImageFile, ChannelsConvertByLuminance) {
  Picture white = ramp(3, 8);
  for (std::uint16_t& sample : white.samples) sample = 255;
  EXPECT_EQ(with_channels(white, 1).at(5, 5, 0), 255);
  EXPECT_EQ(with_channels(ramp(1, 8), 3).at(4, 2, 2), ramp(1, 8).at(4, 2, 0));
  EXPECT_EQ(refusal([&] { with_channels(white, 4); }),
            "a picture of 3 channels cannot become one of 4");
}

TEST_F(ImageFile, BitsConvertThereAndBack) {
  EXPECT_EQ(with_bits(with_bits(ramp(3, 8), 16), 8).samples, ramp(3, 8).samples);
}

TEST_F(ImageFile, TheShippedPhotoReads) {
  const Picture photo = read_picture(std::string(SINTER_SOURCE_DIR) + "/apps/images/valley.png");
  EXPECT_EQ(photo.width, 768);
  EXPECT_EQ(photo.height, 512);
  EXPECT_EQ(photo.channels, 3);
}

}  // namespace
}  // namespace sinter::images
