// Halide's just-in-time compiler on the pipelines of `sinter bench compile`: each run builds,
// compiles and calls one that differs from all before it by a constant.

#include <Halide.h>

#include "apps/peer/peer.h"

namespace {

using namespace Halide;

class Compile : public peer::Program {
 public:
  void prepare(const peer::Sizes& sizes) override {
    is_blur_ = sizes.count("blur") != 0;
    if (is_blur_) {
      input_ = Buffer<std::uint16_t>(Width + 2, Height + 2);
      for (std::size_t i = 0; i < input_.number_of_elements(); ++i)
        input_.data()[i] = std::uint16_t(peer::whole(0, i, 4095));
      blurred_ = Buffer<std::uint16_t>(Width, Height);
    } else {
      counted_ = Buffer<int>(16);
    }
  }
  void run() override {
    ++k_;
    if (is_blur_) blur();
    else trivial();
  }
  std::uint64_t count() const override {
    return is_blur_ ? blurred_.number_of_elements() : counted_.number_of_elements();
  }
  double value(std::uint64_t i) override {
    return is_blur_ ? double(blurred_.data()[i]) : double(counted_.data()[i]);
  }

 private:
  static constexpr int Width = 512, Height = 64;

  void trivial() {
    Var x("x");
    Func f("f");
    f(x) = x + k_;
    f.compile_jit();
    f.realize(counted_);
  }

  void blur() {
    Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
    ImageParam input(UInt(16), 2, "input");
    Func blur_x("blur_x"), blur_y("blur_y");
    blur_x(x, y) = (input(x, y) + input(x + 1, y) + input(x + 2, y)) / 3;
    blur_y(x, y) =
        (blur_x(x, y) + blur_x(x, y + 1) + blur_x(x, y + 2)) / 3 + cast<std::uint16_t>(k_);
    const int vector = get_jit_target_from_environment().natural_vector_size<std::uint16_t>();
    blur_y.tile(x, y, xo, yo, xi, yi, 256, 32).vectorize(xi, vector).parallel(yo);
    blur_x.compute_at(blur_y, xo).vectorize(x, vector);
    input.set(input_);
    blur_y.compile_jit();
    blur_y.realize(blurred_);
  }

  bool is_blur_ = false;
  int k_ = 0;
  Buffer<std::uint16_t> input_, blurred_;
  Buffer<int> counted_;
};

}  // namespace

int main() {
  Compile program;
  return peer::serve(program);
}
