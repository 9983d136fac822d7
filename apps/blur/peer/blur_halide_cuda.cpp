// The 3x3 box blur in Halide for a CUDA device, compiled while we build.

#include "apps/peer/halide_ahead.h"

namespace {

using namespace Halide;

/// A thread computes `columns` x `rows` pixels; `across` x `down` threads a block. The sums of rows
/// that the pixels of a thread share stay in its registers, or are computed anew for each pixel.
Pipeline scheduled(const ImageParam& input, int columns, int rows, int across, int down,
                   bool kept) {
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi"), xt("xt"), yt("yt");
  Func blur_x("blur_x"), blur_y("blur_y");
  blur_x(x, y) = (input(x, y) + input(x + 1, y) + input(x + 2, y)) / 3;
  blur_y(x, y) = (blur_x(x, y) + blur_x(x, y + 1) + blur_x(x, y + 2)) / 3;
  blur_y.tile(x, y, xt, yt, xi, yi, columns, rows)
      .gpu_tile(xt, yt, xo, yo, xt, yt, across, down)
      .unroll(yi);
  if (columns > 1) blur_y.vectorize(xi);
  if (kept) {
    blur_x.compute_at(blur_y, xt).unroll(y);
    if (columns > 1) blur_x.vectorize(x);
  }
  return blur_y;
}

/// The sums of a block's rows in its shared memory.
Pipeline shared(const ImageParam& input, int across, int down) {
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  Func blur_x("blur_x"), blur_y("blur_y");
  blur_x(x, y) = (input(x, y) + input(x + 1, y) + input(x + 2, y)) / 3;
  blur_y(x, y) = (blur_x(x, y) + blur_x(x, y + 1) + blur_x(x, y + 2)) / 3;
  blur_y.gpu_tile(x, y, xo, yo, xi, yi, across, down);
  blur_x.compute_at(blur_y, xo).gpu_threads(x, y);
  return blur_y;
}

}  // namespace

int main(int, char** arguments) {
  const ImageParam input(UInt(16), 2, "input");
  std::vector<Pipeline> candidates = {shared(input, 64, 8), shared(input, 32, 16)};
  for (const int columns : {1, 2, 4}) {
    for (const int rows : {1, 4, 8, 16}) {
      for (const bool kept : {false, true}) {
        if (kept && rows == 1) continue;
        candidates.push_back(scheduled(input, columns, rows, 32, 8, kept));
        candidates.push_back(scheduled(input, columns, rows, 64, 2, kept));
      }
    }
  }
  peer::compile_ahead(arguments[1], {.element = "std::uint16_t", .border = 2, .largest = 4095},
                      input, candidates);
}
