// Made-up inputs and the comparison of outputs.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "apps/sinter/made_inputs.h"
#include "apps/sinter/picture_buffers.h"

namespace sinter::command {
namespace {

TEST(MadeInputs, AreTheSameNumbersEverywhere) {
  // The peers make the same; these values pin both.
  EXPECT_EQ(mix(0), 0xe220a8397b1dcdafu);
  Buffer<float> floats(8, 8);
  fill(floats, 0, 0);
  EXPECT_EQ(floats(0, 0), float(0xe220a8397b1dcdafu >> 40) / 16777216.0f);
  Buffer<std::uint16_t> words(8, 8);
  fill(words, 0, 4095);
  EXPECT_EQ(words(0, 0), 0xe220a8397b1dcdafu % 4096);
}

TEST(MadeInputs, StayInTheirRange) {
  Buffer<std::uint8_t> bytes(100, 100);
  fill(bytes, 3, 1000000);
  Buffer<float16_t> halves(100, 10);
  fill(halves, 1, 0);
  for (int x = 0; x < 100; ++x) {
    for (int y = 0; y < 10; ++y) EXPECT_LE(float(halves(x, y)), 1.0f);
  }
}

TEST(Difference, CountsBitsAndMeasuresDistance) {
  Buffer<float> a(3, 2), b(3, 2);
  fill(a, 0, 0);
  b.copy_from(a);
  EXPECT_EQ(difference(a, b).elements, 0u);
  b(2, 1) += 0.5f;
  const Difference found = difference(a, b);
  EXPECT_EQ(found.elements, 1u);
  EXPECT_EQ(found.first, 5u);
  EXPECT_NEAR(found.largest, 0.5, 1e-6);
}

TEST(Difference, ToleratesSteps) {
  Buffer<bfloat16_t> a(4), b(4);
  const float values[] = {1.0f, -0.0f, 3.0f, -256.0f},
              others[] = {1.0078125f, 0.0f, 3.03125f, -255.0f};
  for (int i = 0; i < 4; ++i) a(i) = bfloat16_t(values[i]);
  for (int i = 0; i < 4; ++i) b(i) = bfloat16_t(others[i]);
  EXPECT_EQ(difference(a, b).elements, 4u);
  const Difference one = difference(a, b, 1);  // 3 and 3.03125 are two steps apart
  EXPECT_EQ(one.elements, 1u);
  EXPECT_EQ(one.first, 2u);
  EXPECT_EQ(one.tolerated, 3u);
  EXPECT_EQ(difference(a, b, 2).elements, 0u);
}

TEST(Difference, ANanEqualsOnlyANan) {
  Buffer<float> a(2), b(2);
  a(0) = b(0) = std::numeric_limits<float>::quiet_NaN();
  a(1) = b(1) = 1;
  b(0) = -b(0);
  EXPECT_EQ(difference(a, b).elements, 0u);
  b(0) = 3;
  EXPECT_TRUE(std::isinf(difference(a, b).largest));
}

TEST(PictureBuffers, KeepSamplesThereAndBack) {
  images::Picture picture{.width = 5, .height = 4, .channels = 3, .bits = 8, .samples = {}};
  for (int i = 0; i < 60; ++i) picture.samples.push_back(std::uint16_t(i * 4));
  for (const Type type : {UInt(8), UInt(16), Float(32)}) {
    const Buffer<> buffer = buffer_from(picture, type);
    ASSERT_EQ(buffer.dimensions(), 3);
    EXPECT_EQ(picture_from(buffer, 8).samples, picture.samples) << to_string(type);
  }
  EXPECT_THROW(buffer_from(picture, Int(32)), RuntimeError);
}

TEST(PictureBuffers, ClampWhatAPictureCannotHold) {
  Buffer<float> buffer(3, 1);
  buffer(0, 0) = -1.0f;
  buffer(1, 0) = 2.0f;
  buffer(2, 0) = std::numeric_limits<float>::quiet_NaN();
  const images::Picture picture = picture_from(buffer, 16);
  EXPECT_EQ(picture.at(0, 0, 0), 0);
  EXPECT_EQ(picture.at(1, 0, 0), 65535);
  EXPECT_EQ(picture.at(2, 0, 0), 0);
}

}  // namespace
}  // namespace sinter::command
