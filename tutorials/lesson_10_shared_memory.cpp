// Lesson 10: shared memory and staging. The page beside this file explains it.

#include <cstdio>
#include <functional>

#include <sinter/sinter.h>

using namespace sinter;

namespace {

Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
constexpr int Width = 70, Height = 40;

struct Blur {
  Func blur_x{"blur_x"}, blur_y{"blur_y"};
  explicit Blur(const Buffer<float>& photo) {
    Func clamped;
    clamped = BoundaryConditions::repeat_edge(photo);
    blur_x(x, y) = (clamped(x - 1, y) + clamped(x, y) + clamped(x + 1, y)) / 3;
    blur_y(x, y) = (blur_x(x, y - 1) + blur_x(x, y) + blur_x(x, y + 1)) / 3;
  }
};

bool good = true;

void show(const char* title, const Buffer<float>& photo, const Buffer<float>& expected,
          const std::function<void(Blur&)>& schedule) {
  Blur b(photo);
  b.blur_y.gpu_tile(x, y, xo, yo, xi, yi, 32, 8);
  schedule(b);
  std::printf("%s\n", title);
  std::fflush(stdout);
  b.blur_y.print_loop_nest();
  std::printf("\n");
  Buffer<float> result = b.blur_y.realize({Width, Height}, Target("emulated-nvptx-sm_90a"));
  result.for_each_element([&](int i, int j) { good = good && result(i, j) == expected(i, j); });
}

}  // namespace

int main() {
  Buffer<float> photo(Width, Height);
  photo.for_each_element([&](int i, int j) { photo(i, j) = float((i * j) % 256); });
  Buffer<float> expected = Blur(photo).blur_y.realize({Width, Height});

  show("inline: each thread computes its three values of blur_x", photo, expected, [](Blur&) {});

  show("root: a kernel of its own, and a buffer in the device's memory", photo, expected,
       [](Blur& b) { b.blur_x.compute_root().gpu_tile(x, y, xi, yi, 32, 8); });

  show("at a thread: a thread's own three values", photo, expected,
       [](Blur& b) { b.blur_x.compute_at(b.blur_y, xi); });

  show("at a block, in shared memory: the threads of a block compute what all of them read", photo,
       expected, [](Blur& b) {
         b.blur_x.compute_at(b.blur_y, xo).store_in(MemoryType::GPUShared).gpu_threads(x, y);
       });

  std::printf("every schedule gave the same: %s\n", good ? "yes" : "no");
  return good ? 0 : 1;
}
