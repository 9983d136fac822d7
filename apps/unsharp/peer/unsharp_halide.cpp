// Unsharp masking in Halide.

#include "apps/peer/halide_peer.h"

namespace {

using namespace Halide;

class Unsharp : public peer::HalideProgram<float> {
 public:
  std::vector<int> output_extents(const peer::Sizes& sizes) const override {
    return {sizes.at("width"), sizes.at("height"), 3};
  }

  peer::Candidates candidates(const peer::Sizes& sizes) override {
    input_ = peer::filled<float>(0, output_extents(sizes));
    amount_.set(1.0f);
    peer::Candidates result;
    for (const int rows : {16, 32, 64}) {
      for (const bool slide : {true, false}) result.push_back(scheduled(rows, slide));
    }
    return result;
  }

 private:
  Pipeline scheduled(int rows, bool slide_ratio) const {
    const float weight[] = {0.27068286f, 0.21674448f, 0.11128109f, 0.03663300f};
    Var x("x"), y("y"), c("c"), yo("yo"), yi("yi");
    Func gray("gray"), blur_y("blur_y"), blur_x("blur_x"), ratio("ratio"), out("out");
    Func clamped = BoundaryConditions::repeat_edge(input_);
    gray(x, y) = 0.299f * clamped(x, y, 0) + 0.587f * clamped(x, y, 1) + 0.114f * clamped(x, y, 2);
    blur_y(x, y) = weight[0] * gray(x, y) + weight[1] * (gray(x, y - 1) + gray(x, y + 1)) +
                   weight[2] * (gray(x, y - 2) + gray(x, y + 2)) +
                   weight[3] * (gray(x, y - 3) + gray(x, y + 3));
    blur_x(x, y) = weight[0] * blur_y(x, y) + weight[1] * (blur_y(x - 1, y) + blur_y(x + 1, y)) +
                   weight[2] * (blur_y(x - 2, y) + blur_y(x + 2, y)) +
                   weight[3] * (blur_y(x - 3, y) + blur_y(x + 3, y));
    const Expr sharp = gray(x, y) + amount_ * (gray(x, y) - blur_x(x, y));
    ratio(x, y) = sharp / max(gray(x, y), 1e-3f);
    out(x, y, c) = ratio(x, y) * input_(x, y, c);

    const int vector = get_jit_target_from_environment().natural_vector_size<float>();
    out.split(y, yo, yi, rows).reorder(x, c, yi, yo).vectorize(x, vector).parallel(yo);
    gray.store_at(out, yo).compute_at(out, yi).vectorize(x, vector);
    blur_y.compute_at(out, yi).vectorize(x, vector);
    if (slide_ratio) ratio.store_at(out, yo).compute_at(out, yi).vectorize(x, vector);
    else ratio.compute_at(out, yi).vectorize(x, vector);
    return out;
  }

  Buffer<float> input_;
  Param<float> amount_{"amount"};
};

}  // namespace

int main() {
  Unsharp program;
  return peer::serve(program);
}
