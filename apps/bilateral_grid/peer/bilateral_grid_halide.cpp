// The bilateral grid in Halide.

#include "apps/bilateral_grid/peer/bilateral_grid_algorithm.h"
#include "apps/peer/halide_peer.h"

namespace {

using namespace Halide;

class OnHost : public peer::HalideProgram<float> {
 public:
  std::vector<int> output_extents(const peer::Sizes& sizes) const override {
    return {sizes.at("width"), sizes.at("height")};
  }

  peer::Candidates candidates(const peer::Sizes& sizes) override {
    input_ = peer::filled<float>(0, output_extents(sizes));
    return {scheduled(true, 1), scheduled(true, 8), scheduled(false, 1), scheduled(false, 8)};
  }

 private:
  Pipeline scheduled(bool grid_by_row, int rows) const {
    peer::BilateralGrid g(input_);
    const Var &x = g.x, &y = g.y, &z = g.z, &c = g.c;
    Var yo("yo"), yi("yi");
    const int vector = get_jit_target_from_environment().natural_vector_size<float>();
    if (grid_by_row) g.grid.compute_at(g.blur_z, y);
    else g.grid.compute_root().parallel(z).update().parallel(y);
    g.grid.update().reorder(c, g.r.x, g.r.y, x, y).unroll(c);
    g.blur_z.compute_root().reorder(c, z, x, y).parallel(y).vectorize(x, vector).unroll(c);
    g.blur_x.compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, vector).unroll(c);
    g.blur_y.compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, vector).unroll(c);
    for (Func stage : {g.grid, g.blur_z, g.blur_x, g.blur_y}) stage.bound(c, 0, 2);
    g.out.split(y, yo, yi, rows).parallel(yo).vectorize(x, vector);
    return g.out;
  }

  Buffer<float> input_;
};

}  // namespace

int main() {
  OnHost program;
  return peer::serve(program);
}
