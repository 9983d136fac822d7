// Lesson 2: pictures. Reads a PNG, sharpens it, writes a PNG. The page beside this file explains
// it. Usage: lesson_02_images IN.png OUT.png

#include <cstdio>

#include <sinter/sinter.h>

#include "apps/images/image_file.h"

using namespace sinter;

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: lesson_02_images IN.png OUT.png\n");
    return 2;
  }
  images::Picture picture = images::with_bits(images::read_picture(argv[1]), 8);
  Buffer<std::uint8_t> photo(picture.width, picture.height, picture.channels);
  photo.for_each_element(
      [&](int i, int j, int k) { photo(i, j, k) = std::uint8_t(picture.at(i, j, k)); });
  std::printf("read %d x %d, %d channels\n", photo.width(), photo.height(), photo.channels());

  // An ImageParam stands for a picture that is given when the pipeline runs.
  ImageParam input(UInt(8), 3, "input");
  Var x("x"), y("y"), c("c");

  // Outside the picture, the nearest sample inside: so that neighbours exist at the edges.
  Func clamped = BoundaryConditions::repeat_edge(input);

  // 8-bit numbers wrap around; the arithmetic is done in 16 bits and saturated at the end.
  Func wide("wide"), across("across"), soft("soft"), sharp("sharp");
  wide(x, y, c) = i16(clamped(x, y, c));
  across(x, y, c) = wide(x - 1, y, c) + 2 * wide(x, y, c) + wide(x + 1, y, c);
  soft(x, y, c) = (across(x, y - 1, c) + 2 * across(x, y, c) + across(x, y + 1, c)) / 16;
  sharp(x, y, c) = u8_sat(2 * wide(x, y, c) - soft(x, y, c));

  // Strips of 16 rows in parallel; `across` is computed row by row just before it is used.
  Var yo("yo"), yi("yi");
  sharp.split(y, yo, yi, 16).parallel(yo).vectorize(x, 16);
  across.store_at(sharp, yo).compute_at(sharp, yi).vectorize(x, 16);

  input.set(photo);
  Buffer<std::uint8_t> result = sharp.realize({photo.width(), photo.height(), photo.channels()});

  result.for_each_element([&](int i, int j, int k) { picture.at(i, j, k) = result(i, j, k); });
  images::write_picture(picture, argv[2]);
  std::printf("a sample of the cabin's window: %d, sharpened: %d\n", photo(167, 422, 1),
              result(167, 422, 1));
  return 0;
}
