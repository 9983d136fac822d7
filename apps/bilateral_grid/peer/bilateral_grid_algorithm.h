#pragma once
// The bilateral grid in Halide, without a schedule: pixels counted into a coarse grid of place and
// brightness, the grid blurred, and sampled again at each pixel.

#include <Halide.h>

namespace peer {

class BilateralGrid {
 public:
  static constexpr int Cell = 8;
  static constexpr int Levels = 10;

  Halide::Var x{"x"}, y{"y"}, z{"z"}, c{"c"};
  Halide::Func grid{"grid"}, blur_z{"blur_z"}, blur_x{"blur_x"}, blur_y{"blur_y"}, out{"out"};
  Halide::RDom r{0, Cell, 0, Cell};

  /// `Picture`: a Buffer or an ImageParam of floats.
  template <typename Picture>
  explicit BilateralGrid(const Picture& input) {
    using Halide::Expr;
    Halide::Func clamped = Halide::BoundaryConditions::repeat_edge(input);
    const Expr value =
        clamp(clamped(x * Cell + r.x - Cell / 2, y * Cell + r.y - Cell / 2), 0.0f, 1.0f);
    const Expr level = clamp(Halide::cast<int>(value * float(Levels) + 0.5f), 0, Levels);
    grid(x, y, z, c) = 0.0f;
    grid(x, y, level, c) += select(c == 0, value, 1.0f);
    blur_z(x, y, z, c) = five(grid(x, y, z - 2, c), grid(x, y, z - 1, c), grid(x, y, z, c),
                              grid(x, y, z + 1, c), grid(x, y, z + 2, c));
    blur_x(x, y, z, c) = five(blur_z(x - 2, y, z, c), blur_z(x - 1, y, z, c), blur_z(x, y, z, c),
                              blur_z(x + 1, y, z, c), blur_z(x + 2, y, z, c));
    blur_y(x, y, z, c) = five(blur_x(x, y - 2, z, c), blur_x(x, y - 1, z, c), blur_x(x, y, z, c),
                              blur_x(x, y + 1, z, c), blur_x(x, y + 2, z, c));
    const Expr brightness = clamp(input(x, y), 0.0f, 1.0f) * float(Levels);
    const Expr zi = clamp(Halide::cast<int>(brightness), 0, Levels);
    const Expr zf = brightness - Halide::cast<float>(zi);
    const Expr xf = Halide::cast<float>(x % Cell) / float(Cell),
               yf = Halide::cast<float>(y % Cell) / float(Cell);
    const Expr xi = x / Cell, yi = y / Cell;
    const auto along_x = [&](const Expr& row, const Expr& height) {
      return lerp(blur_y(xi, row, height, c), blur_y(xi + 1, row, height, c), xf);
    };
    Halide::Func slice("slice");
    slice(x, y, c) = lerp(lerp(along_x(yi, zi), along_x(yi + 1, zi), yf),
                          lerp(along_x(yi, zi + 1), along_x(yi + 1, zi + 1), yf), zf);
    out(x, y) = slice(x, y, 0) / slice(x, y, 1);
  }

 private:
  static Halide::Expr five(const Halide::Expr& a, const Halide::Expr& b, const Halide::Expr& middle,
                           const Halide::Expr& d, const Halide::Expr& e) {
    return a + b * 4.0f + middle * 6.0f + d * 4.0f + e;
  }
};

}  // namespace peer
