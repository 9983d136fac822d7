// Lesson 9: a first GPU schedule. The page beside this file explains it.

#include <cstdio>

#include <sinter/sinter.h>

using namespace sinter;

int main() {
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  constexpr int Width = 100, Height = 50;

  Buffer<std::uint8_t> photo(Width, Height);
  photo.for_each_element([&](int i, int j) { photo(i, j) = std::uint8_t(i * 2 + j); });

  // The algorithm knows nothing of machines.
  const auto bright = [&](const char* name) {
    Func f(name);
    f(x, y) = u8_sat(f32(photo(x, y)) * 1.5f + 10.0f);
    return f;
  };

  // A schedule for the host, and one for a GPU: blocks of 32 x 4 threads, an element each.
  const auto schedule = [&](Func& f, const Target& target) {
    if (target.is_gpu()) {
      f.gpu_tile(x, y, xo, yo, xi, yi, 32, 4);
    } else {
      f.vectorize(x, 16).parallel(y);
    }
  };

  // An emulator runs the GPU's instructions, on any machine.
  const Target host, gpu("emulated-nvptx-sm_90a");
  Func on_host = bright("on_host"), on_gpu = bright("on_gpu");
  schedule(on_host, host);
  schedule(on_gpu, gpu);
  std::printf("on the host\n");
  std::fflush(stdout);
  on_host.print_loop_nest();
  std::printf("\non a GPU\n");
  std::fflush(stdout);
  on_gpu.print_loop_nest();
  Buffer<std::uint8_t> by_host = on_host.realize({Width, Height}, host);
  Buffer<std::uint8_t> by_gpu = on_gpu.realize({Width, Height}, gpu);
  bool equal = true;
  by_gpu.for_each_element([&](int i, int j) { equal = equal && by_gpu(i, j) == by_host(i, j); });
  std::printf("\nthe same on GPU and host: %s\n", equal ? "yes" : "no");

  // A stage runs where its own schedule says. The compiler places the transfers.
  Func plain("plain"), both("both");
  plain(x, y) = i32(photo(x, y)) + 1;
  both(x, y) = plain(x, y) * plain(Width - 1 - x, y);
  plain.compute_root().vectorize(x, 8);
  both.gpu_tile(x, y, xi, yi, 32, 4);
  std::printf("\none stage on the host, one on the GPU\n");
  std::fflush(stdout);
  both.print_loop_nest();
  Buffer<int> product = both.realize({Width, Height}, gpu);
  product.for_each_element([&](int i, int j) {
    equal = equal && product(i, j) == (photo(i, j) + 1) * (photo(Width - 1 - i, j) + 1);
  });

  // What a machine has not, it refuses: blocks on the host, and too many threads on a GPU.
  int refusals = 0;
  const auto refused = [&](Func f, const Target& target) {
    try {
      f.realize({Width, Height}, target);
    } catch (const Error& error) {
      ++refusals;
      std::printf("\nrefused: %s\nremedy: %s\n", error.diagnostic().reason.c_str(),
                  error.diagnostic().remedy.c_str());
    }
  };
  refused(on_gpu, host);
  Func large("large");
  large(x, y) = x + y;
  large.gpu_tile(x, y, xi, yi, 64, 32);
  refused(large, gpu);

  const bool good = equal && refusals == 2;
  std::printf("\nall as expected: %s\n", good ? "yes" : "no");
  return good ? 0 : 1;
}
