// The bilateral grid in Halide.

#include "apps/peer/halide_peer.h"

namespace {

using namespace Halide;

Expr five(const Expr& a, const Expr& b, const Expr& middle, const Expr& d, const Expr& e) {
  return a + b * 4.0f + middle * 6.0f + d * 4.0f + e;
}

class BilateralGrid : public peer::HalideProgram<float> {
 public:
  std::vector<int> output_extents(const peer::Sizes& sizes) const override {
    return {sizes.at("width"), sizes.at("height")};
  }

  peer::Candidates candidates(const peer::Sizes& sizes) override {
    input_ = peer::filled<float>(0, output_extents(sizes));
    return {scheduled(true, 1), scheduled(true, 8), scheduled(false, 1), scheduled(false, 8)};
  }

 private:
  static constexpr int Cell = 8;
  static constexpr int Levels = 10;

  Pipeline scheduled(bool grid_by_row, int rows) const {
    Var x("x"), y("y"), z("z"), c("c"), yo("yo"), yi("yi");
    Func grid("grid"), blur_z("blur_z"), blur_x("blur_x"), blur_y("blur_y"), slice("slice"),
        out("out");
    RDom r(0, Cell, 0, Cell);
    Func clamped = BoundaryConditions::repeat_edge(input_);
    const Expr value =
        clamp(clamped(x * Cell + r.x - Cell / 2, y * Cell + r.y - Cell / 2), 0.0f, 1.0f);
    const Expr level = clamp(cast<int>(value * float(Levels) + 0.5f), 0, Levels);
    grid(x, y, z, c) = 0.0f;
    grid(x, y, level, c) += select(c == 0, value, 1.0f);
    blur_z(x, y, z, c) = five(grid(x, y, z - 2, c), grid(x, y, z - 1, c), grid(x, y, z, c),
                              grid(x, y, z + 1, c), grid(x, y, z + 2, c));
    blur_x(x, y, z, c) = five(blur_z(x - 2, y, z, c), blur_z(x - 1, y, z, c), blur_z(x, y, z, c),
                              blur_z(x + 1, y, z, c), blur_z(x + 2, y, z, c));
    blur_y(x, y, z, c) = five(blur_x(x, y - 2, z, c), blur_x(x, y - 1, z, c), blur_x(x, y, z, c),
                              blur_x(x, y + 1, z, c), blur_x(x, y + 2, z, c));
    const Expr brightness = clamp(input_(x, y), 0.0f, 1.0f) * float(Levels);
    const Expr zi = clamp(cast<int>(brightness), 0, Levels);
    const Expr zf = brightness - cast<float>(zi);
    const Expr xf = cast<float>(x % Cell) / float(Cell), yf = cast<float>(y % Cell) / float(Cell);
    const Expr xi = x / Cell, yi_cell = y / Cell;
    const auto along_x = [&](const Expr& row, const Expr& height) {
      return lerp(blur_y(xi, row, height, c), blur_y(xi + 1, row, height, c), xf);
    };
    slice(x, y, c) = lerp(lerp(along_x(yi_cell, zi), along_x(yi_cell + 1, zi), yf),
                          lerp(along_x(yi_cell, zi + 1), along_x(yi_cell + 1, zi + 1), yf), zf);
    out(x, y) = slice(x, y, 0) / slice(x, y, 1);

    const int vector = get_jit_target_from_environment().natural_vector_size<float>();
    if (grid_by_row) grid.compute_at(blur_z, y);
    else grid.compute_root().parallel(z).update().parallel(y);
    grid.update().reorder(c, r.x, r.y, x, y).unroll(c);
    blur_z.compute_root().reorder(c, z, x, y).parallel(y).vectorize(x, vector).unroll(c);
    blur_x.compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, vector).unroll(c);
    blur_y.compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, vector).unroll(c);
    for (Func stage : {grid, blur_z, blur_x, blur_y}) stage.bound(c, 0, 2);
    out.split(y, yo, yi, rows).parallel(yo).vectorize(x, vector);
    return out;
  }

  Buffer<float> input_;
};

}  // namespace

int main() {
  BilateralGrid program;
  return peer::serve(program);
}
