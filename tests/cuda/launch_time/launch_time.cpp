// Host time of calls on a GPU: `launch_time [nvptx-sm_90a]`. Not a test: it needs a device, or
// SINTER_CUDA_DRIVER.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <sinter/sinter.h>

using namespace sinter;

namespace {

/// Microseconds of 10,000 calls, in batches between which the device catches up.
template <typename F>
std::vector<double> times(const Stream& stream, const F& call) {
  std::vector<double> found;
  for (int batch = 0; batch < 100; ++batch) {
    for (int i = 0; i < 100; ++i) {
      const auto start = std::chrono::steady_clock::now();
      call();
      found.push_back(
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
              .count());
    }
    stream.synchronize();
  }
  std::sort(found.begin(), found.end());
  return found;
}

void print(const char* what, const std::vector<double>& us, int kernels) {
  std::printf("%-32s median %.3f us, 99th percentile %.3f us; a kernel: %.3f us\n", what,
              us[us.size() / 2], us[us.size() * 99 / 100], us[us.size() / 2] / kernels);
}

}  // namespace

int main(int count, char** words) {
  const Stream stream(Target(count > 1 ? words[1] : "nvptx-sm_90a"));
  ImageParam in(Int(32), 1);
  Buffer<int> given(1024), out(1024);
  given.fill(1);
  in.set(given);
  Var x("x"), xi("xi");
  for (const int kernels : {1, 8}) {
    Func last;
    last(x) = in(x) + 1;
    for (int k = 1; k < kernels; ++k) {
      last.compute_root().gpu_tile(x, xi, 128);
      Func next;
      next(x) = last(x) * 3 + last(1023 - x);
      last = next;
    }
    last.gpu_tile(x, xi, 128);
    Pipeline pipeline(last);
    for (int i = 0; i < 3; ++i) pipeline.realize(out, stream);
    stream.synchronize();
    const RecordedCall call = pipeline.record(out, stream);
    std::printf("%d kernels a call\n", kernels);
    print("  realize on a stream", times(stream, [&] { pipeline.realize(out, stream); }), kernels);
    print("  replay of a recorded call", times(stream, [&] { call.replay(stream); }), kernels);
  }
}
