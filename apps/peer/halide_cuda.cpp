// A pipeline that Halide compiled for a CUDA device (halide_ahead.h), with its pictures on the
// device: the fastest of its schedules there is measured.

#include <limits>

#include <HalideBuffer.h>
#include <HalideRuntimeCuda.h>

#include "apps/peer/peer.h"
#include "candidates.h"

namespace {

using Picture = Halide::Runtime::Buffer<Element, 2>;

class HalideCuda : public peer::Program {
 public:
  void prepare(const peer::Sizes& sizes) override {
    const int width = sizes.at("width"), height = sizes.at("height");
    input_ = Picture(width + Border, height + Border);
    for (std::uint64_t i = 0; i < input_.number_of_elements(); ++i) {
      input_.data()[i] =
          Largest == 0 ? Element(peer::unit(0, i)) : Element(peer::whole(0, i, Largest));
    }
    output_ = Picture(width, height);
    halide_set_error_handler([](void*, const char* message) { std::cerr << message << "\n"; });
    halide_reuse_device_allocations(nullptr, true);
    input_.set_host_dirty();
    if (input_.copy_to_device(halide_cuda_device_interface()) != 0)
      throw std::runtime_error("Halide finds no CUDA device");
    double best = std::numeric_limits<double>::infinity();
    auto winner = Candidates[0];
    for (const auto candidate : Candidates) {
      candidate_ = candidate;
      peer::milliseconds_of(*this, 3);
      const double ms = peer::milliseconds_of(*this, 20);
      if (ms < best) {
        best = ms;
        winner = candidate;
      }
    }
    candidate_ = winner;
  }
  void run() override {
    if (candidate_(input_, output_) != 0) throw std::runtime_error("Halide failed");
  }
  void finish() override { output_.device_sync(); }
  std::uint64_t count() const override { return output_.number_of_elements(); }
  double value(std::uint64_t index) override {
    output_.copy_to_host();
    return double(output_.data()[index]);
  }

 private:
  Picture input_, output_;
  decltype(&candidate_0) candidate_ = nullptr;
};

}  // namespace

int main() {
  HalideCuda program;
  return peer::serve(program);
}
