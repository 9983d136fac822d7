// The 3x3 box blur in Halide.

#include "apps/peer/halide_peer.h"

namespace {

using namespace Halide;

class Blur : public peer::HalideProgram<std::uint16_t> {
 public:
  std::vector<int> output_extents(const peer::Sizes& sizes) const override {
    return {sizes.at("width"), sizes.at("height")};
  }

  peer::Candidates candidates(const peer::Sizes& sizes) override {
    input_ = peer::filled<std::uint16_t>(0, {sizes.at("width") + 2, sizes.at("height") + 2}, 4095);
    peer::Candidates result;
    const int natural = get_jit_target_from_environment().natural_vector_size<std::uint16_t>();
    for (const int vector : {16, natural}) {
      for (const int rows : {8, 32, 64}) {
        for (const bool at_vector : {true, false})
          result.push_back(scheduled(vector, rows, at_vector));
      }
    }
    return result;
  }

 private:
  Pipeline scheduled(int vector, int rows, bool at_vector) const {
    Var x("x"), y("y"), yi("yi");
    Func blur_x("blur_x"), blur_y("blur_y");
    blur_x(x, y) = (input_(x, y) + input_(x + 1, y) + input_(x + 2, y)) / 3;
    blur_y(x, y) = (blur_x(x, y) + blur_x(x, y + 1) + blur_x(x, y + 2)) / 3;
    blur_y.split(y, y, yi, rows).parallel(y).vectorize(x, vector);
    blur_x.store_at(blur_y, y).compute_at(blur_y, at_vector ? x : yi).vectorize(x, vector);
    return blur_y;
  }

  Buffer<std::uint16_t> input_;
};

}  // namespace

int main() {
  Blur program;
  return peer::serve(program);
}
